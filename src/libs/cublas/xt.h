// cuBLASXt: matrices of the host (or of any device) are cut into tiles, and each tile of a result is computed
// on one of the devices that were chosen: copies and cuBLAS's own calls in streams of the handle.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "libs/common/runtime.h"
#include "libs/cublas/functions.gen.h"
#include "libs/cublas/handle.h"
#include "libs/cublas/operands.h"

namespace heddle::cublas {

inline void check_xt(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  refuse(status == cudaErrorMemoryAllocation ? Why::alloc_failed : Why::execution_failed,
         std::string(what) + " failed with CUDA error " + std::to_string(status));
}

// A stream of a device with a cuBLAS handle on it. Each device has two, so that copies of one tile and the
// product of another may overlap.
struct XtStream {
  int device = 0;
  cudaStream_t stream = nullptr;
  cublasHandle_t blas = nullptr;
};

struct XtHandle {
  std::mutex mutex;  // calls of one handle take turns
  std::vector<XtStream> streams;
  int64_t block = 1024;
  cublasXtPinnedMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
  // Of the host's share of products.
  std::array<void*, 4> routines{};
  std::array<float, 4> ratios{};

  ~XtHandle() { clear(); }
  void clear();
};
using XtHandleRef = std::shared_ptr<XtHandle>;

// The device that is current when a call begins is current when it ends.
class XtDevices {
 public:
  XtDevices() { check_xt(HEDDLE_RUNTIME(cudaGetDevice)(&before_), "cudaGetDevice"); }
  ~XtDevices() { HEDDLE_RUNTIME(cudaSetDevice)(before_); }
  XtDevices(const XtDevices&) = delete;
  XtDevices& operator=(const XtDevices&) = delete;

 private:
  int before_ = 0;
};

// op(X), of which tiles are taken.
template <class T>
struct XtView {
  const T* first;
  int64_t ld;
  cublasOperation_t op;
  const T* at(int64_t i, int64_t j) const {
    return op == CUBLAS_OP_N ? first + i + j * ld : first + j + i * ld;
  }
};

// What one stream does, with room for a tile of each of three matrices.
template <class T>
class XtLane {
 public:
  enum Slot { a, b, c };
  struct Tile {
    T* first;
    int64_t ld;
  };

  XtLane(const XtStream& on, int64_t edge) : on_(on), edge_(edge) {}
  XtLane(XtLane&& other) noexcept
      : on_(other.on_), edge_(other.edge_), room_(std::exchange(other.room_, {})) {}
  XtLane(const XtLane&) = delete;
  ~XtLane() {
    for (T* const room : room_)
      if (room != nullptr) HEDDLE_RUNTIME(cudaFree)(room);
  }

  cublasHandle_t blas() const { return on_.blas; }
  void use() const { check_xt(HEDDLE_RUNTIME(cudaSetDevice)(on_.device), "cudaSetDevice"); }
  void wait() const {
    use();
    check_xt(HEDDLE_RUNTIME(cudaStreamSynchronize)(on_.stream), "the work of a tile");
  }

  // Room for a tile of rows x columns, and the same with the tile in it.
  Tile room(Slot slot, int64_t rows) {
    use();
    if (room_[slot] == nullptr)
      check_xt(HEDDLE_RUNTIME(cudaMalloc)(reinterpret_cast<void**>(&room_[slot]),
                                          static_cast<size_t>(edge_ * edge_) * sizeof(T)),
               "memory for a tile");
    return {room_[slot], std::max<int64_t>(rows, 1)};
  }
  Tile load(Slot slot, const T* from, int64_t ld, int64_t rows, int64_t columns) {
    const Tile to = room(slot, rows);
    copy(to.first, rows, from, ld, rows, columns);
    return to;
  }
  // The tile of op(X) at (i, j), as it is stored.
  Tile load(Slot slot, const XtView<T>& view, int64_t i, int64_t j, int64_t rows, int64_t columns) {
    if (view.op != CUBLAS_OP_N) std::swap(rows, columns);
    return load(slot, view.at(i, j), view.ld, rows, columns);
  }
  void store(const Tile& from, T* to, int64_t ld, int64_t rows, int64_t columns) {
    use();
    copy(to, ld, from.first, from.ld, rows, columns);
  }

  // to += alpha op(A) op(B), over all of k; the first product multiplies what is there by beta.
  void add_products(const Tile& to, const XtView<T>& left, const XtView<T>& right, int64_t i, int64_t j,
                    int64_t rows, int64_t columns, int64_t k, T alpha, T beta) {
    if (k == 0 || is_zero(alpha))
      gemm<T>(blas(), CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, 0, &alpha, to.first, to.ld, to.first, edge_,
              &beta, to.first, to.ld);
    else
      for (int64_t p = 0; p < k; p += edge_) {
        add_product(to, left, right, i, p, j, rows, std::min(edge_, k - p), columns, alpha, beta);
        beta = one();
      }
  }
  void add_product(const Tile& to, const XtView<T>& left, const XtView<T>& right, int64_t i, int64_t p,
                   int64_t j, int64_t rows, int64_t inner, int64_t columns, T alpha, T beta) {
    const Tile x = load(a, left, i, p, rows, inner), y = load(b, right, p, j, inner, columns);
    gemm<T>(blas(), left.op, right.op, rows, columns, inner, &alpha, x.first, x.ld, y.first, y.ld, &beta,
            to.first, to.ld);
  }
  static T one() {
    const libs::native_of<T> value(1);
    T result;
    std::memcpy(&result, &value, sizeof result);
    return result;
  }

 private:
  void copy(T* to, int64_t to_ld, const T* from, int64_t from_ld, int64_t rows, int64_t columns) {
    if (rows == 0 || columns == 0) return;
    const auto bytes = [](int64_t elements) { return static_cast<size_t>(elements) * sizeof(T); };
    check_xt(
        HEDDLE_RUNTIME(cudaMemcpy2DAsync)(to, bytes(std::max(to_ld, rows)), from, bytes(from_ld), bytes(rows),
                                          static_cast<size_t>(columns), cudaMemcpyDefault, on_.stream),
        "the copy of a tile");
  }

  const XtStream on_;
  const int64_t edge_;
  std::array<T*, 3> room_{};
};

// The devices at work on one call.
template <class T>
class XtRun {
 public:
  // `longest` is the greatest size of a matrix: tiles need not be larger.
  XtRun(XtHandle& handle, int64_t longest) : edge_(std::clamp<int64_t>(longest, 1, handle.block)) {
    if (handle.streams.empty()) refuse(Why::not_initialized, "no device was chosen by cublasXtDeviceSelect");
    lanes_.reserve(handle.streams.size());
    for (const XtStream& stream : handle.streams) lanes_.emplace_back(stream, edge_);
    pin_ = handle.pinning == CUBLASXT_PINNING_ENABLED;
  }
  ~XtRun() {
    for (void* const pinned : pinned_) HEDDLE_RUNTIME(cudaHostUnregister)(pinned);
  }
  XtRun(const XtRun&) = delete;
  XtRun& operator=(const XtRun&) = delete;

  int64_t edge() const { return edge_; }
  XtLane<T>& next() { return lanes_[turn_++ % lanes_.size()]; }
  void wait() const {
    for (const XtLane<T>& lane : lanes_) lane.wait();
  }
  // Page-locks a matrix for the time of the call. What cannot be (it is the device's, or locked already)
  // stays.
  void pin(const T* matrix, int64_t rows, int64_t columns, int64_t ld) {
    const uint64_t count = Access::extent(rows, columns, ld);
    if (!pin_ || count == 0) return;
    void* const first = const_cast<T*>(matrix);
    if (HEDDLE_RUNTIME(cudaHostRegister)(first, count * sizeof(T), cudaHostRegisterPortable) == cudaSuccess)
      pinned_.push_back(first);
    else
      HEDDLE_RUNTIME(cudaGetLastError)();
  }

 private:
  const int64_t edge_;
  bool pin_ = false;
  std::vector<XtLane<T>> lanes_;
  std::size_t turn_ = 0;
  std::vector<void*> pinned_;
};

// body(first, count) for each tile's side of a size.
template <class Body>
void xt_tiles(int64_t size, int64_t edge, const Body& body) {
  for (int64_t first = 0; first < size; first += edge) body(first, std::min(edge, size - first));
}
template <class Body>
void xt_tiles_from_the_end(int64_t size, int64_t edge, const Body& body) {
  for (int64_t first = (size - 1) / edge * edge; first >= 0 && size > 0; first -= edge)
    body(first, std::min(edge, size - first));
}

}  // namespace heddle::cublas
