// What descriptors of the generic interface say. Functions take them as they are when they are called.
#pragma once

#include <cusparse.h>

#include <cstdint>
#include <memory>

namespace heddle::cusparse {

struct SparseVector {
  int64_t size = 0, count = 0;
  void* indices = nullptr;
  void* values = nullptr;
  cusparseIndexType_t index = CUSPARSE_INDEX_32I;
  int base = 0;
  cudaDataType type = CUDA_R_32F;
};
struct DenseVector {
  int64_t size = 0;
  void* values = nullptr;
  cudaDataType type = CUDA_R_32F;
};
struct DenseMatrix {
  int64_t rows = 0, columns = 0, ld = 0;
  void* values = nullptr;
  cudaDataType type = CUDA_R_32F;
  bool by_rows = false;
  int batches = 1;
  int64_t stride = 0;
  // Elements from the first to the last one.
  int64_t extent() const {
    const int64_t lines = by_rows ? rows : columns, line = by_rows ? columns : rows;
    return lines == 0 || line == 0 ? 0 : (lines - 1) * ld + line;
  }
};
struct SparseMatrix {
  cusparseFormat_t format = CUSPARSE_FORMAT_CSR;
  int64_t rows = 0, columns = 0, count = 0;  // of elements
  // CSR, BSR: offsets of rows, and columns; CSC: of columns, and rows; COO: rows and columns; ELL: columns
  void* offsets = nullptr;
  void* places = nullptr;
  void* values = nullptr;
  cusparseIndexType_t offset_index = CUSPARSE_INDEX_32I, place_index = CUSPARSE_INDEX_32I;
  int base = 0;
  cudaDataType type = CUDA_R_32F;
  // BSR: of a block; blocked ELL: block_rows is the size of a block, and width the columns that are there
  int64_t block_rows = 1, block_columns = 1, width = 0;
  bool blocks_by_rows = true;
  int64_t slice = 1, padded = 0;  // sliced ELL: rows of a slice, elements with padding
  int batches = 1;
  int64_t offset_stride = 0, place_stride = 0, value_stride = 0;
  int fill = CUSPARSE_FILL_MODE_LOWER, diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
};

// Copies, since a program may change them while the work waits.
SparseVector sparse_vector(const void* descriptor);
DenseVector dense_vector(const void* descriptor);
DenseMatrix dense_matrix(const void* descriptor);
SparseMatrix sparse_matrix(const void* descriptor);
// For functions that set how many elements there are.
std::shared_ptr<SparseMatrix> sparse_matrix_to_set(const void* descriptor);

}  // namespace heddle::cusparse
