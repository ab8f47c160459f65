#include "api/cuda_state/graph_memory.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_set>

#include "api/cuda_state/context.h"

namespace heddle::cuda {
namespace {

struct Places {
  std::mutex mutex;
  std::unordered_set<uint64_t> addresses;
  std::map<uint32_t, GraphMemory::Usage> usage;  // by device
};
Places& places() {
  static auto* const all = new Places;  // for the process's whole life
  return *all;
}

}  // namespace

Answer<std::shared_ptr<GraphMemory>> GraphMemory::create(Context& context, uint64_t bytes) {
  auto memory = context.runtime()->allocate(runtime::MemoryKind::device, bytes);
  if (!memory) return failure_of(memory.error());
  return std::make_shared<GraphMemory>(*memory, context.process().system());
}

GraphMemory::GraphMemory(runtime::AllocationRef memory, runtime::System& system)
    : memory_(std::move(memory)), system_(system) {
  const std::lock_guard lock(places().mutex);
  places().addresses.insert(memory_->address);
  Usage& usage = places().usage[memory_->device];
  usage.now += memory_->bytes;
  usage.high = std::max(usage.high, usage.now);
}

GraphMemory::~GraphMemory() {
  {
    const std::lock_guard lock(places().mutex);
    places().addresses.erase(memory_->address);
    places().usage[memory_->device].now -= memory_->bytes;
  }
  system_.memory().release(memory_);
}

GraphMemory::Usage GraphMemory::usage(uint32_t device) {
  const std::lock_guard lock(places().mutex);
  return places().usage[device];
}

void GraphMemory::reset_high(uint32_t device) {
  const std::lock_guard lock(places().mutex);
  Usage& usage = places().usage[device];
  usage.high = usage.now;
}

bool GraphMemory::begins_at(uint64_t address) {
  const std::lock_guard lock(places().mutex);
  return places().addresses.contains(address);
}

}  // namespace heddle::cuda
