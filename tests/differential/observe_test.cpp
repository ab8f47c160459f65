// What both executors tell an observer of random programs: the same.
//
// Compared place by place of the program and warp by warp: in between, the executors may go through parted
// lanes in another order. HEDDLE_SEEDS, HEDDLE_JIT_CPU and HEDDLE_JIT_TIER as in random_program_test.cpp.
#include <gtest/gtest.h>

#include <bit>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "exec/interp/program_runner.h"
#include "native.h"
#include "observe/choice.h"
#include "observe/repeats.h"
#include "profiler/tally.h"

namespace heddle::exec {
namespace {

struct Told {
  std::vector<uint64_t> addresses;  // of the lanes in the mask; of what orders threads: its a and b
  observe::Mask lanes = 0;
  uint32_t bytes = 0;
  observe::Space space{};
  observe::AccessKind kind{};
  int sync = -1;  // SyncKind
  bool operator==(const Told&) const = default;
};

std::string text(const Told& told) {
  char head[96];
  if (told.sync >= 0)
    std::snprintf(head, sizeof head, "lanes %08x, sync %d:", told.lanes, told.sync);
  else
    std::snprintf(head, sizeof head, "lanes %08x, %u bytes, space %u, kind %u:", told.lanes, told.bytes,
                  static_cast<unsigned>(told.space), static_cast<unsigned>(told.kind));
  std::string out = head;
  for (const uint64_t address : told.addresses) {
    char one[24];
    std::snprintf(one, sizeof one, " %llx", static_cast<unsigned long long>(address));
    out += one;
  }
  return out;
}

struct WarpAndPlace {
  std::array<uint32_t, 3> block;
  uint32_t warp;
  observe::Place place;
  auto operator<=>(const WarpAndPlace&) const = default;
};

struct BlockAndWarp {
  std::array<uint32_t, 3> block;
  uint32_t warp;
  auto operator<=>(const BlockAndWarp&) const = default;
};

class Listener final : public observe::Observer, public observe::Sink, public observe::ChoosingSink {
 public:
  std::map<WarpAndPlace, std::vector<Told>> accesses;
  std::map<observe::Place, observe::Count> counts;
  std::map<observe::Place, observe::Count> visited;                         // the same, added up from visits
  std::map<BlockAndWarp, std::array<uint64_t, observe::warp_lanes>> paths;  // a number for each lane's path

  enum class How { hears_all, opens_windows, chooses };
  explicit Listener(How how = How::hears_all) : how_(how) {}
  observe::Needs needs() const override {
    return static_cast<observe::Needs>(observe::needs_of_code |
                                       (how_ == How::opens_windows ? observe::spares_windows : 0));
  }
  observe::Sink& sink() override { return *this; }
  // Of a chooser: blocks that do not interest, warps that did not interest any more.
  static bool is_chosen(uint64_t block, uint32_t warp) { return block % 3 != 1 && (block + warp) % 4 != 2; }
  static constexpr uint64_t most_of_warp = 12;  // accesses and visits
  std::map<BlockAndWarp, uint64_t> told;
  std::map<observe::Place, observe::Window> opened;

 private:
  observe::Window* windows(std::size_t count) override { return windows_.emplace_back(count).data(); }
  bool chooses() const override { return how_ == How::chooses; }
  void begin(uint64_t block, uint32_t& warps) override {
    wanted_ = &warps;
    warps = 0;
    for (uint32_t warp = 0; warp < observe::warp_lanes; ++warp)
      warps |= uint32_t{is_chosen(block, warp)} << warp;
  }
  void hear(const std::array<uint32_t, 3>& block, uint32_t warp) {
    if (++told[{block, warp}] == most_of_warp && wanted_ != nullptr) *wanted_ &= ~(1U << warp);
  }
  // One at each place, around what is accessed there first.
  void open(const observe::Access& a) {
    const bool has_windows = a.space == observe::Space::global || a.space == observe::Space::shared;
    if (a.window == nullptr || !has_windows || a.window->size != 0) return;
    const uint64_t any = a.addresses[std::countr_zero(a.lanes)];
    const observe::Window window{any - std::min<uint64_t>(any, 64), 256};
    *a.window = opened.try_emplace(a.place, window).first->second;
  }
  void access(const observe::Access& a) override {
    Told told{{}, a.lanes, a.bytes, a.space, a.kind};
    open(a);
    for (unsigned lane = 0; lane < observe::warp_lanes; ++lane)
      if ((a.lanes >> lane & 1) != 0) told.addresses.push_back(a.addresses[lane]);
    const std::lock_guard lock(mutex_);
    accesses[{a.block, a.warp, a.place}].push_back(std::move(told));
    hear(a.block, a.warp);
  }
  void visit(const observe::Visit& v) override {
    const std::lock_guard lock(mutex_);
    visited[v.place].come(v.lanes);
    hear(v.block, v.warp);
    auto& of_warp = paths[{v.block, v.warp}];
    for (unsigned lane = 0; lane < observe::warp_lanes; ++lane)
      if ((v.lanes >> lane & 1) != 0)
        of_warp[lane] = (of_warp[lane] ^ (uint64_t{v.place.function} << 32 | v.place.instruction)) *
                            0x9e3779b97f4a7c15ULL +
                        1;
  }
  void sync(const observe::Sync& s) override {
    const std::lock_guard lock(mutex_);
    accesses[{s.block, s.warp, s.place}].push_back(
        {{s.a, s.b}, s.lanes, 0, {}, {}, static_cast<int>(s.kind)});
  }
  void count(observe::Place place, const observe::Count& count) override {
    const std::lock_guard lock(mutex_);
    counts[place] += count;
  }
  const How how_;
  uint32_t* wanted_ = nullptr;
  std::deque<std::vector<observe::Window>> windows_;
  std::mutex mutex_;
};

// What was not told lies in windows, and nothing was told that was not made.
std::string first_difference_by_windows(const Listener& told, const Listener& all, std::size_t& spared) {
  for (const auto& [where, made] : all.accesses) {
    std::multiset<std::string> left;
    if (const auto found = told.accesses.find(where); found != told.accesses.end())
      for (const Told& one : found->second) left.insert(text(one));
    for (const Told& one : made) {
      if (const auto found = left.find(text(one)); found != left.end()) {
        left.erase(found);
        continue;
      }
      ++spared;
      const auto window = told.opened.find(where.place);
      for (const uint64_t address : one.addresses)
        if (window == told.opened.end() ||
            (one.space != observe::Space::global && one.space != observe::Space::shared) ||
            address - window->second.begin >= window->second.size || address % std::bit_floor(one.bytes) != 0)
          return "not told, and in no window: " + text(one);
    }
    if (!left.empty()) return "told, and not made: " + *left.begin();
  }
  return "";
}

// Nothing was told that was not made, all of warps that were chosen for as long as they were, and all counts.
std::string first_difference_by_choice(const Listener& told, const Listener& all, std::size_t& spared) {
  if (told.counts != all.counts) return "other counts";
  const auto events_of = [](const Listener& listener, const BlockAndWarp& warp) {
    const auto found = listener.told.find(warp);
    return found == listener.told.end() ? 0 : found->second;
  };
  for (const auto& [where, made] : all.accesses) {
    std::multiset<std::string> left;
    for (const Told& one : made) left.insert(text(one));
    std::size_t missing = left.size();
    if (const auto found = told.accesses.find(where); found != told.accesses.end())
      for (const Told& one : found->second) {
        const auto same = left.find(text(one));
        if (same == left.end()) return "told, and not made: " + text(one);
        left.erase(same), --missing;
      }
    if (missing == 0) continue;
    spared += missing;
    if (Listener::is_chosen(where.block[0], where.warp) &&
        events_of(told, {where.block, where.warp}) < Listener::most_of_warp)
      return "warp " + std::to_string(where.warp) + " of block " + std::to_string(where.block[0]) +
             " was chosen, and not told " + *left.begin();
  }
  for (const auto& [warp, events] : all.told) {
    const uint64_t wanted = std::min(events, Listener::most_of_warp);
    if (Listener::is_chosen(warp.block[0], warp.warp) && events_of(told, warp) < wanted)
      return "warp " + std::to_string(warp.warp) + " of block " + std::to_string(warp.block[0]) +
             " was told " + std::to_string(events_of(told, warp)) + " accesses and visits of " +
             std::to_string(wanted);
  }
  return "";
}

std::vector<const Told*> of_lane(const std::vector<Told>& all, unsigned lane) {
  std::vector<const Told*> own;
  for (const Told& told : all)
    if ((told.lanes >> lane & 1) != 0) own.push_back(&told);
  return own;
}

// Visits are what is counted, one by one: they add up to the counts, and each lane's have the same order.
std::string first_difference_of_visits(const Listener& native, const Listener& expected) {
  for (const Listener* one : {&native, &expected}) {
    const std::string who = one == &native ? "native code: " : "the reference: ";
    for (const auto& [place, count] : one->counts) {
      const auto found = one->visited.find(place);
      const observe::Count visits = found == one->visited.end() ? observe::Count{} : found->second;
      if (visits.warps != count.warps || visits.threads != count.threads)
        return who + "instruction " + std::to_string(place.instruction) + " of function " +
               std::to_string(place.function) + ": " + std::to_string(visits.warps) + " visits, " +
               std::to_string(count.warps) + " counted";
    }
  }
  return native.paths == expected.paths ? "" : "a lane went another way";
}

std::string first_difference(const Listener& native, const Listener& expected) {
  if (const std::string visits = first_difference_of_visits(native, expected); !visits.empty()) return visits;
  for (const auto& [place, count] : expected.counts) {
    const auto found = native.counts.find(place);
    const observe::Count other = found == native.counts.end() ? observe::Count{} : found->second;
    if (other == count) continue;
    const auto numbers = [](const observe::Count& c) {
      return std::to_string(c.warps) + " warps " + std::to_string(c.threads) + " threads, taken " +
             std::to_string(c.taken_warps) + " " + std::to_string(c.taken_threads) + ", parted " +
             std::to_string(c.parted);
    };
    return "instruction " + std::to_string(place.instruction) + " of function " +
           std::to_string(place.function) + ": " + numbers(other) + ", not " + numbers(count);
  }
  if (native.counts.size() != expected.counts.size()) return "places are counted that are not reached";
  for (const auto& [where, all] : expected.accesses) {
    const std::string at = "instruction " + std::to_string(where.place.instruction) + " of function " +
                           std::to_string(where.place.function) + ", warp " + std::to_string(where.warp) +
                           " of block " + std::to_string(where.block[0]) + ": ";
    const auto found = native.accesses.find(where);
    if (found == native.accesses.end()) return at + "nothing is told, not " + text(all.front());
    if (found->second.size() != all.size())
      return at + std::to_string(found->second.size()) + " accesses, not " + std::to_string(all.size());
    // Lanes that parted and call one function come to its places in either order, so each lane's are
    // compared: accesses that share a lane have an order, and with the order of those two sequences are the
    // same.
    for (unsigned lane = 0; lane < observe::warp_lanes; ++lane) {
      const auto ours = of_lane(found->second, lane), theirs = of_lane(all, lane);
      for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
        const std::string in_lane = at + "lane " + std::to_string(lane) + ": ";
        if (i == ours.size()) return in_lane + "nothing more, not " + text(*theirs[i]);
        if (i == theirs.size()) return in_lane + text(*ours[i]) + " too";
        if (*ours[i] != *theirs[i]) return in_lane + text(*ours[i]) + ", not " + text(*theirs[i]);
      }
    }
  }
  if (native.accesses.size() != expected.accesses.size()) return "accesses are told that were not made";
  return "";
}

// How often each access was made, whoever tells of repeats: by what makes one a repeat of another.
struct Kept {
  observe::Place place;
  observe::Mask lanes;
  uint32_t bytes;
  observe::Space space;
  observe::AccessKind kind;
  uint64_t begin;                   // modulo repeat_bytes
  std::vector<uint64_t> distances;  // of the lanes in the mask
  auto operator<=>(const Kept&) const = default;
};
using Often = std::map<Kept, uint64_t>;

Kept kept(observe::Place place, const Told& told) {
  Kept key{place, told.lanes, told.bytes, told.space, told.kind, told.addresses[0] % observe::repeat_bytes,
           {}};
  for (const uint64_t address : told.addresses) key.distances.push_back(address - told.addresses[0]);
  return key;
}

class RepeatListener final : public observe::RepeatObserver, private observe::RepeatSink {
 public:
  Often often, odd;  // of all blocks, of those with an odd number
  uint64_t calls = 0;
  observe::Needs needs() const override {
    return static_cast<observe::Needs>(observe::counts | observe::accesses);
  }
  observe::RepeatSink& sink() override { return *this; }

 private:
  bool sees_all_of(uint64_t block) const override { return block % 2 == 1; }
  void accesses(const observe::Access& a, uint64_t times) override {
    Told told{{}, a.lanes, a.bytes, a.space, a.kind};
    for (unsigned lane = 0; lane < observe::warp_lanes; ++lane)
      if ((a.lanes >> lane & 1) != 0) told.addresses.push_back(a.addresses[lane]);
    const std::lock_guard lock(mutex_);
    const Kept key = kept(a.place, told);
    often[key] += times;
    if (a.block[0] % 2 == 1) odd[key] += times;
    ++calls;
  }
  std::mutex mutex_;
};

std::string first_difference(const Often& native, const Often& expected) {
  for (const auto& [key, times] : expected) {
    const auto found = native.find(key);
    if (found != native.end() && found->second == times) continue;
    return "instruction " + std::to_string(key.place.instruction) + ", lanes " + std::to_string(key.lanes) +
           ", begins at " + std::to_string(key.begin) + ": " +
           std::to_string(found == native.end() ? 0 : found->second) + " times, not " + std::to_string(times);
  }
  return native.size() == expected.size() ? "" : "accesses are told that were not made";
}

// What the profiler counts of a launch, by instruction: counts of a line or a launch are sums of these.
class Counters {
 public:
  explicit Counters(const char* device) : device_(arch::find_device(device)) {}
  // Counts as that device does, whatever the program runs on.
  observe::Observer* watch(const std::shared_ptr<const module::Image>& image) {
    image_ = image;
    return &tally_.emplace(*image_, (*device_)->arch, true);
  }
  std::map<observe::Place, profiler::Counts> all() const {
    std::map<observe::Place, profiler::Counts> counts;
    tally_->each(
        [&](observe::Place place, const profiler::Counts& of_place) { counts.try_emplace(place, of_place); });
    return counts;
  }

 private:
  const Result<const arch::Device*> device_;
  std::shared_ptr<const module::Image> image_;
  std::optional<profiler::Tally> tally_;
};

std::string first_difference(const Counters& native, const Counters& expected) {
  const auto ours = native.all(), theirs = expected.all();
  const auto at = [](observe::Place place) {
    return "instruction " + std::to_string(place.instruction) + " of function " +
           std::to_string(place.function);
  };
  for (const auto& [place, counts] : theirs) {
    const auto found = ours.find(place);
    if (found == ours.end()) return at(place) + ": nothing is counted";
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (found->second[i] != counts[i])
        return at(place) + ": " + std::string(profiler::counter_names()[i].name) + " is " +
               std::to_string(found->second[i]) + ", not " + std::to_string(counts[i]);
  }
  return ours.size() == theirs.size() ? "" : "places are counted that are not reached";
}

// One of each way to count transactions and banks: capability 1.0, 1.3, 2.0, 3.5, 5.2, 6.1, 9.0.
constexpr std::array counted_devices{"8800gtx", "gtx285", "gtx480", "k40", "gtx980", "gtx1080", "h200"};

struct Seeds {
  uint64_t first = 1, count = 12;
  Seeds() {
    if (const char* text = std::getenv("HEDDLE_SEEDS")) std::sscanf(text, "%lu,%lu", &first, &count);
  }
};

TEST(Observed, BothExecutorsTellTheSame) {
  const Seeds seeds;
  std::size_t spared = 0, not_chosen = 0;
  uint64_t repeated = 0, calls = 0, counted = 0;
  for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    ptx::testing::RandomProgramOptions options;
    options.most_threads = 96;
    options.small = true;
    options.most_statements = 10;
    options.waits = false;  // how often somebody looks is open
    const ptx::testing::RandomProgram program = ptx::testing::random_program(seed, options);
    if (const char* folder = std::getenv("HEDDLE_PROGRAMS"))
      std::ofstream(std::string(folder) + "/" + std::to_string(seed) + ".ptx") << program.text;
    Said said;
    jit::Options how;
    if (const char* cpu = std::getenv("HEDDLE_JIT_CPU")) how.cpu = cpu;
    const char* tier = std::getenv("HEDDLE_JIT_TIER");
    how.tier = tier != nullptr && std::string_view(tier) == "best" ? jit::Tier::best : jit::Tier::quick;
    how.trace = said.listener();
    how.threads = 1;
    auto executor = jit::make_executor(how, interp::make_executor(), interp::make_reference_lanes_factory());
    ASSERT_TRUE(executor.ok()) << executor.error();
    interp::ProgramRun run{{program.blocks}, {program.block_x, program.block_y}, program.output_bytes};
    run.limit = std::chrono::seconds(300);
    Listener expected, native;
    run.observer = &expected;
    const auto reference = interp::run_program(program.text, run);
    run.executor = executor->get();
    run.observer = &native;
    const auto fast = interp::run_program(program.text, run);
    EXPECT_EQ(fast.message, reference.message) << "seed " << seed;
    EXPECT_EQ(fast.output == reference.output, true) << "seed " << seed;
    if (reference.end != interp::ProgramResult::End::ran) continue;
    EXPECT_EQ(first_difference(native, expected), "") << "seed " << seed << '\n' << said.text();
    Listener by_windows(Listener::How::opens_windows);
    run.observer = &by_windows;
    EXPECT_EQ(interp::run_program(program.text, run).output == reference.output, true) << "seed " << seed;
    EXPECT_EQ(first_difference_by_windows(by_windows, expected, spared), "") << "seed " << seed;
    Listener chooser(Listener::How::chooses);
    run.observer = &chooser;
    EXPECT_EQ(interp::run_program(program.text, run).output == reference.output, true) << "seed " << seed;
    EXPECT_EQ(first_difference_by_choice(chooser, expected, not_chosen), "") << "seed " << seed;
    RepeatListener repeats;
    run.observer = &repeats;
    EXPECT_EQ(interp::run_program(program.text, run).output == reference.output, true) << "seed " << seed;
    Often often, odd;
    for (const auto& [where, made] : expected.accesses)
      for (const Told& one : made)
        if (one.sync < 0) {
          ++often[kept(where.place, one)], ++repeated;
          if (where.block[0] % 2 == 1) ++odd[kept(where.place, one)];
        }
    EXPECT_EQ(first_difference(repeats.often, often), "") << "seed " << seed << '\n' << said.text();
    EXPECT_EQ(first_difference(repeats.odd, odd), "") << "seed " << seed << '\n' << said.text();
    calls += repeats.calls;
    const char* device = counted_devices[seed % counted_devices.size()];
    Counters counted_here(device), counted_there(device);
    run.watch = [&](const auto& image) { return counted_here.watch(image); };
    EXPECT_EQ(interp::run_program(program.text, run).output == reference.output, true) << "seed " << seed;
    run.executor = nullptr;
    run.watch = [&](const auto& image) { return counted_there.watch(image); };
    EXPECT_EQ(interp::run_program(program.text, run).output == reference.output, true) << "seed " << seed;
    EXPECT_EQ(first_difference(counted_here, counted_there), "")
        << "seed " << seed << " on " << device << '\n'
        << said.text();
    counted += counted_there.all().size();
    if (std::getenv("HEDDLE_SEEDS") != nullptr)
      std::printf("seed %lu: %zu places, %zu accessed by warps, %s\n", seed, expected.counts.size(),
                  expected.accesses.size(), said.has("reference executor") ? "reference" : "native");
  }
  EXPECT_GT(spared, 0U);
  EXPECT_GT(not_chosen, 0U);
  EXPECT_LT(calls, repeated);
  EXPECT_GT(counted, 0U);
}

// Masked code and code for whole warps of one site share their entries. Each warp reads by the same
// distances; the first one of a block without one of its lanes, every one of which has a turn.
TEST(Observed, AWholeWarpRepeatsNoneThatLacksALane) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred "
      "%p;\n"
      "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p, %r1, %r2; @%p bra L;\n"
      "and.b32 %r3, %r1, 31; mul.lo.s32 %r3, %r3, %r3; and.b32 %r3, %r3, 63;\n"
      "mul.wide.u32 %rd3, %r3, 4; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r4, [%rd3];\n"
      "mad.lo.s32 %r5, %r2, 128, %r1; mul.wide.u32 %rd4, %r5, 4; add.s64 %rd4, %rd2, %rd4;\n"
      "st.global.u32 [%rd4], %r4;\nL: ret; }";
  Said said;
  jit::Options how;
  how.trace = said.listener();
  how.threads = 1;
  auto executor = jit::make_executor(how, interp::make_executor(), interp::make_reference_lanes_factory());
  ASSERT_TRUE(executor.ok()) << executor.error();
  interp::ProgramRun run{{32}, {128}, 32 * 128 * 4};
  run.limit = std::chrono::seconds(300);
  Listener expected;
  run.observer = &expected;
  ASSERT_EQ(interp::run_program(text, run).message, "");
  RepeatListener repeats;
  run.executor = executor->get();
  run.observer = &repeats;
  ASSERT_EQ(interp::run_program(text, run).message, "");
  EXPECT_FALSE(said.has("reference executor"));
  Often often;
  for (const auto& [where, made] : expected.accesses)
    for (const Told& one : made)
      if (one.sync < 0) ++often[kept(where.place, one)];
  EXPECT_EQ(first_difference(repeats.often, often), "") << said.text();
}

}  // namespace
}  // namespace heddle::exec
