// Numbers that are none, by name: check_floats.test says what is told.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstring>

__global__ void root(const float* in, float* out) {
  float value = in[threadIdx.x];
  float root = sqrtf(value);      // line 11: of -1 in every fourth thread
  out[threadIdx.x] = root * 2.f;  // line 12
}
__global__ void overflow(const float* in, double* out) {
  double large = 1e200 * in[threadIdx.x];
  out[threadIdx.x] = large * large;  // line 16
}
__global__ void divide(const float* in, float* out) {
  float quotient = in[threadIdx.x] / in[64];  // line 19: by 0
  if (quotient > 1000.f)                      // line 20
    out[threadIdx.x] = 1;
  else
    out[threadIdx.x] = 2;
}
__global__ void integer(const float* in, int* out) {
  out[threadIdx.x] = static_cast<int>(in[64] / in[65]);  // line 26: 0 / 0
}
__global__ void halves(const float* in, __half* out) {
  __half2 pair = __floats2half2_rn(in[threadIdx.x], 60000.f);
  pair = __hmul2(pair, pair);          // line 30: the upper ones are too large
  out[threadIdx.x] = __high2half(pair);  // line 31
}
__global__ void brain(const float* in, __nv_bfloat16* out) {
  unsigned short value = 0x7f00 + (in[threadIdx.x] > 0), square, zero;  // 1.7e38
  asm("fma.rn.bf16 %0, %2, %2, %3;\n\tfma.rn.bf16 %1, %0, %3, %3;" : "=&h"(square), "=&h"(zero) : "h"(value), "h"((unsigned short)0));  // line 35
  out[threadIdx.x] = __ushort_as_bfloat16(zero);
}
__global__ void logarithm(const float* in, double* out) {
  out[threadIdx.x] = log(static_cast<double>(in[threadIdx.x]));  // line 39: of -1
}
// What is infinite for a while only.
__global__ void vanishes(const float* in, float* out) {
  float far = 1.f / in[64];                             // line 43
  out[threadIdx.x] = fminf(far, 5.f) + 1.f / (far + 1.f);  // line 44
}
__global__ void tiny(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] * 1e-30f * 1e-10f;  // line 47
}
__global__ void near(const float* in, float* out) {
  out[threadIdx.x] = (in[66] + 1e-7f) - in[66];  // line 50
}
// All of these are right: NaNs and infinities that are meant, carried, asked for, never computed.
__global__ void meant(const float* in, float* out) {
  float least = INFINITY;
  for (int i = 0; i < 64; ++i) least = fminf(least, in[i]);
  out[threadIdx.x] = threadIdx.x == 0 ? nanf("") : threadIdx.x == 1 ? -INFINITY : least;
  if (isnan(in[67])) out[threadIdx.x] = in[67];
  out[threadIdx.x + 64] = in[67] + 1.f;
}
__global__ void right(const float* in, float* out) {
  float value = in[threadIdx.x];
  out[threadIdx.x] = value < 0 ? 0 : sqrtf(value) / (1 + value);
}

int main(int, char** words) {
  float host[128];
  for (int i = 0; i < 128; ++i) host[i] = i % 4 == 3 ? -1.f : static_cast<float>(i + 1);
  host[64] = 0, host[65] = 0, host[66] = 1, host[67] = NAN;
  float* in = nullptr;
  void* out = nullptr;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, 1024);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  const auto is = [&](const char* name) { return std::strcmp(words[1], name) == 0; };
  auto* floats = static_cast<float*>(out);
  auto* doubles = static_cast<double*>(out);
  if (is("root")) root<<<1, 64>>>(in, floats), root<<<1, 64>>>(in, floats);
  if (is("overflow")) overflow<<<1, 64>>>(in, doubles);
  if (is("divide")) divide<<<1, 64>>>(in, floats);
  if (is("integer")) integer<<<1, 64>>>(in, static_cast<int*>(out));
  if (is("halves")) halves<<<1, 64>>>(in, static_cast<__half*>(out));
  if (is("brain")) brain<<<1, 64>>>(in, static_cast<__nv_bfloat16*>(out));
  if (is("logarithm")) logarithm<<<1, 64>>>(in, doubles);
  if (is("vanishes")) vanishes<<<1, 64>>>(in, floats);
  if (is("tiny")) tiny<<<1, 64>>>(in, floats);
  if (is("near")) near<<<1, 64>>>(in, floats);
  if (is("meant")) meant<<<1, 64>>>(in, floats);
  if (is("right")) right<<<1, 64>>>(in, floats);
  std::printf("%s: %s\n", words[1], cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
