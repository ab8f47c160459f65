// The functions of cuBLASXt. Scalars are the host's, matrices may be anybody's, and a call returns when its
// result is there.
#include "libs/cublas/xt.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace heddle::cublas {

void XtHandle::clear() {
  for (const XtStream& stream : streams) {
    libs::Handles<Handle>::all().remove(stream.blas);
    HEDDLE_RUNTIME(cudaStreamDestroy)(stream.stream);
  }
  streams.clear();
}

namespace {

XtHandleRef use_xt(const void* handle) {
  XtHandleRef found = libs::Handles<XtHandle>::all().find(handle);
  if (found == nullptr)
    refuse(Why::not_initialized, handle == nullptr ? "the handle is NULL" : "no such handle");
  return found;
}

int device_count() {
  int count = 0;
  check_xt(HEDDLE_RUNTIME(cudaGetDeviceCount)(&count), "cudaGetDeviceCount");
  return count;
}
void check_devices(int count, const int* devices) {
  require(count > 0 && devices != nullptr, "no devices are named");
  const int there = device_count();
  for (int i = 0; i < count; ++i)
    require(devices[i] >= 0 && devices[i] < there, "a device is named that there is not");
}

// Sizes are size_t: what is no int64_t, or overflows with its leading dimension, is no matrix of anybody's.
struct XtMatrix {
  int64_t rows, columns, ld;
  XtMatrix(size_t m, size_t n, size_t leading_dimension, const char* words)
      : rows(static_cast<int64_t>(m)),
        columns(static_cast<int64_t>(n)),
        ld(static_cast<int64_t>(leading_dimension)) {
    constexpr size_t most = size_t{1} << 40;
    require(m < most && n < most && leading_dimension < most, "a size is 2^40 or more");
    leading(ld, rows, words);
  }
};

template <class T>
T value_of(const T* pointer, const char* name) {
  if (pointer == nullptr) libs::refuse_null(name);
  // The host's always. A pointer of the device is a likely mistake, and nothing may be there: the system is
  // asked to read, which says so.
  T value{};
  const iovec to{&value, sizeof value}, from{const_cast<T*>(pointer), sizeof value};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(sizeof value)) return value;
  if (errno == EFAULT)
    libs::refuse(libs::Why::invalid_value, std::string(name) + " is no memory of the host");
  return *pointer;
}

template <class T>
constexpr cublasXtOpType_t type_of() {
  if constexpr (std::is_same_v<T, float>) return CUBLASXT_FLOAT;
  if constexpr (std::is_same_v<T, double>) return CUBLASXT_DOUBLE;
  if constexpr (std::is_same_v<T, cuComplex>) return CUBLASXT_COMPLEX;
  return CUBLASXT_DOUBLECOMPLEX;
}

bool on_the_host(const void* pointer) {
  cudaPointerAttributes attributes{};
  if (HEDDLE_RUNTIME(cudaPointerGetAttributes)(&attributes, pointer) != cudaSuccess) {
    HEDDLE_RUNTIME(cudaGetLastError)();
    return false;
  }
  return attributes.type != cudaMemoryTypeDevice;
}

// Of real matrices, the conjugate transpose is the transpose.
template <class T>
cublasOperation_t xt_op(cublasOperation_t op) {
  return letter(op) == 'C' && !libs::is_complex<T> ? CUBLAS_OP_T : op;
}
template <class T>
T negative(T value) {
  auto number = libs::native_of<T>(0) - *libs::native(&value);
  std::memcpy(&value, &number, sizeof value);
  return value;
}
template <class T>
T conjugate(T value) {
  if constexpr (libs::is_complex<T>) value.y = -value.y;
  return value;
}
template <class T>
T as_element(libs::real_of<T> value) {
  const libs::native_of<T> number(value);
  T result;
  std::memcpy(&result, &number, sizeof result);
  return result;
}

}  // namespace

void cublasXtCreate(cublasXtHandle_t* handle) {
  make_handle();  // starts what is behind, or says why it cannot
  *handle = libs::Handles<XtHandle>::all().add<cublasXtHandle_t>(std::make_shared<XtHandle>());
}
void cublasXtDestroy(cublasXtHandle_t handle) {
  if (!libs::Handles<XtHandle>::all().remove(handle)) refuse(Why::not_initialized, "no such handle");
}

void cublasXtGetNumBoards(int nbDevices, int deviceId[], int* nbBoards) {
  check_devices(nbDevices, deviceId);
  std::vector<int> groups;
  int boards = 0;
  for (int i = 0; i < nbDevices; ++i) {
    int shared = 0, group = 0;
    check_xt(HEDDLE_RUNTIME(cudaDeviceGetAttribute)(&shared, cudaDevAttrIsMultiGpuBoard, deviceId[i]),
             "cudaDeviceGetAttribute");
    check_xt(HEDDLE_RUNTIME(cudaDeviceGetAttribute)(&group, cudaDevAttrMultiGpuBoardGroupID, deviceId[i]),
             "cudaDeviceGetAttribute");
    if (shared != 0 && std::find(groups.begin(), groups.end(), group) != groups.end()) continue;
    if (shared != 0) groups.push_back(group);
    ++boards;
  }
  *nbBoards = boards;
}
void cublasXtMaxBoards(int* nbGpuBoards) {
  *nbGpuBoards = 1024;  // as an H200 answers (libcublas 13.1); there is no limit
}

void cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[]) {
  const XtHandleRef found = use_xt(handle);
  check_devices(nbDevices, deviceId);
  for (int i = 0; i < nbDevices; ++i)
    require(std::find(deviceId, deviceId + i, deviceId[i]) == deviceId + i, "a device is named twice");
  const XtDevices restored;
  const std::lock_guard lock(found->mutex);
  found->clear();
  for (int i = 0; i < 2 * nbDevices; ++i) {
    XtStream stream{.device = deviceId[i % nbDevices]};
    check_xt(HEDDLE_RUNTIME(cudaSetDevice)(stream.device), "cudaSetDevice");
    check_xt(HEDDLE_RUNTIME(cudaStreamCreateWithFlags)(&stream.stream, cudaStreamNonBlocking), "a stream");
    const HandleRef blas = make_handle();
    blas->stream = stream.stream;
    stream.blas = libs::Handles<Handle>::all().add<cublasHandle_t>(blas);
    found->streams.push_back(stream);
  }
}

void cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim) {
  const XtHandleRef found = use_xt(handle);
  require(blockDim > 0, "blockDim is not positive");
  const std::lock_guard lock(found->mutex);
  found->block = blockDim;
}
void cublasXtGetBlockDim(cublasXtHandle_t handle, int* blockDim) {
  const XtHandleRef found = use_xt(handle);
  const std::lock_guard lock(found->mutex);
  *blockDim = static_cast<int>(found->block);
}
void cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode) {
  const XtHandleRef found = use_xt(handle);
  require(mode == CUBLASXT_PINNING_DISABLED || mode == CUBLASXT_PINNING_ENABLED, "no such mode");
  const std::lock_guard lock(found->mutex);
  found->pinning = mode;
}
void cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t* mode) {
  const XtHandleRef found = use_xt(handle);
  const std::lock_guard lock(found->mutex);
  *mode = found->pinning;
}

namespace {

std::size_t hybrid(cublasXtBlasOp_t op, cublasXtOpType_t type) {
  require(op >= CUBLASXT_GEMM && op < CUBLASXT_ROUTINE_MAX && type >= CUBLASXT_FLOAT &&
              type <= CUBLASXT_DOUBLECOMPLEX,
          "no such routine or type");
  if (op != CUBLASXT_GEMM) refuse(Why::not_supported, "products (gemm) alone may be shared with the host");
  return static_cast<std::size_t>(type);
}

}  // namespace

void cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t blasOp, cublasXtOpType_t type,
                           void* blasFunctor) {
  const XtHandleRef found = use_xt(handle);
  const std::size_t place = hybrid(blasOp, type);
  const std::lock_guard lock(found->mutex);
  found->routines[place] = blasFunctor;
}
void cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t blasOp, cublasXtOpType_t type,
                         float ratio) {
  const XtHandleRef found = use_xt(handle);
  const std::size_t place = hybrid(blasOp, type);
  const std::lock_guard lock(found->mutex);
  found->ratios[place] = ratio >= 0 ? std::min(ratio, 1.0F) : 0.0F;  // an H200 takes any number
}

// ---- products

template <class T>
void xt_gemm(cublasXtHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, size_t m, size_t n,
             size_t k, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const T* beta, T* C,
             size_t ldc) {
  const XtHandleRef found = use_xt(handle);
  const cublasOperation_t opa = xt_op<T>(transa), opb = xt_op<T>(transb);
  const XtMatrix a = opa == CUBLAS_OP_N ? XtMatrix(m, k, lda, "lda is less than the rows of A")
                                        : XtMatrix(k, m, lda, "lda is less than the rows of A"),
                 b = opb == CUBLAS_OP_N ? XtMatrix(k, n, ldb, "ldb is less than the rows of B")
                                        : XtMatrix(n, k, ldb, "ldb is less than the rows of B"),
                 c(m, n, ldc, "ldc is less than m");
  const T by = value_of(alpha, "alpha"), keep = value_of(beta, "beta");
  if (m == 0 || n == 0) return;
  const XtDevices restored;
  const std::lock_guard lock(found->mutex);
  const auto inner = static_cast<int64_t>(k);
  XtRun<T> run(*found, std::max({c.rows, c.columns, inner}));
  run.pin(A, a.rows, a.columns, a.ld);
  run.pin(B, b.rows, b.columns, b.ld);
  run.pin(C, c.rows, c.columns, c.ld);

  // The last columns are the host's, if it has a routine for them and can see the matrices.
  constexpr auto type = static_cast<std::size_t>(type_of<T>());
  const auto routine = found->routines[type];
  int64_t shared = 0;
  if (routine != nullptr && found->ratios[type] > 0 && on_the_host(A) && on_the_host(B) && on_the_host(C))
    shared = static_cast<int64_t>(static_cast<double>(c.columns) * static_cast<double>(found->ratios[type]));
  const int64_t columns = c.columns - shared;

  const XtView<T> left{A, a.ld, opa}, right{B, b.ld, opb};
  xt_tiles(columns, run.edge(), [&](int64_t j, int64_t width) {
    xt_tiles(c.rows, run.edge(), [&](int64_t i, int64_t height) {
      XtLane<T>& lane = run.next();
      T* const to = C + i + j * c.ld;
      const auto tile =
          is_zero(keep) ? lane.room(lane.c, height) : lane.load(lane.c, to, c.ld, height, width);
      lane.add_products(tile, left, right, i, j, height, width, inner, by, keep);
      lane.store(tile, to, c.ld, height, width);
    });
  });
  if (shared > 0) {
    using Routine = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
                         const int*, const T*, const int*, const T*, T*, const int*);
    const char op1 = letter(opa), op2 = letter(opb);
    const int rows = fortran::size(c.rows), width = fortran::size(shared), depth = fortran::size(inner),
              ld1 = fortran::size(a.ld), ld2 = fortran::size(b.ld), ld3 = fortran::size(c.ld);
    reinterpret_cast<Routine*>(routine)(&op1, &op2, &rows, &width, &depth, &by, A, &ld1, right.at(0, columns),
                                        &ld2, &keep, C + columns * c.ld, &ld3);
  }
  run.wait();
}

// ---- rank updates

namespace {

enum class Rank { syrk, herk, syr2k, her2k, syrkx, herkx };

// One triangle of C = alpha op(A) op(B)' + ... + beta C, tile by tile: those on the diagonal are updates of
// their own, those beside it products.
template <class T, Rank rank>
void update(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, T by,
            const T* A, size_t lda, const T* B, size_t ldb, T keep, T* C, size_t ldc) {
  constexpr bool hermitian = rank == Rank::herk || rank == Rank::her2k || rank == Rank::herkx;
  constexpr bool twice = rank == Rank::syr2k || rank == Rank::her2k;
  using Real = libs::real_of<T>;
  const XtHandleRef found = use_xt(handle);
  const bool lower = letter(uplo) == 'L';
  letter(trans);
  if (libs::is_complex<T>)
    require(trans == CUBLAS_OP_N || trans == (hermitian ? CUBLAS_OP_C : CUBLAS_OP_T),
            hermitian ? "the operation is neither N nor C" : "the operation is neither N nor T");
  constexpr cublasOperation_t turned = hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
  const bool plain = trans == CUBLAS_OP_N;
  const cublasOperation_t op = plain ? CUBLAS_OP_N : turned;
  const XtMatrix a = plain ? XtMatrix(n, k, lda, "lda is less than the rows of A")
                           : XtMatrix(k, n, lda, "lda is less than the rows of A"),
                 c(n, n, ldc, "ldc is less than n");
  XtMatrix b = a;
  if (B != A || ldb != lda)
    b = plain ? XtMatrix(n, k, ldb, "ldb is less than the rows of B")
              : XtMatrix(k, n, ldb, "ldb is less than the rows of B");
  if (n == 0) return;
  const XtDevices restored;
  const std::lock_guard lock(found->mutex);
  const int64_t inner = plain ? a.columns : a.rows;
  XtRun<T> run(*found, std::max(c.rows, inner));
  run.pin(A, a.rows, a.columns, a.ld);
  if (B != A) run.pin(B, b.rows, b.columns, b.ld);
  run.pin(C, c.rows, c.columns, c.ld);

  using Lane = XtLane<T>;
  using Tile = typename Lane::Tile;
  // op(X), and what stands at the right of a product: its transpose.
  const XtView<T> left{A, a.ld, op}, other_left{B, b.ld, op};
  const cublasOperation_t back = plain ? turned : CUBLAS_OP_N;
  const XtView<T> right{B, b.ld, back}, other_right{A, a.ld, back};

  const auto on_diagonal = [&](Lane& lane, const Tile& to, int64_t at, int64_t width) {
    T scale = keep;
    int64_t p = 0;
    do {  // once at least, for beta
      const int64_t depth = std::min(run.edge(), inner - p);
      const Tile x = lane.load(lane.a, left, at, p, width, depth);
      Tile y = x;
      if constexpr (rank != Rank::syrk && rank != Rank::herk)
        y = lane.load(lane.b, other_left, at, p, width, depth);
      const auto real = [](const T& value) { return std::real(*libs::native(&value)); };
      const Real real_scale = real(scale), real_by = real(by);
      if constexpr (rank == Rank::syrk)
        syrk<T>(lane.blas(), uplo, op, width, depth, &by, x.first, x.ld, &scale, to.first, to.ld);
      else if constexpr (rank == Rank::herk)
        herk<T>(lane.blas(), uplo, op, width, depth, &real_by, x.first, x.ld, &real_scale, to.first, to.ld);
      else if constexpr (rank == Rank::syr2k)
        syr2k<T>(lane.blas(), uplo, op, width, depth, &by, x.first, x.ld, y.first, y.ld, &scale, to.first,
                 to.ld);
      else if constexpr (rank == Rank::her2k)
        her2k<T>(lane.blas(), uplo, op, width, depth, &by, x.first, x.ld, y.first, y.ld, &real_scale,
                 to.first, to.ld);
      else if constexpr (rank == Rank::syrkx)
        syrkx<T>(lane.blas(), uplo, op, width, depth, &by, x.first, x.ld, y.first, y.ld, &scale, to.first,
                 to.ld);
      else
        herkx<T>(lane.blas(), uplo, op, width, depth, &by, x.first, x.ld, y.first, y.ld, &real_scale,
                 to.first, to.ld);
      scale = Lane::one();
      p += run.edge();
    } while (p < inner);
  };
  xt_tiles(c.columns, run.edge(), [&](int64_t j, int64_t width) {
    xt_tiles(c.rows, run.edge(), [&](int64_t i, int64_t height) {
      if (lower ? i < j : i > j) return;
      Lane& lane = run.next();
      T* const at = C + i + j * c.ld;
      // Of a tile on the diagonal, the other triangle stays what it is.
      const Tile to =
          is_zero(keep) && i != j ? lane.room(lane.c, height) : lane.load(lane.c, at, c.ld, height, width);
      if (i == j) {
        on_diagonal(lane, to, i, width);
      } else {
        lane.add_products(to, left, right, i, j, height, width, inner, by, keep);
        if (twice && inner > 0)
          lane.add_products(to, other_left, other_right, i, j, height, width, inner,
                            hermitian ? conjugate(by) : by, Lane::one());
      }
      lane.store(to, at, c.ld, height, width);
    });
  });
  run.wait();
}

}  // namespace

template <class T>
void xt_syrk(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k,
             const T* alpha, const T* A, size_t lda, const T* beta, T* C, size_t ldc) {
  update<T, Rank::syrk>(handle, uplo, trans, n, k, value_of(alpha, "alpha"), A, lda, A, lda,
                        value_of(beta, "beta"), C, ldc);
}
template <class T>
void xt_herk(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k,
             const libs::real_of<T>* alpha, const T* A, size_t lda, const libs::real_of<T>* beta, T* C,
             size_t ldc) {
  update<T, Rank::herk>(handle, uplo, trans, n, k, as_element<T>(value_of(alpha, "alpha")), A, lda, A, lda,
                        as_element<T>(value_of(beta, "beta")), C, ldc);
}
template <class T>
void xt_syr2k(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k,
              const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const T* beta, T* C,
              size_t ldc) {
  update<T, Rank::syr2k>(handle, uplo, trans, n, k, value_of(alpha, "alpha"), A, lda, B, ldb,
                         value_of(beta, "beta"), C, ldc);
}
template <class T>
void xt_her2k(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k,
              const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const libs::real_of<T>* beta,
              T* C, size_t ldc) {
  update<T, Rank::her2k>(handle, uplo, trans, n, k, value_of(alpha, "alpha"), A, lda, B, ldb,
                         as_element<T>(value_of(beta, "beta")), C, ldc);
}
template <class T>
void xt_syrkx(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k,
              const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const T* beta, T* C,
              size_t ldc) {
  update<T, Rank::syrkx>(handle, uplo, trans, n, k, value_of(alpha, "alpha"), A, lda, B, ldb,
                         value_of(beta, "beta"), C, ldc);
}
template <class T>
void xt_herkx(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k,
              const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const libs::real_of<T>* beta,
              T* C, size_t ldc) {
  update<T, Rank::herkx>(handle, uplo, trans, n, k, value_of(alpha, "alpha"), A, lda, B, ldb,
                         as_element<T>(value_of(beta, "beta")), C, ldc);
}

// ---- symmetric factors

namespace {

template <class T, bool hermitian>
void symmetric(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n,
               const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const T* beta, T* C,
               size_t ldc) {
  const XtHandleRef found = use_xt(handle);
  const bool left = letter(side) == 'L', lower = letter(uplo) == 'L';
  const size_t order = left ? m : n;
  const XtMatrix a(order, order, lda, "lda is less than the order of A"), b(m, n, ldb, "ldb is less than m"),
      c(m, n, ldc, "ldc is less than m");
  const T by = value_of(alpha, "alpha"), keep = value_of(beta, "beta");
  if (m == 0 || n == 0) return;
  const XtDevices restored;
  const std::lock_guard lock(found->mutex);
  XtRun<T> run(*found, std::max(c.rows, c.columns));
  run.pin(A, a.rows, a.columns, a.ld);
  run.pin(B, b.rows, b.columns, b.ld);
  run.pin(C, c.rows, c.columns, c.ld);
  using Lane = XtLane<T>;
  // A's tile at (i, j) is stored, or is the transpose of one that is.
  const auto tile_of = [&](int64_t i, int64_t j) {
    const bool stored = lower ? i >= j : i <= j;
    return XtView<T>{A, a.ld, stored ? CUBLAS_OP_N : hermitian ? CUBLAS_OP_C : CUBLAS_OP_T};
  };
  const XtView<T> whole{B, b.ld, CUBLAS_OP_N};
  xt_tiles(c.columns, run.edge(), [&](int64_t j, int64_t width) {
    xt_tiles(c.rows, run.edge(), [&](int64_t i, int64_t height) {
      Lane& lane = run.next();
      T* const at = C + i + j * c.ld;
      const auto to = is_zero(keep) ? lane.room(lane.c, height) : lane.load(lane.c, at, c.ld, height, width);
      T scale = keep;
      xt_tiles(a.rows, run.edge(), [&](int64_t p, int64_t depth) {
        if (p != (left ? i : j)) {
          if (left)
            lane.add_product(to, tile_of(i, p), whole, i, p, j, height, depth, width, by, scale);
          else
            lane.add_product(to, whole, tile_of(p, j), i, p, j, height, depth, width, by, scale);
        } else {
          const auto x = lane.load(lane.a, A + p + p * a.ld, a.ld, depth, depth),
                     y = lane.load(lane.b, B + i + j * b.ld, b.ld, height, width);
          if constexpr (hermitian)
            hemm<T>(lane.blas(), side, uplo, height, width, &by, x.first, x.ld, y.first, y.ld, &scale,
                    to.first, to.ld);
          else
            symm<T>(lane.blas(), side, uplo, height, width, &by, x.first, x.ld, y.first, y.ld, &scale,
                    to.first, to.ld);
        }
        scale = Lane::one();
      });
      lane.store(to, at, c.ld, height, width);
    });
  });
  run.wait();
}

}  // namespace

template <class T>
void xt_symm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n,
             const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const T* beta, T* C,
             size_t ldc) {
  symmetric<T, false>(handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);
}
template <class T>
void xt_hemm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n,
             const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const T* beta, T* C,
             size_t ldc) {
  symmetric<T, true>(handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);
}
// The packed triangle is unpacked on the host: tiles of it have no one distance between columns.
template <class T>
void xt_spmm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n,
             const T* alpha, const T* AP, const T* B, size_t ldb, const T* beta, T* C, size_t ldc) {
  use_xt(handle);
  const bool lower = letter(uplo) == 'L';
  const XtMatrix size(m, n, m > 0 ? m : 1, "");
  const auto order = static_cast<size_t>(letter(side) == 'L' ? size.rows : size.columns);
  require(order < size_t{1} << 31, "the order of A is 2^31 or more");
  value_of(alpha, "alpha");
  value_of(beta, "beta");
  if (m == 0 || n == 0) return;
  std::vector<T> packed(order * (order + 1) / 2), whole(order * order);
  check_xt(HEDDLE_RUNTIME(cudaMemcpy)(packed.data(), AP, packed.size() * sizeof(T), cudaMemcpyDefault),
           "the copy of the packed matrix");
  const T* from = packed.data();
  for (size_t j = 0; j < order; ++j) {
    const size_t first = lower ? j : 0, count = lower ? order - j : j + 1;
    std::copy_n(from, count, whole.data() + first + j * order);
    from += count;
  }
  symmetric<T, false>(handle, side, uplo, m, n, alpha, whole.data(), order, B, ldb, beta, C, ldc);
}

// ---- triangular factors

namespace {

// A strip of the result (columns of a left factor's, rows of a right one's) is one stream's work, tile after
// tile in the order in which they depend on each other.
template <class T>
struct XtTriangle {
  bool left, upper;  // upper: op(A) is
  cublasOperation_t op;
  XtMatrix a, b;

  XtTriangle(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
             size_t m, size_t n, size_t lda, size_t ldb)
      : left(letter(side) == 'L'),
        upper((letter(uplo) == 'U') == (xt_op<T>(trans) == CUBLAS_OP_N)),
        op(xt_op<T>(trans)),
        a(left ? m : n, left ? m : n, lda, "lda is less than the order of A"),
        b(m, n, ldb, "ldb is less than m") {
    letter(diag);
  }
};

// body(lane, i, j, height, width) for each tile of each strip.
template <class T, class Body>
void in_strips(XtRun<T>& run, const XtTriangle<T>& t, bool from_the_end, const Body& body) {
  const int64_t across = t.left ? t.b.columns : t.b.rows, along = t.left ? t.b.rows : t.b.columns;
  xt_tiles(across, run.edge(), [&](int64_t strip, int64_t thickness) {
    XtLane<T>& lane = run.next();
    const auto one = [&](int64_t at, int64_t length) {
      t.left ? body(lane, at, strip, length, thickness) : body(lane, strip, at, thickness, length);
    };
    if (from_the_end)
      xt_tiles_from_the_end(along, run.edge(), one);
    else
      xt_tiles(along, run.edge(), one);
  });
}

}  // namespace

template <class T>
void xt_trsm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
             cublasDiagType_t diag, size_t m, size_t n, const T* alpha, const T* A, size_t lda, T* B,
             size_t ldb) {
  const XtHandleRef found = use_xt(handle);
  const XtTriangle<T> t(side, uplo, trans, diag, m, n, lda, ldb);
  const T by = value_of(alpha, "alpha"), one = XtLane<T>::one(), minus = negative(one);
  if (m == 0 || n == 0) return;
  const XtDevices restored;
  const std::lock_guard lock(found->mutex);
  XtRun<T> run(*found, std::max(t.b.rows, t.b.columns));
  run.pin(A, t.a.rows, t.a.columns, t.a.ld);
  run.pin(B, t.b.rows, t.b.columns, t.b.ld);
  const XtView<T> factor{A, t.a.ld, t.op}, solved{B, t.b.ld, CUBLAS_OP_N};
  // Each tile needs the solutions on the far side of the diagonal.
  in_strips(
      run, t, t.left == t.upper, [&](XtLane<T>& lane, int64_t i, int64_t j, int64_t height, int64_t width) {
        T* const at = B + i + j * t.b.ld;
        const auto to = lane.load(lane.c, at, t.b.ld, height, width);
        T scale = by;
        const int64_t here = t.left ? i : j;
        xt_tiles(t.a.rows, run.edge(), [&](int64_t p, int64_t depth) {
          const bool needed = t.left == t.upper ? p > here : p < here;
          if (!needed) return;
          if (t.left)
            lane.add_product(to, factor, solved, i, p, j, height, depth, width, minus, scale);
          else
            lane.add_product(to, solved, factor, i, p, j, height, depth, width, minus, scale);
          scale = one;
        });
        const int64_t order = t.left ? height : width;
        const auto x = lane.load(lane.a, A + here + here * t.a.ld, t.a.ld, order, order);
        trsm<T>(lane.blas(), side, uplo, t.op, diag, height, width, &scale, x.first, x.ld, to.first, to.ld);
        lane.store(to, at, t.b.ld, height, width);
        lane.wait();  // the next tile reads this one
      });
  run.wait();
}

template <class T>
void xt_trmm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
             cublasDiagType_t diag, size_t m, size_t n, const T* alpha, const T* A, size_t lda, const T* B,
             size_t ldb, T* C, size_t ldc) {
  const XtHandleRef found = use_xt(handle);
  const XtTriangle<T> t(side, uplo, trans, diag, m, n, lda, ldb);
  const XtMatrix c(m, n, ldc, "ldc is less than m");
  const T by = value_of(alpha, "alpha"), one = XtLane<T>::one();
  if (m == 0 || n == 0) return;
  const XtDevices restored;
  const std::lock_guard lock(found->mutex);
  XtRun<T> run(*found, std::max(t.b.rows, t.b.columns));
  run.pin(A, t.a.rows, t.a.columns, t.a.ld);
  run.pin(B, t.b.rows, t.b.columns, t.b.ld);
  if (C != B) run.pin(C, c.rows, c.columns, c.ld);
  const XtView<T> factor{A, t.a.ld, t.op}, whole{B, t.b.ld, CUBLAS_OP_N};
  // C may be B: a tile is written when no later one needs what was there.
  in_strips(run, t, t.left != t.upper,
            [&](XtLane<T>& lane, int64_t i, int64_t j, int64_t height, int64_t width) {
              const int64_t here = t.left ? i : j, order = t.left ? height : width;
              const auto to = lane.load(lane.c, B + i + j * t.b.ld, t.b.ld, height, width);
              const auto x = lane.load(lane.a, A + here + here * t.a.ld, t.a.ld, order, order);
              trmm<T>(lane.blas(), side, uplo, t.op, diag, height, width, &by, x.first, x.ld, to.first, to.ld,
                      to.first, to.ld);
              xt_tiles(t.a.rows, run.edge(), [&](int64_t p, int64_t depth) {
                const bool needed = t.left == t.upper ? p > here : p < here;
                if (!needed) return;
                if (t.left)
                  lane.add_product(to, factor, whole, i, p, j, height, depth, width, by, one);
                else
                  lane.add_product(to, whole, factor, i, p, j, height, depth, width, by, one);
              });
              lane.store(to, C + i + j * c.ld, c.ld, height, width);
              if (C == B) lane.wait();
            });
  run.wait();
}

}  // namespace heddle::cublas

#include "libs/cublas/xt.gen.h"
