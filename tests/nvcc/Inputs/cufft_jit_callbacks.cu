// What cufft_jit_callback.cu gives to cuFFT, compiled for a linker.
#include <cufftXt.h>

__device__ float twice = 2;

extern "C" __device__ cufftComplex scaled(void* in, unsigned long long offset, void* info, void*) {
  const cufftComplex x = static_cast<cufftComplex*>(in)[offset];
  const float by = *static_cast<float*>(info) * twice;
  return {x.x * by, x.y * by};
}
extern "C" __device__ void numbered(void* out, unsigned long long offset, cufftComplex x, void* info, void* shared) {
  static_cast<float*>(shared)[threadIdx.x] = x.x;
  static_cast<cufftComplex*>(out)[offset] = {static_cast<float*>(shared)[threadIdx.x] + (info == nullptr ? 0.5f : 0),
                                             x.y + static_cast<float>(offset)};
}
extern "C" __device__ cufftDoubleReal halved(void* in, unsigned long long offset, void*, void*) {
  return static_cast<cufftDoubleReal*>(in)[offset] / 2;
}
__device__ void negated(void* out, unsigned long long offset, cufftDoubleReal x, void*, void*) {
  static_cast<cufftDoubleReal*>(out)[offset] = -x;
}
