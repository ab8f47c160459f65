__device__ int counter_elsewhere;
__global__ void elsewhere(int* out) { *out = counter_elsewhere; }
