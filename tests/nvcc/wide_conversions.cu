// Numbers with a point to integers of more than 64 bits and back, for which PTX has no cvt: rounded once, as the host's functions do, and
// clamped, NaN being the highest bit alone, as for 64 bits with NVIDIA's compiler.
// RUN: %nvcc -std=c++17 -arch=sm_90 -O3 %s -o %t && %t && env HEDDLE_EXECUTOR=interp %t
// RUN: %nvcc -std=c++17 -arch=sm_70 -G %s -o %t && %t
#include <cstdio>
#include <cstring>

using S = __int128;
using U = unsigned __int128;
using Odd = _BitInt(100);

constexpr int count = 12;
struct All {
  float f_of_s, f_of_u;
  double d_of_s, d_of_u;
  S s_of_f, s_of_d;
  U u_of_f, u_of_d;
  double d_of_odd;
  S odd_of_d;
};

__host__ __device__ void all_of(U bits, float f, double d, All& out) {
  out.f_of_s = (S)bits, out.f_of_u = bits;
  out.d_of_s = (S)bits, out.d_of_u = bits;
  out.s_of_f = (S)f, out.s_of_d = (S)d;
  out.u_of_f = (U)(f < 0 ? -f : f), out.u_of_d = (U)(d < 0 ? -d : d);
  out.d_of_odd = (Odd)bits;
  out.odd_of_d = (Odd)(d / 1e9);
}
__global__ void kernel(const U* bits, const float* f, const double* d, All* out) {
  const int i = threadIdx.x;
  all_of(bits[i], f[i], d[i], out[i]);
}

// Beyond the range, where C++ says nothing.
__global__ void clamped(const double* d, const float* f, S* s, U* u) {
  const int i = threadIdx.x;
  s[i] = (S)d[i], u[i] = (U)d[i];
  s[5 + i] = (S)f[i], u[5 + i] = (U)f[i];
}

int main() {
  static_assert(sizeof(All) % 16 == 0);
  const U one = 1, top = one << 127;
  const U bits[count] = {0, one, ~U{0}, top, top - 1, (one << 64) - 1, (one << 53) + 1, (one << 100) + (one << 47) + 1,
                         (one << 100) + (one << 47), (one << 100) + (one << 76) + 1, (one << 24) + 1, ~((one << 77) + 3)};
  const float f[count] = {0, -0.f, 0.99f, -1.5f, 1e10f, -1e20f, 1.7e38f, 3.5f, 16777216.f, 1e-40f, 8e18f, -9.3e18f};
  const double d[count] = {0, -0.0, 0.99, -1.5, 1e10, -1e20, 1.7e38, -1.7e38, 9007199254740993., 1e-310, 1.8e19, -9.3e18};
  U* device_bits = nullptr;
  float* device_f = nullptr;
  double* device_d = nullptr;
  All* out = nullptr;
  cudaMallocManaged(&device_bits, sizeof(bits));
  cudaMallocManaged(&device_f, sizeof(f));
  cudaMallocManaged(&device_d, sizeof(d));
  cudaMallocManaged(&out, count * sizeof(All));
  std::memcpy(device_bits, bits, sizeof(bits));
  std::memcpy(device_f, f, sizeof(f));
  std::memcpy(device_d, d, sizeof(d));
  std::memset(out, 0, count * sizeof(All));
  kernel<<<1, count>>>(device_bits, device_f, device_d, out);
  if (const cudaError_t error = cudaDeviceSynchronize()) return std::printf("%s\n", cudaGetErrorString(error));
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    All wanted;
    std::memset(&wanted, 0, sizeof(All));
    all_of(bits[i], f[i], d[i], wanted);
    if (std::memcmp(&wanted, &out[i], sizeof(All)) != 0) {
      std::printf("%d: %a %a %a %a %a, for the host %a %a %a %a %a\n", i, out[i].f_of_s, out[i].f_of_u, out[i].d_of_s, out[i].d_of_u,
                  out[i].d_of_odd, wanted.f_of_s, wanted.f_of_u, wanted.d_of_s, wanted.d_of_u, wanted.d_of_odd);
      ++wrong;
    }
  }

  const double beyond[5] = {1e39, -1e39, __builtin_nan(""), -1, __builtin_inf()};
  const S of_signed[5] = {(S)(top - 1), (S)top, (S)top, -1, (S)(top - 1)};
  const U of_unsigned[5] = {~U{0}, 0, top, 0, ~U{0}};
  S* s = nullptr;
  U* u = nullptr;
  cudaMallocManaged(&s, 10 * sizeof(S));
  cudaMallocManaged(&u, 10 * sizeof(U));
  for (int i = 0; i < 5; ++i) device_d[i] = beyond[i], device_f[i] = beyond[i];
  clamped<<<1, 5>>>(device_d, device_f, s, u);
  if (const cudaError_t error = cudaDeviceSynchronize()) return std::printf("%s\n", cudaGetErrorString(error));
  for (int i = 0; i < 10; ++i)
    if (s[i] != of_signed[i % 5] || u[i] != of_unsigned[i % 5]) {
      std::printf("beyond %d: %llx %llx\n", i, (unsigned long long)(s[i] >> 64), (unsigned long long)(u[i] >> 64));
      ++wrong;
    }
  return wrong;
}
