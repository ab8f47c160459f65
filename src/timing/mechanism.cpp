#include "timing/mechanism.h"

#include <algorithm>
#include <array>

namespace heddle::timing {

namespace {

constexpr auto all = std::to_array<Mechanism>({
    {"order", "the assembler's order of instructions, repeated loops, joined loads",
     [](Machine& m) { m.left_out.order = true; }},
    {"results", "latencies of arithmetic",
     [](Machine& m) {
       for (Ticks& latency : m.latency) latency = m.issue;
     }},
    {"units", "rates of units below that of issue",
     [](Machine& m) {
       for (Ticks& busy : m.busy) busy = std::min(busy, m.issue);
     }},
    {"branches", "times of branches, and of lanes that part and meet",
     [](Machine& m) {
       m.branch = m.issue;
       m.decision = m.meeting = m.parting = 0;
     }},
    {"barriers", "times of barriers, beyond waiting for the last warp",
     [](Machine& m) { m.barrier = m.barrier_step = 0; }},
    {"banks", "conflicts of banks, and lines of the L1 cache that a request touches",
     [](Machine& m) { m.left_out.banks = true; }},
    {"constants", "words and lines of constants",
     [](Machine& m) { m.constant_step = m.constant_miss = m.constant_refill = 0; }},
    {"l1", "the L1 cache", [](Machine& m) { m.l1_latency = 0; }},
    {"l2", "the size of the L2 cache: it has everything",
     [](Machine& m) { m.l2_bytes = m.l2_bytes == 0 ? 0 : std::max(m.l2_bytes, uint64_t{1} << 28); }},
    {"port", "the rate of a multiprocessor's port", [](Machine& m) { m.port_bytes = 1e6; }},
    {"slices", "the rate of the L2 cache's slices", [](Machine& m) { m.l2_sector = 0; }},
    {"partitions", "partitions of the memory that have their turn in order (up to 1.3)",
     [](Machine& m) { m.left_out.partitions = true; }},
    {"rows", "rows of the memory", [](Machine& m) { m.row_time = 0; }},
    {"turning", "turning between reading and writing, and stores below a burst",
     [](Machine& m) { m.write_gap = m.partial_write = 0; }},
    {"atomics", "atomic operations on one word, one after another", [](Machine& m) { m.atomic = 0; }},
    {"blocks", "the giving out of blocks", [](Machine& m) { m.block_start = m.block_interval = 0; }},
    {"launch", "what a launch takes besides", [](Machine& m) { m.launch = 0; }},
    {"stride", "the pace of the middle of what was simulated: the rest goes on at the mean pace",
     [](Machine& m) { m.left_out.stride = true; }},
});

}  // namespace

std::span<const Mechanism> mechanisms() { return all; }

const Mechanism* find_mechanism(std::string_view name) {
  const auto found = std::ranges::find(all, name, &Mechanism::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace heddle::timing
