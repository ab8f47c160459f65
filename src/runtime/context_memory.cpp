// Memory of a context.
#include <algorithm>
#include <mutex>
#include <vector>

#include "arch/device.h"
#include "runtime/context.h"

namespace heddle::runtime {

// destroy() may have come in between: then nobody else would give the memory back, and its owner is gone.
Outcome<AllocationRef> Context::owned(Outcome<AllocationRef> made) {
  if (!made || !destroyed_) return made;
  system_.memory().release(*made);
  return error(ErrorCode::invalid_context, "the context was destroyed");
}

Outcome<AllocationRef> Context::allocate(MemoryRequest request) {
  if (Done state = begin(Site::allocate); !state) return state.error();
  request.owner = this;
  request.owner_id = id_;
  request.device = device_.index;
  const bool on_device = request.kind != MemoryKind::pinned;
  if (request.kind != MemoryKind::imported)
    request.budget = on_device ? &device_.budget : &system_.host_budget();
  request.alignment = std::max<uint64_t>({request.alignment, device_.facts.arch.memory.allocation_alignment,
                                          on_device ? device_.facts.arch.memory.texture_alignment : 0});
  if (options_.low_addresses) {
    request.region = Region::low;
  } else if (!device_.facts.has(arch::Feature::unified_addressing) && system_.space().has_low()) {
    // Devices with 32-bit pointers: programs of either address size can use the memory while it lasts.
    request.region = Region::low;
    auto low = system_.memory().allocate(request);
    if (low || low.error().code != ErrorCode::out_of_memory) return owned(std::move(low));
    request.region = Region::high;
  }
  return owned(system_.memory().allocate(request));
}

Outcome<AllocationRef> Context::allocate(MemoryKind kind, uint64_t bytes, uint32_t flags) {
  MemoryRequest request;
  request.kind = kind;
  request.bytes = bytes;
  request.flags = flags;
  request.every_context = kind == MemoryKind::managed;
  return allocate(request);
}

Outcome<AllocationRef> Context::allocate_host(uint64_t bytes, bool visible, uint32_t flags) {
  MemoryRequest request;
  request.kind = MemoryKind::pinned;
  request.bytes = bytes;
  request.flags = flags;
  request.guest_visible = visible;
  request.every_context = true;
  return allocate(request);
}

Outcome<AllocationRef> Context::register_host(uint64_t address, uint64_t bytes, bool visible, bool read_only,
                                              uint32_t flags) {
  if (Done state = begin(Site::allocate); !state) return state.error();
  MemoryRequest request;
  request.kind = MemoryKind::registered;
  request.bytes = bytes;
  request.owner = this;
  request.device = device_.index;
  request.guest_visible = visible;
  request.every_context = true;
  request.read_only = read_only;
  request.flags = flags;
  return owned(system_.memory().register_host(request, address));
}

Done Context::unregister_host(uint64_t address) {
  if (Done state = begin(Site::operation); !state) return state;
  const AllocationRef found = system_.memory().find_at(address);
  if (found == nullptr || found->kind != MemoryKind::registered)
    return error(ErrorCode::not_registered, "cannot unregister: " + system_.memory().describe(address));
  return free(found);
}

Done Context::free(uint64_t address, std::initializer_list<MemoryKind> kinds) {
  if (Done state = begin(Site::operation); !state) return state;
  const AllocationRef found = system_.memory().find_at(address);
  if (found == nullptr) return invalid("cannot free: " + system_.memory().describe(address));
  if (std::ranges::find(kinds, found->kind) == kinds.end())
    return invalid("cannot free: " + system_.memory().describe(address));
  return free(found);
}

Done Context::free(const AllocationRef& allocation) {
  if (Scheduler::current() != nullptr)
    return error(ErrorCode::not_permitted, "a host callback cannot free memory");
  const std::set<const Context*> users =
      system_.ranges().who_sees(allocation->owner, allocation->every_context);
  for (const std::shared_ptr<Context>& context : system_.contexts())
    if (users.contains(context.get())) context->drain();
  system_.memory().release(allocation);
  return check();
}

Outcome<SharedPages> Context::share(const AllocationRef& allocation, const PhysicalMemory::Label& label) {
  if (Done state = begin(Site::operation); !state) return state.error();
  if (Scheduler::current() != nullptr)
    return error(ErrorCode::not_permitted, "a host callback cannot wait for the device");
  constexpr int most = 1000;
  for (int round = 0; round < most; ++round) {
    // Copies reach every address from every context.
    const std::vector<std::shared_ptr<Context>> all = system_.contexts();
    for (const std::shared_ptr<Context>& context : all)
      (void)context->synchronize();  // a failed one has nothing that runs
    // Nothing is submitted anywhere while the pages move.
    std::vector<std::unique_lock<std::mutex>> held;
    bool idle = true;
    for (const std::shared_ptr<Context>& context : all) {
      held.emplace_back(context->order_);
      idle = idle && context->open_tasks_locked().empty();
    }
    if (idle) return system_.memory().share(allocation, label);
  }
  return error(ErrorCode::not_ready, "memory cannot be shared: work for it comes without a pause");
}

void Context::bury(const AllocationRef& allocation) {
  system_.memory().release(allocation);
  {
    const std::lock_guard lock(mutex_);
    buried_.push_back(allocation);
    any_buried_ = true;
  }
  if (running_launches_ == 0) free_buried();
}

void Context::launch_begins() { ++running_launches_; }

// Either who buries sees that nothing runs, or who ends the last launch sees that something was buried.
void Context::launch_ended() {
  if (--running_launches_ == 0 && any_buried_) free_buried();
}

void Context::free_buried() {
  std::vector<AllocationRef> gone;  // its end comes after the lock's
  const std::lock_guard lock(mutex_);
  if (running_launches_ != 0) return;
  gone.swap(buried_);
  any_buried_ = false;
}

}  // namespace heddle::runtime
