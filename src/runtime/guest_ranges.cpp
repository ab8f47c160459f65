#include "runtime/guest_ranges.h"

#include "runtime/context.h"

namespace heddle::runtime {

namespace {

// Contexts of one device have one memory, where there is one address space: an H200 lets a kernel touch what
// another context of its device owns. Before, each context had addresses of its own, and "memory of one
// context cannot be accessed from another" (CUDA C Best Practices Guide 8.2).
bool on_one_device(const Context* one, const Context* other) {
  return one != nullptr && other != nullptr && &one->device() == &other->device() &&
         one->device().facts.has(arch::Feature::unified_addressing);
}

}  // namespace

GuestRanges::Rights GuestRanges::rights(const Context& context, const Viewer& viewer,
                                        const GuestRange& range) {
  if (range.by_device) {
    const auto found = range.devices.find(context.device().index);
    if (found == range.devices.end()) return Rights::none;
    return found->second ? Rights::write : Rights::read;
  }
  if (!sees(&context, viewer, range.owner, range.every_context) && !on_one_device(&context, range.owner))
    return Rights::none;
  return range.writable ? Rights::write : Rights::read;
}

void GuestRanges::add(const GuestRange& range) {
  const std::lock_guard lock(mutex_);
  for (auto& [context, viewer] : viewers_) {
    const Rights now = rights(*context, viewer, range);
    if (now != Rights::none)
      viewer.memory->add(range.begin, range.bytes, now == Rights::write);
    else if (range.by_device)
      viewer.memory->remove(range.begin);
  }
  ranges_[range.begin] = range;
}

void GuestRanges::remove(uint64_t begin) {
  const std::lock_guard lock(mutex_);
  const auto found = ranges_.find(begin);
  if (found == ranges_.end()) return;
  for (auto& [context, viewer] : viewers_)
    if (rights(*context, viewer, found->second) != Rights::none) viewer.memory->remove(begin);
  ranges_.erase(found);
}

void GuestRanges::attach(const Context& context, exec::GuestMemory& memory) {
  const std::lock_guard lock(mutex_);
  Viewer& viewer = viewers_[&context];
  viewer.memory = &memory;
  for (const auto& [begin, range] : ranges_)
    if (const Rights now = rights(context, viewer, range); now != Rights::none)
      memory.add(range.begin, range.bytes, now == Rights::write);
}

void GuestRanges::detach(const Context& context) {
  const std::lock_guard lock(mutex_);
  viewers_.erase(&context);
  for (auto& [other, viewer] : viewers_) viewer.peers.erase(&context);
}

bool GuestRanges::enable_peer(const Context& context, const Context& peer) {
  const std::lock_guard lock(mutex_);
  const auto found = viewers_.find(&context);
  if (found == viewers_.end()) return false;  // it ended meanwhile: it sees nothing any more
  Viewer& viewer = found->second;
  if (!viewer.peers.insert(&peer).second) return false;
  for (const auto& [begin, range] : ranges_)
    if (range.owner == &peer && !range.every_context && !range.by_device)
      viewer.memory->add(begin, range.bytes, range.writable);
  return true;
}

bool GuestRanges::disable_peer(const Context& context, const Context& peer) {
  const std::lock_guard lock(mutex_);
  const auto found = viewers_.find(&context);
  if (found == viewers_.end()) return false;
  Viewer& viewer = found->second;
  if (viewer.peers.erase(&peer) == 0) return false;
  if (on_one_device(&context, &peer)) return true;
  for (const auto& [begin, range] : ranges_)
    if (range.owner == &peer && !range.every_context && !range.by_device) viewer.memory->remove(begin);
  return true;
}

std::set<const Context*> GuestRanges::who_sees(const Context* owner, bool every_context) const {
  const std::lock_guard lock(mutex_);
  std::set<const Context*> found;
  for (const auto& [context, viewer] : viewers_)
    if (sees(context, viewer, owner, every_context) || on_one_device(context, owner)) found.insert(context);
  return found;
}

std::set<const Context*> GuestRanges::who_sees(uint64_t begin, uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  std::set<const Context*> found;
  for (auto range = ranges_.lower_bound(begin); range != ranges_.end() && range->first < begin + bytes;
       ++range)
    for (const auto& [context, viewer] : viewers_)
      if (rights(*context, viewer, range->second) != Rights::none) found.insert(context);
  return found;
}

}  // namespace heddle::runtime
