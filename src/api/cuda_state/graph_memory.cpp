#include "api/cuda_state/graph_memory.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/cuda_state/context.h"

namespace heddle::cuda {
namespace {

struct Places {
  std::mutex mutex;
  std::unordered_set<uint64_t> addresses;
  std::unordered_map<uint64_t, std::shared_ptr<GraphMemory>> living;  // allocated by a launch, not yet freed
  std::map<uint32_t, GraphMemory::Usage> usage;                       // by device
};
Places& places() {
  static auto* const all = new Places;  // for the process's whole life
  return *all;
}

class Allocating final : public runtime::Operation {
 public:
  explicit Allocating(std::shared_ptr<GraphMemory> memory) : memory_(std::move(memory)) {}
  runtime::Done run(runtime::Context&, runtime::Task&) const override {
    const std::lock_guard lock(places().mutex);
    places().living.insert_or_assign(memory_->address(), memory_);
    return Unit{};
  }

 private:
  const std::shared_ptr<GraphMemory> memory_;
};
class Freeing final : public runtime::Operation {
 public:
  explicit Freeing(uint64_t address) : address_(address) {}
  runtime::Done run(runtime::Context&, runtime::Task&) const override {
    GraphMemory::free(address_);
    return Unit{};
  }

 private:
  const uint64_t address_;
};

}  // namespace

runtime::OperationRef GraphMemory::allocating(std::shared_ptr<GraphMemory> memory) {
  return std::make_shared<Allocating>(std::move(memory));
}
runtime::OperationRef GraphMemory::freeing(uint64_t address) { return std::make_shared<Freeing>(address); }

void GraphMemory::free(uint64_t address) {
  std::shared_ptr<GraphMemory> gone;  // its end asks for the lock
  const std::lock_guard lock(places().mutex);
  const auto found = places().living.find(address);
  if (found == places().living.end()) return;
  gone = std::move(found->second);
  places().living.erase(found);
}

void GraphMemory::end_of(const runtime::Context& context) {
  std::vector<std::shared_ptr<GraphMemory>> gone;
  const std::lock_guard lock(places().mutex);
  std::erase_if(places().living, [&](auto& entry) {
    if (entry.second->memory_->owner != &context) return false;
    gone.push_back(std::move(entry.second));
    return true;
  });
}

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
