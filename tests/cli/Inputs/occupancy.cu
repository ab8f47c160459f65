__global__ void __launch_bounds__(THREADS) scale(float* p, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] *= f;
}
