// Matrices that lie in memory as no BLAS takes them: in tiles of 32 columns, with complex numbers in planes,
// of 4-bit numbers, with a scale for each block. They are gathered by columns before a product, and scattered
// after it.
#pragma once

#include "libs/common/access.h"
#include "libs/cublaslt/descriptors.h"

namespace heddle::cublaslt {

using libs::Access;

// A matrix as memory has it, with the scales of its blocks, if it has any.
struct Stored {
  Layout layout;
  int32_t scale_mode = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
  const void* scales = nullptr;  // for a result: where its scales go

  bool scaled_in_blocks() const { return scale_mode != CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F; }
  // It must be gathered.
  bool apart() const;
  // How it lies when it is.
  Layout gathered() const;
};

bool is_narrow(cudaDataType type);  // of 8 or 4 bits with an exponent
bool in_tiles(cublasLtOrder_t order);

// Element (i, j) counts from the matrix's first.
int64_t place(const Layout& layout, int64_t i, int64_t j);
// Elements from the first to the last, and behind it what fills up its tiles.
int64_t extent(const Layout& layout);
// `elements` further: 4-bit numbers are two to a byte, parts of planes half a complex number each.
const void* moved_in(const Layout& layout, const void* pointer, int64_t elements);

void gather(Access& access, const Stored& matrix, const void* from, void* to);
// With scales of blocks: each block's is chosen here, and stored with it.
void scatter(Access& access, const Stored& matrix, const void* from, void* to);

}  // namespace heddle::cublaslt
