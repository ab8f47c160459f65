// Plans (cuFFT Library, "cuFFT API Reference").
#include "libs/cufft/functions.gen.h"
#include "libs/cufft/plan.h"

namespace heddle::cufft {
namespace {

Description dense(int rank, const int* n, cufftType type, int batch) {
  return describe<int>(rank, n, nullptr, 1, 0, nullptr, 1, 0, type, batch);
}

void make(cufftHandle handle, Description wanted, size_t* work_size) {
  const auto plan = find_plan(handle);
  if (work_size == nullptr) libs::refuse_null("workSize");
  plan->make(std::move(wanted));
  // One for each device.
  const std::size_t devices = plan->devices.empty() ? 1 : plan->devices.size();
  for (std::size_t d = 0; d < devices; ++d) work_size[d] = plan->work_bytes / devices;
}

// A plan that could not be made is none.
void make_new(cufftHandle* handle, Description wanted) {
  if (handle == nullptr) libs::refuse_null("plan");
  const cufftHandle made = add_plan();
  find_plan(made)->make(std::move(wanted));
  *handle = made;
}

}  // namespace

void cufftCreate(cufftHandle* handle) {
  if (handle == nullptr) libs::refuse_null("handle");
  *handle = add_plan();
}

void cufftDestroy(cufftHandle plan) {
  if (!remove_plan(plan)) libs::refuse_code(CUFFT_INVALID_PLAN, "no plan has this handle");
}

void cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
  make_new(plan, dense(1, &nx, type, batch));
}

void cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
  const int n[] = {nx, ny};
  make_new(plan, dense(2, n, type, 1));
}

void cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
  const int n[] = {nx, ny, nz};
  make_new(plan, dense(3, n, type, 1));
}

void cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                   int ostride, int odist, cufftType type, int batch) {
  make_new(plan, describe<int>(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch));
}

void cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* workSize) {
  make(plan, dense(1, &nx, type, batch), workSize);
}

void cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* workSize) {
  const int n[] = {nx, ny};
  make(plan, dense(2, n, type, 1), workSize);
}

void cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* workSize) {
  const int n[] = {nx, ny, nz};
  make(plan, dense(3, n, type, 1), workSize);
}

void cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                       int ostride, int odist, cufftType type, int batch, size_t* workSize) {
  make(plan, describe<int>(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), workSize);
}

void cufftMakePlanMany64(cufftHandle plan, int rank, long long* n, long long* inembed, long long istride,
                         long long idist, long long* onembed, long long ostride, long long odist,
                         cufftType type, long long batch, size_t* workSize) {
  make(plan, describe<long long>(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch),
       workSize);
}

void cufftXtMakePlanMany(cufftHandle plan, int rank, long long* n, long long* inembed, long long istride,
                         long long idist, cudaDataType inputtype, long long* onembed, long long ostride,
                         long long odist, cudaDataType outputtype, long long batch, size_t* workSize,
                         cudaDataType executiontype) {
  make(plan,
       describe_xt(rank, n, inembed, istride, idist, inputtype, onembed, ostride, odist, outputtype, batch,
                   executiontype),
       workSize);
}

void cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  const auto found = find_plan(plan);
  const std::lock_guard lock(found->mutex);
  found->stream = stream;
}

// The work area is the program's to allocate and hand over, and is not touched: a transform's memory is the
// host's.
void cufftSetWorkArea(cufftHandle plan, void* workArea) {
  const auto found = find_plan(plan);
  const std::lock_guard lock(found->mutex);
  found->work_area_set = workArea != nullptr;
}

void cufftSetAutoAllocation(cufftHandle plan, int autoAllocate) {
  const auto found = find_plan(plan);
  const std::lock_guard lock(found->mutex);
  found->automatic = autoAllocate != 0;
}

void cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy policy, size_t* workSize) {
  const auto found = find_plan(plan);
  {
    const std::lock_guard lock(found->mutex);
    if (!found->made) libs::refuse_code(CUFFT_INVALID_PLAN, "the plan has not been made");
  }
  libs::require(policy == CUFFT_WORKAREA_MINIMAL || policy == CUFFT_WORKAREA_USER ||
                    policy == CUFFT_WORKAREA_PERFORMANCE,
                "no such policy");
  const std::lock_guard lock(found->mutex);
  if (policy == CUFFT_WORKAREA_USER && workSize == nullptr) libs::refuse_null("workSize");
  if (policy == CUFFT_WORKAREA_PERFORMANCE) {
    found->work_bytes = found->description.work_bytes();
  } else {
    found->work_bytes = 0;
  }
  if (workSize != nullptr && policy != CUFFT_WORKAREA_USER) *workSize = found->work_bytes;
}

}  // namespace heddle::cufft
