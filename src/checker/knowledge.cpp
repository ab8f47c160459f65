#include "checker/knowledge.h"

#include <bit>

namespace heddle::checker {

// ---- of a block

BlockKnown::WarpKnown& BlockKnown::add(uint32_t warp) {
  auto found = std::ranges::lower_bound(warps_, warp, {}, &WarpKnown::number);
  if (found == warps_.end() || found->number != warp) found = warps_.insert(found, {warp, 0, {}});
  return *found;
}

void BlockKnown::know_thread(uint32_t thread, Moment until) {
  if (of(thread) >= until) return;
  WarpKnown& warp = add(thread / 32);
  warp.known |= uint32_t{1} << thread % 32;
  warp.lanes[thread % 32] = until;
}

void BlockKnown::know_warp(uint32_t number, Moment until) {
  if (until <= all_) return;
  WarpKnown& warp = add(number);
  warp.known = ~uint32_t{0};
  for (Moment& lane : warp.lanes) lane = std::max(lane, until);
}

void BlockKnown::know_all(Moment until) {
  if (until <= all_) return;
  all_ = until;
  std::erase_if(warps_, [&](const WarpKnown& warp) {
    return std::ranges::all_of(warp.lanes, [&](Moment lane) { return lane <= all_; });
  });
}

BlockKnown::Order BlockKnown::compare(const BlockKnown& other) const {
  constexpr int few = 4;
  static constexpr WarpKnown nothing{};
  uint32_t less = 0, more = 0;
  const auto look = [&](Moment own, Moment far) {
    const Moment mine = std::max(own, all_), yours = std::max(far, other.all_);
    less |= mine < yours;
    more |= mine > yours;
  };
  look(0, 0);
  auto a = warps_.begin(), a_end = warps_.end();
  auto b = other.warps_.begin(), b_end = other.warps_.end();
  while ((a != a_end || b != b_end) && !(less != 0 && more != 0)) {
    const bool ours = b == b_end || (a != a_end && a->number <= b->number),
               theirs = a == a_end || (b != b_end && b->number <= a->number);
    const WarpKnown &own = ours ? *a : nothing, &far = theirs ? *b : nothing;
    uint32_t lanes = own.known | far.known;
    if (std::popcount(lanes) <= few) {
      for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
        look(own.lanes[lane], far.lanes[lane]);
      }
    } else {  // without a way out, so that it becomes vectors
      for (std::size_t lane = 0; lane < own.lanes.size(); ++lane) look(own.lanes[lane], far.lanes[lane]);
    }
    if (ours) ++a;
    if (theirs) ++b;
  }
  return {less == 0, more == 0};
}

void BlockKnown::join(const BlockKnown& other) {
  know_all(other.all_);
  if (other.warps_.empty()) return;
  std::vector<WarpKnown> merged;
  merged.reserve(std::max(warps_.size(), other.warps_.size()));
  auto a = warps_.begin(), a_end = warps_.end();
  auto b = other.warps_.begin(), b_end = other.warps_.end();
  while (a != a_end || b != b_end) {
    if (b == b_end || (a != a_end && a->number < b->number)) {
      merged.push_back(*a++);
    } else if (a == a_end || b->number < a->number) {
      merged.push_back(*b++);
    } else {
      WarpKnown& both = merged.emplace_back(*a);
      both.known |= b->known;
      for (std::size_t i = 0; i < both.lanes.size(); ++i)
        both.lanes[i] = std::max(both.lanes[i], b->lanes[i]);
      ++a, ++b;
    }
    // A barrier of the block tells all of it.
    uint32_t more = 0;
    for (const Moment lane : merged.back().lanes) more |= lane > all_;
    if (more == 0) merged.pop_back();
  }
  warps_ = std::move(merged);
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
  if (own.known == other.known) return;
  const BlockKnown::Order order = own.known->compare(*other.known);
  if (order.covers) return;
  if (order.covered) {
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
