// Callbacks that are handed over as code for a linker: from nvcc and from NVRTC.
// RUN: %nvcc -dc -fatbin -gencode arch=compute_80,code=lto_80 %S/Inputs/cufft_jit_callbacks.cu -o %t.fatbin
// RUN: %nvcc %s -o %t -lcufft -lnvrtc
// RUN: %t %t.fatbin | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t %t.fatbin | FileCheck %s
#include <cuda_runtime.h>
#include <cufftXt.h>
#include <nvrtc.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using Code = std::vector<char>;

Code compiled(const char* source) {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, source, "callback.cu", 0, nullptr, nullptr);
  const char* options[] = {"-dlto", "-arch=compute_80"};
  nvrtcResult status = nvrtcCompileProgram(program, 2, options);
  size_t size = 0, other = 1;
  if (status == NVRTC_SUCCESS) status = nvrtcGetLTOIRSize(program, &size);
  Code code(size);
  if (status == NVRTC_SUCCESS) status = nvrtcGetLTOIR(program, code.data());
  if (status == NVRTC_SUCCESS) status = nvrtcGetCUBINSize(program, &other);
  if (status != NVRTC_SUCCESS || other != 0) std::printf("NVRTC: %s\n", nvrtcGetErrorString(status));
  nvrtcDestroyProgram(&program);
  return code;
}

int set(cufftHandle plan, const char* name, const Code& code, cufftXtCallbackType type, void** info) {
  return cufftXtSetJITCallback(plan, name, code.data(), code.size(), type, info);
}

cufftHandle fresh() {
  cufftHandle plan;
  cufftCreate(&plan);
  return plan;
}

int main(int, char** arguments) {
  std::ifstream file(arguments[1], std::ios::binary);
  const Code code{std::istreambuf_iterator<char>(file), {}};
  size_t size;
  float* factor;
  cufftComplex *in, *out, *plain;
  cudaMallocManaged(&factor, sizeof *factor);
  for (cufftComplex** memory : {&in, &out, &plain}) cudaMallocManaged(memory, 240 * sizeof(cufftComplex));
  *factor = 3;
  void *info = factor, *none = nullptr;
  for (int i = 0; i < 240; ++i) in[i] = {static_cast<float>(i % 7), static_cast<float>(i % 5)};

  // Both sides of complex transforms, of several at once.
  cufftHandle plan = fresh(), other;
  std::printf("%d %d", set(plan, "scaled", code, CUFFT_CB_LD_COMPLEX, &info), set(plan, "numbered", code, CUFFT_CB_ST_COMPLEX, &none));
  std::printf(" %d", cufftMakePlan1d(plan, 60, CUFFT_C2C, 4, &size));
  std::printf(" %d", cufftXtSetCallbackSharedSize(plan, CUFFT_CB_ST_COMPLEX, 512));
  cufftPlan1d(&other, 60, CUFFT_C2C, 4);
  std::printf(" %d %d %d\n", cufftExecC2C(plan, in, out, CUFFT_FORWARD), cufftExecC2C(other, in, plain, CUFFT_FORWARD), cudaDeviceSynchronize());
  // CHECK: 0 0 0 0 0 0 0
  int wrong = 0;
  for (int i = 0; i < 240; ++i)
    wrong += std::abs(out[i].x - (plain[i].x * 6 + 0.5f)) > 1e-3f || std::abs(out[i].y - (plain[i].y * 6 + static_cast<float>(i))) > 1e-3f;
  std::printf("%d wrong\n", wrong);
  // CHECK-NEXT: 0 wrong
  cufftDestroy(plan);

  // Doubles there and back; a function of C++ has the name that the compiler gives it.
  plan = fresh();
  std::printf("%d", set(plan, "halved", code, CUFFT_CB_LD_REAL_DOUBLE, nullptr));
  std::printf(" %d", cufftMakePlan1d(plan, 15, CUFFT_D2Z, 2, &size));
  cufftHandle back = fresh();
  std::printf(" %d", set(back, "_Z7negatedPvydS_S_", code, CUFFT_CB_ST_REAL_DOUBLE, nullptr));
  std::printf(" %d", cufftMakePlan1d(back, 15, CUFFT_Z2D, 2, &size));
  double* numbers;
  cudaMallocManaged(&numbers, 32 * sizeof *numbers);
  for (int i = 0; i < 30; ++i) numbers[i] = i * i % 11;
  auto* const spectrum = reinterpret_cast<cufftDoubleComplex*>(out);
  std::printf(" %d %d %d\n", cufftExecD2Z(plan, numbers, spectrum), cufftExecZ2D(back, spectrum, numbers), cudaDeviceSynchronize());
  // CHECK-NEXT: 0 0 0 0 0 0 0
  wrong = 0;
  for (int i = 0; i < 30; ++i) wrong += std::abs(numbers[i] + 7.5 * (i * i % 11)) > 1e-9;
  std::printf("%d wrong\n", wrong);
  // CHECK-NEXT: 0 wrong

  // From NVRTC.
  const Code made = compiled("extern \"C\" __device__ float2 one(void*, unsigned long long offset, void*, void*) {\n"
                             "  return make_float2(offset % 8 == 0, 0);\n}\n");
  plan = fresh();
  std::printf("%d", set(plan, "one", made, CUFFT_CB_LD_COMPLEX, nullptr));
  std::printf(" %d", cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size));
  std::printf(" %d %d", cufftExecC2C(plan, in, out, CUFFT_FORWARD), cudaDeviceSynchronize());
  std::printf(" %.0f %.0f %.0f\n", out[0].x, out[7].x, out[7].y);
  // CHECK-NEXT: 0 0 0 0 1 1 0

  // A second one takes the first one's place, until the plan is made.
  plan = fresh();
  std::printf("%d %d", set(plan, "nothing", code, CUFFT_CB_LD_COMPLEX, nullptr), set(plan, "one", made, CUFFT_CB_LD_COMPLEX, nullptr));
  std::printf(" %d %d\n", cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size), set(plan, "one", made, CUFFT_CB_LD_COMPLEX, nullptr));
  // CHECK-NEXT: 0 0 0 1

  // What cannot be linked is told when the plan is made, which can be made again then without.
  const Code incomplete = compiled("extern \"C\" __device__ float2 nowhere(int);\n"
                                   "extern \"C\" __device__ float2 calls(void*, unsigned long long, void*, void*) { return nowhere(1); }\n");
  for (const char* name : {"nothing", "numbered", "calls"}) {
    plan = fresh();
    std::printf("%d", set(plan, name, *name == 'c' ? incomplete : code, CUFFT_CB_LD_COMPLEX, &info));
    std::printf(" %d\n", cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size));
  }
  // CHECK-NEXT: 0 4
  // CHECK-NEXT: 0 4
  // CHECK-NEXT: 0 4
  plan = fresh();
  std::printf("%d", set(plan, "scaled", Code(100, 'x'), CUFFT_CB_LD_COMPLEX, &info));
  std::printf(" %d\n", cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size));
  // CHECK-NEXT: 0 4
  plan = fresh();
  std::printf("%d", set(plan, "halved", code, CUFFT_CB_LD_REAL_DOUBLE, &info));
  std::printf(" %d %d\n", cufftMakePlan1d(plan, 8, CUFFT_D2Z, 1, &size), cufftMakePlan1d(fresh(), 8, CUFFT_C2C, 1, &size));
  // CHECK-NEXT: 0 0 0
  plan = fresh();
  set(plan, "halved", code, CUFFT_CB_LD_REAL_DOUBLE, &info);
  std::printf("%d\n", cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size));
  // CHECK-NEXT: 3

  std::printf("%d", cufftXtSetJITCallback(plan, nullptr, code.data(), code.size(), CUFFT_CB_LD_COMPLEX, &info));
  std::printf(" %d", cufftXtSetJITCallback(plan, "scaled", nullptr, code.size(), CUFFT_CB_LD_COMPLEX, &info));
  std::printf(" %d", cufftXtSetJITCallback(plan, "scaled", code.data(), 0, CUFFT_CB_LD_COMPLEX, &info));
  std::printf(" %d", set(plan, "no name; {", code, CUFFT_CB_LD_COMPLEX, &info));
  std::printf(" %d", set(plan, "scaled", code, CUFFT_CB_UNDEFINED, &info));
  std::printf(" %d\n", set(99, "scaled", code, CUFFT_CB_LD_COMPLEX, &info));
  // CHECK-NEXT: 4 4 4 4 3 1
}
