// All 2^32 inputs of the device math functions of one float: our code on the host's cores, the device's double
// functions as reference. README.md says how to build and run it.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "math/math.h"

namespace {

using heddle::math::Function;
using heddle::math::Id;

enum class Where : int { everywhere, below_8, not_lgamma_zeros };

struct Result {
  unsigned long long worst;  // ulps as float bits, then the input
  unsigned elsewhere;        // absolute error as float bits, where the limit does not hold
  unsigned long long not_nearest;
};

__device__ bool limited(Where where, double x) {
  if (where == Where::below_8) return fabs(x) < 8;
  if (where == Where::not_lgamma_zeros) return x <= -10.001 || x >= -2.264;
  return true;
}

// As in src/math/test_reference.h.
__device__ double ulps(float got, double wanted) {
  const double beyond = 0x1p128;
  if (isnan(got) || isnan(wanted)) return isnan(got) == isnan(wanted) ? 0 : beyond;
  const double g = isinf(got) ? copysign(beyond, static_cast<double>(got)) : got;
  const double w = fabs(wanted) > beyond ? copysign(beyond, wanted) : wanted;
  const long long exponent = (__double_as_longlong(w) >> 52 & 0x7ff) - 1023;
  const long long clamped = min(max(exponent, -126ll), 127ll);
  return fabs(g - w) * __longlong_as_double((1023 + 23 - clamped) << 52);
}

template <class F>
__global__ void look(F wanted, Where where, const float* got, unsigned first, unsigned count, Result* result) {
  unsigned long long worst = 0, not_nearest = 0;
  float elsewhere = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const double x = __uint_as_float(first + i);
    const double w = wanted(x);
    const double u = ulps(got[i], w);
    const float nearest = static_cast<float>(w);
    not_nearest += !(isnan(w) || got[i] == nearest);
    if (limited(where, x))
      worst = max(worst, static_cast<unsigned long long>(__float_as_uint(static_cast<float>(u))) << 32 | (first + i));
    else if (u != 0)
      elsewhere = max(elsewhere, static_cast<float>(fabs(got[i] - w) / max(1.0, fabs(w))));
  }
  atomicMax(&result->worst, worst);
  atomicMax(&result->elsewhere, __float_as_uint(elsewhere));
  atomicAdd(&result->not_nearest, not_nearest);
}

constexpr unsigned batch = 1u << 26;

template <class F>
void compare(std::string_view kernel, F wanted) {
  const Function* f = heddle::math::find(std::string("__nv_") + std::string(kernel) + "f");
  if (f == nullptr) return;
  const auto begin = std::chrono::steady_clock::now();
  const Where where = f->where.empty()         ? Where::everywhere
                      : f->where == "|x| < 8" ? Where::below_8
                                               : Where::not_lgamma_zeros;
  static float* host = nullptr;
  static float* device = nullptr;
  static Result* result = nullptr;
  if (host == nullptr) {
    cudaMallocHost(&host, batch * sizeof(float));
    cudaMalloc(&device, batch * sizeof(float));
    cudaMallocManaged(&result, sizeof(Result));
  }
  *result = {};
  for (uint64_t first = 0; first < uint64_t{1} << 32; first += batch) {
    const unsigned workers = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    constexpr unsigned piece = 1 << 14;
    for (unsigned t = 0; t < workers; ++t)
      threads.emplace_back([=] {
        std::vector<uint32_t> x(piece);
        for (unsigned at = t * piece; at < batch; at += workers * piece) {
          for (unsigned i = 0; i < piece; ++i) x[i] = static_cast<uint32_t>(first + at + i);
          const void* in[] = {x.data()};
          void* out[] = {host + at};
          for (unsigned width : {512u, 256u, 128u})
            if (heddle::math::run(heddle::math::id_of(*f), width, in, out, piece)) break;
        }
      });
    for (std::thread& t : threads) t.join();
    cudaMemcpy(device, host, batch * sizeof(float), cudaMemcpyHostToDevice);
    look<<<4096, 256>>>(wanted, where, device, static_cast<unsigned>(first), batch, result);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    std::printf("%s: %s\n", std::string(kernel).c_str(), cudaGetErrorString(error));
    return;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("measured: name = \"%s\", inputs = 4294967296, how = \"all\", against = \"the double functions of CUDA 13.0 on an H200\", ulps = %.4g, at = \"0x%08llx\", beyond = %.3g, "
              "seconds = %.0f\n",
              std::string(f->name).c_str(), std::bit_cast<float>(static_cast<uint32_t>(result->worst >> 32)),
              result->worst & 0xffffffff, std::bit_cast<float>(result->elsewhere), seconds.count());
  std::fprintf(stderr, "%s: %llu not correctly rounded\n", std::string(f->name).c_str(), result->not_nearest);
  std::fflush(stdout);
}

}  // namespace

#define COMPARE(name) compare(#name, [] __device__(double x) { return ::name(x); })

int main() {
  COMPARE(sin), COMPARE(cos), COMPARE(tan), COMPARE(sinpi), COMPARE(cospi), COMPARE(asin), COMPARE(acos), COMPARE(atan);
  COMPARE(exp), COMPARE(exp2), COMPARE(exp10), COMPARE(expm1), COMPARE(log), COMPARE(log2), COMPARE(log10), COMPARE(log1p);
  COMPARE(logb), COMPARE(sinh), COMPARE(cosh), COMPARE(tanh), COMPARE(asinh), COMPARE(acosh), COMPARE(atanh);
  COMPARE(cbrt), COMPARE(rcbrt), COMPARE(rsqrt), COMPARE(erf), COMPARE(erfc), COMPARE(erfinv), COMPARE(erfcinv);
  COMPARE(erfcx), COMPARE(normcdf), COMPARE(normcdfinv), COMPARE(lgamma), COMPARE(tgamma), COMPARE(j0), COMPARE(j1);
  COMPARE(y0), COMPARE(y1), COMPARE(cyl_bessel_i0), COMPARE(cyl_bessel_i1), COMPARE(round);
}
