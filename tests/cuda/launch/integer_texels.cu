// Integers that are read as integers and filtered: the driver API makes such textures and an H100 filters them, those of 32 bits too
// (tests/hw/h100/answers/texture_filters, whose words these are); the runtime API refuses.
// RUN: %nvcc -std=c++17 -Wno-deprecated-declarations %s -o %t -lcuda
// RUN: %t | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t | FileCheck %s
// CHECK: unsigned: 6c576fac 6dfab461 775ffb2f 826886b3
// CHECK-NEXT: signed: 6c576fac 5afab461 f75ffb2f 826886b3
// CHECK-NEXT: reference: 6c576fac 6dfab461 775ffb2f 826886b3
// CHECK-NEXT: runtime API: cudaErrorInvalidValue
#include <cuda.h>

#include <cstdio>

static constexpr char program[] = R"(
.version 8.0
.target sm_90
.address_size 64
.global .texref bound;
.visible .entry look(.param .u64 image, .param .u64 to) {
  .reg .f32 %f<3>; .reg .b32 %r<5>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [to];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 8; add.u64 %rd2, %rd2, %rd3;
  ld.global.f32 %f1, [%rd2];
  tex.1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f1}];
  st.global.b32 [%rd2+4], %r1;
  ret;
}
.visible .entry look_bound(.param .u64 image, .param .u64 to) {
  .reg .f32 %f<3>; .reg .b32 %r<5>; .reg .b64 %rd<5>;
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 8; add.u64 %rd2, %rd2, %rd3;
  ld.global.f32 %f1, [%rd2];
  tex.1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [bound, {%f1}];
  st.global.b32 [%rd2+4], %r1;
  ret;
}
)";

static CUmodule module;
static void look(const char* what, const char* kernel, CUtexObject image) {
  CUfunction function;
  cuModuleGetFunction(&function, module, kernel);
  struct {
    float at;
    unsigned word;
  } looks[4] = {{0.5f, 0}, {0.5f + 19 / 256.f, 0}, {1, 0}, {1.5f, 0}};
  CUdeviceptr there;
  cuMemAlloc(&there, sizeof looks);
  cuMemcpyHtoD(there, looks, sizeof looks);
  void* arguments[] = {&image, &there};
  cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr);
  if (const CUresult code = cuMemcpyDtoH(looks, there, sizeof looks)) std::printf("%d\n", code);
  std::printf("%s:", what);
  for (const auto& one : looks) std::printf(" %x", one.word);
  std::printf("\n");
}

int main() {
  cudaFree(nullptr);
  cuModuleLoadData(&module, program);
  const unsigned texels[] = {0x6c576fac, 0x826886b3};
  for (const CUarray_format format : {CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32}) {
    CUDA_ARRAY_DESCRIPTOR shape{2, 0, format, 1};
    CUarray array;
    cuArrayCreate(&array, &shape);
    cuMemcpyHtoA(array, 0, texels, sizeof texels);
    CUDA_RESOURCE_DESC resource{};
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC how{};
    for (auto& axis : how.addressMode) axis = CU_TR_ADDRESS_MODE_CLAMP;
    how.filterMode = CU_TR_FILTER_MODE_LINEAR;
    how.flags = CU_TRSF_READ_AS_INTEGER;
    CUtexObject image;
    if (const CUresult code = cuTexObjectCreate(&image, &resource, &how, nullptr)) std::printf("%d\n", code);
    look(format == CU_AD_FORMAT_UNSIGNED_INT32 ? "unsigned" : "signed", "look", image);
  }
  CUDA_ARRAY_DESCRIPTOR shape{2, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1};
  CUarray array;
  cuArrayCreate(&array, &shape);
  cuMemcpyHtoA(array, 0, texels, sizeof texels);
  CUtexref reference;
  cuModuleGetTexRef(&reference, module, "bound");
  cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT);
  cuTexRefSetAddressMode(reference, 0, CU_TR_ADDRESS_MODE_CLAMP);
  cuTexRefSetFilterMode(reference, CU_TR_FILTER_MODE_LINEAR);
  cuTexRefSetFlags(reference, CU_TRSF_READ_AS_INTEGER);
  look("reference", "look_bound", 0);

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = reinterpret_cast<cudaArray_t>(array);
  cudaTextureDesc how{};
  how.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t object;
  std::printf("runtime API: %s\n", cudaGetErrorName(cudaCreateTextureObject(&object, &resource, &how, nullptr)));
}
