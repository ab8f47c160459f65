// What orders the threads of a launch: barriers, fences, and accesses that others read.
#include <algorithm>
#include <bit>
#include <utility>

#include "checker/race_detector.h"
#include "exec/memory_map.h"
#include "observe/exchange.h"

namespace heddle::checker {

using observe::SyncKind;

namespace {

// At once. A barrier does when it opens.
bool changes_knowledge(SyncKind kind) {
  switch (kind) {
    case SyncKind::begin:
    case SyncKind::exit:
    case SyncKind::barrier:
    case SyncKind::barrier_arrive:
    case SyncKind::proxy_fence:
    case SyncKind::cluster_wait: return false;
    default: return true;
  }
}

}  // namespace

void LaunchRaces::sync(const observe::Sync& sync) {
  if (sync.kind == observe::warp_exchange) return;
  keep_lock();
  if (sync.kind == SyncKind::compared) return compared(sync);
  Block& b = block(sync.block);
  Warp& w = b.warps[sync.warp];
  if ((w.waiting & sync.lanes) != 0) goes_on(b, sync.warp, sync.lanes);
  if ((w.special & sync.lanes) != 0)
    for (observe::Mask rest = w.special & sync.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      Thread& t = thread(b, sync.warp * 32 + lane);
      if (t.trying != 0) took_lock(b, w, lane, t);
    }
  if (changes_knowledge(sync.kind)) look_at_interval(b);
  switch (sync.kind) {
    case SyncKind::begin:
      w.alive |= sync.lanes;
      b.alive += static_cast<uint32_t>(std::popcount(sync.lanes));
      b.begun += static_cast<uint32_t>(std::popcount(sync.lanes));
      return;
    case SyncKind::exit: return exit(b, sync.warp, sync.lanes);
    case SyncKind::barrier:
    case SyncKind::barrier_arrive: return arrive(b, sync.warp, sync);
    case SyncKind::warp_barrier: return warp_barrier(b, sync.warp, sync.lanes, sync.a);
    case SyncKind::fence:
      return fence(b, sync.warp, sync.lanes, reach(static_cast<observe::FenceScope>(sync.a)));
    case SyncKind::cluster_arrive: return cluster_arrive(b, sync.lanes);
    case SyncKind::copy_commit:
    case SyncKind::copy_wait:
      if (b.copying == 0) return;
      for (observe::Mask rest = sync.lanes; rest != 0; rest &= rest - 1) {
        const uint32_t number = sync.warp * 32 + static_cast<uint32_t>(std::countr_zero(rest));
        if (sync.kind == SyncKind::copy_wait)
          copies_done(b, number, sync.a);
        else if (Thread* t = find_thread(b, number))
          ++t->group;
      }
      return;
    case SyncKind::cluster_wait:
    case SyncKind::compared:
    case SyncKind::proxy_fence: return;
  }
}

void LaunchRaces::exit(Block& b, uint32_t warp, observe::Mask lanes) {
  Warp& w = b.warps[warp];
  lanes &= w.alive;
  w.alive &= ~lanes;
  b.alive -= static_cast<uint32_t>(std::popcount(lanes));
  if (clusters_ && b.cluster_arrived != 0) open_cluster(b);
  if (b.alive == 0 && b.begun == shape_.block.count()) return end(b);
  open_complete(b);
  std::vector<observe::Mask> complete;
  for (const Warp::Gathering& g : w.gatherings)
    if ((g.members & w.alive & ~g.arrived) == 0) complete.push_back(g.arrived);
  for (const observe::Mask arrived : complete) open_warp(b, warp, arrived);
}

void LaunchRaces::end(Block& b) {
  b.ended = true;
  end_interval(b);
  last_ = nullptr;
  if (!clusters_) return forget_block(b.number);
  // Others of a cluster may still access its memory.
  std::vector<uint64_t> gone;
  for (uint32_t rank = 0; rank < shape_.cluster.count(); ++rank) {
    const Block& other = block(index_in_cluster(b, rank));
    if (!other.ended) return;
    gone.push_back(other.number);
  }
  last_ = nullptr;
  for (const uint64_t number : gone) forget_block(number);
}

void LaunchRaces::forget_block(uint64_t number) {
  const auto found = blocks_.find(number);
  Block& ended = *found->second;
  if (ended.interval != nullptr) intervals_.push_back(std::move(ended.interval));
  for (RacePage*& page : ended.shared)
    if (page != nullptr) spare_.push_back(std::exchange(page, nullptr));
  spare_blocks_.push_back(blocks_.extract(found));
}

// ---- clusters

void LaunchRaces::cluster_arrive(Block& b, observe::Mask lanes) {
  b.cluster_arrived += static_cast<uint32_t>(std::popcount(lanes));
  if (clusters_) return open_cluster(b);
  // A cluster of one block.
  if (b.cluster_arrived < b.alive || b.begun != shape_.block.count()) return;
  b.cluster_arrived = 0;
  Barrier whole;
  for (const Warp& warp : b.warps) whole.lanes.push_back(warp.alive);
  open(b, whole);
}

// When all have arrived at its barrier, what any of them has done, or knows, comes before what they do next.
void LaunchRaces::open_cluster(Block& asking) {
  std::vector<Block*> all;
  for (uint32_t rank = 0; rank < shape_.cluster.count(); ++rank) {
    Block& b = block(index_in_cluster(asking, rank));
    if (b.begun != shape_.block.count() || b.cluster_arrived < b.alive) return;
    if (!b.ended) all.push_back(&b);
  }
  SharedKnowledge known;
  for (Block* b : all) {
    b->cluster_arrived = 0;
    Barrier whole;
    for (const Warp& warp : b->warps) whole.lanes.push_back(warp.alive);
    open(*b, whole);
    known.join(b->known);
    known.own().change(b->number).know_all(b->all);
  }
  for (Block* b : all) b->known.join(known);
  last_ = nullptr;
}

// ---- barriers

void LaunchRaces::arrive(Block& b, uint32_t warp, const observe::Sync& sync) {
  if (sync.a >= b.barriers.size()) return;  // a fault
  Barrier& barrier = b.barriers[sync.a];
  if (barrier.lanes.empty()) barrier.lanes.resize(b.warps.size());
  if ((barrier.lanes[warp] & sync.lanes) != 0) open(b, barrier);
  Warp& w = b.warps[warp];
  if (barrier.arrived == 0)
    barrier.place = sync.place, barrier.mixed = false;
  else
    barrier.mixed |= barrier.place != sync.place;
  barrier.lanes[warp] |= sync.lanes;
  barrier.arrived += static_cast<uint32_t>(std::popcount(sync.lanes));
  barrier.expected = sync.b;
  if (sync.kind == SyncKind::barrier) w.waiting |= sync.lanes;
  open_if_complete(b, barrier);
}

void LaunchRaces::open_complete(Block& b) {
  for (Barrier& barrier : b.barriers)
    if (barrier.arrived != 0) open_if_complete(b, barrier);
}

void LaunchRaces::open_if_complete(Block& b, Barrier& barrier) {
  // Lanes of a last warp that never were count as come, and so do those that have ended.
  uint32_t arrived = barrier.arrived;
  if (barrier.expected != 0)
    for (std::size_t w = 0; w < b.warps.size(); ++w)
      if (barrier.lanes[w] != 0)
        arrived += static_cast<uint32_t>(std::popcount(~b.warps[w].alive & ~barrier.lanes[w]));
  const uint32_t expected = barrier.expected != 0 ? barrier.expected : b.alive;
  if (arrived >= expected && (barrier.expected != 0 || b.begun == shape_.block.count())) open(b, barrier);
}

// Everything that those who came have done, or know, comes before what they do now.
void LaunchRaces::open(Block& b, Barrier& barrier) {
  bool all = true;
  for (std::size_t w = 0; w < b.warps.size(); ++w) all &= (b.warps[w].alive & ~barrier.lanes[w]) == 0;
  if (stretches_ != nullptr && barrier.arrived != 0 &&
      (barrier.mixed ||
       (!all && (barrier.place.function != function_ || stretches_->barriers[barrier.place.instruction]))))
    end_quiet_stretches();
  if (all)
    end_interval(b);
  else
    look_at_interval(b);
  const Moment moment = ++b.clock;
  // Mostly nobody knows of anything but the block.
  const bool simple = all && !b.known && !b.seen && b.threads.empty() &&
                      std::ranges::none_of(b.warps, [](const Warp& w) { return bool{w.known}; });
  if (simple) {
    b.all = moment;
    if (b.copying == 0) b.shared_ordered_below = detector_.next_segment();
    for (std::size_t w = 0; w < b.warps.size(); ++w) {
      b.warps[w].lanes.reset();
      b.warps[w].waiting &= ~barrier.lanes[w];
      barrier.lanes[w] = 0;
    }
    barrier.arrived = 0;
    return begin_interval(b);
  }
  SharedKnowledge known = b.known, seen = b.seen;
  for (std::size_t w = 0; w < b.warps.size(); ++w) {
    Warp& warp = b.warps[w];
    const observe::Mask lanes = barrier.lanes[w];
    if (lanes == 0) continue;
    known.join(warp.known);
    if (b.threads.empty()) continue;
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (Thread* t = find_thread(b, static_cast<uint32_t>(w) * 32 + lane)) {
        known.join(t->known);
        seen.join(t->seen);
      }
  }
  if (all) {
    b.all = moment;
    // Copies that nobody has waited for are not ended by it.
    if (b.copying == 0) b.shared_ordered_below = detector_.next_segment();
    b.known = known;
    b.seen = seen;
    for (Warp& warp : b.warps) {
      warp.known.clear();
      warp.lanes.reset();
    }
  } else {
    // A barrier of some warps: each of them knows of the others.
    BlockKnown& own = known.own().change(b.number);
    for (std::size_t w = 0; w < b.warps.size(); ++w)
      if (barrier.lanes[w] != 0) own.know_warp(static_cast<uint32_t>(w), moment);
    for (std::size_t w = 0; w < b.warps.size(); ++w)
      if (barrier.lanes[w] != 0) {
        b.warps[w].known.join(known);
        b.warps[w].together = moment;
      }
  }
  for (std::size_t w = 0; w < b.warps.size(); ++w) {
    b.warps[w].waiting &= ~barrier.lanes[w];
    barrier.lanes[w] = 0;
  }
  barrier.arrived = 0;
  if (all) begin_interval(b);
}

// These lanes wait at a barrier, and are told to do something: it has opened.
void LaunchRaces::goes_on(Block& b, uint32_t warp, observe::Mask lanes) {
  for (Barrier& barrier : b.barriers)
    if (barrier.arrived != 0 && (barrier.lanes[warp] & lanes) != 0) open(b, barrier);
  b.warps[warp].waiting &= ~lanes;
}

void LaunchRaces::warp_barrier(Block& b, uint32_t warp, observe::Mask lanes, observe::Mask members) {
  Warp& w = b.warps[warp];
  const observe::Mask expected = members & w.alive;
  if ((expected & ~lanes) == 0) return open_warp(b, warp, lanes);
  auto found = std::ranges::find(w.gatherings, members, &Warp::Gathering::members);
  if (found == w.gatherings.end()) found = w.gatherings.insert(found, {members, 0});
  found->arrived |= lanes;
  if ((expected & ~found->arrived) == 0) open_warp(b, warp, found->arrived);
}

void LaunchRaces::open_warp(Block& b, uint32_t warp, observe::Mask lanes) {
  Warp& w = b.warps[warp];
  std::erase_if(w.gatherings, [&](const Warp::Gathering& g) { return g.arrived == lanes; });
  const Moment moment = ++b.clock;
  if ((w.alive & ~lanes) == 0) {
    w.together = moment;
    w.lanes.reset();
  } else {
    if (w.lanes == nullptr) {
      w.lanes = std::make_unique<std::array<std::array<Moment, 32>, 32>>();
      for (auto& row : *w.lanes) row.fill(0);
    }
    // What one of them knows of others they all know now.
    std::array<Moment, 32> together{};
    for (observe::Mask rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      for (std::size_t other = 0; other < 32; ++other)
        together[other] = std::max(together[other], (*w.lanes)[lane][other]);
      together[lane] = moment;
    }
    for (observe::Mask rest = lanes; rest != 0; rest &= rest - 1)
      (*w.lanes)[static_cast<std::size_t>(std::countr_zero(rest))] = together;
  }
  if (b.threads.empty()) return;
  SharedKnowledge known, seen;
  for (observe::Mask rest = lanes; rest != 0; rest &= rest - 1)
    if (const Thread* t = find_thread(b, warp * 32 + static_cast<uint32_t>(std::countr_zero(rest)))) {
      known.join(t->known);
      seen.join(t->seen);
    }
  if (!known && !seen) return;
  for (observe::Mask rest = lanes; rest != 0; rest &= rest - 1) {
    Thread& t = thread(b, warp * 32 + static_cast<uint32_t>(std::countr_zero(rest)));
    t.known.join(known);
    t.seen.join(seen);
  }
}

// ---- launches in device code

// What the thread has done, or knows, comes before the child, and nothing else of its grid does (CUDA C++
// Programming Guide, "Memory Consistency" of dynamic parallelism).
Ancestors LaunchRaces::launches(const std::array<uint32_t, 3>& index, uint32_t number) {
  keep_lock();
  Block& b = block(index);
  Warp& w = b.warps[number / 32];
  look_at_interval(b);
  ++b.clock;
  const Thread* own = find_thread(b, number);
  Thread::Fence now = fence_now(b, w, own != nullptr ? *own : Thread{});
  if (!independent_) now.warp = now.own;
  Ancestors all = ancestors_;
  all[number_] = knowledge_of(b, number / 32, number, now);
  return all;
}

void LaunchRaces::waited(const std::array<uint32_t, 3>& index, uint32_t number) {
  keep_lock();
  Block& b = block(index);
  look_at_interval(b);
  ++b.clock;
  for (const uint32_t launch : children_)
    if (detector_.launches_[launch].ended)
      thread(b, number).known.own().change(whole_launch(launch)).know_all(not_done);
}

// ---- fences, flags, locks

LaunchRaces::Reach LaunchRaces::reach(observe::FenceScope scope) const {
  switch (scope) {
    case observe::FenceScope::block: return of_block;
    case observe::FenceScope::cluster: return clusters_ ? of_device : of_block;
    default: return of_device;
  }
}

LaunchRaces::Thread::Fence LaunchRaces::fence_now(Block& b, Warp& warp, const Thread& thread) {
  return {.any = true,
          .own = b.clock,
          .all = b.all,
          .of_block = b.known,
          .of_warp = warp.known,
          .known = thread.known,
          .warp = warp.together};
}

void LaunchRaces::fence(Block& b, uint32_t warp, observe::Mask lanes, Reach reach) {
  ++b.clock;
  Warp& w = b.warps[warp];
  for (observe::Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    Thread& t = thread(b, warp * 32 + lane);
    // What was read before it came from others: it, and what it told of, comes before now.
    t.known.join(t.pending_block);
    if (reach == of_device) t.known.join(t.pending_device);
    const Thread::Fence now = fence_now(b, w, t);
    t.fences[of_block] = now;
    if (reach == of_device) t.fences[of_device] = now;
    for (const uint32_t section : t.sections) {
      RaceDetector::Section& s = detector_.sections_[section];
      if (!s.accessed) s.acquired = std::max(s.acquired, std::min<uint8_t>(s.reach, reach));
      s.clean = std::max<uint8_t>(s.clean, reach);
    }
  }
}

SharedKnowledge LaunchRaces::knowledge_of(const Block& b, uint32_t warp, uint32_t thread,
                                          const Thread::Fence& fence) {
  SharedKnowledge known = fence.of_block;
  known.join(fence.of_warp);
  known.join(fence.known);
  BlockKnown& own = known.own().change(b.number);
  own.know_all(fence.all);
  own.know_warp(warp, fence.warp);
  own.know_thread(thread, fence.own);
  return known;
}

LaunchRaces::SyncPlaces& LaunchRaces::sync_places(Block& b, observe::Space space, uint64_t& address) {
  if (space == observe::Space::global) return sync_;
  if (!clusters_) return b.shared_sync;
  // Of all blocks of the cluster: an address means one place.
  const exec::Dim3& c = shape_.cluster;
  const uint64_t cluster =
      b.index[0] / c.x +
      uint64_t{shape_.grid.x} * (b.index[1] / c.y + uint64_t{shape_.grid.y} * (b.index[2] / c.z));
  address |= (cluster + 1) << 32;
  return sync_;
}

// A strong access, after it was looked at.
void LaunchRaces::order(const Now& now, unsigned lane, uint64_t address) {
  Block& b = now.block;
  const uint32_t number = now.warp_index * 32 + lane;
  const PlaceFacts& facts = now.facts;
  if (facts.polls && now.space == observe::Space::global) detector_.polled_.insert(address);
  const uint64_t place = address;
  SyncPlaces& places = sync_places(b, now.space, address);
  if (now.reads && !facts.unread) {
    if (const auto found = places.find(address); found != places.end())
      acquire(now, thread(b, number), found->second);
  }
  if (now.writes) {
    Thread* t = find_thread(b, number);
    if (facts.releases) {
      Thread& own = thread(b, number);
      ++b.clock;
      own.fences[of_block] = fence_now(b, now.warp, own);
      if (reach(facts.scope) == of_device) own.fences[of_device] = own.fences[of_block];
      t = &own;
    }
    if (t != nullptr && t->fences[of_block].any) {
      SyncPlace& to = places[address];
      // A plain store ends what was there.
      if (!facts.atomic) to = SyncPlace{};
      release(now, number, *t, to);
    } else if (!facts.atomic) {
      places.erase(address);
    }
    // The lock is given back.
    if (t != nullptr)
      for (std::size_t i = 0; i < t->sections.size(); ++i) {
        RaceDetector::Section& s = detector_.sections_[t->sections[i]];
        if (s.lock != place || (facts.compares && facts.polls)) continue;
        const uint8_t fences = facts.releases ? static_cast<uint8_t>(of_device) : s.clean;
        s.released = std::min<uint8_t>(fences, reach(facts.scope));
        s.open = false;
        t->sections.erase(t->sections.begin() + static_cast<std::ptrdiff_t>(i));
        if (!t->special()) now.warp.special &= ~(observe::Mask{1} << lane);
        break;
      }
  }
  if (facts.compares && facts.polls) {
    Thread& own = thread(b, number);
    own.trying = place;
    own.trying_at = now.place;
    own.trying_bytes = now.bytes;
    now.warp.special |= observe::Mask{1} << lane;
  }
}

void LaunchRaces::acquire(const Now& now, Thread& t, SyncPlace& place) {
  // Locks need a fence behind them; what a flag tells, strong accesses see at once.
  const bool lock = now.facts.compares && now.facts.polls;
  const auto learn = [&](const SharedKnowledge& of, SharedKnowledge& pending) {
    if (!of) return;
    pending.join(of);
    if (!lock) t.seen.join(of);
    if (now.facts.acquires) t.known.join(of);
  };
  if (const auto own = place.blocks.find(now.block.number); own != place.blocks.end()) {
    learn(own->second.to_block, t.pending_block);
    learn(own->second.to_device, t.pending_block);
  }
  if (reach(now.facts.scope) == of_device) learn(place.to_device, t.pending_device);
}

void LaunchRaces::release(const Now& now, uint32_t number, Thread& t, SyncPlace& place) {
  SyncPlace::Released& own = place.blocks[now.block.number];
  own.to_block.join(knowledge_of(now.block, now.warp_index, number, t.fences[of_block]));
  if (reach(now.facts.scope) != of_device || !t.fences[of_device].any) return;
  const SharedKnowledge known = knowledge_of(now.block, now.warp_index, number, t.fences[of_device]);
  own.to_device.join(known);
  place.to_device.join(known);
}

// The thread goes on behind a compare and swap: it has the lock.
void LaunchRaces::took_lock(Block&, Warp&, unsigned, Thread& t) {
  const uint64_t lock = std::exchange(t.trying, 0);
  const PlaceFacts& facts = detector_.places_[t.trying_at];
  std::erase_if(t.sections, [&](uint32_t section) { return detector_.sections_[section].lock == lock; });
  constexpr std::size_t most = 1 << 24;
  if (detector_.sections_.size() >= most) return;
  const auto acquired = facts.acquires ? reach(facts.scope) : of_nobody;
  detector_.sections_.push_back(
      {.lock = lock, .lock_bytes = t.trying_bytes, .reach = reach(facts.scope), .acquired = acquired});
  t.sections.push_back(static_cast<uint32_t>(detector_.sections_.size() - 1));
}

}  // namespace heddle::checker
