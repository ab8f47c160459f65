// Finds accesses to global and shared memory that nothing orders, though one of them writes: by what happens
// before what (docs/reference/heddle-check.md), not by how the kernel happened to run.
//
// Each thread has what it knows to have happened before (knowledge.h), mostly together with its block. Memory
// has the last ones who accessed it (race_shadow.h). One that is not known to have happened before, and is
// not an operation that may happen at once, is a race.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/quiet_stretches.h"
#include "checker/copy_region.h"
#include "checker/knowledge.h"
#include "checker/memory_map.h"
#include "checker/place_facts.h"
#include "checker/race.h"
#include "checker/race_interval.h"
#include "checker/race_shadow.h"
#include "checker/rows/rows.h"
#include "checker/windows.h"
#include "exec/launch.h"
#include "observe/observer.h"
#include "support/spin_lock.h"

namespace heddle::checker {

class LaunchRaces;

// Of a launch in device code: the launches that it comes of, and what of each happened before it. By their
// numbers.
using Ancestors = std::map<uint32_t, SharedKnowledge>;

// The areas (memory_map.h) that a launch writes, by where they begin.
struct OwnWrites {
  std::vector<uint64_t> areas;
};

class RaceDetector {
 public:
  struct Options {
    uint64_t most_shadow_bytes = uint64_t{4} << 30;
    bool keeps_intervals = true;  // of shared memory (race_interval.h); false: all is looked at as it comes
    std::function<void(const Race&, const Places&)> each = {};  // every hazard, as it is found
  };
  explicit RaceDetector(Options options)
      : each_(std::move(options.each)),
        keeps_intervals_(options.keeps_intervals),
        shadow_(options.most_shadow_bytes) {}

  // Of one launch; it comes after all earlier ones but those (LaunchRaces::number) that `unordered` names.
  std::unique_ptr<LaunchRaces> launch(const exec::Launch& launch, std::vector<uint32_t> unordered,
                                      Ancestors ancestors = {});
  // A copy or a fill that has just been done: one access of all that it touches, by a call of the API.
  struct Call {
    std::string function;
    std::vector<const void*> stack;
    auto operator<=>(const Call&) const = default;
  };
  struct Copy {
    Call call;
    std::optional<CopyRegion> from;
    CopyRegion to;
  };
  // Nothing orders it with those launches, of which some may still run, and those copies. Returns its number.
  uint32_t copied(const Copy& copy, std::span<const uint32_t> launches, std::span<const uint32_t> copies);
  const Call& call(uint32_t number) const { return calls_[number]; }  // RaceSide::call
  // Nothing that comes later can meet them: launches that have ended, copies.
  void retire(std::span<const uint32_t> launches, std::span<const uint32_t> copies);
  // By whoever is about to wait for something else: a launch of this thread no longer keeps the lock.
  void let_go();
  // This memory is new, or the host's copy has written it behind everything that could be unordered.
  void forget(uint64_t address, uint64_t bytes);

  std::vector<Race> races() const;
  const Places& places() const { return places_; }
  uint64_t reports() const {  // it grows with each hazard
    const Locked locked(*this);
    return reports_;
  }
  uint64_t shadow_bytes() const { return shadow_.bytes(); }
  uint64_t left_out() const { return shadow_.left_out(); }

 private:
  friend class LaunchRaces;
  struct Segment {
    uint64_t block = 0;
    uint32_t launch = 0;
    Moment moment = 0;
    uint32_t section = 0;  // a critical section, 0: none
  };
  // Between taking a lock and giving it back.
  struct Section {
    uint64_t lock = 0;
    uint32_t lock_bytes = 0;
    uint8_t reach = 0;                   // of the operation that took it
    uint8_t acquired = 0, released = 0;  // reach of the fences: 0 none, 1 block, 2 device
    uint8_t clean = 0;                   // reach of the last fence, since which nothing was accessed
    bool accessed = false, open = true;
  };
  struct Key {
    PlaceId first, second;
    uint32_t first_call, second_call;
    uint8_t kind;
    auto operator<=>(const Key&) const = default;
  };
  struct Found {
    Race race;
    // Of volatile accesses: where; a place at which somebody polls is a flag.
    std::map<uint64_t, uint64_t> hazards_at;
  };
  // Two critical sections of one lock that accessed the same place.
  struct UnderLock {
    uint32_t first_section, second_section;
    Race race;
  };
  struct LaunchInfo {
    uint64_t grid_id = 0;
    exec::Dim3 grid, block;
    uint32_t first_segment = 0;
    bool ended = false, retired = false;
    LaunchRaces* running = nullptr;
  };

  struct KnownCopy {
    uint32_t call = 0;
    std::optional<CopyRegion> from;
    CopyRegion to;
  };
  void drop_segments();
  void look_at_marks(uint32_t call, const CopyRegion& region, bool writes,
                     std::span<const uint32_t> launches);
  void meet(const KnownCopy& first, const KnownCopy& second);
  RaceSide side_of(const Segment& segment, Mark mark, bool writes) const;
  uint32_t new_segment(const Segment& segment) {
    segments_.push_back(segment);
    return first_segment_ + static_cast<uint32_t>(segments_.size() - 1);
  }
  uint32_t next_segment() const { return first_segment_ + static_cast<uint32_t>(segments_.size()); }
  const Segment* segment(uint32_t number) const {
    return number < first_segment_ ? nullptr : &segments_[number - first_segment_];
  }
  Found& report(const Race& race, bool if_not_polled);
  void again(Found& found, uint64_t hazards) {  // more of the same kind
    found.race.hazards += hazards;
    ++reports_;
  }
  void ended(LaunchRaces& launch);

  // A launch keeps the lock from its first event to its end, and gives it away between two when somebody
  // wants it: to take it for each would cost more than to look at the event. What its kernel calls on the
  // same thread may want it as well (the heap's first memory, a launch of its own): it has it already.
  class Locked {
   public:
    explicit Locked(const RaceDetector& detector) : detector_(detector), had_(detector.is_mine()) {
      if (!had_) detector.lock();
    }
    ~Locked() {
      if (!had_) detector_.unlock();
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

   private:
    const RaceDetector& detector_;
    const bool had_;
  };
  void lock() const {
    wanted_.fetch_add(1, std::memory_order_relaxed);
    lock_.lock();
    wanted_.fetch_sub(1, std::memory_order_relaxed);
    owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  void unlock() const {
    owner_.store({}, std::memory_order_relaxed);
    lock_.unlock();
  }
  bool is_mine() const { return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }
  mutable SpinLock lock_;
  mutable std::atomic<std::thread::id> owner_{};
  LaunchRaces* holder_ = nullptr;  // the launch that keeps it
  mutable std::atomic<uint32_t> wanted_{0};
  const std::function<void(const Race&, const Places&)> each_;
  const bool keeps_intervals_;
  Places places_;
  RaceShadow shadow_;
  std::deque<Segment> segments_;
  uint32_t first_segment_ = 1;
  std::deque<Section> sections_{Section{}};
  std::vector<LaunchInfo> launches_{LaunchInfo{}};
  std::deque<Call> calls_{Call{}};
  std::map<Call, uint32_t> call_numbers_;
  std::map<uint32_t, KnownCopy> copies_;  // that something may still meet
  uint32_t next_copy_ = 1;
  uint32_t first_needed_ = 1;  // of launches_: those before it are retired
  uint32_t running_ = 0;
  std::map<Key, Found> found_, unless_polled_;
  struct Recent {
    Key key{};
    bool if_not_polled = false;
    Found* found = nullptr;
  };
  std::array<Recent, 64> recent_{};  // of those two
  uint64_t reports_ = 0;
  std::unordered_set<uint64_t> polled_;
};

// The observer of one launch.
class LaunchRaces final : public observe::Observer, private observe::Sink {
 public:
  LaunchRaces(RaceDetector& detector, const exec::Launch& launch, uint32_t number,
              std::vector<uint32_t> unordered, Ancestors ancestors);
  ~LaunchRaces() override;
  uint32_t number() const { return number_; }
  uint64_t grid_id() const { return grid_id_; }
  // A thread of it launches a kernel: what comes before that one's threads.
  Ancestors launches(const std::array<uint32_t, 3>& block, uint32_t thread);
  const Ancestors& ancestors() const { return ancestors_; }
  // A thread of it has waited for all that it has launched so far.
  void waited(const std::array<uint32_t, 3>& block, uint32_t thread);
  // A copy that nothing orders with this launch (RaceDetector::copied).
  void meets(std::span<const uint32_t> copies);
  // Before it runs: nobody needs to know who read what memory, but of what it writes itself.
  void leave_out_reads(const MemoryAreas& areas, OwnWrites writes);
  // Likewise: no two threads meet in global memory.
  void leave_out_global(const MemoryAreas& areas);
  // Likewise: where shared memory is only read between two barriers. They live as long as the launch.
  void leave_out_quiet_stretches(const analysis::QuietStretches& stretches);
  void close_windows() {
    if (reads_left_out_) reads_left_out_->windows.close();
  }

  observe::Needs needs() const override {
    return static_cast<observe::Needs>(
        observe::accesses | observe::spares_private | observe::syncs | observe::in_order |
        (reads_left_out_ || stretches_ != nullptr ? observe::spares_windows : 0));
  }
  observe::Sink& sink() override { return *this; }

 private:
  friend class RaceDetector;
  enum Reach : uint8_t { of_nobody, of_block, of_device };

  struct Thread {
    SharedKnowledge known;
    // Read from flags without a fence behind it: of the own block, of all; what strong accesses make of it.
    SharedKnowledge pending_block, pending_device, seen;
    // When it last stood at a fence that reaches the block, the device.
    struct Fence {
      bool any = false;
      Moment own = 0, all = 0;
      SharedKnowledge of_block, of_warp, known;
      Moment warp = 0;
    };
    std::array<Fence, 3> fences;  // by Reach
    uint64_t trying = 0;          // the lock that it tries to take
    uint32_t trying_bytes = 0;
    PlaceId trying_at = 0;
    std::vector<uint32_t> sections;
    uint32_t segment = 0;  // its own, in a critical section
    struct Copy {
      RacePage* page;
      uint32_t cell, cells, group;
      PlaceId place;
    };
    std::vector<Copy> copies;  // asynchronous ones, not waited for yet
    uint32_t group = 0;        // of copies
    bool special() const { return trying != 0 || !sections.empty(); }
  };
  struct Warp {
    observe::Mask alive = 0;
    observe::Mask special = 0;  // lanes with something of their own in their segment
    observe::Mask waiting = 0;  // at a barrier
    Moment together = 0;        // all lanes have synchronised
    SharedKnowledge known;
    std::unique_ptr<std::array<std::array<Moment, 32>, 32>> lanes;  // [knower][known]
    struct Gathering {
      observe::Mask members, arrived;
    };
    std::vector<Gathering> gatherings;
  };
  struct Barrier {
    std::vector<observe::Mask> lanes;
    uint32_t arrived = 0, expected = 0;
    observe::Place place{};  // at which the first one came
    bool mixed = false;      // others came elsewhere
  };
  struct SyncPlace {
    struct Released {
      SharedKnowledge to_block, to_device;
    };
    std::unordered_map<uint64_t, Released> blocks;
    SharedKnowledge to_device;
  };
  using SyncPlaces = std::unordered_map<uint64_t, SyncPlace>;
  struct Block {
    uint64_t number = 0;
    std::array<uint32_t, 3> index{};
    uint32_t first_segment = 0, segment = 0;
    uint32_t shared_ordered_below = 0;  // as ordered_below_, of its own shared memory
    Moment clock = 1, segment_moment = 0, all = 0;
    SharedKnowledge known, seen;
    uint32_t alive = 0, begun = 0;
    std::vector<Warp> warps;
    std::unordered_map<uint32_t, Thread> threads;
    std::array<Barrier, 16> barriers;
    std::vector<RacePage*> shared;
    std::unique_ptr<SharedInterval>
        interval;  // since its last barrier; nullptr: all is looked at as it comes
    SyncPlaces shared_sync;
    uint32_t copying = 0;          // the segment of what copies write that nobody has waited for
    uint32_t cluster_arrived = 0;  // threads, at the cluster's barrier
    bool ended = false;

    // Of another block; what memory it has, it keeps: a launch may have hundreds of thousands of them.
    void begin(uint64_t its_number, const std::array<uint32_t, 3>& its_index);
  };
  // One instruction of one warp, while it is looked at.
  struct Now {
    Block& block;
    Warp& warp;
    uint32_t warp_index;
    PlaceId place;
    const PlaceFacts& facts;
    observe::Space space;
    bool reads, writes;
    uint32_t segment;
    uint32_t bytes;  // of a lane
    uint32_t hazard_bytes;
    uint32_t ordered_below;
    // What came of looking at the mark of the lane before: of a place's writers and readers. Racing lanes
    // come by the million, and of two warps they are judged alike.
    struct Last {
      uint64_t first = 0;  // the mark without its lane; 0: none
      uint32_t segment = 0;
      RaceDetector::Found* found = nullptr;
      uint64_t hazards = 0;  // not added to it yet
      bool same_block = false;
    };
    mutable std::array<Last, 4> last = {};
  };

  static constexpr Moment not_done = UINT32_MAX;  // of a copy
  static constexpr uint32_t all_copies = ~0U;     // as a wait for them says it
  void keep_lock() {
    if (holds_lock_ && detector_.wanted_.load(std::memory_order_relaxed) == 0) [[likely]]
      return;
    take_lock();
  }
  void take_lock();
  observe::Window* windows(std::size_t count) override {
    return reads_left_out_ ? reads_left_out_->windows.add(count) : own_windows_.emplace_back(count).data();
  }
  bool leaves_out(const observe::Access& access);
  bool is_quiet(const observe::Access& access, const PlaceFacts& facts);
  void end_quiet_stretches();
  void access(const observe::Access& access) override;
  void accessed(const observe::Access& access);
  void compared(const observe::Sync& sync);
  void sync(const observe::Sync& sync) override;

  Block& block(const std::array<uint32_t, 3>& index);
  Warp& warp(Block& block, uint32_t index);
  Thread& thread(Block& block, uint32_t thread) { return block.threads[thread]; }
  Thread* find_thread(Block& block, uint32_t thread);
  uint32_t segment_of(Block& block);
  uint32_t ordered_below(const Block& block, observe::Space space) const {
    return space == observe::Space::shared && !clusters_ ? block.shared_ordered_below : ordered_below_;
  }
  uint32_t segment_of(Block& block, Thread& thread);
  RacePage* page(Block& block, observe::Space space, uint64_t address);

  // race_interval.cpp
  bool orders_nothing(const Block& block, const PlaceFacts& facts, observe::Space space) const;
  bool defer(Block& block, const Warp& warp, const observe::Access& access, PlaceId place,
             const PlaceFacts& facts);
  void look_at_interval(Block& block);
  void end_interval(Block& block);
  void begin_interval(Block& block);

  void look_at(Block& block, Warp& warp, const observe::Access& access, PlaceId place,
               const PlaceFacts& facts);
  void same_instruction(const observe::Access& access, Block& block, Warp& warp, PlaceId place,
                        const PlaceFacts& facts);
  void look_at_copies(const Now& now, const observe::Access& access);
  void access_lane(const Now& now, unsigned lane, uint64_t address, uint32_t bytes);
  void access_runs(const Now& now, const observe::Access& access);
  // Of lanes `first` and those behind it; false: each must be looked at (access_one).
  bool access_row(const Now& now, unsigned first, unsigned count, uint64_t begin, uint32_t bytes);
  // Lanes that stand as in a row, of which some are left out.
  void access_some(const Now& now, const observe::Access& access);
  // A row whose lanes meet others, most of them alike; false, and nothing is changed: each cell must be
  // looked at. `begin`: the first cell's address.
  bool access_met(const Now& now, RacePage& page, const rows::Row& row, uint64_t begin);
  static rows::Row row_of(const Now& now, RacePage& page, uint32_t cell, unsigned first_lane, unsigned lanes,
                          uint32_t cells_of_lane);
  bool read_together(const Now& now, unsigned first, unsigned count, uint64_t address, uint32_t bytes);
  bool access_full_row(const Now& now, RacePage& page, uint32_t offset, uint64_t begin, uint32_t bytes);
  static bool access_compact(const Now& now, RacePage::Group& group, Mark mark);
  // Of readers two that are as far from one another as can be.
  static void add_reader(const Now& now, Mark& reader, Mark& other, Mark mark) {
    if (reader == mark) return;
    const uint64_t differs = reader.bits ^ mark.bits;
    if (differs >> rows::warp_shift != 0) {
      if (reader.segment() >= now.ordered_below) other = reader;
    } else if (other.segment() < now.ordered_below && differs >> rows::thread_shift != 0) {
      other = reader;
    }
    reader = mark;
  }
  void access_one(const Now& now, unsigned lane, uint64_t address, uint32_t bytes);
  void access_scattered(const Now& now, const observe::Access& access, observe::Mask lanes);
  // Of an expanded group; false, and nothing is changed: somebody must be looked at. Of marks whose page has
  // none that is not ordered nothing is read or written: that is so mostly, and they are elsewhere in memory.
  // How many atomic operations it may meet: none, those of its block, of its cluster, all.
  int meets(Mark mark) const {
    const PlaceFacts& facts = detector_.places_[mark.place()];
    return facts.strong ? 1 + static_cast<int>(facts.scope) : 0;
  }
  bool access_plain_cell(const Now& now, RacePage& page, uint32_t cell, Mark mark) const {
    const auto strange = [&](Mark other) {
      return other.segment() >= now.ordered_below && (other.bits ^ mark.bits) >> rows::thread_shift != 0;
    };
    const auto late = [&](Mark other) { return other.segment() >= now.ordered_below; };
    const bool before = page.newest_before() >= now.ordered_below;
    if (!now.writes) {
      if (page.newest_writer() >= now.ordered_below && strange(page.writers(0)[cell])) return false;
      if (before && late(page.writers(1)[cell])) return false;
      add_reader(now, page.readers(0)[cell], page.readers(1)[cell], mark);
      page.read(mark.segment());
      return true;
    }
    Mark& writer = page.writers(0)[cell];
    if (now.facts.atomic && late(writer) && meets(writer) < meets(mark)) return false;  // it stays
    if (strange(writer) || (before && late(page.writers(1)[cell]))) return false;
    if (page.newest_reader() >= now.ordered_below) {
      Mark &reader = page.readers(0)[cell], &other = page.readers(1)[cell];
      if (strange(reader) || strange(other)) return false;
      if (!now.reads) reader = other = Mark{};
    }
    if (before) page.writers(1)[cell] = Mark{};
    writer = mark;
    page.wrote(mark.segment());
    return true;
  }
  void access_cell(const Now& now, RacePage& page, uint32_t cell, uint64_t address, uint32_t thread,
                   uint32_t segment);
  bool follows_own_atomic(const Now& now, Mark writer, Mark before, uint32_t thread) const;
  void look(const Now& now, unsigned which, Mark before, uint64_t address, uint32_t thread, uint32_t segment);
  void look_first(const Now& now, unsigned which, Mark before, uint64_t address, uint32_t thread,
                  uint32_t segment);
  void add_hazards(const Now& now) {
    for (Now::Last& last : now.last)
      if (last.hazards != 0) detector_.again(*last.found, std::exchange(last.hazards, 0));
  }
  bool is_known(const Now& now, const RaceDetector::Segment& before, Mark mark, uint32_t thread);
  bool is_of_family(uint32_t launch) const {
    return ancestors_.contains(launch) || children_.contains(launch);
  }
  bool family_is_known(const Now& now, const RaceDetector::Segment& before, Mark mark, uint32_t thread);
  RaceDetector::Found* judge(const Now& now, const RaceDetector::Segment& before, Mark mark,
                             bool before_writes, uint64_t address, uint32_t thread);
  void look_at_locks(const Now& now, const RaceDetector::Segment& before, Mark mark, bool before_writes,
                     uint64_t address, uint32_t thread, uint32_t segment);
  RaceSide side_of(const Now& now, uint32_t thread) const;
  Race race_of(const Now& now, const RaceDetector::Segment& before, Mark mark, bool before_writes,
               uint64_t address, uint32_t thread) const;

  void order(const Now& now, unsigned lane, uint64_t address);  // a strong access
  SyncPlaces& sync_places(Block& block, observe::Space space, uint64_t& address);
  Reach reach(observe::FenceScope scope) const;
  void acquire(const Now& now, Thread& thread, SyncPlace& place);
  void release(const Now& now, uint32_t number, Thread& thread, SyncPlace& place);
  SharedKnowledge knowledge_of(const Block& block, uint32_t warp, uint32_t thread,
                               const Thread::Fence& fence);
  Thread::Fence fence_now(Block& block, Warp& warp, const Thread& thread);
  void fence(Block& block, uint32_t warp, observe::Mask lanes, Reach reach);
  void arrive(Block& block, uint32_t warp, const observe::Sync& sync);
  void open(Block& block, Barrier& barrier);
  void open_complete(Block& block);
  void open_if_complete(Block& block, Barrier& barrier);
  void warp_barrier(Block& block, uint32_t warp, observe::Mask lanes, observe::Mask members);
  void open_warp(Block& block, uint32_t warp, observe::Mask lanes);
  void goes_on(Block& block, uint32_t warp, observe::Mask lanes);
  void copy(const Now& now, const observe::Access& access);
  void copies_done(Block& block, uint32_t thread, uint32_t groups_left);
  void cluster_arrive(Block& block, observe::Mask lanes);
  void open_cluster(Block& block);
  std::array<uint32_t, 3> index_in_cluster(const Block& block, uint32_t rank) const;
  void took_lock(Block& block, Warp& warp, unsigned lane, Thread& thread);
  void exit(Block& block, uint32_t warp, observe::Mask lanes);
  void end(Block& block);
  void forget_block(uint64_t number);

  RaceDetector& detector_;
  bool holds_lock_ = false;
  const uint32_t number_;
  const uint64_t grid_id_;
  const uint32_t image_;
  const exec::LaunchShape shape_;
  const uint32_t shared_bytes_;  // of a block
  const bool independent_;       // lanes of a warp
  const bool clusters_;
  // What came of looking at a mark last, without its lane.
  struct Judged {
    uint64_t first = 0, second = 0;
    RaceDetector::Found* found = nullptr;  // nullptr: it is known
    uint8_t kind = 0;
    bool same_block = false;
  };
  std::array<Judged, 256> judged_{};
  Judged& judged(uint64_t first, uint64_t second) {
    return judged_[(first ^ first >> 32 ^ second * 5) % judged_.size()];
  }
  static uint8_t kind_of(const Now& now, bool before_writes) {
    return static_cast<uint8_t>(1 | (before_writes ? 2 : 0) | (now.reads ? 4 : 0) | (now.writes ? 8 : 0) |
                                (now.space == observe::Space::shared ? 16 : 0));
  }
  // Of two warps all lanes are judged alike.
  bool judges_alike(const Now& now) const {
    return now.warp.lanes == nullptr && now.block.threads.empty() && !detector_.each_ && ancestors_.empty();
  }
  uint32_t cell_bytes_ = 4;     // of what is looked at now
  uint32_t ordered_below_ = 0;  // segments with a lower number happened before
  const rows::Level& rows_ = rows::of_host();
  struct ReadsLeftOut {
    const MemoryAreas& areas;
    std::set<uint64_t> written;  // areas, by where they begin
    Windows windows{areas};
    uint64_t begin = 0, size = 0;  // of the area that was written last
    bool ends = false;             // it wrote elsewhere
    bool all = false;              // writes as well
  };
  std::optional<ReadsLeftOut> reads_left_out_;
  // Compare and swaps of which it is not told yet whether they changed anything.
  struct Undecided {
    observe::Access access;
    std::array<uint64_t, observe::warp_lanes> addresses;
  };
  std::vector<Undecided> undecided_;
  const analysis::QuietStretches* stretches_ = nullptr;
  uint32_t function_ = 0;       // that they are of
  bool stretches_end_ = false;  // threads of a block came through different barriers
  std::deque<std::vector<observe::Window>> own_windows_;
  std::vector<observe::Window*> quiet_windows_;  // open ones
  std::vector<uint32_t> unordered_;
  const Ancestors ancestors_;
  std::set<uint32_t> children_;                  // that threads of it launched, and theirs
  std::vector<RaceDetector::KnownCopy> copies_;  // that nothing orders with it
  std::unordered_map<uint64_t, std::unique_ptr<Block>> blocks_;
  std::vector<decltype(blocks_)::node_type> spare_blocks_;  // of ended ones
  Block* last_ = nullptr;
  std::vector<std::unique_ptr<RacePage>> pages_;
  std::vector<RacePage*> spare_;
  std::vector<std::unique_ptr<SharedInterval>> intervals_;  // to be used again
  uint64_t looked_at_ = 0, passed_over_ = 0;                // accesses of ended ones
  SyncPlaces sync_;
  std::vector<RaceDetector::UnderLock> under_lock_;
  std::set<std::array<uint32_t, 6>> pairs_under_lock_;
};

}  // namespace heddle::checker
