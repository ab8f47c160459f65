#include "api/cuda_state/memory_operations.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "api/cuda_state/context.h"
#include "runtime/sealing.h"

namespace heddle::cuda {
namespace {

template <class Word>
bool reached(Word now, Word value, MemoryOperation::Until until) {
  switch (until) {
    // "Cyclic": the difference as a signed number (CUstreamWaitValue_flags).
    case MemoryOperation::Until::greater_or_equal:
      return static_cast<std::make_signed_t<Word>>(static_cast<Word>(now - value)) >= 0;
    case MemoryOperation::Until::equal: return now == value;
    case MemoryOperation::Until::and_: return (now & value) != 0;
    case MemoryOperation::Until::nor: return static_cast<Word>(~(now | value)) != 0;
  }
  return true;
}

template <class Word>
bool reached(const MemoryOperation& operation) {
  auto& word = *reinterpret_cast<Word*>(operation.address);
  return reached<Word>(std::atomic_ref(word).load(std::memory_order_acquire),
                       static_cast<Word>(operation.value),
                       static_cast<MemoryOperation::Until>(operation.flags & 3));
}

template <class Word>
void write(const MemoryOperation& operation) {
  auto& word = *reinterpret_cast<Word*>(operation.address);
  std::atomic_ref(word).store(static_cast<Word>(operation.value), std::memory_order_release);
}

class Batch final : public runtime::Operation {
 public:
  Batch(BatchWork work, std::vector<runtime::AllocationRef> memory)
      : work_(std::move(work)), memory_(std::move(memory)) {}

  runtime::Done run(runtime::Context& context, runtime::Task&) const override {
    auto memory = memory_.begin();
    for (const MemoryOperation& operation : work_.operations) {
      if (operation.waits()) {
        if (runtime::Done waited = wait(context, operation, **memory++); !waited) return waited;
      } else if (operation.writes()) {
        const runtime::AllocationRef& written = *memory++;
        const runtime::VirtualRange::Use use = use_of(*written);
        if (runtime::Done state = check(context, use, operation); !state) return state;
        const runtime::Writing writing(written);  // constants are written so, too
        operation.bytes() == 8 ? write<uint64_t>(operation) : write<uint32_t>(operation);
      } else {
        std::atomic_thread_fence(std::memory_order_seq_cst);
      }
    }
    return Unit{};
  }

 private:
  // What a program can unmap stays meanwhile.
  static runtime::VirtualRange::Use use_of(const runtime::Allocation& memory) {
    return memory.range == nullptr ? runtime::VirtualRange::Use() : runtime::VirtualRange::Use(*memory.range);
  }
  static runtime::Done check(runtime::Context& context, const runtime::VirtualRange::Use& use,
                             const MemoryOperation& operation) {
    const std::string why = use.refuses(operation.address, operation.bytes(), operation.writes());
    if (why.empty()) return Unit{};
    runtime::Error failed =
        runtime::illegal_address("illegal address of a stream's memory operation: " + why);
    context.fail(failed);
    return failed;
  }
  // Nobody tells when memory changes: first looks often, then every so often.
  static runtime::Done wait(runtime::Context& context, const MemoryOperation& operation,
                            const runtime::Allocation& memory) {
    constexpr auto shortest = std::chrono::microseconds(2), longest = std::chrono::microseconds(200);
    auto pause = shortest;
    while (true) {
      {
        const runtime::VirtualRange::Use use = use_of(memory);
        if (runtime::Done state = check(context, use, operation); !state) return state;
        if (operation.bytes() == 8 ? reached<uint64_t>(operation) : reached<uint32_t>(operation))
          return Unit{};
      }
      if (context.cancelled().load(std::memory_order_relaxed)) return context.check();
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, longest);
    }
  }

  const BatchWork work_;
  const std::vector<runtime::AllocationRef> memory_;  // stays while somebody may look at it
};

}  // namespace

Answer<runtime::OperationRef> make_batch(Context& context, const BatchWork& work) {
  if (work.operations.empty() || work.operations.size() > BatchWork::most)
    return invalid_value("no operations, or more than " + std::to_string(BatchWork::most));
  std::vector<runtime::AllocationRef> memory;
  for (const MemoryOperation& operation : work.operations) {
    const int kind = static_cast<int>(operation.kind);
    if (kind < 1 || kind > 6) return invalid_value("no operation has the number " + std::to_string(kind));
    if (!operation.waits() && !operation.writes()) {
      if (operation.flags > 1) return invalid_value("flags " + std::to_string(operation.flags));
      continue;
    }
    const uint32_t known =
        operation.waits() ? (MemoryOperation::flush_flag | 3) : MemoryOperation::known_write_flags;
    if ((operation.flags & ~known) != 0)
      return invalid_value("flags " + std::to_string(operation.flags) + ", known are " +
                           std::to_string(known));
    if (operation.address % operation.bytes() != 0)
      return invalid_value("the address is no multiple of " + std::to_string(operation.bytes()));
    auto& all = context.process().system().memory();
    auto found = all.usable(operation.address, operation.bytes(), operation.writes());
    if (!found) return invalid_value(found.error().message);
    if (*found == nullptr || !((*found)->guest_visible || (*found)->range != nullptr) ||
        !(*found)->holds(operation.address, operation.bytes()))
      return invalid_value("no word of a device's memory: " + all.describe(operation.address));
    memory.push_back(std::move(*found));
  }
  return runtime::OperationRef(std::make_shared<Batch>(work, std::move(memory)));
}

}  // namespace heddle::cuda
