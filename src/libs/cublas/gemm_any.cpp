// Products of matrices of mixed types. Operands are converted to what products are summed in, a panel at a
// time, and multiplied there. Sums of integers are exact, and wrap where the device's would: see
// multiply_bytes; elsewhere a double holds every one that 2^21 products of bytes can have.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "libs/cublas/gemm.h"
#include "libs/cublas/small/small.h"

namespace heddle::cublas {
namespace {

using small::Parts;

void convert(cudaDataType type, const void* from, float* to, int64_t count) {
  to_float(type, from, to, count);
}
void convert(cudaDataType type, const void* from, double* to, int64_t count) {
  if (type == CUDA_R_64F || type == CUDA_C_64F) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(double));
    return;
  }
  if (type == CUDA_R_32I) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<const int32_t*>(from)[i];
    return;
  }
  float piece[256];
  const auto element = static_cast<int64_t>(bytes_of(type)) / (is_complex_type(type) ? 2 : 1);
  for (int64_t i = 0; i < count; i += 256) {
    const int64_t some = std::min<int64_t>(256, count - i);
    to_float(type, static_cast<const std::byte*>(from) + i * element, piece, some);
    std::copy_n(piece, some, to + i);
  }
}
void convert_back(cudaDataType type, const float* from, void* to, int64_t count) {
  from_float(type, from, to, count);
}
void convert_back(cudaDataType type, const double* from, void* to, int64_t count) {
  if (type == CUDA_R_64F || type == CUDA_C_64F) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(double));
    return;
  }
  if (type == CUDA_R_32I) {
    for (int64_t i = 0; i < count; ++i)
      static_cast<int32_t*>(to)[i] = static_cast<int32_t>(static_cast<int64_t>(from[i]));
    return;
  }
  float piece[256];
  const auto element = static_cast<int64_t>(bytes_of(type)) / (is_complex_type(type) ? 2 : 1);
  for (int64_t i = 0; i < count; i += 256) {
    const int64_t some = std::min<int64_t>(256, count - i);
    for (int64_t j = 0; j < some; ++j) piece[j] = static_cast<float>(from[i + j]);
    from_float(type, piece, static_cast<std::byte*>(to) + i * element, some);
  }
}

// A block of a matrix in N, without gaps; a matrix that has the type already is used where it is.
template <class N>
class Block {
 public:
  Block(cudaDataType type, const void* data, int64_t ld, cudaDataType own, std::vector<N>& room)
      : type_(type), data_(static_cast<const std::byte*>(data)), ld_(ld), same_(type == own), room_(room) {}
  const N* get(int64_t row, int64_t column, int64_t rows, int64_t columns, int64_t& ld) {
    const auto element = static_cast<int64_t>(bytes_of(type_));
    const std::byte* from = data_ + (row + column * ld_) * element;
    if (same_) {
      ld = ld_;
      return reinterpret_cast<const N*>(from);
    }
    ld = std::max<int64_t>(rows, 1);
    if (const auto all = static_cast<std::size_t>(rows * columns); room_.size() < all) room_.resize(all);
    auto* to = reinterpret_cast<typename Parts<N>::Real*>(room_.data());
    const int64_t count = rows * Parts<N>::count;
    if (ld_ == rows)
      convert(type_, from, to, count * columns);
    else
      for (int64_t j = 0; j < columns; ++j) convert(type_, from + j * ld_ * element, to + j * count, count);
    return room_.data();
  }

 private:
  const cudaDataType type_;
  const std::byte* const data_;
  const int64_t ld_;
  const bool same_;
  std::vector<N>& room_;
};
// For what is converted; a batch has it once.
template <class N>
struct Rooms {
  std::vector<N> a, b, sums;
};

template <class N>
N scalar_of(const AnyScalar& value) {
  if constexpr (Parts<N>::count == 2)
    return {static_cast<typename Parts<N>::Real>(value.real),
            static_cast<typename Parts<N>::Real>(value.imaginary)};
  else
    return static_cast<N>(value.real);
}

template <class N>
void multiply(const AnyGemm& g, cudaDataType own, AnyScalar any_alpha, const void* a, const void* b,
              AnyScalar any_beta, void* c, Rooms<N>& rooms) {
  const Shape& s = g.shape;
  const N alpha = scalar_of<N>(any_alpha), beta = scalar_of<N>(any_beta);
  const bool product = alpha != N(0) && s.k > 0;
  // As large as needed for the product to cost much more than converting the panels.
  const int64_t columns = std::min<int64_t>(s.n, 512),
                depth = std::min<int64_t>(std::max<int64_t>(s.k, 1), 1024),
                rows = std::min<int64_t>(s.m, 1024);
  Block<N> as(g.a_type, a, s.lda, own, rooms.a), bs(g.b_type, b, s.ldb, own, rooms.b);
  auto* const to = static_cast<std::byte*>(c);
  const auto element = static_cast<int64_t>(bytes_of(g.c_type));
  const bool in_place = g.c_type == own;
  for (int64_t j = 0; j < s.n; j += columns)
    for (int64_t i = 0; i < s.m; i += rows) {
      Shape part = s;
      part.n = std::min(columns, s.n - j);
      part.m = std::min(rows, s.m - i);
      std::byte* const place = to + (i + j * s.ldc) * element;
      N* result = reinterpret_cast<N*>(place);
      if (!in_place) {
        part.ldc = part.m;
        const auto all = static_cast<std::size_t>(part.m * part.n);
        if (rooms.sums.size() < all) rooms.sums.resize(all);
        result = rooms.sums.data();
        if (beta != N(0))
          for (int64_t q = 0; q < part.n; ++q)
            convert(g.c_type, place + q * s.ldc * element,
                    reinterpret_cast<typename Parts<N>::Real*>(result + q * part.m),
                    part.m * Parts<N>::count);
      }
      if (!product) {
        part.k = 0;
        gemm<N>(part, alpha, nullptr, nullptr, beta, result);
      }
      for (int64_t p = 0; product && p < s.k; p += depth) {
        part.k = std::min(depth, s.k - p);
        const N* pa =
            s.opa == 'N' ? as.get(i, p, part.m, part.k, part.lda) : as.get(p, i, part.k, part.m, part.lda);
        const N* pb =
            s.opb == 'N' ? bs.get(p, j, part.k, part.n, part.ldb) : bs.get(j, p, part.n, part.k, part.ldb);
        gemm<N>(part, alpha, pa, pb, p == 0 ? beta : N(1), result);
      }
      if (!in_place)
        for (int64_t q = 0; q < part.n; ++q)
          convert_back(g.c_type, reinterpret_cast<const typename Parts<N>::Real*>(result + q * part.m),
                       place + q * s.ldc * element, part.m * Parts<N>::count);
    }
}

// Bytes by bytes into integers: floats hold each sum of 1024 products exactly, integers add those and wrap.
void multiply_bytes(const AnyGemm& g, int32_t alpha, const void* a, const void* b, int32_t beta, void* c,
                    Rooms<float>& rooms) {
  const Shape& s = g.shape;
  constexpr int64_t depth = 1024;  // 2^10 products of at most 2^14
  const int64_t columns = std::min<int64_t>(s.n, 512), rows = std::min<int64_t>(s.m, 1024);
  Block<float> as(g.a_type, a, s.lda, CUDA_R_32F, rooms.a), bs(g.b_type, b, s.ldb, CUDA_R_32F, rooms.b);
  std::vector<float> piece;
  std::vector<uint32_t> sums;
  for (int64_t j = 0; j < s.n; j += columns)
    for (int64_t i = 0; i < s.m; i += rows) {
      Shape part = s;
      part.n = std::min(columns, s.n - j);
      part.ldc = part.m = std::min(rows, s.m - i);
      piece.resize(static_cast<std::size_t>(part.m * part.n));
      sums.assign(piece.size(), 0);
      for (int64_t p = 0; p < s.k; p += depth) {
        part.k = std::min(depth, s.k - p);
        const float* pa =
            s.opa == 'N' ? as.get(i, p, part.m, part.k, part.lda) : as.get(p, i, part.k, part.m, part.lda);
        const float* pb =
            s.opb == 'N' ? bs.get(p, j, part.k, part.n, part.ldb) : bs.get(j, p, part.n, part.k, part.ldb);
        gemm<float>(part, 1, pa, pb, 0, piece.data());
        for (std::size_t q = 0; q < sums.size(); ++q)
          sums[q] += static_cast<uint32_t>(static_cast<int32_t>(piece[q]));
      }
      for (int64_t q = 0; q < part.n; ++q) {
        auto* const to = static_cast<uint32_t*>(c) + i + (j + q) * s.ldc;
        const uint32_t* from = sums.data() + q * part.m;
        const auto by = static_cast<uint32_t>(alpha), keep = static_cast<uint32_t>(beta);
        for (int64_t r = 0; r < part.m; ++r) to[r] = by * from[r] + (keep == 0 ? 0 : keep * to[r]);
      }
    }
}
bool is_whole(const AnyScalar& value) {
  return value.real >= INT32_MIN && value.real <= INT32_MAX && value.real == std::floor(value.real);
}

}  // namespace

namespace {

// of(N(), own): what products are summed in, and its type.
template <class Of>
void by_sums(cudaDataType compute, const Of& of) {
  switch (compute) {
    case CUDA_R_64F:
    case CUDA_R_32I: return of(double(), CUDA_R_64F);
    case CUDA_C_32F: return of(std::complex<float>(), CUDA_C_32F);
    case CUDA_C_64F: return of(std::complex<double>(), CUDA_C_64F);
    default: return of(float(), CUDA_R_32F);
  }
}

// Unsigned bytes have products of 2^16: too many for a float.
bool is_of_bytes(const AnyGemm& g, const AnyScalar& alpha, const AnyScalar& beta) {
  return g.compute == CUDA_R_32I && g.a_type == CUDA_R_8I && g.b_type == CUDA_R_8I &&
         g.c_type == CUDA_R_32I && is_whole(alpha) && is_whole(beta);
}

}  // namespace

void gemm_any_batch(const AnyGemm& g, AnyScalar alpha, AnyScalar beta, const AnyBatch& batch, int64_t count) {
  const Shape& s = g.shape;
  if (s.empty()) return;
  if (is_of_bytes(g, alpha, beta))
    return for_batch(s, count, [&](int64_t from, int64_t to) {
      Rooms<float> rooms;
      for (int64_t i = from; i < to; ++i)
        multiply_bytes(g, static_cast<int32_t>(alpha.real), batch.a[i], batch.b[i],
                       static_cast<int32_t>(beta.real), batch.c[i], rooms);
    });
  by_sums(g.compute, [&]<class N>(N, cudaDataType own) {
    for_batch(s, count, [&](int64_t from, int64_t to) {
      Rooms<N> rooms;
      for (int64_t i = from; i < to; ++i)
        multiply<N>(g, own, alpha, batch.a[i], batch.b[i], beta, batch.c[i], rooms);
    });
  });
}

void gemm_any(const AnyGemm& g, AnyScalar alpha, const void* a, const void* b, AnyScalar beta, void* c) {
  const AnyBatch one{{.first = static_cast<const std::byte*>(a)},
                     {.first = static_cast<const std::byte*>(b)},
                     {.first = static_cast<std::byte*>(c)}};
  gemm_any_batch(g, alpha, beta, one, 1);
}

}  // namespace heddle::cublas
