#include "checker/knowledge.h"

namespace heddle::checker {

// ---- of a block

Moment BlockKnown::single(uint32_t thread) const {
  const auto found = std::ranges::lower_bound(threads_, thread, {}, &Single::first);
  return found != threads_.end() && found->first == thread ? found->second : 0;
}

void BlockKnown::know_thread(uint16_t thread, Moment until) {
  if (of(thread) >= until) return;
  const auto found = std::ranges::lower_bound(threads_, thread, {}, &Single::first);
  if (found != threads_.end() && found->first == thread)
    found->second = until;
  else
    threads_.insert(found, {thread, until});
}

bool BlockKnown::covers(const BlockKnown& other) const {
  if (all < other.all) return false;
  for (std::size_t w = 0; w < other.warps.size(); ++w)
    if (of_warp(static_cast<uint32_t>(w)) < other.warps[w]) return false;
  auto own = threads_.begin();
  for (const auto& [thread, until] : other.threads_) {
    if (of_warp(thread / 32) >= until) continue;
    while (own != threads_.end() && own->first < thread) ++own;
    if (own == threads_.end() || own->first != thread || own->second < until) return false;
  }
  return true;
}

void BlockKnown::join(const BlockKnown& other) {
  all = std::max(all, other.all);
  if (warps.size() < other.warps.size()) warps.resize(other.warps.size());
  for (std::size_t w = 0; w < other.warps.size(); ++w) warps[w] = std::max(warps[w], other.warps[w]);
  if (other.threads_.empty() && threads_.empty()) return;
  std::vector<Single> merged;
  merged.reserve(std::max(threads_.size(), other.threads_.size()));
  const auto add = [&](uint16_t thread, Moment until) {
    if (until > of_warp(thread / 32)) merged.emplace_back(thread, until);
  };
  auto a = threads_.begin(), a_end = threads_.end();
  auto b = other.threads_.begin(), b_end = other.threads_.end();
  while (a != a_end || b != b_end) {
    if (b == b_end || (a != a_end && a->first < b->first)) {
      add(a->first, a->second), ++a;
    } else if (a == a_end || b->first < a->first) {
      add(b->first, b->second), ++b;
    } else {
      add(a->first, std::max(a->second, b->second)), ++a, ++b;
    }
  }
  threads_ = std::move(merged);
}

// ---- of a grid

BlockKnown& Knowledge::change(uint64_t block) {
  auto found = std::ranges::lower_bound(blocks_, block, {}, &Entry::block);
  if (found == blocks_.end() || found->block != block)
    found = blocks_.insert(found, {block, std::make_shared<BlockKnown>()});
  else if (found->known.use_count() > 1)
    found->known = std::make_shared<BlockKnown>(*found->known);
  return *found->known;
}

void Knowledge::join(Entry& own, const Entry& other) {
  if (own.known == other.known || own.known->covers(*other.known)) return;
  if (other.known->covers(*own.known)) {
    own.known = other.known;
    return;
  }
  if (own.known.use_count() > 1) own.known = std::make_shared<BlockKnown>(*own.known);
  own.known->join(*other.known);
}

void Knowledge::join(const Knowledge& other) {
  std::size_t fresh = 0;
  auto own = blocks_.begin();
  for (const Entry& entry : other.blocks_) {
    if (own != blocks_.end() && own->block < entry.block)
      own = std::lower_bound(own, blocks_.end(), entry.block,
                             [](const Entry& e, uint64_t block) { return e.block < block; });
    if (own != blocks_.end() && own->block == entry.block)
      join(*own, entry), ++own;
    else
      ++fresh;
  }
  if (fresh == 0) return;
  std::vector<Entry> merged;
  merged.reserve(blocks_.size() + fresh);
  own = blocks_.begin();
  for (const Entry& entry : other.blocks_) {
    while (own != blocks_.end() && own->block < entry.block) merged.push_back(std::move(*own++));
    if (own != blocks_.end() && own->block == entry.block)
      merged.push_back(std::move(*own++));
    else
      merged.push_back(entry);
  }
  std::move(own, blocks_.end(), std::back_inserter(merged));
  blocks_ = std::move(merged);
}

// ---- shared

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
