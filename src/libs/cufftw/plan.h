// What an fftw_plan of cuFFTW points to.
#pragma once

#include <cufftw.h>

#include <cstdint>
#include <memory>

#include "libs/fft/fft.h"

namespace heddle::cufftw {

struct Plan {
  fft::Request request;
  std::shared_ptr<const fft::Plan> transform;
  bool inverse = false;
  const void* in = nullptr;  // what fftw_execute works on
  void* out = nullptr;
};

// From FFTW's arguments. nullptr, as FFTW answers, where they are no plan.
struct Dimension {
  int64_t n, is, os;
};
fftw_plan make(fft::Kind kind, fft::Number number, const Dimension* dims, int rank, const Dimension* batches,
               int batch_rank, const void* in, void* out, int sign);
fftw_plan make_many(fft::Kind kind, fft::Number number, int rank, const int* n, int batch, const void* in,
                    const int* inembed, int istride, int idist, void* out, const int* onembed, int ostride,
                    int odist, int sign);
fftw_plan make_dense(fft::Kind kind, fft::Number number, int rank, const int* n, const void* in, void* out,
                     int sign);

// The host waits for it, as FFTW's callers expect.
void execute(fftw_plan plan, const void* in, void* out);
const Plan* find(fftw_plan plan);
void destroy(fftw_plan plan);

}  // namespace heddle::cufftw
