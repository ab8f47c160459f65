__constant__ int offset = 900;
__device__ int device_sum(int a, int b) { return a + b + offset; }
