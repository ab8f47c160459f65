// W = M V six ways: the kernels of "OpenCL Programming for the CUDA Architecture" 2.3, listings 2 to 7, in CUDA.
//
//     nvcc matrix_vector.cu -o matrix_vector && ./matrix_vector
#include "check.h"

extern __shared__ float partial[];  // one float a thread

__device__ float dot_product(const float* row, const float* v, unsigned width) {
  float sum = 0;
  for (unsigned x = 0; x < width; ++x) sum += row[x] * v[x];
  return sum;
}

// Listing 2: a thread, a row.
__global__ void listing2(const float* m, unsigned width, unsigned height, const float* v, float* w) {
  const unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < height) w[y] = dot_product(m + y * width, v, width);
}

// Listing 3: as many threads as one likes, each takes the rows that are its grid's width apart.
__global__ void listing3(const float* m, unsigned width, unsigned height, const float* v, float* w) {
  for (unsigned y = blockIdx.x * blockDim.x + threadIdx.x; y < height; y += gridDim.x * blockDim.x)
    w[y] = dot_product(m + y * width, v, width);
}

// The threads of a block share a row, so that they read it side by side: each leaves its part in shared memory.
__device__ void partial_products(const float* row, const float* v, unsigned width) {
  float sum = 0;
  for (unsigned x = threadIdx.x; x < width; x += blockDim.x) sum += row[x] * v[x];
  partial[threadIdx.x] = sum;
}

// Listing 4: the first thread adds the parts.
__global__ void listing4(const float* m, unsigned width, unsigned height, const float* v, float* w) {
  for (unsigned y = blockIdx.x; y < height; y += gridDim.x) {
    partial_products(m + y * width, v, width);
    __syncthreads();  // all parts are there
    if (threadIdx.x == 0) {
      float sum = 0;
      for (unsigned t = 0; t < blockDim.x; ++t) sum += partial[t];
      w[y] = sum;
    }
    __syncthreads();  // the first thread has read them
  }
}

// Listing 5: the parts are added in a tree. Indices that are multiples of twice the stride meet in the same banks.
__global__ void listing5(const float* m, unsigned width, unsigned height, const float* v, float* w) {
  for (unsigned y = blockIdx.x; y < height; y += gridDim.x) {
    partial_products(m + y * width, v, width);
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
      __syncthreads();
      const unsigned index = 2 * stride * threadIdx.x;
      if (index < blockDim.x) partial[index] += partial[index + stride];
    }
    if (threadIdx.x == 0) w[y] = partial[0];
    __syncthreads();
  }
}

// Listing 6: the same tree from the other end, without bank conflicts.
__global__ void listing6(const float* m, unsigned width, unsigned height, const float* v, float* w) {
  for (unsigned y = blockIdx.x; y < height; y += gridDim.x) {
    partial_products(m + y * width, v, width);
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
      __syncthreads();
      if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) w[y] = partial[0];
    __syncthreads();
  }
}

// Listing 7: each warp adds 64 parts without a barrier, because its threads march in step: in each step all of them read before any
// of them writes. `volatile` keeps the sums in shared memory. That is how compute capabilities 1.x to 6.x work; later ones promise it no
// more (Programming Guide, "Independent Thread Scheduling"), so there every step reads, waits for the warp, writes and waits again.
__device__ void warp_add(volatile float* p, unsigned distance, unsigned lanes) {
#if __CUDA_ARCH__ >= 700
  const float other = p[distance];
  __syncwarp(lanes);
  p[0] += other;
  __syncwarp(lanes);
#else
  p[0] += p[distance];
#endif
}

__global__ void listing7(const float* m, unsigned width, unsigned height, const float* v, float* w) {
  for (unsigned y = blockIdx.x; y < height; y += gridDim.x) {
    partial_products(m + y * width, v, width);
    __syncthreads();
    const unsigned lane = threadIdx.x & (warpSize - 1);
    // 64 parts a warp: half of the warps have none left. (The paper lets them read behind the array; what they add up is not used.)
    if (threadIdx.x < blockDim.x / 2) {
      volatile float* p = partial + 2 * threadIdx.x - lane;
      for (unsigned distance = 32; distance > 0; distance /= 2) warp_add(p, distance, 0xffffffff);
    }
    const float warp_result = threadIdx.x < blockDim.x / 2 ? partial[2 * threadIdx.x - lane] : 0;
    __syncthreads();  // every warp has read its result before the next line writes over others'
    if (lane == 0 && threadIdx.x < blockDim.x / 2) partial[threadIdx.x / warpSize] = warp_result;
    __syncthreads();
    // A block has at most 512 threads here, so at most 8 sums are left: work for one warp.
    const unsigned left = blockDim.x / (2 * warpSize);
    if (threadIdx.x < left / 2) {
      volatile float* p = partial + threadIdx.x;
      const unsigned lanes = (1u << left / 2) - 1;
      if (left >= 8) warp_add(p, 4, lanes);
      if (left >= 4) warp_add(p, 2, lanes);
      if (left >= 2) warp_add(p, 1, lanes);
    }
    if (threadIdx.x == 0) w[y] = partial[0];
    __syncthreads();
  }
}

int main() {
  const unsigned width = 1100, height = 300, threads = 512;
  std::vector<float> m(width * height), v(width);
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = static_cast<float>(i % 23) - 11;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 5) * 0.25f;
  std::vector<float> expected(height);  // multiples of 1/4 below 2^22: exact in any order
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < width; ++x) expected[y] += m[y * width + x] * v[x];

  const DeviceArray<float> device_m(m), device_v(v), device_w(height);
  const struct {
    const char* name;
    void (*kernel)(const float*, unsigned, unsigned, const float*, float*);
    unsigned blocks;  // the paper's numbers are 196 and 60; each must do with fewer blocks than rows
  } ways[] = {{"listing 2", listing2, (height + threads - 1) / threads}, {"listing 3", listing3, 2}, {"listing 4", listing4, 60},
              {"listing 5", listing5, 60}, {"listing 6", listing6, 60}, {"listing 7", listing7, 60}};
  for (const auto& way : ways) {
    device_w.spoil();
    way.kernel<<<way.blocks, threads, threads * sizeof(float)>>>(device_m, width, height, device_v, device_w);
    CHECK(cudaGetLastError());
    expect(way.name, device_w.values(), expected);
  }
}
