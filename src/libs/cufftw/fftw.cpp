// Execution and support (cuFFT Library, "FFTW Interface to cuFFT").
#include <cmath>
#include <cstdlib>

#include "libs/cufftw/functions.gen.h"
#include "libs/cufftw/plan.h"

namespace heddle::cufftw {
namespace {

// As FFTW counts: 5 n log2(n) for complex numbers, half for real ones.
double operations(fftw_plan plan) {
  const Plan* found = find(plan);
  if (found == nullptr) return 0;
  double n = 1;
  for (const int64_t length : found->request.lengths) n *= static_cast<double>(length);
  const double all = 5 * n * std::log2(n) * static_cast<double>(found->request.batch);
  return found->request.kind == fft::Kind::complex ? all : all / 2;
}

void tell(fftw_plan plan, double* add, double* mul, double* fma) {
  const double all = operations(plan);
  if (add != nullptr) *add = all * 3 / 5;
  if (mul != nullptr) *mul = all * 2 / 5;
  if (fma != nullptr) *fma = 0;
}

void print(fftw_plan plan) {
  const Plan* found = find(plan);
  if (found == nullptr) return;
  std::printf("(heddle");
  for (const int64_t length : found->request.lengths) std::printf(" %lld", static_cast<long long>(length));
  std::printf(" x %lld)", static_cast<long long>(found->request.batch));
}

void* allocate(size_t n) {
  void* memory = nullptr;
  return posix_memalign(&memory, 64, n) == 0 ? memory : nullptr;
}

}  // namespace

#define HEDDLE_FFTW(fftw, Complex, Real)                                             \
  void fftw##_execute(const fftw_plan plan) {                                        \
    if (const Plan* found = find(plan)) execute(plan, found->in, found->out);        \
  }                                                                                  \
  void fftw##_execute_dft(const fftw##_plan plan, Complex* idata, Complex* odata) {  \
    execute(plan, idata, odata);                                                     \
  }                                                                                  \
  void fftw##_execute_dft_r2c(const fftw##_plan plan, Real* idata, Complex* odata) { \
    execute(plan, idata, odata);                                                     \
  }                                                                                  \
  void fftw##_execute_dft_c2r(const fftw##_plan plan, Complex* idata, Real* odata) { \
    execute(plan, idata, odata);                                                     \
  }                                                                                  \
  void* fftw##_malloc(size_t n) { return allocate(n); }                              \
  void fftw##_free(void* pointer) { std::free(pointer); }                            \
  void fftw##_print_plan(const fftw##_plan plan) { print(plan); }                    \
  double fftw##_cost(const fftw_plan plan) { return operations(plan); }              \
  void fftw##_flops(const fftw_plan plan, double* add, double* mul, double* fma) {   \
    tell(plan, add, mul, fma);                                                       \
  }                                                                                  \
  void fftw##_destroy_plan(fftw##_plan plan) { destroy(plan); }                      \
  void fftw##_export_wisdom_to_file(FILE*) {}                                        \
  int fftw##_import_wisdom_from_file(FILE*) { return 1; }                            \
  void fftw##_set_timelimit(double) {}                                               \
  void fftw##_cleanup() {}

HEDDLE_FFTW(fftw, fftw_complex, double)
HEDDLE_FFTW(fftwf, fftwf_complex, float)
#undef HEDDLE_FFTW

}  // namespace heddle::cufftw
