__global__ void sum(int* sums, int b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = i + b;
}

int whole_sum(int* sums, int count, int b) {
  int* device = nullptr;
  if (cudaMalloc(&device, count * sizeof(int)) != cudaSuccess) return 2;
  sum<<<count / 64, 64>>>(device, b);
  if (cudaMemcpy(sums, device, count * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
  return cudaFree(device) != cudaSuccess ? 4 : 0;
}
