#include "checker/knowledge.h"

namespace heddle::checker {

Moment BlockKnown::single(uint32_t thread) const {
  const auto found = std::ranges::lower_bound(threads, thread, {}, &std::pair<uint16_t, Moment>::first);
  return found != threads.end() && found->first == thread ? found->second : 0;
}

void BlockKnown::know_thread(uint16_t thread, Moment until) {
  if (of(thread) >= until) return;
  const auto found = std::ranges::lower_bound(threads, thread, {}, &std::pair<uint16_t, Moment>::first);
  if (found != threads.end() && found->first == thread)
    found->second = until;
  else
    threads.insert(found, {thread, until});
}

void BlockKnown::join(const BlockKnown& other) {
  all = std::max(all, other.all);
  if (warps.size() < other.warps.size()) warps.resize(other.warps.size());
  for (std::size_t w = 0; w < other.warps.size(); ++w) warps[w] = std::max(warps[w], other.warps[w]);
  for (const auto& [thread, until] : other.threads) know_thread(thread, until);
  std::erase_if(threads, [&](const auto& entry) { return entry.second <= all; });
}

void Knowledge::join(const Knowledge& other) {
  for (const auto& [block, known] : other.blocks) blocks[block].join(known);
}

Knowledge& SharedKnowledge::own() {
  if (what_ == nullptr)
    what_ = std::make_shared<Knowledge>();
  else if (what_.use_count() > 1)
    what_ = std::make_shared<Knowledge>(*what_);
  return *what_;
}

void SharedKnowledge::join(const SharedKnowledge& other) {
  if (other.what_ == nullptr || other.what_ == what_ || other.what_ == last_) return;
  if (what_ == nullptr) {
    what_ = other.what_;
    return;
  }
  last_ = other.what_;  // also keeps it from being changed in place
  own().join(*other.what_);
}

}  // namespace heddle::checker
