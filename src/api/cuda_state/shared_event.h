// An event that processes share: how often it was recorded, and how far that is reached, in memory that all
// of them map.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "api/cuda_state/code.h"
#include "runtime/physical_memory.h"
#include "runtime/task.h"

namespace heddle::cuda {

class SharedEvent {
 public:
  static Answer<std::shared_ptr<SharedEvent>> create();
  static Answer<std::shared_ptr<SharedEvent>> open(std::shared_ptr<runtime::PhysicalMemory> memory);
  ~SharedEvent();
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;

  const runtime::PhysicalMemory& memory() const { return *memory_; }
  // The number of a new record; the last one.
  uint64_t record();
  uint64_t last() const { return state_->recorded.load(std::memory_order_acquire); }
  // The work before that record is done.
  void reach(uint64_t record);
  bool reached(uint64_t record) const { return state_->reached.load(std::memory_order_acquire) >= record; }
  // Waits for it: until the context is cancelled, or who recorded it has ended without reaching it.
  runtime::Done wait(uint64_t record, const runtime::Context& context) const;

 private:
  struct State {
    std::atomic<uint64_t> recorded, reached;
    std::atomic<int32_t> recorder;  // the process of the last record
  };
  SharedEvent(std::shared_ptr<runtime::PhysicalMemory> memory, State* state)
      : memory_(std::move(memory)), state_(state) {}
  static Answer<std::shared_ptr<SharedEvent>> map(std::shared_ptr<runtime::PhysicalMemory> memory);
  const std::shared_ptr<runtime::PhysicalMemory> memory_;
  State* const state_;
};

}  // namespace heddle::cuda
