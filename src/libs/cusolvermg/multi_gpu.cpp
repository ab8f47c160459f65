// Matrices of several devices: gathered on the host, given to LAPACK, and put back. Calls return when that is
// done.
#include "libs/cusolvermg/devices.h"
#include "libs/cusolvermg/functions.gen.h"

namespace heddle::cusolvermg {

using cublas::letter;
using cusolver::generic::narrow;
using cusolver::generic::same;
using cusolver::generic::with_type;

std::shared_ptr<Handle> use(const void* handle) {
  auto found = libs::Handles<Handle>::all().find(handle);
  if (found == nullptr)
    refuse(Why::not_initialized, handle == nullptr ? "the handle is NULL" : "no such handle");
  return found;
}
std::shared_ptr<Description> describe(const void* description) {
  auto found = libs::Handles<Description>::all().find(description);
  if (found == nullptr) refuse(Why::invalid_value, "no such description of a matrix");
  return found;
}

namespace {

void begin(const void* handle) { require(use(handle)->has_devices, "no devices were selected"); }
// A part from (row, column) on, with these sizes, of a matrix of this type.
std::shared_ptr<Description> part_of(const void* description, void* const arrays[], int64_t row,
                                     int64_t column, int64_t rows, int64_t columns, cudaDataType compute) {
  auto found = describe(description);
  if (arrays == nullptr) libs::refuse_null("the array of devices' pointers");
  narrow(rows, "a size is negative"), narrow(columns, "a size is negative");
  require(row >= 1 && column >= 1 && row - 1 + rows <= found->rows && column - 1 + columns <= found->columns,
          "the part is not within the matrix");
  same(found->type, compute);
  return found;
}
int64_t room(int64_t m, int64_t n) { return std::max<int64_t>(64 * (m + n), 1); }
void tell_room(int64_t m, int64_t n, int64_t* lwork) {
  if (lwork == nullptr) libs::refuse_null("lwork");
  *lwork = room(m, n);
}
void check_room(int64_t given, int64_t m, int64_t n) {
  require(given >= room(m, n), "the workspace is less than bufferSize says");
}
void tell(int* info, int state) {
  if (info == nullptr) libs::refuse_null("info");
  *info = state;
}
// Pivots lie as the columns of A do.
Part<int> pivots_of(const Description& a, int* const arrays[], int64_t column, int64_t count) {
  auto line = std::make_shared<Description>(a);
  line->rows = 1;
  return {std::move(line), reinterpret_cast<void* const*>(arrays), 1, column, 1, count};
}

}  // namespace

void cusolverMgCreate(cusolverMgHandle_t* handle) {
  if (handle == nullptr) libs::refuse_null("handle");
  *handle = libs::Handles<Handle>::all().add<cusolverMgHandle_t>(std::make_shared<Handle>());
}
void cusolverMgDestroy(cusolverMgHandle_t handle) {
  if (!libs::Handles<Handle>::all().remove(handle)) refuse(Why::not_initialized, "no such handle");
}
namespace {

void check_devices(int64_t count, const int* devices) {
  if (devices == nullptr) libs::refuse_null("deviceId");
  int there = 0;
  require(count > 0 && HEDDLE_RUNTIME(cudaGetDeviceCount)(&there) == cudaSuccess, "there are no devices");
  for (int64_t i = 0; i < count; ++i)
    require(devices[i] >= 0 && devices[i] < there, "a number of a device is none");
}

}  // namespace
void cusolverMgDeviceSelect(cusolverMgHandle_t handle, int nbDevices, int deviceId[]) {
  const auto found = use(handle);
  check_devices(nbDevices, deviceId);
  found->has_devices = true;
}
void cusolverMgCreateDeviceGrid(cudaLibMgGrid_t* grid, int32_t numRowDevices, int32_t numColDevices,
                                const int32_t deviceId[], cusolverMgGridMapping_t) {
  if (grid == nullptr) libs::refuse_null("grid");
  require(numRowDevices == 1, "numRowDevices is not 1: columns alone are divided");
  check_devices(numColDevices, deviceId);
  auto made = std::make_shared<Grid>();
  made->devices.assign(deviceId, deviceId + numColDevices);
  *grid = libs::Handles<Grid>::all().add<cudaLibMgGrid_t>(std::move(made));
}
void cusolverMgDestroyGrid(cudaLibMgGrid_t grid) {
  if (!libs::Handles<Grid>::all().remove(grid)) refuse(Why::invalid_value, "no such grid");
}
void cusolverMgCreateMatrixDesc(cudaLibMgMatrixDesc_t* desc, int64_t numRows, int64_t numCols,
                                int64_t rowBlockSize, int64_t colBlockSize, cudaDataType dataType,
                                const cudaLibMgGrid_t grid) {
  if (desc == nullptr) libs::refuse_null("desc");
  auto of = libs::Handles<Grid>::all().find(grid);
  require(of != nullptr, "no such grid");
  narrow(numRows, "numRows is negative"), narrow(numCols, "numCols is negative");
  require(rowBlockSize == numRows, "rowBlockSize is not numRows: columns alone are divided");
  require(colBlockSize > 0, "colBlockSize is not positive");
  with_type(dataType, [&]<class N>() {});
  *desc = libs::Handles<Description>::all().add<cudaLibMgMatrixDesc_t>(
      std::make_shared<Description>(Description{numRows, numCols, colBlockSize, dataType, std::move(of)}));
}
void cusolverMgDestroyMatrixDesc(cudaLibMgMatrixDesc_t desc) {
  if (!libs::Handles<Description>::all().remove(desc)) refuse(Why::invalid_value, "no such description");
}

// ---- eigenvalues: those are the host's

void cusolverMgSyevd_bufferSize(cusolverMgHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,
                                int N, void* array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA, void*,
                                cudaDataType dataTypeW, cudaDataType computeType, int64_t* lwork) {
  begin(handle);
  cusolver::job_of(jobz), letter(uplo);
  part_of(descrA, array_d_A, IA, JA, N, N, computeType);
  same(dataTypeW, cusolver::generic::real_type(computeType));
  tell_room(N, N, lwork);
}
void cusolverMgSyevd(cusolverMgHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int N,
                     void* array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA, void* W,
                     cudaDataType dataTypeW, cudaDataType computeType, void*[], int64_t lwork, int* info) {
  begin(handle);
  const char job = cusolver::job_of(jobz), half = letter(uplo);
  const auto whole = part_of(descrA, array_d_A, IA, JA, N, N, computeType);
  same(dataTypeW, cusolver::generic::real_type(computeType));
  check_room(lwork, N, N);
  if (W == nullptr && N > 0) libs::refuse_null("W");
  tell(info, 0);
  if (N == 0) return;
  with_type(computeType, [&]<class Number>() {
    const Part<Number> a(whole, array_d_A, IA, JA, N, N);
    auto values = a.get();
    *info = cusolver::eigenvalues<Number>(job, half, N, values.data(), a.ld(),
                                          static_cast<cusolver::Real<Number>*>(W));
    if (job == 'V') a.put(values);
  });
}

// ---- LU

void cusolverMgGetrf_bufferSize(cusolverMgHandle_t handle, int M, int N, void* array_d_A[], int IA, int JA,
                                cudaLibMgMatrixDesc_t descrA, int*[], cudaDataType computeType,
                                int64_t* lwork) {
  begin(handle);
  part_of(descrA, array_d_A, IA, JA, M, N, computeType);
  tell_room(M, N, lwork);
}
void cusolverMgGetrf(cusolverMgHandle_t handle, int M, int N, void* array_d_A[], int IA, int JA,
                     cudaLibMgMatrixDesc_t descrA, int* array_d_IPIV[], cudaDataType computeType, void*[],
                     int64_t lwork, int* info) {
  begin(handle);
  const auto whole = part_of(descrA, array_d_A, IA, JA, M, N, computeType);
  check_room(lwork, M, N);
  tell(info, 0);
  const int least = std::min(M, N);
  if (least == 0) return;
  with_type(computeType, [&]<class Number>() {
    const Part<Number> a(whole, array_d_A, IA, JA, M, N);
    auto values = a.get();
    std::vector<int> pivots(static_cast<std::size_t>(least) + 64);
    if (array_d_IPIV == nullptr)
      *info = cusolver::lu_without_pivots(M, N, values.data(), a.ld());
    else
      fortran::getrf<Number>(M, N, values.data(), a.ld(), pivots.data(), info);
    a.put(values);
    if (array_d_IPIV != nullptr) pivots_of(*whole, array_d_IPIV, JA, least).put(pivots);
  });
}
void cusolverMgGetrs_bufferSize(cusolverMgHandle_t handle, cublasOperation_t TRANS, int N, int NRHS,
                                void* array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA, int*[],
                                void* array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB,
                                cudaDataType computeType, int64_t* lwork) {
  begin(handle);
  letter(TRANS);
  part_of(descrA, array_d_A, IA, JA, N, N, computeType);
  part_of(descrB, array_d_B, IB, JB, N, NRHS, computeType);
  tell_room(N, NRHS, lwork);
}
void cusolverMgGetrs(cusolverMgHandle_t handle, cublasOperation_t TRANS, int N, int NRHS, void* array_d_A[],
                     int IA, int JA, cudaLibMgMatrixDesc_t descrA, int* array_d_IPIV[], void* array_d_B[],
                     int IB, int JB, cudaLibMgMatrixDesc_t descrB, cudaDataType computeType, void*[],
                     int64_t lwork, int* info) {
  begin(handle);
  const char op = letter(TRANS);
  const auto whole = part_of(descrA, array_d_A, IA, JA, N, N, computeType),
             sides = part_of(descrB, array_d_B, IB, JB, N, NRHS, computeType);
  check_room(lwork, N, NRHS);
  tell(info, 0);
  if (N == 0 || NRHS == 0) return;
  std::vector<int> pivots;
  if (array_d_IPIV == nullptr)
    for (int i = 1; i <= N; ++i) pivots.push_back(i);
  else
    pivots = pivots_of(*whole, array_d_IPIV, JA, N).get();
  for (int i = 0; i < N; ++i)
    if (const int one = pivots[static_cast<std::size_t>(i)]; one < 1 || one > N)
      refuse(Why::execution_failed, "a pivot is none of 1 to N");
  with_type(computeType, [&]<class Number>() {
    const Part<Number> a(whole, array_d_A, IA, JA, N, N), b(sides, array_d_B, IB, JB, N, NRHS);
    const auto factors = a.get();
    auto values = b.get();
    const char real_op = !cusolver::complex_number<Number> && op == 'C' ? 'T' : op;
    fortran::getrs<Number>(real_op, N, NRHS, factors.data(), a.ld(), pivots.data(), values.data(), b.ld(),
                           info);
    b.put(values);
  });
}

// ---- Cholesky

void cusolverMgPotrf_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, void* array_d_A[],
                                int IA, int JA, cudaLibMgMatrixDesc_t descrA, cudaDataType computeType,
                                int64_t* lwork) {
  begin(handle);
  letter(uplo);
  part_of(descrA, array_d_A, IA, JA, N, N, computeType);
  tell_room(N, N, lwork);
}
void cusolverMgPotrf(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, void* array_d_A[], int IA,
                     int JA, cudaLibMgMatrixDesc_t descrA, cudaDataType computeType, void*[], int64_t lwork,
                     int* h_info) {
  begin(handle);
  const char half = letter(uplo);
  const auto whole = part_of(descrA, array_d_A, IA, JA, N, N, computeType);
  check_room(lwork, N, N);
  tell(h_info, 0);
  if (N == 0) return;
  with_type(computeType, [&]<class Number>() {
    const Part<Number> a(whole, array_d_A, IA, JA, N, N);
    auto values = a.get();
    fortran::potrf<Number>(half, N, values.data(), a.ld(), h_info);
    a.put(values);
  });
}
void cusolverMgPotrs_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n, int nrhs,
                                void* array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                void* array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB,
                                cudaDataType computeType, int64_t* lwork) {
  begin(handle);
  letter(uplo);
  part_of(descrA, array_d_A, IA, JA, n, n, computeType);
  part_of(descrB, array_d_B, IB, JB, n, nrhs, computeType);
  tell_room(n, nrhs, lwork);
}
void cusolverMgPotrs(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, void* array_d_A[],
                     int IA, int JA, cudaLibMgMatrixDesc_t descrA, void* array_d_B[], int IB, int JB,
                     cudaLibMgMatrixDesc_t descrB, cudaDataType computeType, void*[], int64_t lwork,
                     int* h_info) {
  begin(handle);
  const char half = letter(uplo);
  const auto whole = part_of(descrA, array_d_A, IA, JA, n, n, computeType),
             sides = part_of(descrB, array_d_B, IB, JB, n, nrhs, computeType);
  check_room(lwork, n, nrhs);
  tell(h_info, 0);
  if (n == 0 || nrhs == 0) return;
  with_type(computeType, [&]<class Number>() {
    const Part<Number> a(whole, array_d_A, IA, JA, n, n), b(sides, array_d_B, IB, JB, n, nrhs);
    const auto factors = a.get();
    auto values = b.get();
    fortran::potrs<Number>(half, n, nrhs, factors.data(), a.ld(), values.data(), b.ld(), h_info);
    b.put(values);
  });
}
void cusolverMgPotri_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, void* array_d_A[],
                                int IA, int JA, cudaLibMgMatrixDesc_t descrA, cudaDataType computeType,
                                int64_t* lwork) {
  cusolvermg::cusolverMgPotrf_bufferSize(handle, uplo, N, array_d_A, IA, JA, descrA, computeType, lwork);
}
void cusolverMgPotri(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, void* array_d_A[], int IA,
                     int JA, cudaLibMgMatrixDesc_t descrA, cudaDataType computeType, void*[], int64_t lwork,
                     int* h_info) {
  begin(handle);
  const char half = letter(uplo);
  const auto whole = part_of(descrA, array_d_A, IA, JA, N, N, computeType);
  check_room(lwork, N, N);
  tell(h_info, 0);
  if (N == 0) return;
  with_type(computeType, [&]<class Number>() {
    const Part<Number> a(whole, array_d_A, IA, JA, N, N);
    auto values = a.get();
    fortran::potri<Number>(half, N, values.data(), a.ld(), h_info);
    a.put(values);
  });
}

}  // namespace heddle::cusolvermg
