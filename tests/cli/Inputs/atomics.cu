// cuda::atomic and cuda::atomic_ref, from all threads at once: check_atomics.test.
#include <cstdio>
#include <cuda/atomic>

template <class Atomic, class Value>
__global__ void counts(Atomic *p, Value *out) {
  const int n = threadIdx.x + blockIdx.x * blockDim.x;
  out[n] = p->fetch_add(1) + p->fetch_sub(1, cuda::memory_order_relaxed);
  out[n] += p->exchange(3) + p->load();
  p->store(n, cuda::memory_order_relaxed);
  Value expected = 0;
  while (!p->compare_exchange_weak(expected, expected + 1)) {
  }
  out[n] += p->compare_exchange_strong(expected, 5, cuda::memory_order_relaxed);
}
template <class Atomic, class Value>
__global__ void bounds(Atomic *p, Value *out) {
  const int n = threadIdx.x + blockIdx.x * blockDim.x;
  out[n] = p->fetch_min(n) + p->fetch_max(n, cuda::memory_order_relaxed);
  out[n] += p->fetch_and(n) + p->fetch_or(n) + p->fetch_xor(n, cuda::memory_order_relaxed);
}
template <class Value>
__global__ void refers(Value *p, Value *out) {
  cuda::atomic_ref<Value, cuda::thread_scope_device> at(*p);
  out[threadIdx.x + blockIdx.x * blockDim.x] = at.fetch_add(1, cuda::memory_order_relaxed) + at.load();
}
__global__ void plain(cuda::atomic<int> *p, int *out) {
  out[threadIdx.x] = *reinterpret_cast<int *>(p);
  p->fetch_min(-1);  // line 29
}

template <class Atomic, class Value>
void of(bool has_bounds) {
  Atomic *p;
  Value *out;
  cudaMalloc(&p, 256);
  cudaMalloc(&out, 256 * sizeof(Value));
  cudaMemset(p, 0, 256);
  counts<<<4, 64>>>(p, out);
  if constexpr (std::is_integral_v<Value>)
    if (has_bounds) bounds<<<4, 64>>>(p, out);
  refers<<<4, 64>>>(reinterpret_cast<Value *>(p), out);
}

int main(int argc, char **) {
  of<cuda::atomic<int>, int>(true);
  of<cuda::atomic<unsigned, cuda::thread_scope_device>, unsigned>(true);
  of<cuda::atomic<long long>, long long>(true);
  of<cuda::atomic<float, cuda::thread_scope_device>, float>(false);
  of<cuda::atomic<double>, double>(false);
  if (argc > 1) {
    cuda::atomic<int> *p;
    int *out;
    cudaMalloc(&p, 256);
    cudaMalloc(&out, 256);
    cudaMemset(p, 0, 256);
    plain<<<1, 64>>>(p, out);
  }
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
