#include "runtime/guest_ranges.h"

namespace heddle::runtime {

void GuestRanges::add(const GuestRange& range) {
  const std::lock_guard lock(mutex_);
  ranges_[range.begin] = range;
  for (auto& [context, viewer] : viewers_)
    if (sees(context, viewer, range.owner, range.every_context))
      viewer.memory->add(range.begin, range.bytes, range.writable);
}

void GuestRanges::remove(uint64_t begin) {
  const std::lock_guard lock(mutex_);
  const auto found = ranges_.find(begin);
  if (found == ranges_.end()) return;
  for (auto& [context, viewer] : viewers_)
    if (sees(context, viewer, found->second.owner, found->second.every_context)) viewer.memory->remove(begin);
  ranges_.erase(found);
}

void GuestRanges::attach(const Context& context, exec::GuestMemory& memory) {
  const std::lock_guard lock(mutex_);
  viewers_[&context].memory = &memory;
  for (const auto& [begin, range] : ranges_)
    if (range.every_context) memory.add(range.begin, range.bytes, range.writable);
}

void GuestRanges::detach(const Context& context) {
  const std::lock_guard lock(mutex_);
  viewers_.erase(&context);
  for (auto& [other, viewer] : viewers_) viewer.peers.erase(&context);
}

bool GuestRanges::enable_peer(const Context& context, const Context& peer) {
  const std::lock_guard lock(mutex_);
  Viewer& viewer = viewers_[&context];
  if (!viewer.peers.insert(&peer).second) return false;
  for (const auto& [begin, range] : ranges_)
    if (range.owner == &peer && !range.every_context) viewer.memory->add(begin, range.bytes, range.writable);
  return true;
}

bool GuestRanges::disable_peer(const Context& context, const Context& peer) {
  const std::lock_guard lock(mutex_);
  Viewer& viewer = viewers_[&context];
  if (viewer.peers.erase(&peer) == 0) return false;
  for (const auto& [begin, range] : ranges_)
    if (range.owner == &peer && !range.every_context) viewer.memory->remove(begin);
  return true;
}

std::set<const Context*> GuestRanges::who_sees(const Context* owner, bool every_context) const {
  const std::lock_guard lock(mutex_);
  std::set<const Context*> found;
  for (const auto& [context, viewer] : viewers_)
    if (sees(context, viewer, owner, every_context)) found.insert(context);
  return found;
}

}  // namespace heddle::runtime
