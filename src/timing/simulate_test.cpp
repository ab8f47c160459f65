// Warps on a multiprocessor: what they wait for, with programs and traces made by hand.
#include "timing/simulate.h"

#include <gtest/gtest.h>

namespace heddle::timing {
namespace {

constexpr observe::Mask all = ~observe::Mask{0};

const Machine& h200() {
  static const Machine machine = *make_machine(**arch::find_device("h200"));
  return machine;
}

Event visit(uint32_t instruction, observe::Mask lanes = all) {
  Event event;
  event.instruction = instruction;
  event.lanes = lanes;
  return event;
}

// Operations of the unit, each a run of its own, that read what the one before wrote.
IssuedProgram chain(Unit unit, uint32_t length, bool accesses = false) {
  IssuedBody body;
  body.slots = 1;
  body.registers = {0, 0};
  for (uint32_t i = 0; i < length; ++i) {
    Operation o;
    o.unit = unit;
    o.accesses = accesses;
    o.reads = o.writes = 1;
    o.issue = h200().issue;
    o.busy = h200().busy[static_cast<std::size_t>(unit)];
    o.latency = h200().latency[static_cast<std::size_t>(unit)];
    o.instruction = i;
    body.operations.push_back(o);
    body.run_at.push_back(i);
    body.runs.push_back({i, i + 1, 1});
  }
  return {{body}};
}

Ticks time_of(const IssuedProgram& program, std::vector<BlockTrace> blocks) {
  return simulate(h200(), program, blocks, 1, 128 << 10).end;
}
BlockTrace warps(std::vector<std::vector<Event>> events, std::vector<Part> parts = {}) {
  BlockTrace block;
  for (std::vector<Event>& of_warp : events) block.warps.push_back({std::move(of_warp), false});
  block.parts = std::move(parts);
  return block;
}

TEST(Simulate, AChainTakesItsLatencies) {
  const auto of_length = [](uint32_t n) {
    std::vector<Event> events;
    for (uint32_t i = 0; i < n; ++i) events.push_back(visit(i));
    return time_of(chain(Unit::f32, n), {warps({events})});
  };
  EXPECT_EQ(of_length(30) - of_length(10), 20 * h200().latency[static_cast<std::size_t>(Unit::f32)]);
}

// A loop of one load, which is repeated four times with the loads in front.
TEST(Simulate, ARepeatedLoopTakesItsVisitsTogetherWhileAllLanesCome) {
  IssuedBody body;
  body.slots = 5;
  const auto add = [&body](bool accesses, uint32_t copy, uint32_t reads, uint32_t writes) {
    Operation o;
    o.unit = accesses ? Unit::memory : Unit::f32;
    o.accesses = accesses;
    o.reads = o.writes = 1;
    o.first_register = static_cast<uint32_t>(body.registers.size());
    o.instruction = accesses ? 0 : 1;
    o.copy = copy;
    o.issue = h200().issue;
    o.latency = h200().latency[static_cast<std::size_t>(Unit::f32)];
    body.registers.insert(body.registers.end(), {reads, writes});
    body.operations.push_back(o);
  };
  for (uint32_t copy = 0; copy < 4; ++copy) add(true, copy, 4, copy);
  for (uint32_t copy = 0; copy < 4; ++copy) add(false, copy, copy, 4);
  add(true, 0, 4, 0), add(false, 0, 0, 4);
  body.runs = {{0, 8, 8, 4}, {8, 10, 2, 1, 0}};
  body.run_at = {1, IssuedBody::none};
  const auto round = [](observe::Mask lanes, std::vector<Event>& events) {
    Event load = visit(0, lanes);
    load.kind = Event::Kind::load;
    load.space = observe::Space::shared;
    load.wavefronts = 1;
    events.push_back(visit(0, lanes));
    events.push_back(load);
  };
  const auto rounds = [&](std::vector<observe::Mask> lanes) {
    std::vector<Event> events;
    for (const observe::Mask of_round : lanes) round(of_round, events);
    return simulate(h200(), {{body}}, std::vector{warps({events})}, 1, 128 << 10);
  };
  const Ticks one = rounds({all}).end, four = rounds({all, all, all, all}).end;
  EXPECT_LT(four, one + 20 * ticks_per_clock) << "loads behind one another";
  EXPECT_GE(rounds({all, all, all}).end, one + 2 * h200().shared_latency) << "left over: one after another";
  EXPECT_GE(rounds({all, all, 1, 1}).end, one + 3 * h200().shared_latency);
  EXPECT_EQ(rounds({all, all, all, all}).operations, 8);
  EXPECT_EQ(rounds({all, all, all, all, all}).operations, 10);
}

// Requests of a warp of a GeForce GTX 280 for constants, one behind another.
Ticks constants(uint32_t lines, uint32_t passes, uint16_t words) {
  static const Machine machine = *make_machine(**arch::find_device("gtx280"));
  std::vector<Event> events;
  std::vector<Part> parts;
  IssuedBody body;
  body.slots = 1;
  body.registers = {0, 0};
  for (uint32_t i = 0; i < lines * passes; ++i) {
    Operation o;
    o.unit = Unit::memory;
    o.accesses = true;
    o.reads = o.writes = 1;
    o.issue = machine.issue;
    o.instruction = i;
    body.operations.push_back(o);
    body.run_at.push_back(i);
    body.runs.push_back({i, i + 1, 1});
    events.push_back(visit(i));
    Event load = visit(i);
    load.kind = Event::Kind::load;
    load.space = observe::Space::constant;
    load.wavefronts = words;
    load.first_part = i % lines;
    load.parts = 1;
    events.push_back(load);
  }
  for (uint32_t i = 0; i < lines; ++i) parts.push_back({i * 2, 2, 0});
  return simulate(machine, {{body}}, std::vector{warps({events}, parts)}, 1, 0).end;
}

// OpenCL Programming Guide 3.3.2.4: a cache of 8 KB, and a request for each word that a half-warp asks for.
TEST(Simulate, ConstantsHaveACacheOfEightKilobytes) {
  const auto again = [](uint32_t bytes) { return constants(bytes / 64, 3, 2) - constants(bytes / 64, 2, 2); };
  EXPECT_EQ(again(8192) / 128, again(4096) / 64) << "a line costs the same in both";
  EXPECT_GT(again(8256) / 129, 5 * again(8192) / 128) << "and more where the lines do not fit";
}
TEST(Simulate, EachWordOfAConstantTakesItsTime) {
  const auto once = [](uint16_t words) { return constants(1, 101, words) - constants(1, 1, words); };
  EXPECT_EQ(once(32) - once(2), 100 * 30 * 2 * ticks_per_clock);
}

// "branch tree" of tests/hw/h100/timing: parting costs a lone warp time, and a full scheduler none.
TEST(Simulate, LanesThatPartWaitLongerAndKeepNobodyElse) {
  const std::vector<Event> together{visit(0), visit(1), visit(2), visit(3)};
  const std::vector<Event> parted{visit(0), visit(1, 0xFFFF), visit(2, 0xFFFF0000), visit(3)};
  const IssuedProgram program = chain(Unit::f32, 4);
  const Ticks one = time_of(program, {warps({together})});
  // Once, the second part does not part again; meanwhile the result comes that the next one reads.
  const Ticks result = h200().latency[static_cast<std::size_t>(Unit::f32)] - h200().issue;
  EXPECT_EQ(time_of(program, {warps({parted})}), one + h200().parting - result);
  const std::vector<std::vector<Event>> beside(4, together);
  std::vector<std::vector<Event>> one_parts = beside;
  one_parts.push_back(parted);
  EXPECT_LE(time_of(program, {warps(one_parts)}), one + h200().parting + 8 * h200().issue);
}

// The constant cache: 2 KB in 8 sets of 4 lines of 64 bytes. Lines 512 bytes apart share a set.
TEST(Simulate, FourConstantLinesOfASetAreKeptAndEightAreNot) {
  const auto read_twice = [](uint32_t lines, uint64_t bytes_apart) {
    std::vector<Event> events;
    std::vector<Part> parts;
    uint32_t at = 0;
    for (int round = 0; round < 2; ++round)
      for (uint32_t i = 0; i < lines; ++i, ++at) {
        events.push_back(visit(at));
        Event load = visit(at);
        load.kind = Event::Kind::load;
        load.space = observe::Space::constant;
        load.wavefronts = load.parts = 1;
        load.first_part = at;
        events.push_back(load);
        parts.push_back({i * bytes_apart / 32, 2, 0});
      }
    return time_of(chain(Unit::memory, at, true), {warps({events}, parts)});
  };
  EXPECT_EQ(read_twice(4, 512), read_twice(4, 64));
  EXPECT_GE(read_twice(8, 512), read_twice(8, 64) + 7 * h200().constant_miss);
}

TEST(Simulate, ABarrierHoldsUntilTheLastWarpIsThere) {
  IssuedProgram program = chain(Unit::f32, 12);
  program.bodies[0].operations[10].unit = Unit::barrier;
  const std::vector<Event> quick{visit(10), visit(11)};
  std::vector<Event> slow;
  for (uint32_t i = 0; i < 12; ++i) slow.push_back(visit(i));
  const Ticks alone = time_of(program, {warps({slow})});
  EXPECT_EQ(time_of(program, {warps({quick, slow})}), alone);
  const Simulated both = simulate(h200(), program, std::vector{warps({quick, slow})}, 1, 128 << 10);
  EXPECT_GT(both.wait_barrier, 8 * h200().latency[static_cast<std::size_t>(Unit::f32)]);
}

// What the others do behind that barrier they would do without it, in another mix than the kernel's.
TEST(Simulate, NobodyPassesTheBarrierThatAWarpWhichWasCutDoesNotComeTo) {
  IssuedProgram program = chain(Unit::f32, 12);
  program.bodies[0].operations[5].unit = Unit::barrier;
  std::vector<Event> cut, other;
  for (uint32_t i = 0; i < 3; ++i) cut.push_back(visit(i));
  for (uint32_t i = 0; i < 12; ++i) other.push_back(visit(i));
  const auto operations = [&](bool is_cut) {
    std::vector<BlockTrace> blocks{warps({cut, other}), warps({other, other})};
    blocks[0].warps[0].cut = is_cut;
    return simulate(h200(), program, blocks, 1, 128 << 10).operations;
  };
  EXPECT_EQ(operations(false), 3 + 12 + 24);
  EXPECT_EQ(operations(true), 3 + 6 + 24) << "the barrier, and the block behind goes on";
}

TEST(Simulate, BlocksBeyondThePlacesWaitForOne) {
  std::vector<Event> events;
  for (uint32_t i = 0; i < 40; ++i) events.push_back(visit(i));
  const IssuedProgram program = chain(Unit::f32, 40);
  const Ticks one = time_of(program, {warps({events})});
  const std::vector<BlockTrace> wave(h200().multiprocessors, warps({events}));
  const Ticks full = time_of(program, wave);
  EXPECT_LT(full, 2 * one);
  std::vector<BlockTrace> one_more = wave;
  one_more.push_back(warps({events}));
  EXPECT_GT(time_of(program, one_more), full + one / 2);
}

}  // namespace
}  // namespace heddle::timing
