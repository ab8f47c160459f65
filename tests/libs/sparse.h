// For tests of cuSPARSE: matrices of the device in any format, made of dense ones of the host.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cusparse.h>

#include <memory>

#include "testing.h"

namespace heddle::libs_test {

constexpr auto sparse_good = CUSPARSE_STATUS_SUCCESS;

template <class T>
constexpr cudaDataType data_type() {
  if constexpr (std::is_same_v<T, float>) return CUDA_R_32F;
  if constexpr (std::is_same_v<T, double>) return CUDA_R_64F;
  if constexpr (std::is_same_v<T, cuComplex>) return CUDA_C_32F;
  return CUDA_C_64F;
}

// Where functions ask for a buffer: what is in it says nothing.
inline void* workspace() {
  static const auto* const room = new Device<char>(1024);
  return room->get();
}

// Whole numbers as memory has them in a type.
inline std::vector<char> encoded(cudaDataType type, const std::vector<double>& values) {
  std::vector<char> bytes;
  const auto add = [&](const auto& value) {
    const char* const from = reinterpret_cast<const char*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  };
  for (const double value : values) switch (type) {
      case CUDA_R_8I: add(static_cast<int8_t>(value)); break;
      case CUDA_R_32I: add(static_cast<int32_t>(value)); break;
      case CUDA_R_16F: {  // below 2048
        int exponent = 0;
        const double fraction = std::frexp(std::abs(value), &exponent);
        add(static_cast<uint16_t>(value == 0
                                      ? 0
                                      : ((exponent + 14) << 10) + (static_cast<int>(fraction * 2048) - 1024) +
                                            (value < 0 ? 0x8000 : 0)));
        break;
      }
      case CUDA_R_16BF: {
        const float number = static_cast<float>(value);
        uint32_t bits = 0;
        std::memcpy(&bits, &number, sizeof bits);
        add(static_cast<uint16_t>(bits >> 16));
        break;
      }
      default: add(static_cast<float>(value));
    }
  return bytes;
}

// A matrix of rows, dense.
template <class T>
Dense<T> of_rows(const std::vector<int>& offsets, const std::vector<int>& places,
                 const std::vector<T>& values, int m, int n, int base) {
  Dense<T> a(m, n);
  for (int i = 0; i < m; ++i)
    for (int p = offsets[static_cast<std::size_t>(i)] - base;
         p < offsets[static_cast<std::size_t>(i) + 1] - base; ++p)
      a(i, places[static_cast<std::size_t>(p)] - base) += exact(values[static_cast<std::size_t>(p)]);
  return a;
}
template <class T>
T narrowed(const Exact<T>& value) {
  if constexpr (Kind<T>::complex)
    return made<T>(value.real(), value.imag());
  else
    return static_cast<T>(value);
}

// Rows with their elements, as CSR has them.
template <class T>
struct Rows {
  int m, n, base;
  std::vector<int> offsets, places;
  std::vector<T> values;
  Rows(const Dense<T>& a, int base_) : m(a.rows), n(a.columns), base(base_), offsets{base_} {
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j)
        if (a(i, j) != Exact<T>(0)) {
          places.push_back(j + base);
          values.push_back(narrowed<T>(a(i, j)));
        }
      offsets.push_back(static_cast<int>(places.size()) + base);
    }
  }
  int count() const { return static_cast<int>(places.size()); }
  Dense<T> dense() const { return of_rows<T>(offsets, places, values, m, n, base); }
};

// A dense matrix of the device by rows or columns, with room between its lines.
template <class T>
class DenseOperand {
 public:
  DenseOperand(Random& random, int m, int n)
      : rows_(m),
        columns_(n),
        by_rows_(random.in(0, 1) != 0),
        ld_(std::max((by_rows_ ? n : m) + random.in(0, 3), 1)),
        memory_(random.values<T>(static_cast<std::size_t>(ld_) * std::max(by_rows_ ? m : n, 1))) {
    EXPECT_EQ(cusparseCreateDnMat(&descriptor, m, n, ld_, memory_, data_type<T>(),
                                  by_rows_ ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
              sparse_good);
  }
  ~DenseOperand() { cusparseDestroyDnMat(descriptor); }
  DenseOperand(const DenseOperand&) = delete;
  DenseOperand& operator=(const DenseOperand&) = delete;
  Dense<T> value() const {
    const auto all = memory_.read();
    Dense<T> a(rows_, columns_);
    for (int j = 0; j < columns_; ++j)
      for (int i = 0; i < rows_; ++i)
        a(i, j) = exact(all[static_cast<std::size_t>(by_rows_ ? i * ld_ + j : i + j * ld_)]);
    return a;
  }
  cusparseDnMatDescr_t descriptor = nullptr;

 private:
  const int rows_, columns_;
  const bool by_rows_;
  const int ld_;
  Device<T> memory_;
};

// A sparse matrix of the device.
template <class T>
class SparseOperand {
 public:
  SparseOperand(const Dense<T>& a, cusparseFormat_t format, bool wide, int base)
      : rows_(a.rows), columns_(a.columns), base_(base), wide_(wide) {
    std::vector<int64_t> offsets, places;
    std::vector<T> values;
    const auto index = wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    const auto zero = static_cast<cusparseIndexBase_t>(base);
    const auto type = data_type<T>();
    const Rows<T> rows(format == CUSPARSE_FORMAT_CSC ? transposed(a, 'T') : a, base);
    switch (format) {
      case CUSPARSE_FORMAT_CSR:
      case CUSPARSE_FORMAT_CSC:
        offsets.assign(rows.offsets.begin(), rows.offsets.end());
        places.assign(rows.places.begin(), rows.places.end());
        keep(offsets, places, rows.values);
        EXPECT_EQ((format == CUSPARSE_FORMAT_CSR ? cusparseCreateCsr : cusparseCreateCsc)(
                      &descriptor_, a.rows, a.columns, rows.count(), *offsets_, *places_, *values_, index,
                      index, zero, type),
                  sparse_good);
        return;
      case CUSPARSE_FORMAT_COO:
        for (int i = 0; i < a.rows; ++i)
          for (int p = rows.offsets[static_cast<std::size_t>(i)];
               p < rows.offsets[static_cast<std::size_t>(i) + 1]; ++p)
            offsets.push_back(i + base);
        places.assign(rows.places.begin(), rows.places.end());
        keep(offsets, places, rows.values);
        EXPECT_EQ(cusparseCreateCoo(&descriptor_, a.rows, a.columns, rows.count(), *offsets_, *places_,
                                    *values_, index, zero, type),
                  sparse_good);
        return;
      case CUSPARSE_FORMAT_BSR: {  // blocks of 2 by 4
        offsets.push_back(base);
        for (int r = 0; r < a.rows / 2; ++r) {
          for (int c = 0; c < a.columns / 4; ++c) {
            bool any = false;
            for (int i = 0; i < 2; ++i)
              for (int j = 0; j < 4; ++j) any |= a(2 * r + i, 4 * c + j) != Exact<T>(0);
            if (!any) continue;
            places.push_back(c + base);
            for (int i = 0; i < 2; ++i)
              for (int j = 0; j < 4; ++j) values.push_back(narrowed<T>(a(2 * r + i, 4 * c + j)));
          }
          offsets.push_back(static_cast<int64_t>(places.size()) + base);
        }
        keep(offsets, places, values);
        EXPECT_EQ(
            cusparseCreateBsr(&descriptor_, a.rows / 2, a.columns / 4, static_cast<int64_t>(places.size()), 2,
                              4, *offsets_, *places_, *values_, index, index, zero, type, CUSPARSE_ORDER_ROW),
            sparse_good);
        return;
      }
      case CUSPARSE_FORMAT_BLOCKED_ELL: {  // blocks of 2 by 2, as many in each row as in the longest
        std::vector<std::vector<int>> blocks(static_cast<std::size_t>(a.rows / 2));
        std::size_t most = 0;
        for (int r = 0; r < a.rows / 2; ++r) {
          auto& row = blocks[static_cast<std::size_t>(r)];
          for (int c = 0; c < a.columns / 2; ++c)
            for (int i = 0; i < 4; ++i)
              if (a(2 * r + i / 2, 2 * c + i % 2) != Exact<T>(0)) {
                row.push_back(c);
                break;
              }
          most = std::max(most, row.size());
        }
        for (const auto& row : blocks)
          for (std::size_t k = 0; k < most; ++k) places.push_back(k < row.size() ? row[k] + base : -1);
        for (int i = 0; i < a.rows; ++i)
          for (std::size_t k = 0; k < most; ++k)
            for (int j = 0; j < 2; ++j) {
              const auto& row = blocks[static_cast<std::size_t>(i / 2)];
              values.push_back(k < row.size() ? narrowed<T>(a(i, 2 * row[k] + j)) : made<T>(77));
            }
        keep(offsets, places, values);
        EXPECT_EQ(cusparseCreateBlockedEll(&descriptor_, a.rows, a.columns, 2, static_cast<int64_t>(2 * most),
                                           *places_, *values_, index, zero, type),
                  sparse_good);
        return;
      }
      case CUSPARSE_FORMAT_SLICED_ELLPACK: {  // slices of 3 rows
        offsets.push_back(base);
        for (int first = 0; first < a.rows; first += 3) {
          int most = 0;
          const auto length = [&](int i) {
            return i < a.rows ? rows.offsets[static_cast<std::size_t>(i) + 1] -
                                    rows.offsets[static_cast<std::size_t>(i)]
                              : 0;
          };
          for (int i = first; i < first + 3; ++i) most = std::max(most, length(i));
          for (int k = 0; k < most; ++k)
            for (int i = first; i < first + 3; ++i) {
              const auto p = static_cast<std::size_t>(
                  i < a.rows ? rows.offsets[static_cast<std::size_t>(i)] - base + k : 0);
              places.push_back(k < length(i) ? rows.places[p] : -1);
              values.push_back(k < length(i) ? rows.values[p] : made<T>(0));
            }
          offsets.push_back(static_cast<int64_t>(places.size()) + base);
        }
        keep(offsets, places, values);
        EXPECT_EQ(cusparseCreateSlicedEll(&descriptor_, a.rows, a.columns, rows.count(),
                                          static_cast<int64_t>(places.size()), 3, *offsets_, *places_,
                                          *values_, index, index, zero, type),
                  sparse_good);
        return;
      }
    }
  }
  ~SparseOperand() { cusparseDestroySpMat(descriptor_); }
  SparseOperand(const SparseOperand&) = delete;
  SparseOperand& operator=(const SparseOperand&) = delete;
  cusparseSpMatDescr_t get() const { return descriptor_; }
  void clear_values() { values_->set(std::vector<T>(values_->read().size(), made<T>(55))); }
  // Of CSR.
  Dense<T> value() const {
    const auto ints = [&](const Device<char>& memory) {
      const auto bytes = memory.read();
      std::vector<int> all(bytes.size() / (wide_ ? 8 : 4));
      for (std::size_t i = 0; i < all.size(); ++i)
        std::memcpy(&all[i], bytes.data() + i * (wide_ ? 8 : 4), sizeof(int));
      return all;
    };
    return of_rows<T>(ints(*offsets_), ints(*places_), values_->read(), rows_, columns_, base_);
  }

 private:
  void keep(const std::vector<int64_t>& offsets, const std::vector<int64_t>& places,
            const std::vector<T>& values) {
    const auto bytes = [&](const std::vector<int64_t>& from) {
      std::vector<char> to(from.size() * (wide_ ? 8 : 4));
      for (std::size_t i = 0; i < from.size(); ++i)
        std::memcpy(to.data() + i * (wide_ ? 8 : 4), &from[i], wide_ ? 8 : 4);
      return to;
    };
    offsets_ = std::make_unique<Device<char>>(bytes(offsets));
    places_ = std::make_unique<Device<char>>(bytes(places));
    values_ = std::make_unique<Device<T>>(values);
  }
  const int rows_, columns_, base_;
  const bool wide_;
  std::unique_ptr<Device<char>> offsets_, places_;
  std::unique_ptr<Device<T>> values_;
  cusparseSpMatDescr_t descriptor_ = nullptr;
};

class Sparse : public testing::Test {
 public:
  Sparse() { EXPECT_EQ(cusparseCreate(&handle), sparse_good); }
  ~Sparse() override { EXPECT_EQ(cusparseDestroy(handle), sparse_good); }
  // A fifth of the elements, some rows empty.
  template <class T>
  Dense<T> random_matrix(int m, int n) {
    Dense<T> a(m, n);
    for (int i = 0; i < m; ++i) {
      if (random.in(0, 4) == 0) continue;
      for (int j = 0; j < n; ++j)
        if (random.in(0, 4) == 0) a(i, j) = exact(random.template value<T>());
    }
    return a;
  }
  template <class T>
  std::unique_ptr<SparseOperand<T>> make(const Dense<T>& a, cusparseFormat_t format, bool wide, int base) {
    return std::make_unique<SparseOperand<T>>(a, format, wide, base);
  }
  cusparseHandle_t handle = nullptr;
  Random random{11};
};

}  // namespace heddle::libs_test
