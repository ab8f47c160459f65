// What a cusolverSpHandle_t stands for, and matrices as programs give them with one.
#pragma once

#include <atomic>
#include <memory>

#include "libs/cusolver/handle.h"
#include "libs/cusolver/sparse_matrix.h"
#include "libs/cusparse/handle.h"

namespace heddle::cusolver {

struct SparseHandle {
  std::atomic<void*> stream{nullptr};
};
std::shared_ptr<SparseHandle> use_sparse(const void* handle);

Pattern pattern_of(int rows, int columns, int count, const void* description, const int* offsets,
                   const int* places);

}  // namespace heddle::cusolver
