// Everything of one level: HEDDLE_FFT_LEVEL, with vectors of HEDDLE_FFT_BYTES.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>

#include "libs/fft/level.h"

namespace heddle::fft::HEDDLE_FFT_LEVEL {
namespace {

// Parts of this namespace.
// clang-format off
#include "libs/fft/kernels/vector.h"
#include "libs/fft/kernels/butterflies.h"
#include "libs/fft/kernels/stages.h"
#include "libs/fft/kernels/real_stages.h"
#include "libs/fft/kernels/lines.h"
#include "libs/fft/kernels/single.h"
#include "libs/fft/kernels/real_single.h"
// clang-format on

template <class T>
T* columns_only(const Columns<T>& columns, T* x, T* y, T* work) {
  return reinterpret_cast<T*>(transform<T>(columns, reinterpret_cast<C<T>*>(x), reinterpret_cast<C<T>*>(y),
                                           reinterpret_cast<C<T>*>(work)));
}

template <class T>
Codes<T> codes_of() {
  return {lanes<T>,
          group<T>,
          step1<T>,
          step2<T>,
          {real_step1<T>, real_step1_back<T>},
          {real_step2<T>, real_step2_back<T>},
          columns_only<T>};
}

}  // namespace

void codes(Codes<float>& f, Codes<double>& d) {
  f = codes_of<float>();
  d = codes_of<double>();
}

}  // namespace heddle::fft::HEDDLE_FFT_LEVEL
