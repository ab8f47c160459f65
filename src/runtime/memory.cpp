#include "runtime/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "runtime/fences.h"
#include "runtime/sealing.h"
#include "runtime/watchers.h"

namespace heddle::runtime {

namespace {

constexpr std::size_t remembered_frees = 1024;

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Larger ones always get pages of their own.
constexpr uint64_t zone_limit = SharedZone::largest_piece;

// What an allocation has to itself where bounds are those of pages: a constant bank, a page of a device.
constexpr uint64_t constant_window = uint64_t{64} << 10, device_page = uint64_t{2} << 20;

}  // namespace

// msync that asks for nothing still looks at the addresses.
bool is_mapped(uint64_t address, uint64_t bytes) {
  const uint64_t begin = address & ~(AddressSpace::page_bytes - 1);
  return msync(reinterpret_cast<void*>(begin), address + bytes - begin, MS_ASYNC) == 0;
}

std::string_view name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::device: return "device memory";
    case MemoryKind::pinned: return "page-locked host memory";
    case MemoryKind::registered: return "registered host memory";
    case MemoryKind::managed: return "managed memory";
    case MemoryKind::array: return "an array";
    case MemoryKind::variable: return "a module's variable";
    case MemoryKind::heap: return "the heap of kernels";
    case MemoryKind::imported: return "memory of another process";
    case MemoryKind::reserved: return "a reservation";
  }
  return "memory";
}

Done MemoryBudget::take(uint64_t bytes) {
  uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > total_ - used)
      return error(ErrorCode::out_of_memory, "an allocation of " + std::to_string(bytes) + " bytes, " +
                                                 owner_ + " has " + std::to_string(total_ - used) + " of " +
                                                 std::to_string(total_) + " left");
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  Done taken = within_ == nullptr ? Done(Unit{}) : within_->take(bytes);
  if (!taken) used_.fetch_sub(bytes, std::memory_order_relaxed);
  show();
  return taken;
}

void MemoryBudget::show_in(std::atomic<uint64_t>* place) {
  shown_.store(place, std::memory_order_relaxed);
  show();
}

void MemoryBudget::show() const {
  if (auto* place = shown_.load(std::memory_order_relaxed)) place->store(used(), std::memory_order_relaxed);
}

void MemoryBudget::give(uint64_t bytes) {
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  show();
  if (within_ != nullptr) within_->give(bytes);
}

uint64_t MemoryBudget::left() const {
  const uint64_t own = total_ - used();
  return within_ == nullptr ? own : std::min(own, within_->left());
}

SharedZone& Memory::zone_of(const MemoryRequest& request) {
  const ZoneKey key{request.every_context ? 0 : request.owner_id, request.every_context, request.region};
  const std::unique_lock lock(mutex_);
  std::unique_ptr<SharedZone>& zone = zones_[key];
  if (zone == nullptr) zone = std::make_unique<SharedZone>(space_, request.region);
  return *zone;
}

Done Memory::place_in_zone(const MemoryRequest& request, Owned& made) {
  SharedZone& zone = zone_of(request);
  const uint64_t bytes = round_up(request.bytes, request.alignment);
  const Outcome<SharedZone::Piece> piece = zone.take(bytes, request.alignment);
  if (!piece) return piece.error();
  if (piece->new_chunk)
    ranges_.add({piece->new_chunk->begin, piece->new_chunk->bytes,
                 request.every_context ? nullptr : request.owner, request.every_context, true});
  made.zone = &zone;
  made.piece_bytes = bytes;
  made.address = piece->address;
  return Unit{};
}

// Exactly bounded, it lies at the end of its last page, so that the first address beyond it (rounded up to
// the alignment) is inaccessible.
Done Memory::place(const MemoryRequest& request, Owned& made) {
  const bool plain = request.guest_visible && !request.read_only && request.bytes <= zone_limit &&
                     request.backing == nullptr;
  const bool exact = bounds_ != Bounds::pages || request.backing != nullptr;
  if (plain && !exact) return place_in_zone(request, made);
  if (own_pages_left_.fetch_sub(1, std::memory_order_relaxed) <= 0 && plain) {
    own_pages_left_.fetch_add(1, std::memory_order_relaxed);
    return place_in_zone(request, made);
  }
  const uint64_t room = exact ? request.alignment : request.read_only ? constant_window : device_page;
  const uint64_t tail = round_up(request.bytes, std::max(request.alignment, room));
  const Outcome<Mapping> mapping = request.backing != nullptr
                                       ? space_.take(tail, request.alignment, request.region)
                                       : space_.map(tail, request.alignment, request.region);
  if (!mapping) {
    own_pages_left_.fetch_add(1, std::memory_order_relaxed);
    return mapping.error();
  }
  made.mapping = *mapping;
  if (request.backing != nullptr) {
    made.backing = request.backing;
    if (Done mapped = request.backing->map(mapping->begin, mapping->bytes, request.backing_offset, true);
        !mapped)
      return mapped;
  }
  const bool small = mapping->bytes < AddressSpace::huge_page_bytes && request.backing == nullptr;
  const uint64_t address =
      small && exact ? (mapping->end() - tail) & ~(request.alignment - 1) : mapping->begin;
  made.address = address;
  if (request.guest_visible)
    ranges_.add({address, exact ? request.bytes : tail, request.every_context ? nullptr : request.owner,
                 request.every_context, !request.read_only});
  return Unit{};
}

// Only of what kernels alone write: the host's own mistakes are not theirs.
void Memory::fence(const MemoryRequest& request, Owned& made) const {
  if (bounds_ == Bounds::pages || request.kind != MemoryKind::device || !request.guest_visible ||
      request.read_only || request.backing != nullptr)
    return;
  constexpr uint64_t most_before = 256, most_behind = AddressSpace::page_bytes;
  const uint64_t end = made.zone != nullptr ? made.address + made.piece_bytes : made.mapping.end();
  made.fence_behind = static_cast<uint32_t>(std::min(end - made.end(), most_behind));
  if (made.zone == nullptr)
    made.fence_before = static_cast<uint32_t>(std::min(made.address - made.mapping.begin, most_before));
  put_up_fences(made);
}

std::shared_ptr<Memory::Owned> Memory::make(const MemoryRequest& request) {
  std::shared_ptr<Owned> made(new Owned, [this](const Owned* gone) {
    give_back(*gone);
    delete gone;
  });
  made->id = next_id_.fetch_add(1, std::memory_order_relaxed);
  made->kind = request.kind;
  made->bytes = request.bytes;
  made->owner = request.owner;
  made->device = request.device;
  made->guest_visible = request.guest_visible;
  made->every_context = request.every_context;
  made->read_only = request.read_only;
  made->kernel_use = request.kernel_use;
  made->flags = request.flags;
  return made;
}

Outcome<AllocationRef> Memory::allocate(const MemoryRequest& request) {
  if (request.bytes == 0) return invalid("an allocation of 0 bytes");
  if (request.bytes > uint64_t{1} << 47)
    return error(ErrorCode::out_of_memory, "an allocation of " + std::to_string(request.bytes) + " bytes");
  const std::shared_ptr<Owned> made = make(request);
  if (request.budget != nullptr) {
    const uint64_t charged = round_up(request.bytes, request.alignment);
    if (Done taken = request.budget->take(charged); !taken) return taken.error();
    made->budget = request.budget;
    made->charged = charged;
  }
  if (Done placed = place(request, *made); !placed) return placed.error();
  fence(request, *made);
  {
    const std::unique_lock lock(mutex_);
    owners_[made->address] = made;
    generation_.fetch_add(1, std::memory_order_release);
  }
  tell_allocated(*made);
  return AllocationRef(made);
}

void Memory::tell_allocated(const Allocation& made) const {
  if (watchers_ != nullptr) watchers_->tell([&](Watcher& watcher) { watcher.allocated(made); });
}

Outcome<AllocationRef> Memory::reserve(uint64_t bytes, uint64_t alignment, uint64_t wish) {
  const Outcome<Mapping> mapping = space_.take(bytes, alignment, Region::high, wish);
  if (!mapping) return mapping.error();
  MemoryRequest request;
  request.kind = MemoryKind::reserved;
  request.bytes = bytes;
  request.guest_visible = false;
  const std::shared_ptr<Owned> made = make(request);
  own_pages_left_.fetch_sub(1, std::memory_order_relaxed);
  made->mapping = *mapping;
  made->address = mapping->begin;
  made->pieces = std::make_unique<VirtualRange>(made->address, bytes, ranges_);
  made->range = made->pieces.get();
  {
    const std::unique_lock lock(mutex_);
    owners_[made->address] = made;
  }
  tell_allocated(*made);
  return AllocationRef(made);
}

Outcome<AllocationRef> Memory::register_host(const MemoryRequest& request, uint64_t address) {
  if (request.bytes == 0 || address == 0 || address + request.bytes < address)
    return invalid("host memory of " + std::to_string(request.bytes) + " bytes at " + hex(address));
  // As an H200's driver says it.
  if (constexpr uint64_t user_addresses = uint64_t{1} << 47; address + request.bytes > user_addresses)
    return error(ErrorCode::not_supported, "host memory of " + std::to_string(request.bytes) + " bytes at " +
                                               hex(address) + ": no process has addresses above 2^47");
  // Of the reserved addresses, what is allocated is page-locked as it is, the rest is nobody's.
  if (space_.contains(address) || space_.contains(address + request.bytes - 1))
    return find(address) != nullptr ? error(ErrorCode::already_registered, describe(address))
                                    : invalid("no memory of the host: " + describe(address));
  if (!is_mapped(address, request.bytes))
    return invalid(std::to_string(request.bytes) + " bytes at " + hex(address) +
                   " are not, or not all, memory of the process");
  const std::shared_ptr<Owned> made = make(request);
  made->address = address;
  {
    const std::unique_lock lock(mutex_);
    const auto next = owners_.lower_bound(address);
    const bool touches_next = next != owners_.end() && next->first < address + request.bytes;
    const bool touches_before = next != owners_.begin() && std::prev(next)->second->end() > address;
    if (touches_next || touches_before)
      return error(ErrorCode::already_registered, "host memory of " + std::to_string(request.bytes) +
                                                      " bytes at " + hex(address) +
                                                      " is, in part, page-locked already");
    owners_[address] = made;
  }
  if (request.guest_visible)
    ranges_.add({address, request.bytes, request.every_context ? nullptr : request.owner,
                 request.every_context, !request.read_only});
  tell_allocated(*made);
  return AllocationRef(made);
}

void Memory::give_back(const Owned& gone) {
  if (gone.zone != nullptr) {
    if (const auto chunk = gone.zone->give(gone.address, gone.piece_bytes)) {
      ranges_.remove(chunk->begin);
      gone.zone->drop(*chunk);
    }
  }
  if (gone.mapping.bytes != 0) {
    space_.unmap(gone.mapping);
    own_pages_left_.fetch_add(1, std::memory_order_relaxed);
  }
  if (gone.budget != nullptr) gone.budget->give(gone.charged);
}

Outcome<SharedPages> Memory::share(const AllocationRef& allocation, const PhysicalMemory::Label& label) {
  const Owned& own = static_cast<const Owned&>(*allocation);
  const std::lock_guard lock(sharing_);
  if (own.backing == nullptr) {
    if (own.mapping.bytes == 0)
      return error(ErrorCode::not_supported,
                   describe(allocation->address) + ": with so many allocations it has no pages of its own");
    auto file = PhysicalMemory::create(own.mapping.bytes, label, nullptr);
    if (!file) return file.error();
    if (Done moved = (*file)->take_contents(own.mapping.begin); !moved) return moved.error();
    if (Done mapped = (*file)->map(own.mapping.begin, own.mapping.bytes, 0, true); !mapped)
      return mapped.error();
    own.backing = std::move(*file);
  }
  return SharedPages{own.backing, allocation->address - own.mapping.begin};
}

void Memory::seal(const AllocationRef& allocation) {
  const Mapping& own = static_cast<const Owned&>(*allocation).mapping;
  runtime::seal(*allocation, own.begin, own.bytes);
}

void Memory::release(const AllocationRef& allocation) {
  AllocationRef gone;
  {
    const std::unique_lock lock(mutex_);
    const auto found = owners_.find(allocation->address);
    if (found == owners_.end() || found->second != allocation) return;
    gone = std::move(found->second);
    owners_.erase(found);
    generation_.fetch_add(1, std::memory_order_release);
    freed_.push_back({gone->address, gone->bytes});
    if (freed_.size() > remembered_frees) freed_.pop_front();
  }
  if (gone->guest_visible && static_cast<const Owned&>(*gone).zone == nullptr) ranges_.remove(gone->address);
  if (watchers_ != nullptr) watchers_->tell([&](Watcher& watcher) { watcher.released(*gone); });
}

void Memory::release_all(const Context& owner, uint64_t owner_id) {
  std::vector<AllocationRef> mine;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [address, allocation] : owners_)
      if (allocation->owner == &owner) mine.push_back(allocation);
  }
  for (AllocationRef& allocation : mine) release(std::exchange(allocation, nullptr));
  const std::unique_lock lock(mutex_);
  std::erase_if(zones_,
                [&](const auto& zone) { return zone.first.owner_id == owner_id && zone.second->empty(); });
}

Memory::Owners::const_iterator Memory::holding(uint64_t address) const {
  auto found = owners_.upper_bound(address);
  if (found == owners_.begin()) return owners_.end();
  --found;
  return found->second->holds(address, 1) ? found : owners_.end();
}

AllocationRef Memory::find(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const auto found = holding(address);
  return found == owners_.end() ? nullptr : found->second;
}

AllocationRef Memory::find_at(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const auto found = owners_.find(address);
  return found == owners_.end() ? nullptr : found->second;
}

bool Memory::any_within(uint64_t address, uint64_t distance) const {
  const std::shared_lock lock(mutex_);
  const auto after = owners_.upper_bound(address);
  if (after != owners_.end() && after->first - address <= distance) return true;
  return after != owners_.begin() && std::prev(after)->second->end() + distance >= address;
}

Outcome<AllocationRef> Memory::usable(uint64_t address, uint64_t bytes, bool write) const {
  if (bytes == 0) return find(address);
  if (address == 0) return invalid("the address is null");
  // Linux gives nobody the first pages (vm.mmap_min_addr).
  constexpr uint64_t first_address = 65536;
  if (address < first_address)
    return invalid("the address is " + hex(address) + ", in the page of null pointers");
  if (address + bytes < address)
    return invalid(hex(address) + " and " + std::to_string(bytes) + " bytes wrap around");
  AllocationRef allocation = find(address);
  if (allocation == nullptr) {
    if (space_.contains(address)) return invalid(describe(address));
    return allocation;
  }
  // Host memory may be page-locked in part: the host has the rest.
  if (allocation->kind == MemoryKind::registered) return allocation;
  if (!allocation->holds(address, bytes))
    return invalid(std::to_string(bytes) + " bytes at " + hex(address) + " run past the end of " +
                   std::string(name(allocation->kind)) + " of " + std::to_string(allocation->bytes) +
                   " bytes at " + hex(allocation->address));
  if (allocation->range != nullptr)
    if (std::string why = allocation->range->why_unusable(address, bytes, write); !why.empty())
      return invalid(std::move(why));
  return allocation;
}

std::string Memory::describe(uint64_t address) const {
  constexpr uint64_t near = 1 << 16;
  const std::shared_lock lock(mutex_);
  const auto after = owners_.upper_bound(address);
  const Allocation* before = after == owners_.begin() ? nullptr : std::prev(after)->second.get();
  const auto what = [](const Allocation& a) {
    return std::string(name(a.kind)) + " of " + std::to_string(a.bytes) + " bytes";
  };
  if (before != nullptr && before->address == address)
    return hex(address) + " is the beginning of " + what(*before);
  if (before != nullptr && before->holds(address, 1))
    return hex(address) + " lies " + std::to_string(address - before->address) + " bytes into " +
           what(*before) + " at " + hex(before->address);
  for (auto freed = freed_.rbegin(); freed != freed_.rend(); ++freed)
    if (address - freed->address < freed->bytes)
      return hex(address) + " is in memory of " + std::to_string(freed->bytes) + " bytes at " +
             hex(freed->address) + " that was freed";
  if (before != nullptr && address - before->end() < near)
    return hex(address) + " lies " + std::to_string(address - before->end()) + " bytes behind the end of " +
           what(*before) + " at " + hex(before->address);
  if (after != owners_.end() && after->first - address < near)
    return hex(address) + " lies " + std::to_string(after->first - address) + " bytes before " +
           what(*after->second) + " at " + hex(after->first);
  return hex(address) + " is in no allocation";
}

}  // namespace heddle::runtime
