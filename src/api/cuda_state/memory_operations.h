// Words of memory that a stream waits for or writes (cuStreamBatchMemOp): how streams, kernels, the host and
// other devices signal to each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "api/cuda_state/code.h"
#include "runtime/task.h"

namespace heddle::cuda {

class Context;

struct MemoryOperation {
  enum class Kind : int { wait32 = 1, write32 = 2, flush = 3, wait64 = 4, write64 = 5, barrier = 6 };
  // Conditions of waits, the low bits of their flags.
  enum class Until : uint32_t { greater_or_equal = 0, equal = 1, and_ = 2, nor = 3 };
  static constexpr uint32_t flush_flag = 1U << 30, known_write_flags = 1;
  Kind kind = Kind::barrier;
  uint64_t address = 0, value = 0;
  uint32_t flags = 0;
  bool waits() const { return kind == Kind::wait32 || kind == Kind::wait64; }
  bool writes() const { return kind == Kind::write32 || kind == Kind::write64; }
  uint32_t bytes() const { return kind == Kind::wait64 || kind == Kind::write64 ? 8 : 4; }
};

// One after the other.
struct BatchWork {
  static constexpr unsigned most = 256;  // cuStreamBatchMemOp
  std::vector<MemoryOperation> operations;
};

// Every word must be memory that the device reaches, aligned to its size.
Answer<runtime::OperationRef> make_batch(Context& context, const BatchWork& work);

// Of the API's structures (CUstreamBatchMemOpParams).
template <class Params>
BatchWork batch_of(unsigned count, const Params* params) {
  BatchWork work;
  if (count > BatchWork::most) {
    work.operations.resize(BatchWork::most + 1);  // is refused; nothing says that so many are there
    return work;
  }
  for (unsigned i = 0; i < count; ++i) {
    MemoryOperation operation;
    operation.kind = static_cast<MemoryOperation::Kind>(params[i].operation);
    if (operation.waits() || operation.writes()) {
      // Waits and writes are laid out alike.
      operation.address = params[i].waitValue.address;
      operation.value = operation.bytes() == 8 ? params[i].waitValue.value64 : params[i].waitValue.value;
      operation.flags = params[i].waitValue.flags;
    } else {
      operation.flags = params[i].memoryBarrier.flags;
    }
    work.operations.push_back(operation);
  }
  return work;
}
template <class Params>
void say_batch(const BatchWork& work, Params* params) {
  for (const MemoryOperation& operation : work.operations) {
    Params& one = *params++;
    one = {};
    one.operation = static_cast<decltype(one.operation)>(operation.kind);
    if (operation.waits() || operation.writes()) {
      one.waitValue.address = operation.address;
      one.waitValue.value64 = operation.value;
      one.waitValue.flags = operation.flags;
    } else {
      one.memoryBarrier.flags = operation.flags;
    }
  }
}

}  // namespace heddle::cuda
