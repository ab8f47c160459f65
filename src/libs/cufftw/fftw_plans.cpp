// Plans (cuFFT Library, "FFTW Interface to cuFFT").
#include "libs/cufftw/functions.gen.h"
#include "libs/cufftw/plan.h"

namespace heddle::cufftw {
namespace {

template <class Dim>
fftw_plan guru(fft::Kind kind, fft::Number number, int rank, const Dim* dims, int batch_rank,
               const Dim* batch_dims, const void* in, void* out, int sign) {
  if (rank < 1 || rank > 3 || dims == nullptr) return nullptr;
  Dimension own[3];
  for (int d = 0; d < rank; ++d) own[d] = {dims[d].n, dims[d].is, dims[d].os};
  if (batch_rank < 1 || batch_dims == nullptr)
    return make(kind, number, own, rank, nullptr, batch_rank, in, out, sign);
  const Dimension batch{batch_dims->n, batch_dims->is, batch_dims->os};
  return make(kind, number, own, rank, &batch, batch_rank, in, out, sign);
}

}  // namespace

// The planner's flags choose how long FFTW measures; there is nothing to measure.
#define HEDDLE_FFTW_PLANS(fftw, Complex, Real, number)                                                      \
  fftw##_plan fftw##_plan_dft_1d(int n, Complex* in, Complex* out, int sign, unsigned) {                    \
    return make_dense(fft::Kind::complex, number, 1, &n, in, out, sign);                                    \
  }                                                                                                         \
  fftw##_plan fftw##_plan_dft_2d(int n0, int n1, Complex* in, Complex* out, int sign, unsigned) {           \
    const int n[] = {n0, n1};                                                                               \
    return make_dense(fft::Kind::complex, number, 2, n, in, out, sign);                                     \
  }                                                                                                         \
  fftw##_plan fftw##_plan_dft_3d(int n0, int n1, int n2, Complex* in, Complex* out, int sign, unsigned) {   \
    const int n[] = {n0, n1, n2};                                                                           \
    return make_dense(fft::Kind::complex, number, 3, n, in, out, sign);                                     \
  }                                                                                                         \
  fftw##_plan fftw##_plan_dft(int rank, const int* n, Complex* in, Complex* out, int sign, unsigned) {      \
    return make_dense(fft::Kind::complex, number, rank, n, in, out, sign);                                  \
  }                                                                                                         \
  fftw##_plan fftw##_plan_dft_r2c_1d(int n, Real* in, Complex* out, unsigned) {                             \
    return make_dense(fft::Kind::real_to_complex, number, 1, &n, in, out, 0);                               \
  }                                                                                                         \
  fftw##_plan fftw##_plan_dft_r2c_2d(int n0, int n1, Real* in, Complex* out, unsigned) {                    \
    const int n[] = {n0, n1};                                                                               \
    return make_dense(fft::Kind::real_to_complex, number, 2, n, in, out, 0);                                \
  }                                                                                                         \
  fftw##_plan fftw##_plan_dft_r2c_3d(int n0, int n1, int n2, Real* in, Complex* out, unsigned) {            \
    const int n[] = {n0, n1, n2};                                                                           \
    return make_dense(fft::Kind::real_to_complex, number, 3, n, in, out, 0);                                \
  }                                                                                                         \
  fftw##_plan fftw##_plan_dft_r2c(int rank, const int* n, Real* in, Complex* out, unsigned) {               \
    return make_dense(fft::Kind::real_to_complex, number, rank, n, in, out, 0);                             \
  }                                                                                                         \
  fftw##_plan fftw##_plan_dft_c2r_1d(int n, Complex* in, Real* out, unsigned) {                             \
    return make_dense(fft::Kind::complex_to_real, number, 1, &n, in, out, 0);                               \
  }                                                                                                         \
  fftw##_plan fftw##_plan_dft_c2r_2d(int n0, int n1, Complex* in, Real* out, unsigned) {                    \
    const int n[] = {n0, n1};                                                                               \
    return make_dense(fft::Kind::complex_to_real, number, 2, n, in, out, 0);                                \
  }                                                                                                         \
  fftw##_plan fftw##_plan_dft_c2r_3d(int n0, int n1, int n2, Complex* in, Real* out, unsigned) {            \
    const int n[] = {n0, n1, n2};                                                                           \
    return make_dense(fft::Kind::complex_to_real, number, 3, n, in, out, 0);                                \
  }                                                                                                         \
  fftw##_plan fftw##_plan_dft_c2r(int rank, const int* n, Complex* in, Real* out, unsigned) {               \
    return make_dense(fft::Kind::complex_to_real, number, rank, n, in, out, 0);                             \
  }                                                                                                         \
  fftw##_plan fftw##_plan_many_dft(int rank, const int* n, int batch, Complex* in, const int* inembed,      \
                                   int istride, int idist, Complex* out, const int* onembed, int ostride,   \
                                   int odist, int sign, unsigned) {                                         \
    return make_many(fft::Kind::complex, number, rank, n, batch, in, inembed, istride, idist, out, onembed, \
                     ostride, odist, sign);                                                                 \
  }                                                                                                         \
  fftw##_plan fftw##_plan_many_dft_r2c(int rank, const int* n, int batch, Real* in, const int* inembed,     \
                                       int istride, int idist, Complex* out, const int* onembed,            \
                                       int ostride, int odist, unsigned) {                                  \
    return make_many(fft::Kind::real_to_complex, number, rank, n, batch, in, inembed, istride, idist, out,  \
                     onembed, ostride, odist, 0);                                                           \
  }                                                                                                         \
  fftw##_plan fftw##_plan_many_dft_c2r(int rank, const int* n, int batch, Complex* in, const int* inembed,  \
                                       int istride, int idist, Real* out, const int* onembed, int ostride,  \
                                       int odist, unsigned) {                                               \
    return make_many(fft::Kind::complex_to_real, number, rank, n, batch, in, inembed, istride, idist, out,  \
                     onembed, ostride, odist, 0);                                                           \
  }                                                                                                         \
  fftw##_plan fftw##_plan_guru_dft(int rank, const fftw##_iodim* dims, int batch_rank,                      \
                                   const fftw##_iodim* batch_dims, Complex* in, Complex* out, int sign,     \
                                   unsigned) {                                                              \
    return guru(fft::Kind::complex, number, rank, dims, batch_rank, batch_dims, in, out, sign);             \
  }                                                                                                         \
  fftw##_plan fftw##_plan_guru_dft_r2c(int rank, const fftw##_iodim* dims, int batch_rank,                  \
                                       const fftw##_iodim* batch_dims, Real* in, Complex* out, unsigned) {  \
    return guru(fft::Kind::real_to_complex, number, rank, dims, batch_rank, batch_dims, in, out, 0);        \
  }                                                                                                         \
  fftw##_plan fftw##_plan_guru_dft_c2r(int rank, const fftw##_iodim* dims, int batch_rank,                  \
                                       const fftw##_iodim* batch_dims, Complex* in, Real* out, unsigned) {  \
    return guru(fft::Kind::complex_to_real, number, rank, dims, batch_rank, batch_dims, in, out, 0);        \
  }                                                                                                         \
  fftw##_plan fftw##_plan_guru64_dft(int rank, const fftw##_iodim64* dims, int batch_rank,                  \
                                     const fftw##_iodim64* batch_dims, Complex* in, Complex* out, int sign, \
                                     unsigned) {                                                            \
    return guru(fft::Kind::complex, number, rank, dims, batch_rank, batch_dims, in, out, sign);             \
  }                                                                                                         \
  fftw##_plan fftw##_plan_guru64_dft_r2c(int rank, const fftw##_iodim64* dims, int batch_rank,              \
                                         const fftw##_iodim64* batch_dims, Real* in, Complex* out,          \
                                         unsigned) {                                                        \
    return guru(fft::Kind::real_to_complex, number, rank, dims, batch_rank, batch_dims, in, out, 0);        \
  }                                                                                                         \
  fftw##_plan fftw##_plan_guru64_dft_c2r(int rank, const fftw##_iodim64* dims, int batch_rank,              \
                                         const fftw##_iodim64* batch_dims, Complex* in, Real* out,          \
                                         unsigned) {                                                        \
    return guru(fft::Kind::complex_to_real, number, rank, dims, batch_rank, batch_dims, in, out, 0);        \
  }

HEDDLE_FFTW_PLANS(fftw, fftw_complex, double, fft::Number::f64)
HEDDLE_FFTW_PLANS(fftwf, fftwf_complex, float, fft::Number::f32)
#undef HEDDLE_FFTW_PLANS

}  // namespace heddle::cufftw
