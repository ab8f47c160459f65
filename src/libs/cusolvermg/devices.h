// Matrices that lie in tiles of columns on several devices: the first tile on the first device of the grid,
// the next on the next.
#pragma once

#include <cusolverMg.h>

#include <atomic>
#include <memory>
#include <vector>

#include "libs/common/handles.h"
#include "libs/common/runtime.h"
#include "libs/cusolver/generic.h"

namespace heddle::cusolvermg {

using libs::refuse;
using libs::require;
using libs::Why;

struct Handle {
  std::atomic<bool> has_devices{false};
};
struct Grid {
  std::vector<int> devices;
};
struct Description {
  int64_t rows = 0, columns = 0, tile = 0;
  cudaDataType type = CUDA_R_32F;
  std::shared_ptr<Grid> grid;
};

std::shared_ptr<Handle> use(const void* handle);
std::shared_ptr<Description> describe(const void* description);

// The part of a matrix from row and column `row` and `column` on, both counted from 1.
template <class N>
class Part {
 public:
  Part(std::shared_ptr<Description> whole, void* const arrays[], int64_t row, int64_t column, int64_t rows,
       int64_t columns)
      : whole_(std::move(whole)),
        arrays_(arrays),
        row_(row - 1),
        column_(column - 1),
        rows_(rows),
        columns_(columns) {}

  std::vector<N> get() const {
    std::vector<N> values(static_cast<std::size_t>(rows_ * (columns_ + 8) + 64));
    walk([&](N* there, int64_t column, int64_t count) {
      copy(values.data() + column * rows_, rows_, there, whole_->rows, count, cudaMemcpyDeviceToHost);
    });
    return values;
  }
  void put(const std::vector<N>& values) const {
    walk([&](N* there, int64_t column, int64_t count) {
      copy(there, whole_->rows, values.data() + column * rows_, rows_, count, cudaMemcpyHostToDevice);
    });
  }
  int ld() const { return static_cast<int>(std::max<int64_t>(rows_, 1)); }

 private:
  // Columns that lie together on a device.
  template <class Body>
  void walk(const Body& body) const {
    const auto devices = static_cast<int64_t>(whole_->grid->devices.size());
    for (int64_t done = 0; done < columns_;) {
      const int64_t at = column_ + done, tile = at / whole_->tile, within = at % whole_->tile,
                    count = std::min(whole_->tile - within, columns_ - done);
      auto* const first = static_cast<N*>(arrays_[tile % devices]);
      if (rows_ > 0)
        body(first + ((tile / devices) * whole_->tile + within) * whole_->rows + row_, done, count);
      done += count;
    }
  }
  void copy(N* to, int64_t to_ld, const N* from, int64_t from_ld, int64_t count, cudaMemcpyKind kind) const {
    const auto pitch = [](int64_t ld) { return static_cast<std::size_t>(ld) * sizeof(N); };
    if (HEDDLE_RUNTIME(cudaMemcpy2D)(to, pitch(to_ld), from, pitch(from_ld), pitch(rows_),
                                     static_cast<std::size_t>(count), kind) != cudaSuccess)
      refuse(Why::execution_failed, "a tile of a matrix could not be copied");
  }

  const std::shared_ptr<Description> whole_;
  void* const* const arrays_;
  const int64_t row_, column_, rows_, columns_;
};

}  // namespace heddle::cusolvermg
