// A call's body where CUDA works: not in the child of a process that used it already, which has its memory
// but none of its threads ("the CUDA driver cannot be used in a child process", cuInit).
#pragma once

#include "api/cuda_state/guarded.h"
#include "api/entry/body.h"

namespace heddle::cuda {

Status in_process(entry::Body<Status> body) noexcept;

}  // namespace heddle::cuda
