// The kernel of vector_addition_driver.cpp, which loads it at run time by its name: hence extern "C".
extern "C" __global__ void vector_add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}
