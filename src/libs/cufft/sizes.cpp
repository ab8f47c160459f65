// Sizes of work areas: what a device's transforms would need, an array as large as the data.
#include "libs/cufft/functions.gen.h"
#include "libs/cufft/plan.h"

namespace heddle::cufft {
namespace {

void tell(size_t* work_size, const Description& wanted) {
  if (work_size == nullptr) libs::refuse_null("workSize");
  *work_size = wanted.work_bytes();
}

void tell(size_t* work_size, int rank, const int* n, cufftType type, int batch) {
  tell(work_size, describe<int>(rank, n, nullptr, 1, 0, nullptr, 1, 0, type, batch));
}

}  // namespace

void cufftEstimate1d(int nx, cufftType type, int batch, size_t* workSize) {
  tell(workSize, 1, &nx, type, batch);
}

void cufftEstimate2d(int nx, int ny, cufftType type, size_t* workSize) {
  const int n[] = {nx, ny};
  tell(workSize, 2, n, type, 1);
}

void cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t* workSize) {
  const int n[] = {nx, ny, nz};
  tell(workSize, 3, n, type, 1);
}

void cufftEstimateMany(int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                       int odist, cufftType type, int batch, size_t* workSize) {
  tell(workSize, describe<int>(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch));
}

void cufftGetSize1d(cufftHandle handle, int nx, cufftType type, int batch, size_t* workSize) {
  find_plan(handle);
  cufft::cufftEstimate1d(nx, type, batch, workSize);
}

void cufftGetSize2d(cufftHandle handle, int nx, int ny, cufftType type, size_t* workSize) {
  find_plan(handle);
  cufft::cufftEstimate2d(nx, ny, type, workSize);
}

void cufftGetSize3d(cufftHandle handle, int nx, int ny, int nz, cufftType type, size_t* workSize) {
  find_plan(handle);
  cufft::cufftEstimate3d(nx, ny, nz, type, workSize);
}

void cufftGetSizeMany(cufftHandle handle, int rank, int* n, int* inembed, int istride, int idist,
                      int* onembed, int ostride, int odist, cufftType type, int batch, size_t* workArea) {
  find_plan(handle);
  cufft::cufftEstimateMany(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, workArea);
}

void cufftGetSizeMany64(cufftHandle plan, int rank, long long* n, long long* inembed, long long istride,
                        long long idist, long long* onembed, long long ostride, long long odist,
                        cufftType type, long long batch, size_t* workSize) {
  find_plan(plan);
  tell(workSize, describe<long long>(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch));
}

void cufftXtGetSizeMany(cufftHandle plan, int rank, long long* n, long long* inembed, long long istride,
                        long long idist, cudaDataType inputtype, long long* onembed, long long ostride,
                        long long odist, cudaDataType outputtype, long long batch, size_t* workSize,
                        cudaDataType executiontype) {
  find_plan(plan);
  tell(workSize, describe_xt(rank, n, inembed, istride, idist, inputtype, onembed, ostride, odist, outputtype,
                             batch, executiontype));
}

void cufftGetSize(cufftHandle handle, size_t* workSize) {
  const auto plan = find_plan(handle);
  if (workSize == nullptr) libs::refuse_null("workSize");
  const std::lock_guard lock(plan->mutex);
  if (!plan->made) libs::refuse_code(CUFFT_INVALID_PLAN, "the plan has not been made");
  *workSize = plan->work_bytes;
}

}  // namespace heddle::cufft
