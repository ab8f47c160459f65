// A shifted copy through a texture reference, as programs were written until CUDA 11 (CUDA C Best Practices Guide 4.0, 3.2.4.1,
// listing 3.13). CUDA 12 took these functions away; Heddle's nvcc still compiles such programs.
//
//     nvcc texture_reference.cu -o texture_reference && ./texture_reference
#include "check.h"

texture<float, 1, cudaReadModeElementType> shifted;

__global__ void texture_shift_copy(float* to, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = tex1Dfetch(shifted, i + shift);
}

int main() {
  const int threads = 128, blocks = 20, count = threads * blocks;
  std::vector<float> data(count + 32);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i) * 0.5f;
  const DeviceArray<float> from(data), to(count);
  CHECK(cudaBindTexture(nullptr, shifted, static_cast<float*>(from), from.bytes()));
  for (const int shift : {0, 1, 16, 31}) {
    to.spoil();
    texture_shift_copy<<<blocks, threads>>>(to, shift);
    CHECK(cudaGetLastError());
    expect("listing 3.13", to.values(), std::vector<float>(data.begin() + shift, data.begin() + shift + count));
  }
  CHECK(cudaUnbindTexture(shifted));
}
