// Texture and surface references of CUDA 11: in device code a .texref and a .surfref whose handles the instructions take, on the host an object
// that is registered, and the calls that bind it.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_75 %s -o - | FileCheck %s --check-prefix=PTX
// RUN: %cuda_host -Xclang -fcuda-include-gpubinary -Xclang %s %s -S -emit-llvm -o - | FileCheck %s --check-prefix=HOST
#include <cuda_runtime.h>
texture<float, cudaTextureType2D, cudaReadModeElementType> image;
texture<uchar4, cudaTextureType1D, cudaReadModeNormalizedFloat> colours;
surface<void, cudaSurfaceType2D> drawing;

// PTX-DAG: .global .texref image
// PTX-DAG: .global .texref colours
// PTX-DAG: .global .surfref drawing
// PTX: .visible .entry _Z5fetchPfi
// PTX: tex.2d.v4.f32.f32
// PTX: tex.1d.v4.f32.s32
// PTX: sust.b.2d.v2.b32.trap
__global__ void fetch(float* out, int i) {
  out[i] = tex2D(image, i + 0.5f, 0.5f);
  const float4 colour = tex1Dfetch(colours, i);
  surf2Dwrite(make_float2(colour.x, colour.y), drawing, i * 8, 0, cudaBoundaryModeTrap);
}

// HOST-DAG: call void @__cudaRegisterTexture(ptr %0, ptr @image,{{.*}} i32 2, i32 0, i32 0)
// HOST-DAG: call void @__cudaRegisterTexture(ptr %0, ptr @colours,{{.*}} i32 1, i32 1, i32 0)
// HOST-DAG: call void @__cudaRegisterSurface(ptr %0, ptr @drawing,
cudaError_t bind(cudaArray_t array, uchar4* linear) {
  image.filterMode = cudaFilterModeLinear;
  image.addressMode[0] = cudaAddressModeClamp;
  size_t offset;
  cudaError_t status = cudaBindTextureToArray(image, array);
  if (status == cudaSuccess) status = cudaBindTexture(&offset, colours, linear, 1024);
  if (status == cudaSuccess) status = cudaBindSurfaceToArray(drawing, array);
  return status == cudaSuccess ? cudaUnbindTexture(colours) : status;
}
