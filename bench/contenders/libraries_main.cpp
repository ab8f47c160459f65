// Libraries beside what a program of the host would call: rows of dense products, batches and small calls,
// ours and OpenBLAS's in turns in one process. bench/libraries builds and runs it.
//
//     libraries_main ROUNDS REGEX: a line a row: name, our milliseconds, theirs (CPU time of all threads,
//     medians of the rounds), their ratio and the spread of the rounds' ratios, the ratio by the clock on the
//     wall, and whether the results agree.
#include <cblas.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <regex>
#include <string>
#include <vector>

namespace {

double now(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
void must(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "libraries: %s failed with %d\n", what, status);
  std::exit(1);
}

struct Bench {
  int rounds;
  std::regex filter;
  cublasHandle_t handle = nullptr;

  // As many runs in a round as take a good part of a clock tick.
  void row(const std::string& name, const std::function<void()>& ours, const std::function<void()>& theirs,
           const std::function<bool()>& agree) const {
    if (!std::regex_search(name, filter)) return;
    ours();
    theirs();
    const bool right = agree();
    const double begin = now();
    ours();
    const int runs = std::clamp(static_cast<int>(30 / std::max(now() - begin, 1e-4)), 1, 100000);
    double wall = 0;
    const auto time = [&](const std::function<void()>& body) {
      const double first = now(), first_wall = now(CLOCK_MONOTONIC);
      for (int i = 0; i < runs; ++i) body();
      wall = now(CLOCK_MONOTONIC) - first_wall;
      return (now() - first) / runs;
    };
    std::vector<double> mine, other, ratios, wall_ratios;
    for (int i = 0; i < rounds; ++i) {
      mine.push_back(time(ours));
      const double our_wall = wall;
      other.push_back(time(theirs));
      ratios.push_back(other.back() / mine.back());
      wall_ratios.push_back(wall / our_wall);
    }
    const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
    std::printf("%s,%.6f,%.6f,%.3f,%.3f,%.3f,%s\n", name.c_str(), median(mine), median(other), median(ratios),
                (*high - *low) / median(ratios), median(wall_ratios), right ? "right" : "WRONG");
    std::fflush(stdout);
  }
};

template <class T>
struct Device {
  T* data = nullptr;
  explicit Device(const std::vector<T>& from) {
    must(cudaMalloc(reinterpret_cast<void**>(&data), from.size() * sizeof(T)), "cudaMalloc");
    must(cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~Device() { cudaFree(data); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  std::vector<T> read(std::size_t count) const {
    std::vector<T> to(count);
    must(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return to;
  }
};

template <class T>
std::vector<T> random_values(std::size_t count, const std::function<T(double)>& make) {
  static std::mt19937 engine(1);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<T> values(count);
  for (T& value : values) value = make(any(engine));
  return values;
}
template <class A, class B>
bool close(const std::vector<A>& a, const std::vector<B>& b, double limit,
           const std::function<double(A)>& number) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(number(a[i]) - static_cast<double>(b[i])) <= limit)) return false;
  return true;
}

void multiply(int n, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
void multiply(int n, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

// T of the device's operands and C of its result, beside S of OpenBLAS.
template <class T, class C, class S>
void product(const Bench& bench, const std::string& name, int n, cudaDataType type, cudaDataType result_type,
             cublasComputeType_t compute, double limit, const std::function<T(double)>& make,
             const std::function<double(T)>& number, const std::function<double(C)>& result_number) {
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto a = random_values<T>(size, make), b = random_values<T>(size, make);
  std::vector<S> plain_a(size), plain_b(size), plain_c(size);
  std::transform(a.begin(), a.end(), plain_a.begin(), [&](T x) { return static_cast<S>(number(x)); });
  std::transform(b.begin(), b.end(), plain_b.begin(), [&](T x) { return static_cast<S>(number(x)); });
  const Device<T> da(a), db(b);
  const Device<C> dc(std::vector<C>(size, C{}));
  const float one = 1, zero = 0;
  const double double_one = 1, double_zero = 0;
  const int whole_one = 1, whole_zero = 0;
  const void *alpha = &one, *beta = &zero;
  if (compute == CUBLAS_COMPUTE_64F) alpha = &double_one, beta = &double_zero;
  if (compute == CUBLAS_COMPUTE_32I) alpha = &whole_one, beta = &whole_zero;
  bench.row(
      name + " " + std::to_string(n),
      [&] {
        must(cublasGemmEx(bench.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, alpha, da.data, type, n, db.data,
                          type, n, beta, dc.data, result_type, n, compute, CUBLAS_GEMM_DEFAULT),
             "cublasGemmEx");
        must(cudaDeviceSynchronize(), "the product");
      },
      [&] { multiply(n, plain_a.data(), plain_b.data(), plain_c.data()); },
      [&] { return close<C, S>(dc.read(size), plain_c, limit * n, result_number); });
}

void batch(const Bench& bench, int n, int count) {
  const auto size =
      static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * static_cast<std::size_t>(count);
  const auto make = [](double x) { return static_cast<float>(x); };
  const auto a = random_values<float>(size, make), b = random_values<float>(size, make);
  std::vector<float> c(size);
  const Device<float> da(a), db(b), dc(c);
  const float one = 1, zero = 0;
  bench.row(
      "batch of " + std::to_string(count) + " sgemm " + std::to_string(n),
      [&] {
        must(cublasSgemmStridedBatched(bench.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, da.data, n,
                                       n * n, db.data, n, n * n, &zero, dc.data, n, n * n, count),
             "cublasSgemmStridedBatched");
        must(cudaDeviceSynchronize(), "the products");
      },
      [&] {
        for (std::size_t i = 0; i < size; i += static_cast<std::size_t>(n) * static_cast<std::size_t>(n))
          multiply(n, a.data() + i, b.data() + i, c.data() + i);
      },
      [&] { return close<float, float>(dc.read(size), c, 1e-5 * n, [](float x) { return x; }); });
}

// The time of a call that does nearly nothing, and that of the same in a row of a hundred.
void small_calls(const Bench& bench) {
  std::vector<float> x(4, 1), y(4, 1);
  const Device<float> dx(x), dy(y);
  const float factor = 0;
  bench.row(
      "small call, saxpy of 4, waited for",
      [&] {
        cublasSaxpy(bench.handle, 4, &factor, dx.data, 1, dy.data, 1);
        cudaDeviceSynchronize();
      },
      [&] { cblas_saxpy(4, factor, x.data(), 1, y.data(), 1); }, [] { return true; });
  bench.row(
      "small calls, 100 saxpy of 4, waited for once",
      [&] {
        for (int i = 0; i < 100; ++i) cublasSaxpy(bench.handle, 4, &factor, dx.data, 1, dy.data, 1);
        cudaDeviceSynchronize();
      },
      [&] {
        for (int i = 0; i < 100; ++i) cblas_saxpy(4, factor, x.data(), 1, y.data(), 1);
      },
      [] { return true; });
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s ROUNDS REGEX\n", arguments[0]);
    return 2;
  }
  Bench bench{std::max(std::atoi(arguments[1]), 1), std::regex(arguments[2])};
  must(cublasCreate(&bench.handle), "cublasCreate");
  const auto as_float = [](double x) { return static_cast<float>(x); };
  const auto same = [](auto x) { return static_cast<double>(x); };
  for (const int n : {64, 256, 1024})
    product<float, float, float>(bench, "sgemm", n, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-5,
                                 as_float, same, same);
  for (const int n : {64, 256, 1024})
    product<double, double, double>(
        bench, "dgemm", n, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 1e-13, [](double x) { return x; },
        same, same);
  for (const int n : {256, 1024}) {
    const auto half = [](__half x) { return static_cast<double>(__half2float(x)); };
    product<__half, __half, float>(
        bench, "half gemm, beside sgemm", n, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 2e-3,
        [](double x) { return __float2half(static_cast<float>(x)); }, half, half);
    const auto bfloat = [](__nv_bfloat16 x) { return static_cast<double>(__bfloat162float(x)); };
    product<__nv_bfloat16, __nv_bfloat16, float>(
        bench, "bfloat16 gemm, beside sgemm", n, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 1e-2,
        [](double x) { return __float2bfloat16(static_cast<float>(x)); }, bfloat, bfloat);
    product<signed char, int, float>(
        bench, "int8 gemm, beside sgemm", n, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 1e-9,
        [](double x) { return static_cast<signed char>(x * 8); }, same, same);
  }
  batch(bench, 4, 20000);
  batch(bench, 8, 10000);
  batch(bench, 16, 4000);
  batch(bench, 32, 1000);
  batch(bench, 64, 200);
  small_calls(bench);
  cublasDestroy(bench.handle);
}
