// The accesses of a launch: whether those before them are known to have happened before.
#include <sched.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "arch/device.h"
#include "checker/race_detector.h"
#include "exec/memory_map.h"

namespace heddle::checker {

namespace {

bool has_independent_threads(const exec::Launch& launch) {
  return launch.device == nullptr || launch.device->arch.has(arch::Feature::independent_thread_scheduling);
}

uint64_t number_of(const exec::Dim3& grid, const std::array<uint32_t, 3>& index) {
  return index[0] + uint64_t{grid.x} * (index[1] + uint64_t{grid.y} * index[2]);
}

}  // namespace

LaunchRaces::LaunchRaces(RaceDetector& detector, const exec::Launch& launch, uint32_t number,
                         std::vector<uint32_t> unordered, Ancestors ancestors)
    : detector_(detector),
      number_(number),
      grid_id_(launch.grid_id),
      image_(detector.places_.image_number(launch.module->image)),
      shape_(launch.shape),
      shared_bytes_(launch.module->image->functions[launch.function].static_shared_bytes +
                    launch.shape.dynamic_shared),
      independent_(has_independent_threads(launch)),
      clusters_(launch.shape.cluster.count() > 1),
      function_(launch.function),
      unordered_(std::move(unordered)),
      ancestors_(std::move(ancestors)) {
  ordered_below_ = detector.first_segment_ + static_cast<uint32_t>(detector.segments_.size());
  for (const uint32_t other : unordered_)
    ordered_below_ = std::min(ordered_below_, detector.launches_[other].first_segment);
}

LaunchRaces::~LaunchRaces() {
  // Of a launch that was ended before its blocks had.
  for (const auto& [number, block] : blocks_) {
    if (block->interval == nullptr || !block->interval->met()) continue;
    keep_lock();
    look_at_interval(*block);
  }
  detector_.ended(*this);
}

// ---- blocks, warps, memory

LaunchRaces::Block& LaunchRaces::block(const std::array<uint32_t, 3>& index) {
  if (last_ != nullptr && last_->index[0] == index[0] && last_->index[1] == index[1] &&
      last_->index[2] == index[2])
    return *last_;
  const uint64_t number = number_of(shape_.grid, index);
  auto found = blocks_.find(number);
  if (found == blocks_.end()) {
    if (spare_blocks_.empty()) {
      found = blocks_.emplace(number, std::make_unique<Block>()).first;
      found->second->warps.resize((shape_.block.count() + 31) / 32);
    } else {
      spare_blocks_.back().key() = number;
      found = blocks_.insert(std::move(spare_blocks_.back())).position;
      spare_blocks_.pop_back();
    }
    Block* const block = found->second.get();
    block->begin(number, index);
    block->segment = block->first_segment =
        detector_.new_segment({.block = number, .launch = number_, .moment = block->clock});
    block->segment_moment = block->clock;
    // What earlier blocks left in pages that were theirs.
    block->shared_ordered_below = block->first_segment;
    begin_interval(*block);
  }
  last_ = found->second.get();
  return *last_;
}

void LaunchRaces::Block::begin(uint64_t its_number, const std::array<uint32_t, 3>& its_index) {
  number = its_number;
  index = its_index;
  first_segment = segment = shared_ordered_below = 0;
  clock = 1;
  segment_moment = all = 0;
  known.clear(), seen.clear();
  alive = begun = 0;
  for (Warp& warp : warps) {
    warp.alive = warp.special = warp.waiting = 0;
    warp.together = 0;
    warp.known.clear();
    warp.lanes.reset();
    warp.gatherings.clear();
  }
  if (!threads.empty()) threads.clear();
  for (Barrier& barrier : barriers) {
    if (barrier.arrived != 0) std::ranges::fill(barrier.lanes, 0U);
    barrier.arrived = barrier.expected = 0;
    barrier.mixed = false;
  }
  std::ranges::fill(shared, nullptr);
  interval = nullptr;
  if (!shared_sync.empty()) shared_sync.clear();
  copying = cluster_arrived = 0;
  ended = false;
}

LaunchRaces::Thread* LaunchRaces::find_thread(Block& block, uint32_t thread) {
  if (block.threads.empty()) return nullptr;
  const auto found = block.threads.find(thread);
  return found == block.threads.end() ? nullptr : &found->second;
}

uint32_t LaunchRaces::segment_of(Block& block) {
  if (block.segment_moment != block.clock) {
    block.segment = detector_.new_segment({.block = block.number, .launch = number_, .moment = block.clock});
    block.segment_moment = block.clock;
  }
  return block.segment;
}

uint32_t LaunchRaces::segment_of(Block& block, Thread& thread) {
  if (thread.sections.empty()) return segment_of(block);
  const RaceDetector::Segment* own = detector_.segment(thread.segment);
  if (thread.segment == 0 || own == nullptr || own->moment != block.clock ||
      own->section != thread.sections.back())
    thread.segment = detector_.new_segment(
        {.block = block.number, .launch = number_, .moment = block.clock, .section = thread.sections.back()});
  return thread.segment;
}

std::array<uint32_t, 3> LaunchRaces::index_in_cluster(const Block& of, uint32_t rank) const {
  const exec::Dim3& c = shape_.cluster;
  return {of.index[0] / c.x * c.x + rank % c.x, of.index[1] / c.y * c.y + rank / c.x % c.y,
          of.index[2] / c.z * c.z + rank / c.x / c.y};
}

RacePage* LaunchRaces::page(Block& asking, observe::Space space, uint64_t address) {
  if (space == observe::Space::global) return detector_.shadow_.page(address);
  Block* owner = &asking;
  if (clusters_) {
    owner = &block(index_in_cluster(asking, static_cast<uint32_t>(address >> exec::shared_rank_shift)));
  }
  const uint64_t number = exec::shared_offset(address) / RacePage::bytes;
  if (owner->shared.size() <= number) owner->shared.resize(number + 1);
  RacePage*& found = owner->shared[number];
  if (found == nullptr) {
    if (spare_.empty()) {
      pages_.push_back(std::make_unique<RacePage>());
      spare_.push_back(pages_.back().get());
    }
    found = spare_.back();
    spare_.pop_back();
    if (clusters_) found->clear(0, RacePage::bytes);  // elsewhere a mark of another block says nothing
  }
  return found;
}

// Whoever wants it meanwhile has it before this one again.
void LaunchRaces::take_lock() {
  if (!holds_lock_ && detector_.holder_ != nullptr && detector_.is_mine()) {
    // Of a launch on this thread that is in a call of its kernel's.
    detector_.holder_->holds_lock_ = false;
    detector_.holder_ = this;
    holds_lock_ = true;
    return;
  }
  if (std::exchange(holds_lock_, true)) {
    detector_.holder_ = nullptr;
    detector_.unlock();
    for (unsigned i = 0; i < 64 && detector_.wanted_.load(std::memory_order_relaxed) != 0; ++i) sched_yield();
  }
  detector_.lock();
  detector_.holder_ = this;
}

// ---- reads that nobody needs to know of

void LaunchRaces::leave_out_reads(const MemoryAreas& areas, OwnWrites writes) {
  reads_left_out_.emplace(areas, std::set<uint64_t>(writes.areas.begin(), writes.areas.end()));
}

void LaunchRaces::leave_out_global(const MemoryAreas& areas) { reads_left_out_.emplace(areas).all = true; }

void LaunchRaces::leave_out_quiet_stretches(const analysis::QuietStretches& stretches) {
  if (!clusters_ && !stretches.quiet.empty()) stretches_ = &stretches;
}

// A read of shared memory between two barriers between which nobody writes it.
bool LaunchRaces::is_quiet(const observe::Access& access, const PlaceFacts& facts) {
  if (stretches_end_ || access.kind != observe::AccessKind::load || access.place.function != function_ ||
      facts.strong || !stretches_->quiet[access.place.instruction])
    return false;
  if (access.window != nullptr && access.window->size == 0 && access.bytes <= shared_bytes_) {
    access.window->begin = 0;
    access.window->size = shared_bytes_ - access.bytes + 1;
    quiet_windows_.push_back(access.window);
  }
  return true;
}

void LaunchRaces::end_quiet_stretches() {
  if (stretches_ == nullptr || std::exchange(stretches_end_, true)) return;
  for (observe::Window* window : quiet_windows_) window->size = 0;
}

// A read of memory that nobody writes meanwhile. What the kernel's text says about its writes is held against
// what it does; where it does something else, all is looked at from then on.
bool LaunchRaces::leaves_out(const observe::Access& access) {
  ReadsLeftOut& out = *reads_left_out_;
  if (out.ends) return false;
  const bool reads = access.kind == observe::AccessKind::load;
  // It writes there: whatever the other lanes read may be looked at, too.
  if (reads && access.addresses[std::countr_zero(access.lanes)] - out.begin < out.size) return false;
  const auto [lowest, highest, bits] = rows_.extent(access.addresses, access.lanes);
  const uint64_t last = highest + access.bytes - 1;
  if (lowest - out.begin < out.size && last - out.begin < out.size) return false;
  const uint64_t generation = out.areas.generation();
  const Area* area = out.areas.find(lowest);
  const bool inside = area != nullptr && last < area->end();
  if (out.all) {
    if (inside && access.window != nullptr) out.windows.open(*access.window, access.bytes, *area, generation);
    return true;
  }
  if (reads) {
    if (!inside || out.written.contains(area->begin())) return false;
    if (access.window != nullptr) out.windows.open(*access.window, access.bytes, *area, generation);
    return true;
  }
  if (inside && out.written.contains(area->begin())) {
    out.begin = area->begin(), out.size = area->bytes();
    return false;
  }
  if (area == nullptr) return false;  // stray, or the runtime's own
  out.ends = true;
  out.windows.close();
  return false;
}

// ---- accesses

void LaunchRaces::access(const observe::Access& access) {
  if (access.space != observe::Space::global && access.space != observe::Space::shared) return;
  keep_lock();
  if (access.kind == observe::AccessKind::change &&
      detector_.places_[detector_.places_.id(image_, access.place)].compares) {
    Undecided& later = undecided_.emplace_back(Undecided{access, {}});
    std::copy_n(access.addresses, observe::warp_lanes, later.addresses.begin());
    later.access.window = nullptr;
    return;
  }
  accessed(access);
}

// A compare and swap that finds another value only reads (PTX ISA 9.7.13.5: the old value stays).
void LaunchRaces::compared(const observe::Sync& sync) {
  for (std::size_t i = 0; i < undecided_.size();) {
    Undecided& one = undecided_[i];
    observe::Access now = one.access;
    now.lanes &= sync.lanes;
    if (now.place != sync.place || now.warp != sync.warp || now.block != sync.block || now.lanes == 0) {
      ++i;
      continue;
    }
    const std::array<uint64_t, observe::warp_lanes> addresses = one.addresses;
    now.addresses = addresses.data();
    if (sync.a != 0) now.kind = observe::AccessKind::load;
    one.access.lanes &= ~now.lanes;
    if (one.access.lanes == 0)
      undecided_.erase(undecided_.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
    accessed(now);
  }
}

void LaunchRaces::accessed(const observe::Access& access) {
  if (reads_left_out_ && access.space == observe::Space::global && leaves_out(access)) return;
  Block& b = block(access.block);
  Warp& w = b.warps[access.warp];
  const PlaceId place = detector_.places_.id(image_, access.place);
  const PlaceFacts& facts = detector_.places_[place];
  if ((w.waiting & access.lanes) != 0) goes_on(b, access.warp, access.lanes);
  if (facts.bulk && access.kind != observe::AccessKind::load) return;
  if (stretches_ != nullptr && access.space == observe::Space::shared && is_quiet(access, facts)) return;
  if (!independent_ && access.kind == observe::AccessKind::store)
    same_instruction(access, b, w, place, facts);
  if (access.space == observe::Space::shared && defer(b, w, access, place, facts)) return;
  if (facts.strong && !orders_nothing(b, facts, access.space)) look_at_interval(b);
  look_at(b, w, access, place, facts);
}

void LaunchRaces::look_at(Block& b, Warp& w, const observe::Access& access, PlaceId place,
                          const PlaceFacts& facts) {
  const uint32_t segment = segment_of(b);
  const Now now{.block = b,
                .warp = w,
                .warp_index = access.warp,
                .place = place,
                .facts = facts,
                .space = access.space,
                .reads = access.kind != observe::AccessKind::store,
                .writes = access.kind != observe::AccessKind::load,
                .segment = segment,
                .bytes = access.bytes,
                .hazard_bytes = std::min(access.bytes, 4U),
                .ordered_below = ordered_below(b, access.space)};
  if (!copies_.empty() && access.space == observe::Space::global) look_at_copies(now, access);
  if (facts.asynchronous && now.writes) return copy(now, access);
  if (facts.ends_copies)
    for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1)
      copies_done(b, access.warp * 32 + static_cast<uint32_t>(std::countr_zero(rest)), all_copies);
  if (w.special != 0 || !orders_nothing(b, facts, access.space)) {
    for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      access_lane(now, lane, access.addresses[lane], access.bytes);
      if (!facts.strong) continue;
      add_hazards(now);
      now.last = {};  // the lanes may know more from now on
      order(now, lane, access.addresses[lane]);
    }
    return add_hazards(now);
  }
  if (facts.atomic)
    access_scattered(now, access, access.lanes);
  else
    access_runs(now, access);
  add_hazards(now);
}

void LaunchRaces::access_one(const Now& now, unsigned lane, uint64_t address, uint32_t bytes) {
  RacePage* p = now.space == observe::Space::global ? detector_.shadow_.page(address)
                                                    : page(now.block, now.space, address);
  if (p == nullptr) return;
  if (bytes < 4) p->split();
  const auto offset = static_cast<uint32_t>(address % RacePage::bytes);
  p->expand(offset, bytes);
  const uint32_t thread = now.warp_index * 32 + lane;
  const uint32_t first = p->cell_of(offset);
  const uint32_t cells = std::max(bytes / p->cell_bytes(), 1U);
  for (uint32_t i = 0; i < cells; ++i)
    if (!access_plain_cell(now, *p, first + i, Mark::of(now.segment, thread, now.place)))
      access_cell(now, *p, first + i, address + i * p->cell_bytes(), thread, now.segment);
}

// An asynchronous copy writes between now and the end of the wait for it, and nobody may come meanwhile: its
// marks are of a moment that nobody knows of until the wait gives them its own.
void LaunchRaces::copy(const Now& now, const observe::Access& access) {
  Block& b = now.block;
  if (b.copying == 0)
    b.copying = detector_.new_segment({.block = b.number, .launch = number_, .moment = not_done});
  for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t address = access.addresses[lane];
    RacePage* p = page(b, now.space, address);
    if (p == nullptr) continue;
    if (access.bytes < 4) p->split();
    p->expand(static_cast<uint32_t>(address % RacePage::bytes), access.bytes);
    const uint32_t cells = std::max(access.bytes / p->cell_bytes(), 1U);
    const uint32_t first = p->cell_of(static_cast<uint32_t>(address % RacePage::bytes));
    const uint32_t number = access.warp * 32 + lane;
    for (uint32_t i = 0; i < cells; ++i)
      access_cell(now, *p, first + i, address + i * p->cell_bytes(), number, b.copying);
    Thread& t = thread(b, number);
    t.copies.push_back({p, first, cells, t.group, now.place});
  }
  add_hazards(now);
}

void LaunchRaces::copies_done(Block& b, uint32_t number, uint32_t groups_left) {
  Thread* t = find_thread(b, number);
  if (t == nullptr) return;
  const uint32_t segment = segment_of(b);
  std::erase_if(t->copies, [&](const Thread::Copy& copy) {
    // Those of no group yet are waited for by a wait for all.
    if (groups_left != all_copies && (copy.group == t->group || t->group - copy.group <= groups_left))
      return false;
    for (uint32_t i = 0; i < copy.cells && copy.cell + i < RacePage::bytes / copy.page->cell_bytes(); ++i) {
      // Of a compact group nothing is left of the copy: somebody has written all of it since.
      if (copy.page->compact((copy.cell + i) * copy.page->cell_bytes() / RacePage::group_bytes)) continue;
      Mark& writer = copy.page->writers(0)[copy.cell + i];
      if (writer == Mark::of(b.copying, number, copy.place)) writer = Mark::of(segment, number, copy.place);
      copy.page->wrote(segment);
    }
    return true;
  });
}

// Before independent thread scheduling the lanes of a warp are in lockstep: what one instruction does to one
// place from several lanes is all that is not ordered.
void LaunchRaces::same_instruction(const observe::Access& access, Block& b, Warp& w, PlaceId place,
                                   const PlaceFacts& facts) {
  cell_bytes_ = access.bytes;
  const Now now{b,
                w,
                access.warp,
                place,
                facts,
                access.space,
                false,
                true,
                segment_of(b),
                access.bytes,
                std::min(access.bytes, 4U),
                0};
  for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    for (observe::Mask later = rest & (rest - 1); later != 0; later &= later - 1) {
      const auto other = static_cast<unsigned>(std::countr_zero(later));
      if (access.addresses[lane] != access.addresses[other]) continue;
      const Mark mark = Mark::of(now.segment, access.warp * 32 + lane, place);
      judge(now, *detector_.segment(now.segment), mark, true, access.addresses[lane],
            access.warp * 32 + other);
      break;
    }
  }
}

void LaunchRaces::access_lane(const Now& now, unsigned lane, uint64_t address, uint32_t bytes) {
  const uint32_t number = now.warp_index * 32 + lane;
  uint32_t segment = now.segment;
  if ((now.warp.special >> lane & 1) != 0) {
    Thread& t = thread(now.block, number);
    if (t.trying != 0 && (t.trying_at != now.place || t.trying != address))
      took_lock(now.block, now.warp, lane, t);
    segment = segment_of(now.block, t);
    for (const uint32_t section : t.sections) {
      RaceDetector::Section& s = detector_.sections_[section];
      if (s.lock == address) continue;
      s.accessed = true;
      s.clean = 0;
    }
  }
  RacePage* p = page(now.block, now.space, address);
  if (p == nullptr) return;
  if (bytes < 4) p->split();
  p->expand(static_cast<uint32_t>(address % RacePage::bytes), bytes);
  const uint32_t cells = std::max(bytes / p->cell_bytes(), 1U);
  const uint32_t first = p->cell_of(static_cast<uint32_t>(address % RacePage::bytes));
  for (uint32_t i = 0; i < cells; ++i)
    access_cell(now, *p, first + i, address + i * p->cell_bytes(), number, segment);
}

void LaunchRaces::access_cell(const Now& now, RacePage& page, uint32_t cell, uint64_t address,
                              uint32_t thread, uint32_t segment) {
  const Mark mark = Mark::of(segment, thread, now.place);
  cell_bytes_ = page.cell_bytes();
  Mark& writer = page.writers(0)[cell];
  if (now.writes) {
    page.wrote(segment);
    if (writer == mark && !now.reads) return;
    Mark &before = page.writers(1)[cell], &reader = page.readers(0)[cell], &other = page.readers(1)[cell];
    if (writer.segment() >= now.ordered_below) look(now, 0, writer, address, thread, segment);
    if (before.segment() >= now.ordered_below && !follows_own_atomic(now, writer, before, thread))
      look(now, 1, before, address, thread, segment);
    if (reader.segment() >= now.ordered_below) look(now, 2, reader, address, thread, segment);
    if (other.segment() >= now.ordered_below) look(now, 3, other, address, thread, segment);
    // Of writers that may write at once two are remembered. What meets atomic operations least stays longest,
    // also the thread's own: a plain write before an atomic one, an operation of the block before one of the
    // device.
    const auto late = [&](Mark other) { return other.segment() >= now.ordered_below; };
    bool remember = writer.thread() != thread || writer.segment() != segment;
    if (now.facts.atomic && late(writer)) {
      const int last = meets(writer);
      remember = (remember || last < meets(mark)) && (!late(before) || last <= meets(before));
    }
    if (remember) {
      before = late(writer) ? writer : Mark{};
      page.wrote_before(before.segment());
    }
    writer = mark;
    if (now.reads) return;
    reader = other = Mark{};
    return;
  }
  Mark &reader = page.readers(0)[cell], &other = page.readers(1)[cell];
  page.read(segment);
  if (reader == mark) return;
  if (writer.segment() >= now.ordered_below) look(now, 0, writer, address, thread, segment);
  if (const Mark before = page.writers(1)[cell]; before.segment() >= now.ordered_below)
    look(now, 1, before, address, thread, segment);
  add_reader(now, reader, other, mark);
}

// A counter that says who comes last is set back by that one: of one place all atomic operations have one
// order, and its plain write comes behind its own operation. Only the place itself is ordered so, nothing
// else.
bool LaunchRaces::follows_own_atomic(const Now& now, Mark writer, Mark before, uint32_t thread) const {
  if (now.reads || now.facts.strong || writer.thread() != thread) return false;
  const PlaceFacts &own = detector_.places_[writer.place()], &theirs = detector_.places_[before.place()];
  if (!own.atomic || !theirs.atomic) return false;
  const RaceDetector::Segment *mine = detector_.segment(writer.segment()),
                              *other = detector_.segment(before.segment());
  if (mine == nullptr || mine->launch != number_ || mine->block != now.block.number) return false;
  if (other == nullptr || other->launch != number_) return false;
  return other->block == now.block.number ||
         (reach(own.scope) == of_device && reach(theirs.scope) == of_device);
}

// Somebody accessed this place before, and one of both writes. Of two warps all lanes are judged alike, where
// none of them knows more than the others.
void LaunchRaces::look(const Now& now, unsigned which, Mark before, uint64_t address, uint32_t thread,
                       uint32_t segment) {
  constexpr uint64_t lane_bits = uint64_t{31} << rows::thread_shift;
  Now::Last& last = now.last[which];
  if (last.first != (before.bits & ~lane_bits) || last.segment != segment)
    return look_first(now, which, before, address, thread, segment);
  if (last.found != nullptr && !(last.same_block && before.thread() == thread))
    last.hazards += std::min(now.hazard_bytes, cell_bytes_);
}

void LaunchRaces::look_first(const Now& now, unsigned which, Mark before, uint64_t address, uint32_t thread,
                             uint32_t segment) {
  const bool before_writes = which < 2;
  const uint64_t lane_bits = uint64_t{31} << rows::thread_shift;
  const uint64_t first = before.bits & ~lane_bits, second = Mark::of(segment, thread & ~31U, now.place).bits;
  const bool alike = judges_alike(now);
  const uint8_t kind = kind_of(now, before_writes);
  Judged& judged = this->judged(first, second);
  const auto repeat = [&] {
    Now::Last& last = now.last[which];
    if (last.hazards != 0) detector_.again(*last.found, last.hazards);
    last = {.first = first, .segment = segment, .found = judged.found, .same_block = judged.same_block};
  };
  if (alike && judged.kind == kind && judged.first == first && judged.second == second) {
    repeat();
    return look(now, which, before, address, thread, segment);
  }
  const RaceDetector::Segment* found = detector_.segment(before.segment());
  if (found == nullptr) return;
  const bool same_block = found->launch == number_ && found->block == now.block.number;
  const auto keep = [&](RaceDetector::Found* race) {
    if (!alike || found->moment == not_done || found->section != 0) return;
    judged = {first, second, race, kind, same_block};
    repeat();
  };
  if (found->launch == number_) {
    if (found->block == now.block.number && before.thread() == thread &&
        (found->moment != not_done || now.facts.asynchronous))
      return;
    if (now.space == observe::Space::shared && !clusters_ && found->block != now.block.number) return;
    if (found->section != 0) look_at_locks(now, *found, before, before_writes, address, thread, segment);
    if (is_known(now, *found, before, thread)) return keep(nullptr);
  } else if (now.space == observe::Space::shared ||
             std::ranges::find(unordered_, found->launch) == unordered_.end()) {
    return;
  } else if (is_of_family(found->launch) && family_is_known(now, *found, before, thread)) {
    return;
  }
  if (RaceDetector::Found* race = judge(now, *found, before, before_writes, address, thread)) keep(race);
}

bool LaunchRaces::is_known(const Now& now, const RaceDetector::Segment& before, Mark mark, uint32_t thread) {
  const uint32_t other = mark.thread();
  const Moment moment = before.moment;
  if (before.block == now.block.number) {
    if (moment < now.block.all) return true;
    if (other / 32 == thread / 32) {
      if (!independent_) return true;  // in lockstep: same_instruction() has the rest
      if (moment < now.warp.together) return true;
      if (now.warp.lanes != nullptr && moment < (*now.warp.lanes)[thread % 32][other % 32]) return true;
    }
  } else if (now.block.known && moment < now.block.known.of(before.block, other)) {
    return true;
  }
  if (now.warp.known && moment < now.warp.known.of(before.block, other)) return true;
  if (now.facts.strong && now.block.seen && moment < now.block.seen.of(before.block, other)) return true;
  const Thread* own = find_thread(now.block, thread);
  if (own == nullptr) return false;
  return moment < own->known.of(before.block, other) ||
         (now.facts.strong && moment < own->seen.of(before.block, other));
}

// Of a launch that this one comes of, or that comes of it.
bool LaunchRaces::family_is_known(const Now& now, const RaceDetector::Segment& before, Mark mark,
                                  uint32_t thread) {
  if (const auto ancestor = ancestors_.find(before.launch); ancestor != ancestors_.end())
    return before.moment < ancestor->second.of(before.block, mark.thread());
  const uint64_t child = whole_launch(before.launch);
  const Thread* own = find_thread(now.block, thread);
  return now.block.known.of(child, 0) != 0 || now.warp.known.of(child, 0) != 0 ||
         (own != nullptr && own->known.of(child, 0) != 0);
}

RaceSide LaunchRaces::side_of(const Now& now, uint32_t thread) const {
  return {.place = now.place,
          .writes = now.writes,
          .reads = now.reads,
          .block = now.block.index,
          .thread = thread,
          .shape = shape_.block,
          .launch = detector_.launches_[number_].grid_id};
}

Race LaunchRaces::race_of(const Now& now, const RaceDetector::Segment& before, Mark mark, bool before_writes,
                          uint64_t address, uint32_t thread) const {
  Race race;
  race.first = detector_.side_of(before, mark, before_writes);
  race.second = side_of(now, thread);
  race.space = now.space;
  race.address = address;
  race.hazards = std::min(now.hazard_bytes, cell_bytes_);
  race.severity = Severity::error;
  race.same_warp =
      before.launch == number_ && before.block == now.block.number && mark.thread() / 32 == thread / 32;
  return race;
}

// What it was added to, if others of its kind may be, too.
RaceDetector::Found* LaunchRaces::judge(const Now& now, const RaceDetector::Segment& before, Mark mark,
                                        bool before_writes, uint64_t address, uint32_t thread) {
  const PlaceFacts &ours = now.facts, &theirs = detector_.places_[mark.place()];
  Missing missing{};
  const bool same_launch = before.launch == number_,
             same_block = same_launch && before.block == now.block.number;
  bool unless_polled = false;
  if (ours.strong && theirs.strong) {
    const auto covers = [&](const PlaceFacts& f) {
      return same_block ||
             (same_launch ? reach(f.scope) == of_device : f.scope >= observe::FenceScope::device);
    };
    const bool in_scope = covers(ours) && covers(theirs);
    // Volatile accesses are one access each, and no data race. But their order is left open: that is what a
    // flag is for, which somebody polls, and an error anywhere else.
    const bool flag = ours.is_volatile || theirs.is_volatile;
    const bool counter = (ours.atomic && !now.writes) || (theirs.atomic && ours.is_volatile && !now.writes) ||
                         (ours.atomic && theirs.is_volatile && !before_writes);
    if (in_scope && (!flag || counter)) return nullptr;
    if (!in_scope)
      missing = Missing::atomic_scope;
    else
      unless_polled = now.space == observe::Space::global;  // flags in shared memory are not known
  }
  Race race = race_of(now, before, mark, before_writes, address, thread);
  race.missing = missing;
  if (race.missing == Missing{}) {
    const Thread* own = find_thread(now.block, thread);
    const bool flagged = own != nullptr && same_launch &&
                         (before.moment < own->pending_block.of(before.block, mark.thread()) ||
                          before.moment < own->pending_device.of(before.block, mark.thread()));
    if (!same_launch)
      race.missing = is_of_family(before.launch) ? Missing::family_order : Missing::launch_order;
    else if (before.moment == not_done)
      race.missing = Missing::copy_wait;
    else if (flagged)
      race.missing = Missing::acquire_fence;
    else if (ours.strong != theirs.strong && (ours.atomic || theirs.atomic))
      race.missing = Missing::atomicity;
    else if (race.same_warp)
      race.missing = Missing::warp_barrier;
    else if (same_block)
      race.missing = Missing::block_barrier;
    else
      race.missing = now.space == observe::Space::shared ? Missing::cluster_barrier : Missing::grid_order;
  }
  if (race.same_warp && mark.place() != now.place) race.severity = Severity::warning;
  RaceDetector::Found& found = detector_.report(race, unless_polled);
  return unless_polled ? nullptr : &found;
}

// Both threads hold the lock: however they were ordered now, they may come in the other order.
void LaunchRaces::look_at_locks(const Now& now, const RaceDetector::Segment& before, Mark mark,
                                bool before_writes, uint64_t address, uint32_t thread, uint32_t segment) {
  const RaceDetector::Segment* own = detector_.segment(segment);
  if (own == nullptr || own->section == 0 || own->section == before.section) return;
  const RaceDetector::Section &ours = detector_.sections_[own->section],
                              &theirs = detector_.sections_[before.section];
  if (ours.lock != theirs.lock || address - ours.lock < ours.lock_bytes) return;
  const bool far = before.block != now.block.number;
  // Atomic operations need no lock. What looks like taking one may be a loop that changes a value itself.
  const PlaceFacts& other = detector_.places_[mark.place()];
  const auto reaches = [&](const PlaceFacts& f) { return !far || f.scope >= observe::FenceScope::device; };
  if (now.facts.atomic && other.atomic && reaches(now.facts) && reaches(other)) return;
  const std::array<uint32_t, 6> kind{
      mark.place(), now.place, far, theirs.acquired, theirs.open ? 3U : theirs.released, ours.acquired};
  // What the own section will have done at its end is not known yet: a few of each kind are kept.
  constexpr std::size_t most = 1 << 16;
  if (under_lock_.size() >= most) return;
  if (!pairs_under_lock_.insert(kind).second && under_lock_.size() > 1024) return;
  under_lock_.push_back(
      {before.section, own->section, race_of(now, before, mark, before_writes, address, thread)});
}

}  // namespace heddle::checker
