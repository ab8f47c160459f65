#include "libs/cublas/handle.h"

#include "libs/common/parallel.h"
#include "libs/common/runtime.h"
#include "libs/cublas/blas.h"

namespace heddle::cublas {

HandleRef make_handle() {
  // The first handle starts what is behind: a device that cannot be used is told now.
  libs::Failure failure;
  const auto stream = libs::services().stream(nullptr, failure);
  if (stream == nullptr) refuse(Why::not_initialized, failure.message);
  [[maybe_unused]] static const bool threads = [] {
    fortran::own::openblas_set_num_threads(libs::parallel_threads());
    return true;
  }();
  auto handle = std::make_shared<Handle>();
  handle->device = stream->device();
  return handle;
}

HandleRef use(const void* handle) {
  HandleRef found = libs::Handles<Handle>::all().find(handle);
  if (found == nullptr)
    refuse(Why::not_initialized, handle == nullptr ? "the handle is NULL" : "no such handle");
  return found;
}

}  // namespace heddle::cublas
