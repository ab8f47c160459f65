// An array back to front: by one block, by many, and through shared memory whose size the compiler knows or the launch gives
// (tutorial of 2015, VI.3).
//
//     nvcc reverse.cu -o reverse && ./reverse
#include "check.h"

constexpr int block = 256;

// One block: no more elements than a block may have threads.
__global__ void one_block(const int* in, int* out) { out[blockDim.x - 1 - threadIdx.x] = in[threadIdx.x]; }

// Each block turns its piece and puts it where the piece at the other end was.
__global__ void many_blocks(const int* in, int* out) {
  const int first = (gridDim.x - 1 - blockIdx.x) * blockDim.x;
  out[first + blockDim.x - 1 - threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
}

// The turning happens in shared memory, so that reads and writes of global memory both ascend with the thread.
__device__ void turn(int* piece, const int* in, int* out) {
  piece[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[(gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x] = piece[blockDim.x - 1 - threadIdx.x];
}

__global__ void static_shared(const int* in, int* out) {
  __shared__ int piece[block];
  turn(piece, in, out);
}

__global__ void dynamic_shared(const int* in, int* out) {
  extern __shared__ int piece[];
  turn(piece, in, out);
}

int main() {
  const struct {
    const char* name;
    void (*kernel)(const int*, int*);
    int blocks;
    std::size_t shared_bytes;
  } ways[] = {{"one block", one_block, 1, 0},
              {"many blocks", many_blocks, 37, 0},
              {"static shared memory", static_shared, 37, 0},
              {"dynamic shared memory", dynamic_shared, 37, block * sizeof(int)}};
  for (const auto& way : ways) {
    std::vector<int> in(way.blocks * block);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 7);
    const DeviceArray<int> from(in), to(in.size());
    to.spoil();
    way.kernel<<<way.blocks, block, way.shared_bytes>>>(from, to);
    CHECK(cudaGetLastError());
    expect(way.name, to.values(), std::vector<int>(in.rbegin(), in.rend()));
  }
}
