#include "api/cuda_state/memory_pool.h"

#include <algorithm>

#include "api/cuda_state/capture.h"
#include "api/cuda_state/ipc.h"
#include "api/cuda_state/physical_memory.h"
#include "runtime/copy.h"
#include "runtime/ordered_memory_watcher.h"

namespace heddle::cuda {
namespace {

// Which pool an allocation is of.
struct Owners {
  struct Piece {
    std::weak_ptr<MemoryPool> pool;
    uint64_t bytes = 0;
  };
  std::mutex mutex;
  std::unordered_map<uint64_t, Piece> pieces;
};
Owners& owners() {
  static auto* const all = new Owners;  // for the process's whole life
  return *all;
}

}  // namespace

std::shared_ptr<MemoryPool> MemoryPool::create(Device& device, uint64_t max_bytes) {
  return std::make_shared<MemoryPool>(device, max_bytes, nullptr, false);
}

Answer<std::shared_ptr<MemoryPool>> MemoryPool::create_for_others(Device& device, uint64_t max_bytes) {
  runtime::PhysicalMemory::Label label = new_label(SharedKind::pool);
  set_device(label, device);
  auto token = runtime::PhysicalMemory::create(runtime::AddressSpace::page_bytes, label, nullptr);
  if (!token) return failure_of(token.error());
  return std::make_shared<MemoryPool>(device, max_bytes, std::move(*token), false);
}

std::shared_ptr<MemoryPool> MemoryPool::import(Device& device, Token token) {
  return std::make_shared<MemoryPool>(device, 0, std::move(token), true);
}

uint64_t MemoryPool::handle() {
  const std::lock_guard lock(mutex_);
  if (handle_ == 0) handle_ = device_.process().handles().pools.add(shared_from_this());
  return handle_;
}

Status MemoryPool::destroy() {
  if (device_.process().handles().pools.remove(handle_) == nullptr)
    return invalid_value("the pool was destroyed before");
  // "If it is the current pool of the device, the default pool becomes the current one" (cudaMemPoolDestroy).
  return device_.pool().get() == this ? device_.set_pool(device_.default_pool()) : Status(Unit{});
}

Answer<uint64_t> MemoryPool::allocate(Stream& stream, uint64_t bytes) {
  if (imported_) return invalid_value("the pool is of another process, which alone allocates from it");
  {
    const std::lock_guard lock(mutex_);
    if (max_bytes_ != 0 && bytes > max_bytes_ - std::min(max_bytes_, usage_.used))
      return failure(Code::out_of_memory, "the pool has " + std::to_string(max_bytes_) + " bytes, " +
                                              std::to_string(usage_.used) + " are in use");
  }
  auto memory = stream.context().runtime()->allocate(runtime::MemoryKind::device, bytes);
  if (!memory) return failure_of(memory.error());
  {
    const std::lock_guard lock(mutex_);
    usage_.used += bytes;
    usage_.reserved += bytes;
    usage_.used_high = std::max(usage_.used_high, usage_.used);
    usage_.reserved_high = std::max(usage_.reserved_high, usage_.reserved);
  }
  const uint64_t address = (*memory)->address;
  {
    const std::lock_guard lock(owners().mutex);
    owners().pieces[address] = {weak_from_this(), bytes};
  }
  runtime::tell_ordered_memory(stream.runtime(),
                               [&](runtime::OrderedMemoryWatcher& watcher, const runtime::Submission& at) {
                                 watcher.allocated_in_order(at, address, bytes);
                               });
  return address;
}

void MemoryPool::gone(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  usage_.used -= std::min(usage_.used, bytes);
  usage_.reserved -= std::min(usage_.reserved, bytes);
}

std::shared_ptr<MemoryPool> MemoryPool::of(uint64_t address) {
  const std::lock_guard lock(owners().mutex);
  const auto found = owners().pieces.find(address);
  return found == owners().pieces.end() ? nullptr : found->second.pool.lock();
}

bool MemoryPool::freed(Process&, uint64_t address) {
  Owners::Piece piece;
  {
    const std::lock_guard lock(owners().mutex);
    const auto found = owners().pieces.find(address);
    if (found == owners().pieces.end()) return false;
    piece = found->second;
    owners().pieces.erase(found);
  }
  if (const auto pool = piece.pool.lock()) pool->gone(piece.bytes);
  return true;
}

MemoryPool::Usage MemoryPool::usage() const {
  const std::lock_guard lock(mutex_);
  return usage_;
}

void MemoryPool::reset_high(bool reserved, bool used) {
  const std::lock_guard lock(mutex_);
  if (reserved) usage_.reserved_high = usage_.reserved;
  if (used) usage_.used_high = usage_.used;
}

MemoryPool::Settings MemoryPool::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void MemoryPool::set(const Settings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
}

Status free_in_order(Stream& stream, uint64_t address) {
  if (const auto capture = stream.capture()) return capture->add(stream, FreeWork{address});
  if (GraphMemory::begins_at(address))
    return status_of(stream.runtime().submit(GraphMemory::freeing(address)));
  if (stream.legacy())
    if (Status free = no_blocking_capture(stream.context()); !free) return free;
  runtime::AllocationRef imported;
  if (close_pool_memory(address, imported))
    return imported == nullptr ? Status(Unit{})
                               : status_of(runtime::free_in_order(stream.runtime(), imported));
  runtime::tell_ordered_memory(stream.runtime(),
                               [&](runtime::OrderedMemoryWatcher& watcher, const runtime::Submission& at) {
                                 watcher.freed_in_order(at, address);
                               });
  Status freed = status_of(runtime::free_in_order(stream.runtime(), address));
  if (freed) MemoryPool::freed(stream.context().process(), address);
  return freed;
}

Status free_when_idle(Context& context, uint64_t address) {
  using runtime::MemoryKind;
  if (GraphMemory::begins_at(address)) {
    Status idle = context.synchronize();
    if (idle) GraphMemory::free(address);
    return idle;
  }
  runtime::AllocationRef imported;
  if (close_pool_memory(address, imported))
    return imported == nullptr ? Status(Unit{}) : status_of(context.runtime()->free(imported));
  Status freed = status_of(context.runtime()->free(address, {MemoryKind::device, MemoryKind::managed}));
  if (freed) MemoryPool::freed(context.process(), address);
  return freed;
}

}  // namespace heddle::cuda
