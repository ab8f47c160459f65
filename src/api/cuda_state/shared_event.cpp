#include "api/cuda_state/shared_event.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "api/cuda_state/physical_memory.h"
#include "runtime/context.h"

namespace heddle::cuda {

Answer<std::shared_ptr<SharedEvent>> SharedEvent::map(std::shared_ptr<runtime::PhysicalMemory> memory) {
  void* const place =
      mmap(nullptr, memory->bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, memory->descriptor(), 0);
  if (place == MAP_FAILED) return failure(Code::out_of_memory, "a page for an event cannot be mapped");
  return std::shared_ptr<SharedEvent>(new SharedEvent(std::move(memory), static_cast<State*>(place)));
}

Answer<std::shared_ptr<SharedEvent>> SharedEvent::create() {
  auto memory = runtime::PhysicalMemory::create(runtime::AddressSpace::page_bytes,
                                                new_label(SharedKind::event), nullptr);
  if (!memory) return failure_of(memory.error());
  return map(std::move(*memory));
}

Answer<std::shared_ptr<SharedEvent>> SharedEvent::open(std::shared_ptr<runtime::PhysicalMemory> memory) {
  if (!is(*memory, SharedKind::event)) return invalid_value("the handle is no event's");
  return map(std::move(memory));
}

SharedEvent::~SharedEvent() { munmap(state_, memory_->bytes()); }

uint64_t SharedEvent::record() {
  state_->recorder.store(getpid(), std::memory_order_relaxed);
  return state_->recorded.fetch_add(1, std::memory_order_acq_rel) + 1;
}

void SharedEvent::reach(uint64_t record) {
  uint64_t now = state_->reached.load(std::memory_order_relaxed);
  while (now < record && !state_->reached.compare_exchange_weak(now, record, std::memory_order_acq_rel)) {
  }
}

// Nobody tells other processes: first looks often, then every so often.
runtime::Done SharedEvent::wait(uint64_t record, const runtime::Context& context) const {
  constexpr auto shortest = std::chrono::microseconds(2), longest = std::chrono::microseconds(500);
  constexpr int looks = 200;  // between two questions whether the other process lives
  auto pause = shortest;
  for (int look = 1; !reached(record); ++look) {
    if (context.cancelled().load(std::memory_order_relaxed)) return context.check();
    const pid_t recorder = state_->recorder.load(std::memory_order_relaxed);
    if (look % looks == 0 && kill(recorder, 0) != 0 && errno == ESRCH && !reached(record))
      return runtime::error(runtime::ErrorCode::device_lost,
                            "the process " + std::to_string(recorder) +
                                " has ended, and with it the work that an event stands for");
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, longest);
  }
  return Unit{};
}

}  // namespace heddle::cuda
