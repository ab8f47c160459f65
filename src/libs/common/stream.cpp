#include "libs/common/stream.h"

namespace heddle::libs {

Services& services() {
  static auto* const found = static_cast<Services*>(heddle_find("libheddle", "services"));
  return *found;
}

Target::Target(void* stream_handle) {
  Failure failure;
  stream_ = services().stream(stream_handle, failure);
  if (stream_ == nullptr) refuse(Why::execution_failed, std::move(failure.message));
}

void Target::submit(WorkRef work) {
  Failure failure = stream_->submit(std::move(work));
  if (failure.code != 0) refuse(Why::execution_failed, std::move(failure.message));
}

void Target::synchronize() {
  Failure failure = stream_->synchronize();
  if (failure.code != 0) refuse(Why::execution_failed, std::move(failure.message));
}

}  // namespace heddle::libs
