// Rows in rings: lanes that come round at the end of a buffer, wherever that lies in a vector.
// RUN: %nvcc %s -o %t && %t
// RUN: env HEDDLE_EXECUTOR=interp %t
// RUN: env HEDDLE_JIT_TIER=best %t
// RUN: env HEDDLE_JIT_TIER=best HEDDLE_JIT_CPU=avx2 %t
// RUN: env HEDDLE_JIT_CPU=x86-64-v2 %t
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 192;

// By bytes, by halves, by words and by pairs; the ring's length is known, where it begins is not.
template <class T, unsigned Length>
__global__ void copies(const T* in, T* out, unsigned at, bool odd_only) {
  __shared__ T ring[Length];
  for (unsigned i = threadIdx.x; i < Length; i += threads) ring[i] = in[i];
  __syncthreads();
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (odd_only && threadIdx.x % 3 == 0) return;
  out[i] = ring[(i + at) & (Length - 1)];
  __syncthreads();
  ring[(2 * threads - threadIdx.x + at) & (Length - 1)] = out[i];
}

// Stores into a ring of global memory, and sums beside the ring's bits.
template <unsigned Length>
__global__ void stores(unsigned* out, unsigned at, unsigned row) {
  const unsigned i = threadIdx.x;
  if (i < Length) out[row * Length + ((i + at) & (Length - 1))] = i * 3 + row;
}

// Sums that wrap in 32 bits before they are extended, and steps that skip.
__global__ void wraps(const unsigned* in, unsigned* out, unsigned at, unsigned more) {
  const unsigned i = threadIdx.x;
  out[i] = in[((i + at) & 63) + more] + in[((2 * i + at) & 127)] + in[((i - at) & 255)] + in[(at - i) & 255];
}

static void check(bool right, const char* what, unsigned length, unsigned at) {
  if (right) return;
  printf("%s of %u: wrong at %u\n", what, length, at);
  exit(1);
}

template <class T, unsigned Length>
void copy(T* memory) {
  std::vector<T> in(Length), out(2 * threads);
  for (unsigned i = 0; i < Length; ++i) in[i] = static_cast<T>(i * 7 + 3);
  cudaMemcpy(memory, in.data(), Length * sizeof(T), cudaMemcpyHostToDevice);
  for (const unsigned at : {0u, 1u, 5u, 15u, 16u, 31u, 63u, 255u, ~0u, 0u - 17})
    for (const bool odd_only : {false, true}) {
      T* to = memory + Length;
      cudaMemset(to, 0, out.size() * sizeof(T));
      copies<T, Length><<<2, threads>>>(memory, to, at, odd_only);
      if (cudaMemcpy(out.data(), to, out.size() * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) exit(2);
      for (unsigned i = 0; i < out.size(); ++i)
        check(out[i] == (odd_only && i % threads % 3 == 0 ? T() : in[(i + at) & (Length - 1)]), "copy",
              Length, i);
    }
}

template <unsigned Length>
void store(unsigned* memory) {
  std::vector<unsigned> out(4 * Length);
  for (const unsigned at : {0u, 1u, 9u, 16u, 100u, ~0u}) {
    cudaMemset(memory, 0, out.size() * 4);
    stores<Length><<<1, threads>>>(memory, at, 2);
    if (cudaMemcpy(out.data(), memory, out.size() * 4, cudaMemcpyDeviceToHost) != cudaSuccess) exit(2);
    for (unsigned i = 0; i < Length; ++i) {
      const unsigned place = 2 * Length + ((i + at) & (Length - 1));
      check(out[place] == (i < threads ? i * 3 + 2 : 0), "store", Length, place);
    }
  }
}

int main() {
  unsigned* memory;
  cudaMalloc(&memory, 1 << 20);
  copy<unsigned, 256>(memory);
  copy<unsigned, 64>(memory);
  copy<unsigned, 16>(memory);
  copy<unsigned, 8>(memory);
  copy<unsigned char, 256>(reinterpret_cast<unsigned char*>(memory));
  copy<unsigned short, 512>(reinterpret_cast<unsigned short*>(memory));
  copy<unsigned long long, 128>(reinterpret_cast<unsigned long long*>(memory));
  store<256>(memory);
  store<32>(memory);
  store<16>(memory);
  std::vector<unsigned> in(512), out(threads);
  for (unsigned i = 0; i < in.size(); ++i) in[i] = i * i + 1;
  cudaMemcpy(memory, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
  for (const unsigned at : {0u, 3u, 63u, 0u - 5, 0x8000'0000u - 20})
    for (const unsigned more : {0u, 100u}) {
      wraps<<<1, threads>>>(memory, memory + 512, at, more);
      if (cudaMemcpy(out.data(), memory + 512, threads * 4, cudaMemcpyDeviceToHost) != cudaSuccess) exit(2);
      for (unsigned i = 0; i < threads; ++i)
        check(out[i] == in[((i + at) & 63) + more] + in[(2 * i + at) & 127] + in[(i - at) & 255] +
                            in[(at - i) & 255],
              "wraps", more, i);
    }
  return 0;
}
