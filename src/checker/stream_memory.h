// Memory that is allocated and freed in the order of streams: who uses it without being ordered with that.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "checker/message.h"
#include "checker/settings.h"
#include "checker/work_order.h"
#include "runtime/ordered_memory_watcher.h"
#include "runtime/wait_watcher.h"

namespace heddle::checker {

class StreamMemory final : public runtime::WaitWatcher, public runtime::OrderedMemoryWatcher {
 public:
  StreamMemory(const Settings& settings, std::shared_ptr<Reporter> reporter)
      : before_(settings.use_before_alloc), after_(settings.use_after_free), reporter_(std::move(reporter)) {}

  void submitted(const runtime::Submission&, const runtime::Context&) override;
  void host_waited(std::span<const uint64_t> submissions) override;
  void copied(const runtime::CopyFacts&) override;
  void allocated(const runtime::Allocation&) override;
  void allocated_in_order(const runtime::Submission& at, uint64_t address, uint64_t bytes) override;
  void freed_in_order(const runtime::Submission& at, uint64_t address) override;
  bool wants_host_stacks() const override { return true; }

  struct Range {
    uint64_t begin = 0, bytes = 0;
    bool freed = false;  // before the work was asked for; else nothing says that it is allocated by then
    bool has(uint64_t address, uint64_t count) const {
      return address < begin + bytes && begin < address + count;
    }
  };
  // What that work must not touch.
  std::vector<Range> unready(const runtime::Submission& work);
  bool any();  // there is such memory
  // Where the allocation begins that has this address, if its end was asked for behind that work only: it may
  // be gone by chance.
  std::optional<uint64_t> outlives(uint64_t address, const runtime::Submission& work);
  // It has touched allocations that begin there.
  void used(const runtime::Submission& work, std::span<const uint64_t> allocations, const char* when);

 private:
  struct Use {
    WorkOrder::Work work;
    const char* when;
    std::vector<const void*> stack;
  };
  struct Piece {
    uint64_t address = 0, bytes = 0;
    Use allocated;
    std::optional<Use> freed;
    std::vector<Use> uses;  // of those nothing is known to order with the end of the piece
  };
  static Use use_of(const runtime::Submission& at, const char* when);
  Piece* find(uint64_t address);
  void add_use(Piece& piece, Use use);
  void tell(const Piece& piece, bool before, const Use& use, const Use& other);

  const bool before_, after_;
  const std::shared_ptr<Reporter> reporter_;
  std::mutex mutex_;
  WorkOrder order_;
  std::map<uint64_t, Piece> pieces_;  // by address
};

}  // namespace heddle::checker
