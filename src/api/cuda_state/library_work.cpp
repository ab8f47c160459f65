#include "api/cuda_state/library_work.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/cuda_state/process.h"
#include "api/cuda_state/stream.h"
#include "api/cuda_state/thread.h"
#include "api/cuda_state/work.h"
#include "runtime/context.h"
#include "runtime/work_watcher.h"

namespace heddle::cuda {
namespace {

// Asks what a kernel's access would be asked, and keeps the memory there.
class HeldMemory final : public libs::Memory {
 public:
  explicit HeldMemory(runtime::Context& context)
      : context_(context), watched_(context.system().watchers().any()) {}
  bool hold(uint64_t address, uint64_t bytes, bool write) override {
    if (!context_.guest_memory().accessible(address, bytes, write)) return false;
    if (watched_) [[unlikely]]
      touched_.push_back({address, bytes, 1, bytes, write});
    // Batches ask for neighbours: what is held already is not looked for.
    if (!held_.empty() && address >= held_.back()->address && address < held_.back()->end()) return true;
    runtime::AllocationRef memory = context_.system().memory().find(address);
    if (memory != nullptr) keep(std::move(memory));
    return true;
  }
  // Batches are pieces of one allocation, mostly: whoever watches wants to know of each all the same.
  uint64_t hold_all(const libs::Pieces& pieces, bool write) override {
    if (pieces.bytes == 0) return pieces.count;
    if (!watched_ && hold_around(pieces, write)) return pieces.count;
    for (uint64_t i = 0; i < pieces.count; ++i)
      if (!hold(pieces.at(i), pieces.bytes, write)) return i;
    return pieces.count;
  }
  bool watched() const { return watched_; }
  std::span<const runtime::TouchedRows> touched() const { return touched_; }

 private:
  // All that lies around the pieces, where it is part of one allocation.
  bool hold_around(const libs::Pieces& pieces, bool write) {
    uint64_t low = UINT64_MAX, high = 0;
    for (uint64_t i = 0; i < pieces.count; ++i) {
      low = std::min(low, pieces.at(i));
      high = std::max(high, pieces.at(i));
    }
    if (low > high || __builtin_add_overflow(high, pieces.bytes, &high)) return false;
    runtime::AllocationRef memory = context_.system().memory().find(low);
    if (memory == nullptr || high > memory->end()) return false;
    if (!context_.guest_memory().accessible(low, high - low, write)) return false;
    keep(std::move(memory));
    return true;
  }
  // The last of those held is the one that is asked about first. A batch's operands take turns among few.
  void keep(runtime::AllocationRef memory) {
    const std::size_t recent = std::min<std::size_t>(held_.size(), 4);
    for (std::size_t i = 1; i <= recent; ++i)
      if (held_[held_.size() - i] == memory) return std::swap(held_[held_.size() - i], held_.back());
    held_.push_back(std::move(memory));
  }

  runtime::Context& context_;
  const bool watched_;
  std::vector<runtime::TouchedRows> touched_;
  std::vector<runtime::AllocationRef> held_;
};

class LibraryOperation final : public runtime::Operation {
 public:
  explicit LibraryOperation(libs::WorkRef work) : work_(std::move(work)) {}
  runtime::Done run(runtime::Context& context, runtime::Task& task) const override {
    HeldMemory memory(context);
    libs::BadAccess bad;
    const int64_t began = memory.watched() ? context.system().scheduler().now() : 0;
    const bool done = work_->run(memory, bad);
    const auto tell = [&](const runtime::TouchedRows* refused, const runtime::Error* failure) {
      if (memory.watched()) [[unlikely]]
        runtime::tell_worked({.submission = task.submission(),
                              .context = context,
                              .name = work_->name(),
                              .touched = memory.touched(),
                              .refused = refused,
                              .failure = failure,
                              .time = {began, context.system().scheduler().now()}});
    };
    if (done) {
      tell(nullptr, nullptr);
      return Unit{};
    }
    std::string words = bad.words;
    if (words.empty())
      words = std::string(bad.write ? "write" : "read") + " of " + std::to_string(bad.bytes) + " bytes at " +
              runtime::hex(bad.address) + ": " + context.system().memory().describe(bad.address);
    runtime::Error failed =
        runtime::illegal_address("illegal address in '" + std::string(work_->name()) + "': " + words);
    const runtime::TouchedRows refused{bad.address, bad.bytes, 1, bad.bytes, bad.write};
    tell(bad.words.empty() ? &refused : nullptr, &failed);
    context.fail(failed);
    return failed;
  }

 private:
  const libs::WorkRef work_;
};

libs::Failure failure_from(const Status& status) {
  if (status) return {};
  return {static_cast<int>(code_of(status)), status.error().message};
}

class LibraryStream final : public libs::Stream {
 public:
  explicit LibraryStream(StreamRef stream) : stream_(std::move(stream)) {}
  libs::Failure submit(libs::WorkRef work) override {
    Status done = cuda::submit(*stream_, LibraryWork{std::move(work)});
    if (done && !stream_->capturing() && stream_->context().process().system().options().launch_blocking &&
        runtime::Scheduler::current() == nullptr)
      done = status_of(stream_->runtime().synchronize());
    return failure_from(done);
  }
  libs::Failure synchronize() override { return failure_from(stream_->finish()); }
  bool capturing() const override { return stream_->capturing(); }
  int device() const override { return static_cast<int>(stream_->context().device().ordinal()); }

 private:
  const StreamRef stream_;
};

class LibraryServices final : public libs::Services {
 public:
  std::shared_ptr<libs::Stream> stream(void* handle, libs::Failure& failure) override {
    auto context = runtime_context();
    if (!context) {
      failure = failure_from(context.error());
      return nullptr;
    }
    auto found = find_stream(*context, handle);
    if (!found) {
      failure = failure_from(found.error());
      return nullptr;
    }
    return std::make_shared<LibraryStream>(std::move(*found));
  }
};

}  // namespace

runtime::OperationRef make_library_operation(const LibraryWork& work) {
  return std::make_shared<LibraryOperation>(work.work);
}

libs::Services& library_services() {
  static auto* const services = new LibraryServices;  // for the process's whole life
  return *services;
}

}  // namespace heddle::cuda
