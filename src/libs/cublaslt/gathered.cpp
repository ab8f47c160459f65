#include "libs/cublaslt/gathered.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "libs/common/parallel.h"
#include "libs/cublas/gemm.h"

namespace heddle::cublaslt {
namespace {

constexpr cudaDataType four_bits = CUDA_R_4F_E2M1;

int64_t up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

// Rows of a tile: what a group of 32 columns is filled up to.
int64_t tile_rows(cublasLtOrder_t order) {
  return order == CUBLASLT_ORDER_COL4_4R2_8C ? 8 : order == CUBLASLT_ORDER_COL32_2R_4R4 ? 32 : 1;
}

// ---- numbers of narrow types

constexpr float e2m1[8] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
float from_four_bits(uint8_t byte, int64_t element) {
  const unsigned bits = element % 2 == 0 ? byte & 15 : byte >> 4;
  return (bits & 8) != 0 ? -e2m1[bits & 7] : e2m1[bits & 7];
}
// To the nearest, ties to even; too large ones to the greatest, as the device's conversion does.
unsigned to_four_bits(float value) {
  const unsigned sign = std::signbit(value) ? 8 : 0;
  const float magnitude = std::abs(value);
  if (std::isnan(value)) return 7;
  unsigned best = 0;
  for (unsigned i = 1; i < 8; ++i) {
    const float middle = (e2m1[i - 1] + e2m1[i]) / 2;
    if (magnitude > middle || (magnitude == middle && i % 2 == 0)) best = i;
  }
  return sign | best;
}

float from_e4m3(uint8_t bits) {
  float value = 0;
  cublas::to_float(CUDA_R_8F_E4M3, &bits, &value, 1);
  return value;
}
// A power of two; 255 is none.
float from_e8m0(uint8_t bits) {
  return bits == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0F, bits - 127);
}

// The least that is not below a number that is not negative.
uint8_t to_e8m0(float needed) {
  if (std::isnan(needed)) return 255;
  if (std::isinf(needed)) return 254;
  if (needed == 0) return 0;
  int exponent = 0;  // needed = fraction * 2^exponent, 0.5 <= fraction < 1
  const float fraction = std::frexp(needed, &exponent);
  return static_cast<uint8_t>(std::clamp((fraction == 0.5F ? exponent - 1 : exponent) + 127, 0, 254));
}

// Where the scale of element (i, j) is. Blocks lie along a column, which is what sums go over.
class Scales {
 public:
  explicit Scales(const Stored& matrix)
      : mode_(static_cast<cublasLtMatmulMatrixScale_t>(matrix.scale_mode)),
        rows_(static_cast<int64_t>(matrix.layout.rows)),
        columns_(static_cast<int64_t>(matrix.layout.columns)) {}
  int64_t block() const {
    switch (mode_) {
      case CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3: return 16;
      case CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0: return 32;
      case CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F: return std::max<int64_t>(rows_, 1);
      default: return 128;
    }
  }
  std::size_t bytes() const { return in_bytes() ? 1 : sizeof(float); }
  int64_t count() const {
    if (in_bytes()) return up(columns_, 128) * up(blocks(), 4);
    switch (mode_) {
      case CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F: return columns_;
      case CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F: return columns_ * blocks();
      default: return (columns_ + 127) / 128 * up(blocks(), 4);
    }
  }
  int64_t index(int64_t b, int64_t j) const {
    // Tiles of 128 columns and four blocks, those of columns 32 apart together: as tensor cores read them.
    if (in_bytes())
      return (j / 128 * (up(blocks(), 4) / 4) + b / 4) * 512 + j % 32 * 16 + j % 128 / 32 * 4 + b % 4;
    switch (mode_) {
      case CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F: return j;
      case CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F: return j + b * columns_;
      default: return b + j / 128 * up(blocks(), 4);
    }
  }
  float get(const void* scales, int64_t b, int64_t j) const {
    const int64_t at = index(b, j);
    if (!in_bytes()) return static_cast<const float*>(scales)[at];
    const uint8_t bits = static_cast<const uint8_t*>(scales)[at];
    return mode_ == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0 ? from_e8m0(bits) : from_e4m3(bits & 0x7f);
  }
  // The least of its format at which nothing of the block is too large; returns its value.
  float put(void* scales, int64_t b, int64_t j, float needed) const {
    uint8_t& bits = static_cast<uint8_t*>(scales)[index(b, j)];
    if (mode_ == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0) {
      bits = to_e8m0(needed);
      return from_e8m0(bits);
    }
    cublas::from_float(CUDA_R_8F_E4M3, &needed, &bits, 1);
    bits &= 0x7f;
    if (from_e4m3(bits) < needed && bits < 0x7e) ++bits;
    return from_e4m3(bits);
  }

 private:
  bool in_bytes() const {
    return mode_ == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 ||
           mode_ == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
  }
  int64_t blocks() const { return (rows_ + block() - 1) / block(); }

  const cublasLtMatmulMatrixScale_t mode_;
  const int64_t rows_, columns_;
};

template <class Body>
void over_columns(const Layout& layout, const Body& body) {
  const auto columns = static_cast<int64_t>(layout.columns);
  libs::parallel((columns + 31) / 32, [&](int64_t piece) {
    for (int64_t j = piece * 32; j < std::min(columns, (piece + 1) * 32); ++j) body(j);
  });
}

void hold(Access& access, const Layout& layout, const void* at, bool write) {
  const auto count = static_cast<uint64_t>(extent(layout));
  const std::size_t bytes =
      layout.type == four_bits ? 1 : cublas::bytes_of(layout.type) / (layout.plane != 0 ? 2 : 1);
  const uint64_t units = layout.type == four_bits ? (count + 1) / 2 : count;
  const auto one = [&](const void* from) {
    if (write)
      access.write_bytes(const_cast<void*>(from), units, bytes);
    else
      access.read_bytes(from, units, bytes);
  };
  one(at);
  if (layout.plane != 0) one(static_cast<const std::byte*>(at) + layout.plane);
}

// The floats of a column of a matrix by columns.
void read_column(const Layout& layout, const void* from, int64_t j, float* to) {
  const auto rows = static_cast<int64_t>(layout.rows);
  if (layout.type == four_bits) {
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t at = i + j * layout.ld;
      to[i] = from_four_bits(static_cast<const uint8_t*>(from)[at / 2], at);
    }
    return;
  }
  cublas::to_float(layout.type, moved_in(layout, from, j * layout.ld), to, rows);
}
void write_column(const Layout& layout, const float* from, void* to, int64_t j) {
  const auto rows = static_cast<int64_t>(layout.rows);
  if (layout.type == four_bits) {
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t at = i + j * layout.ld;
      uint8_t& byte = static_cast<uint8_t*>(to)[at / 2];
      const unsigned bits = to_four_bits(from[i]);
      byte = static_cast<uint8_t>(at % 2 == 0 ? (byte & 0xf0) | bits : (byte & 0x0f) | bits << 4);
    }
    return;
  }
  cublas::from_float(layout.type, from, const_cast<void*>(moved_in(layout, to, j * layout.ld)), rows);
}

cudaDataType part_of(cudaDataType complex) {
  return complex == CUDA_C_16F ? CUDA_R_16F : complex == CUDA_C_16BF ? CUDA_R_16BF : CUDA_R_32F;
}

// Elements that are only moved.
template <class Move>
void move_elements(const Layout& layout, const Move& move) {
  const auto bytes = static_cast<int64_t>(cublas::bytes_of(layout.type));
  const auto rows = static_cast<int64_t>(layout.rows);
  over_columns(layout, [&](int64_t j) {
    for (int64_t i = 0; i < rows; ++i)
      move((i + j * rows) * bytes, place(layout, i, j) * bytes, static_cast<std::size_t>(bytes));
  });
}

}  // namespace

bool is_narrow(cudaDataType type) {
  return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2 || type == four_bits;
}
bool in_tiles(cublasLtOrder_t order) {
  return order == CUBLASLT_ORDER_COL32 || order == CUBLASLT_ORDER_COL4_4R2_8C ||
         order == CUBLASLT_ORDER_COL32_2R_4R4;
}

bool Stored::apart() const {
  return in_tiles(layout.order) || layout.plane != 0 || layout.type == four_bits || scaled_in_blocks();
}

Layout Stored::gathered() const {
  Layout made = layout;
  made.order = CUBLASLT_ORDER_COL;
  made.ld = static_cast<int64_t>(std::max<uint64_t>(layout.rows, 1));
  made.plane = 0;
  if (layout.plane != 0)
    made.type = CUDA_C_32F;
  else if (layout.type == four_bits || scaled_in_blocks())
    made.type = CUDA_R_32F;
  return made;
}

// Groups of 32 columns, `ld` apart. COL32: the columns of a row together. COL4_4R2_8C: tiles of 8 rows, in
// each first the even rows and then the odd ones, four columns together. COL32_2R_4R4: tiles of 32 rows,
// whose rows 0, 1, 8, 9, 16, 17, 24, 25, 2, 3, ... follow each other. (cuBLASLt, "cublasLtOrder_t", and an
// H200.)
int64_t place(const Layout& layout, int64_t i, int64_t j) {
  const int64_t group = j / 32 * layout.ld, column = j % 32;
  switch (layout.order) {
    case CUBLASLT_ORDER_ROW: return i * layout.ld + j;
    case CUBLASLT_ORDER_COL32: return group + i * 32 + column;
    case CUBLASLT_ORDER_COL4_4R2_8C:
      return group + i / 8 * 256 + i % 2 * 128 + column / 8 * 32 + column % 8 / 4 * 16 + i % 8 / 2 * 4 +
             column % 4;
    case CUBLASLT_ORDER_COL32_2R_4R4:
      return group + i / 32 * 1024 + (i % 8 / 2 * 8 + i % 32 / 8 * 2 + i % 2) * 32 + column;
    default: return i + j * layout.ld;
  }
}

int64_t extent(const Layout& layout) {
  const auto rows = static_cast<int64_t>(layout.rows), columns = static_cast<int64_t>(layout.columns);
  const auto lines = [&](int64_t length, int64_t count) {
    const uint64_t all = Access::extent(length, count, layout.ld);
    if (all > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      refuse(Why::invalid_value, "a matrix of more than 2^63 elements");
    return static_cast<int64_t>(all);
  };
  if (layout.order == CUBLASLT_ORDER_ROW) return lines(columns, rows);
  if (in_tiles(layout.order)) return lines(32 * up(rows, tile_rows(layout.order)), (columns + 31) / 32);
  return lines(rows, columns);
}

const void* moved_in(const Layout& layout, const void* pointer, int64_t elements) {
  const auto bytes = static_cast<int64_t>(cublas::bytes_of(layout.type));
  return static_cast<const std::byte*>(pointer) + (layout.type == four_bits ? elements / 2
                                                   : layout.plane != 0      ? elements * bytes / 2
                                                                            : elements * bytes);
}

void gather(Access& access, const Stored& matrix, const void* from, void* to) {
  const Layout& layout = matrix.layout;
  const auto rows = static_cast<int64_t>(layout.rows);
  hold(access, layout, from, false);
  if (layout.plane != 0) {
    const cudaDataType part = part_of(layout.type);
    over_columns(layout, [&](int64_t j) {
      std::vector<float> parts(static_cast<std::size_t>(rows));
      for (const int64_t which : {0, 1}) {
        Layout plane = layout;
        plane.type = part, plane.plane = 0;
        cublas::to_float(
            part, moved_in(plane, static_cast<const std::byte*>(from) + which * layout.plane, j * layout.ld),
            parts.data(), rows);
        for (int64_t i = 0; i < rows; ++i)
          static_cast<float*>(to)[(i + j * rows) * 2 + which] = parts[static_cast<std::size_t>(i)];
      }
    });
    return;
  }
  if (matrix.gathered().type == layout.type)
    return move_elements(layout, [&](int64_t gathered, int64_t stored, std::size_t bytes) {
      std::memcpy(static_cast<std::byte*>(to) + gathered, static_cast<const std::byte*>(from) + stored,
                  bytes);
    });
  const Scales scales(matrix);
  const bool scaled = matrix.scaled_in_blocks();
  if (scaled) access.read_bytes(matrix.scales, static_cast<uint64_t>(scales.count()), scales.bytes());
  over_columns(layout, [&](int64_t j) {
    float* const column = static_cast<float*>(to) + j * rows;
    read_column(layout, from, j, column);
    for (int64_t i = 0; scaled && i < rows; i += scales.block()) {
      const float by = scales.get(matrix.scales, i / scales.block(), j);
      for (int64_t r = i; r < std::min(rows, i + scales.block()); ++r) column[r] *= by;
    }
  });
}

void scatter(Access& access, const Stored& matrix, const void* from, void* to) {
  const Layout& layout = matrix.layout;
  const auto rows = static_cast<int64_t>(layout.rows);
  hold(access, layout, to, true);
  if (layout.plane != 0) {
    const cudaDataType part = part_of(layout.type);
    over_columns(layout, [&](int64_t j) {
      std::vector<float> parts(static_cast<std::size_t>(rows));
      for (const int64_t which : {0, 1}) {
        for (int64_t i = 0; i < rows; ++i)
          parts[static_cast<std::size_t>(i)] = static_cast<const float*>(from)[(i + j * rows) * 2 + which];
        Layout plane = layout;
        plane.type = part, plane.plane = 0;
        write_column(plane, parts.data(), static_cast<std::byte*>(to) + which * layout.plane, j);
      }
    });
    return;
  }
  if (matrix.gathered().type == layout.type) {
    // What fills up tiles becomes 0, as on a device; what lies between groups of columns stays.
    if (in_tiles(layout.order)) {
      Layout group = layout;
      group.columns = 32;
      const auto bytes = static_cast<int64_t>(cublas::bytes_of(layout.type));
      for (int64_t j = 0; j < static_cast<int64_t>(layout.columns); j += 32)
        std::memset(static_cast<std::byte*>(to) + j / 32 * layout.ld * bytes, 0,
                    static_cast<std::size_t>(extent(group) * bytes));
    }
    return move_elements(layout, [&](int64_t gathered, int64_t stored, std::size_t bytes) {
      std::memcpy(static_cast<std::byte*>(to) + stored, static_cast<const std::byte*>(from) + gathered,
                  bytes);
    });
  }
  const Scales scales(matrix);
  const float greatest = layout.type == four_bits ? 6.0F : layout.type == CUDA_R_8F_E5M2 ? 57344.0F : 448.0F;
  auto* const scales_to = const_cast<void*>(matrix.scales);
  if (matrix.scaled_in_blocks())
    access.write_bytes(scales_to, static_cast<uint64_t>(scales.count()), scales.bytes());
  over_columns(layout, [&](int64_t j) {
    const float* const first = static_cast<const float*>(from) + j * rows;
    std::vector<float> column(first, first + rows);
    for (int64_t i = 0; matrix.scaled_in_blocks() && i < rows; i += scales.block()) {
      const int64_t end = std::min(rows, i + scales.block());
      float most = 0;
      for (int64_t r = i; r < end; ++r) most = std::max(most, std::abs(column[static_cast<std::size_t>(r)]));
      const float by = scales.put(scales_to, i / scales.block(), j, most / greatest);
      for (int64_t r = i; r < end; ++r) {
        float& value = column[static_cast<std::size_t>(r)];
        value = by == 0 ? 0 : value / by;
      }
    }
    write_column(layout, column.data(), to, j);
  });
}

}  // namespace heddle::cublaslt
