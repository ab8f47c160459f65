// The slow code of a kernel whose fast code came first. Made in the background, or by whoever needs it
// before.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "exec/jit/abi/code.h"
#include "exec/jit/abi/context.h"
#include "support/process_end.h"
#include "support/result.h"

namespace heddle::exec::jit {

class SlowCode {
 public:
  // One a slow part (vectorize/slow_part.h): says where the kernel goes on. `frame` is the kernel's own.
  using Entry = uint32_t (*)(Context*, void* frame);
  struct Loaded {
    std::shared_ptr<const Code> code;
    std::vector<Entry> entries;
    std::shared_ptr<void> announced{};  // to debuggers, as long as it lives
  };
  using Making = std::function<Result<Loaded, std::string>()>;

  explicit SlowCode(Loaded loaded) { is_there(std::move(loaded)); }
  // For later. The end of the process waits for it, so that a kernel is kept whole for the next one.
  explicit SlowCode(Making making) : making_(std::move(making)), promise_(std::in_place) {}

  // nullptr: it is not there yet.
  Entry find(uint32_t part) const {
    const Entry* entries = entries_.load(std::memory_order_acquire);
    return entries == nullptr ? nullptr : entries[part];
  }
  const Code* code() const { return find(0) == nullptr ? nullptr : loaded_.code.get(); }
  // It is there when this returns nullptr; else this is why it never will be.
  const std::string* make();

 private:
  void is_there(Loaded loaded) {
    loaded_ = std::move(loaded);
    entries_.store(loaded_.entries.data(), std::memory_order_release);
  }

  std::atomic<const Entry*> entries_{nullptr};
  Loaded loaded_;
  std::mutex mutex_;  // of who makes it
  Making making_;
  std::optional<LibraryWork::Promise> promise_;
  std::optional<std::string> why_not_;
};

}  // namespace heddle::exec::jit
