// An array, a mipmapped array, or one level of such, as programs see it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "api/cuda_state/context.h"
#include "runtime/array.h"

namespace heddle::cuda {

class Array : public std::enable_shared_from_this<Array> {
 public:
  // With a handle: of an array, or with several levels asked for, of a mipmapped one.
  static Answer<std::shared_ptr<Array>> create(const ContextRef& context,
                                               const runtime::ArrayRequest& request, bool mipmapped);
  Array(ContextRef context, std::shared_ptr<runtime::Array> runtime, bool mipmapped, uint32_t level)
      : context_(std::move(context)), runtime_(std::move(runtime)), mipmapped_(mipmapped), level_(level) {}

  const ContextRef& context() const { return context_; }
  const std::shared_ptr<runtime::Array>& runtime() const { return runtime_; }
  uint64_t handle() const { return handle_; }
  bool mipmapped() const { return mipmapped_; }
  uint32_t level_index() const { return level_; }
  const exec::MipLevel& extent() const { return runtime_->level(level_); }
  const runtime::ArrayRequest& request() const { return runtime_->request(); }

  // Of a mipmapped array: an array with a handle, the same one every time.
  Answer<std::shared_ptr<Array>> level(uint32_t index);
  Status destroy();

 private:
  const ContextRef context_;
  const std::shared_ptr<runtime::Array> runtime_;
  const bool mipmapped_;
  const uint32_t level_;
  uint64_t handle_ = 0;
  bool is_part_ = false;  // of a mipmapped array, whose levels are not the program's to destroy
  std::mutex mutex_;
  std::vector<std::shared_ptr<Array>> levels_;
};

Answer<std::shared_ptr<Array>> find_array(Process& process, const void* handle);
Answer<std::shared_ptr<Array>> find_mipmapped_array(Process& process, const void* handle);

// What is asked of arrays with planes, sparse ones, and those whose memory comes later; there is none of them
// here, and of others it is refused (cuArrayGetPlane, cuArrayGetSparseProperties,
// cuArrayGetMemoryRequirements).
Status no_plane(const void* out, const Answer<std::shared_ptr<Array>>& array, unsigned plane);
Status no_sparse_properties(const void* out, const Answer<std::shared_ptr<Array>>& array);
Status no_memory_requirements(const void* out, const Answer<std::shared_ptr<Array>>& array,
                              const Answer<Device*>& device);

}  // namespace heddle::cuda
