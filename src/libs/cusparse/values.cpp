#include "libs/cusparse/values.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "libs/cublas/gemm.h"

namespace heddle::cusparse {
namespace {

// So many parts (real or imaginary) are converted at a time.
constexpr int64_t piece = 2048;

bool in_float(cudaDataType type) { return type != CUDA_R_64F && type != CUDA_C_64F && type != CUDA_R_32I; }

template <class N>
constexpr bool complex_number = requires(N value) { value.imag(); };

template <class N>
N number(double real, double imaginary) {
  if constexpr (complex_number<N>)
    return {static_cast<typename N::value_type>(real), static_cast<typename N::value_type>(imaginary)};
  else
    return static_cast<N>(real);
}
template <class N>
double real_part(const N& value) {
  if constexpr (complex_number<N>)
    return value.real();
  else
    return static_cast<double>(value);
}
template <class N>
double imaginary_part(const N& value) {
  if constexpr (complex_number<N>)
    return value.imag();
  else
    return 0;
}

}  // namespace

std::size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I: return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
    case CUDA_C_16F:
    case CUDA_C_16BF: return 4;
    case CUDA_R_64F:
    case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 0;
  }
}
bool is_complex(cudaDataType type) {
  return type == CUDA_C_32F || type == CUDA_C_64F || type == CUDA_C_16F || type == CUDA_C_16BF;
}
std::size_t bytes_of(cusparseIndexType_t type) {
  switch (type) {
    case CUSPARSE_INDEX_16U: return 2;
    case CUSPARSE_INDEX_32I: return 4;
    case CUSPARSE_INDEX_64I: return 8;
  }
  return 0;
}

void store_index(void* to, int64_t place, cusparseIndexType_t type, int64_t value) {
  switch (type) {
    case CUSPARSE_INDEX_16U: static_cast<uint16_t*>(to)[place] = static_cast<uint16_t>(value); return;
    case CUSPARSE_INDEX_32I: static_cast<int32_t*>(to)[place] = static_cast<int32_t>(value); return;
    case CUSPARSE_INDEX_64I: static_cast<int64_t*>(to)[place] = value; return;
  }
}

template <class N>
void widen(cudaDataType type, const void* from, N* to, int64_t count) {
  if (type == type_of<N>()) {
    std::memcpy(static_cast<void*>(to), from, static_cast<std::size_t>(count) * sizeof(N));
    return;
  }
  const int64_t parts = is_complex(type) ? 2 : 1;
  if (!in_float(type)) {
    const auto part = [&](int64_t i) {
      return type == CUDA_R_32I ? static_cast<double>(static_cast<const int32_t*>(from)[i])
                                : static_cast<const double*>(from)[i];
    };
    for (int64_t i = 0; i < count; ++i)
      to[i] = number<N>(part(i * parts), parts == 2 ? part(i * parts + 1) : 0);
    return;
  }
  float line[piece];
  for (int64_t done = 0; done < count;) {
    const int64_t now = std::min(count - done, piece / parts);
    cublas::to_float(type, moved(from, done, bytes_of(type)), line, now * parts);
    for (int64_t i = 0; i < now; ++i)
      to[done + i] = number<N>(line[i * parts], parts == 2 ? line[i * parts + 1] : 0);
    done += now;
  }
}

template <class N>
void narrow(cudaDataType type, const N* from, void* to, int64_t count) {
  if (type == type_of<N>()) {
    std::memcpy(to, static_cast<const void*>(from), static_cast<std::size_t>(count) * sizeof(N));
    return;
  }
  const int64_t parts = is_complex(type) ? 2 : 1;
  if (!in_float(type)) {
    for (int64_t i = 0; i < count; ++i) {
      if (type == CUDA_R_32I) {
        static_cast<int32_t*>(to)[i] = static_cast<int32_t>(real_part(from[i]));
        continue;
      }
      auto* const numbers = static_cast<double*>(to) + i * parts;
      numbers[0] = real_part(from[i]);
      if (parts == 2) numbers[1] = imaginary_part(from[i]);
    }
    return;
  }
  float line[piece];
  for (int64_t done = 0; done < count;) {
    const int64_t now = std::min(count - done, piece / parts);
    for (int64_t i = 0; i < now; ++i) {
      line[i * parts] = static_cast<float>(real_part(from[done + i]));
      if (parts == 2) line[i * parts + 1] = static_cast<float>(imaginary_part(from[done + i]));
    }
    cublas::from_float(type, line, moved(to, done, bytes_of(type)), now * parts);
    done += now;
  }
}

#define HEDDLE_CONVERSIONS(N)                                     \
  template void widen<N>(cudaDataType, const void*, N*, int64_t); \
  template void narrow<N>(cudaDataType, const N*, void*, int64_t);
HEDDLE_CONVERSIONS(int32_t)
HEDDLE_CONVERSIONS(float)
HEDDLE_CONVERSIONS(double)
HEDDLE_CONVERSIONS(std::complex<float>)
HEDDLE_CONVERSIONS(std::complex<double>)

}  // namespace heddle::cusparse
