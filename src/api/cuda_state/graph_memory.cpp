#include "api/cuda_state/graph_memory.h"

#include <mutex>
#include <unordered_set>

#include "api/cuda_state/context.h"

namespace heddle::cuda {
namespace {

struct Places {
  std::mutex mutex;
  std::unordered_set<uint64_t> addresses;
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
}

GraphMemory::~GraphMemory() {
  {
    const std::lock_guard lock(places().mutex);
    places().addresses.erase(memory_->address);
  }
  system_.memory().release(memory_);
}

bool GraphMemory::begins_at(uint64_t address) {
  const std::lock_guard lock(places().mutex);
  return places().addresses.contains(address);
}

}  // namespace heddle::cuda
