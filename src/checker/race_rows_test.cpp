// Accesses of a whole warp, told at once, are the same races as told lane by lane: random accesses, both
// ways.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "checker/race_detector.h"
#include "checker/rows/rows.h"
#include "exec/interp/program_runner.h"
#include "ptx/parser.h"

namespace heddle::checker {
namespace {

constexpr uint32_t warps = 4, instructions = 12;

struct Event {
  uint32_t instruction = 0, warp = 0, bytes = 4;
  observe::Mask lanes = ~0U;
  bool barrier = false, write = false;
  observe::Space space = observe::Space::global;
  std::array<uint64_t, 32> addresses{};
};

class Program {
 public:
  Program() {
    std::string text =
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data) {\n.reg .b32 "
        "%r<2>; .reg .b64 %rd<2>;\nld.param.u64 %rd0, [data];\n";
    for (uint32_t i = 0; i < instructions; ++i)
      text += i % 2 == 0 ? "ld.global.u32 %r0, [%rd0];\n" : "st.global.u32 [%rd0], %r0;\n";
    const auto source = std::make_shared<const SourceText>("test.ptx", text + "ret;\n}\n");
    Diagnostics diagnostics;
    syntax_ = ptx::read(source, diagnostics);
    const ptx::Module* const modules[] = {&syntax_};
    loaded_.image = std::move(module::link(modules).value());
    launch_.module = &loaded_;
    launch_.function = loaded_.image->function_index("k");
    launch_.shape.grid = {1};
    launch_.shape.block = {warps * 32};
    launch_.shape.dynamic_shared = 16384;
    launch_.device = *arch::find_device("h200");
  }

  // Races and their hazards, by the pair of instructions and what they do.
  using Found = std::map<std::tuple<PlaceId, PlaceId, bool, bool>, uint64_t>;
  Found run(const std::vector<Event>& events, bool lane_by_lane, bool keeps_intervals = true) {
    RaceDetector detector({.keeps_intervals = keeps_intervals});
    {
      const auto races = detector.launch(launch_, {});
      observe::Sink& sink = races->sink();
      for (uint32_t w = 0; w < warps; ++w)
        sink.sync(
            {.place = {launch_.function, 0}, .warp = w, .lanes = ~0U, .kind = observe::SyncKind::begin});
      for (const Event& e : events) {
        const observe::Place place{launch_.function, 1 + e.instruction};
        if (e.barrier) {
          for (uint32_t w = 0; w < warps; ++w)
            sink.sync({.place = place, .warp = w, .lanes = ~0U, .kind = observe::SyncKind::barrier});
          continue;
        }
        observe::Access access{.place = place,
                               .warp = e.warp,
                               .lanes = e.lanes,
                               .bytes = e.bytes,
                               .space = e.space,
                               .kind = e.write ? observe::AccessKind::store : observe::AccessKind::load,
                               .addresses = e.addresses.data()};
        if (!lane_by_lane) {
          sink.access(access);
          continue;
        }
        for (uint32_t lane = 0; lane < 32; ++lane)
          if ((e.lanes >> lane & 1) != 0) {
            access.lanes = 1U << lane;
            sink.access(access);
          }
      }
    }
    Found found;
    for (const Race& race : detector.races()) {
      const auto one = std::pair(race.first.place, race.first.writes),
                 other = std::pair(race.second.place, race.second.writes);
      const auto& [a, b] = std::minmax(one, other);
      found[{a.first, b.first, a.second, b.second}] += race.hazards;
    }
    return found;
  }

 private:
  ptx::Module syntax_;
  exec::LoadedModule loaded_;
  exec::Launch launch_;
};

std::vector<Event> random_events(std::mt19937_64& random, bool shared_only = false) {
  const auto below = [&](uint64_t n) { return random() % n; };
  std::vector<Event> events;
  for (int i = 0; i < 60; ++i) {
    Event e;
    e.write = below(3) == 0;
    e.instruction = static_cast<uint32_t>(below(instructions / 2) * 2 + (e.write ? 1 : 0));
    e.warp = static_cast<uint32_t>(below(warps));
    e.barrier = below(6) == 0;
    e.bytes = 4U << (below(4) == 0 ? below(3) : 0);
    if (below(40) == 0) e.bytes = 1U << below(2);  // cells become bytes
    e.space = shared_only || below(3) == 0 ? observe::Space::shared : observe::Space::global;
    if (below(5) == 0) e.lanes = static_cast<uint32_t>(random());
    if (below(8) == 0) e.lanes = 0xffffU << (16 * below(2));
    if (e.lanes == 0) e.lanes = 1;
    const uint64_t base = (e.space == observe::Space::shared ? 0 : 0x10000000) + below(3) * 2048;
    const uint64_t shape = below(6);
    const uint64_t begin = base + (shape == 0 ? below(512) / e.bytes * e.bytes : below(8) * 512);
    for (uint64_t lane = 0; lane < 32; ++lane)
      e.addresses[lane] = shape <= 3   ? begin + lane * e.bytes
                          : shape == 4 ? begin
                                       : base + below(2048) / e.bytes * e.bytes;
    events.push_back(e);
  }
  return events;
}

TEST(RaceRows, OfAWarpAreThoseOfItsLanes) {
  Program program;
  std::size_t racy = 0, clean = 0;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Event> events = random_events(random);
    if (seed % 3 == 0) {  // what was judged once comes again
      const std::vector<Event> once = events;
      for (int i = 0; i < 3; ++i) events.insert(events.end(), once.begin(), once.end());
    }
    const auto together = program.run(events, false), apart = program.run(events, true);
    ASSERT_EQ(together, apart) << "seed " << seed;
    (together.empty() ? clean : racy) += 1;
  }
  EXPECT_GT(racy, 100U);
  (void)clean;
}

// Shared memory is looked at by the interval or as it comes: the same races, of the same number.
TEST(RaceRows, OfSharedMemoryAreTheSameByIntervals) {
  Program program;
  std::size_t racy = 0, clean = 0;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Event> events = random_events(random, true);
    if (seed % 2 == 0)  // one in a few intervals
      for (std::size_t i = 0; i < events.size(); ++i) events[i].barrier = i % 2 == 1;
    const auto kept = program.run(events, false, true), at_once = program.run(events, false, false);
    ASSERT_EQ(kept, at_once) << "seed " << seed;
    (kept.empty() ? clean : racy) += 1;
  }
  EXPECT_GT(racy, 100U);
  EXPECT_GT(clean, 10U);
}

// Each kind of host does the same to the marks of a row.
TEST(RaceRows, AreTheSameOnEachKindOfHost) {
  std::vector<const rows::Level*> levels{&rows::plain};
  if (__builtin_cpu_supports("avx2")) levels.push_back(&rows::avx2);
  if (&rows::of_host() == &rows::avx512) levels.push_back(&rows::avx512);
  std::mt19937_64 random(1);
  const auto below = [&](uint64_t n) { return random() % n; };
  for (int round = 0; round < 2000; ++round) {
    constexpr std::size_t most = 128 + rows::spare_cells;
    std::array<std::vector<uint64_t>, 4> marks;
    for (auto& kind : marks) {
      const uint64_t usual =
          Mark::of(static_cast<uint32_t>(below(6)), 32 * static_cast<uint32_t>(below(2)), 1).bits;
      for (std::size_t i = 0; i < most; ++i)
        kind.push_back(
            below(8) == 0
                ? Mark::of(static_cast<uint32_t>(below(6)), static_cast<uint32_t>(below(64)), 2).bits
                : usual + (uint64_t{i % 32} << rows::thread_shift));
    }
    const auto shift = static_cast<uint32_t>(below(3)), first_lane = static_cast<uint32_t>(below(4));
    rows::Row row{};
    row.cells = static_cast<uint32_t>(1 + below(32 - first_lane)) << shift;
    row.lane_shift = shift;
    row.mark = Mark::of(5, first_lane, 3).bits;
    row.ordered_below = below(7) << 32;
    row.lanes = below(2) == 0 ? ~uint64_t{0} : random();
    row.unwritten = false;
    std::vector<std::vector<uint64_t>> after;
    for (const rows::Level* level : levels)
      for (int what = 0; what < 3; ++what) {
        std::array<std::vector<uint64_t>, 4> own = marks;
        row.writer = own[0].data(), row.writer_before = own[1].data();
        row.reader = own[2].data(), row.other_reader = own[3].data();
        std::vector<uint64_t> all;
        for (unsigned kind = 0; kind < 4; ++kind)
          for (uint64_t limit = ~uint64_t{0}; limit != 0;) {
            const rows::Met met = level->meet(row, static_cast<rows::Kind>(kind), what != 0, limit);
            all.insert(all.end(), {met.first, met.cells, met.others, met.other_cell});
            limit = met.first;
          }
        all.push_back(what == 0   ? uint64_t{level->read(row)}
                      : what == 1 ? uint64_t{level->write(row)}
                                  : level->overwrite(row));
        for (const auto& kind : own) all.insert(all.end(), kind.begin(), kind.end());
        if (level == levels.front())
          after.push_back(all);
        else
          ASSERT_EQ(all, after[static_cast<std::size_t>(what)]) << round;
      }
  }
}

// What one thread does alone in its row is no race, however it does it; and the next warp's is one.
TEST(RaceRows, AreOfTheThreadsThatStandThere) {
  Program program;
  for (const uint32_t bytes : {4U, 8U, 16U})
    for (const bool by_next_warp : {false, true}) {
      std::vector<Event> events(3);
      for (std::size_t i = 0; i < events.size(); ++i) {
        events[i].write = i != 1;
        events[i].instruction = i != 1 ? 1 : 0;
        events[i].bytes = bytes;
        events[i].warp = by_next_warp && i == 2 ? 1 : 0;
        for (uint64_t lane = 0; lane < 32; ++lane) events[i].addresses[lane] = 0x10000000 + lane * bytes;
      }
      uint64_t hazards = 0;
      for (const auto& [pair, count] : program.run(events, false)) hazards += count;
      EXPECT_EQ(hazards, by_next_warp ? 2 * 32 * bytes : 0U);
    }
}

}  // namespace
}  // namespace heddle::checker
