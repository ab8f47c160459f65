#include "api/cuda_state/array.h"

namespace heddle::cuda {

Answer<std::shared_ptr<Array>> Array::create(const ContextRef& context, const runtime::ArrayRequest& request,
                                             bool mipmapped) {
  if (Status state = context->check(); !state) return state.error();
  auto made = runtime::Array::create(*context->runtime(), request);
  if (!made) return failure_of(made.error());
  auto array = std::make_shared<Array>(context, *made, mipmapped, 0);
  Handles& handles = context->process().handles();
  array->handle_ = mipmapped ? handles.mipmapped_arrays.add(array) : handles.arrays.add(array);
  if (array->handle_ == 0) return failure(Code::out_of_memory, "too many arrays");
  return array;
}

Answer<std::shared_ptr<Array>> Array::level(uint32_t index) {
  if (!mipmapped_ || index >= request().levels)
    return invalid_value("level " + std::to_string(index) + " of an array that has " +
                         std::to_string(request().levels));
  const std::lock_guard lock(mutex_);
  levels_.resize(request().levels);
  std::shared_ptr<Array>& level = levels_[index];
  if (level == nullptr) {
    level = std::make_shared<Array>(context_, runtime_, false, index);
    level->is_part_ = true;
    level->handle_ = context_->process().handles().arrays.add(level);
  }
  return level;
}

Status Array::destroy() {
  Handles& handles = context_->process().handles();
  if (is_part_) return failure(Code::invalid_handle, "a level of a mipmapped array goes with that array");
  const bool there = mipmapped_ ? handles.mipmapped_arrays.remove(handle_) != nullptr
                                : handles.arrays.remove(handle_) != nullptr;
  if (!there) return failure(Code::invalid_handle, "the array was destroyed before");
  {
    const std::lock_guard lock(mutex_);
    for (const auto& level : levels_)
      if (level != nullptr) handles.arrays.remove(level->handle_);
    levels_.clear();
  }
  if (context_->destroyed()) return Unit{};
  return status_of(runtime_->destroy());
}

Answer<std::shared_ptr<Array>> find_array(Process& process, const void* handle) {
  auto array = process.handles().arrays.find(handle);
  if (array == nullptr) return failure(Code::invalid_handle, "no such array");
  return array;
}

Answer<std::shared_ptr<Array>> find_mipmapped_array(Process& process, const void* handle) {
  auto array = process.handles().mipmapped_arrays.find(handle);
  if (array == nullptr) return failure(Code::invalid_handle, "no such mipmapped array");
  return array;
}

Status no_plane(const void*, const Answer<std::shared_ptr<Array>>& array, unsigned plane) {
  if (!array) return array.error();
  return invalid_value("plane " + std::to_string(plane) + " of an array whose format has no planes");
}

Status no_sparse_properties(const void*, const Answer<std::shared_ptr<Array>>& array) {
  if (!array) return array.error();
  return invalid_value("the array is not sparse");
}

Status no_memory_requirements(const void*, const Answer<std::shared_ptr<Array>>& array,
                              const Answer<Device*>& device) {
  if (!array) return array.error();
  if (!device) return device.error();
  return invalid_value("the array has its memory from the beginning: it was not made for deferred mapping");
}

}  // namespace heddle::cuda
