// Caches and memory of a machine, request by request.
#include "timing/memory.h"

#include <gtest/gtest.h>

#include <bit>

#include "timing/tables.h"

namespace heddle::timing {
namespace {

const Machine& h200() {
  static const Machine machine = *make_machine(**arch::find_device("h200"));
  return machine;
}

Event request(Event::Kind kind, uint16_t parts = 1) {
  Event event;
  event.kind = kind;
  event.parts = parts;
  return event;
}
Event change(uint16_t lanes_at_one_word) {
  Event event = request(Event::Kind::change);
  event.wavefronts = lanes_at_one_word;
  return event;
}

class OnH200 : public testing::Test {
 protected:
  Ticks load(uint32_t multiprocessor, Part part, Ticks at = 0) {
    return memory.access(multiprocessor, at, request(Event::Kind::load), &part);
  }
  void store(Part part) { memory.access(0, 0, request(Event::Kind::store), &part); }
  Memory memory{h200(), 128 << 10};
};

TEST(TimingCache, TheLeastRecentlyUsedLineOfASetGoes) {
  Cache cache(1024);  // one set of 8 lines
  const auto missing = [&](uint64_t line) { return cache.load(line, Cache::hash_of(line), 1, 0).missing; };
  for (uint64_t line = 0; line < 8; ++line) EXPECT_EQ(missing(line), 1);
  EXPECT_EQ(missing(0), 0);  // and is the last used now
  EXPECT_EQ(missing(8), 1);  // 1 goes
  EXPECT_EQ(missing(0), 0);
  EXPECT_EQ(missing(1), 1);
}

TEST(TimingCache, DirtySectorsAreToldWhenTheirLineGoes) {
  Cache cache(1024);
  (void)cache.store(3, Cache::hash_of(3), 0b0110, 0b0010);
  EXPECT_EQ(cache.dirty_bytes(), 64);
  Cache::Found found;
  for (uint64_t line = 10; line < 18; ++line) found = cache.load(line, Cache::hash_of(line), 1, 0);
  EXPECT_EQ(found.evicted, 0b0110);
  EXPECT_EQ(found.filled, 0b0010);
  EXPECT_EQ(found.evicted_line, 3);
  EXPECT_EQ(cache.dirty_bytes(), 0);
}

TEST(TimingCache, ASecondStoreToASectorMakesItWhole) {
  Cache cache(1024);
  for (int i = 0; i < 2; ++i) (void)cache.store(3, Cache::hash_of(3), 1, 1);
  Cache::Found found;
  for (uint64_t line = 10; line < 18; ++line) found = cache.load(line, Cache::hash_of(line), 1, 0);
  EXPECT_EQ(found.evicted, 1);
  EXPECT_EQ(found.filled, 0);
}

TEST_F(OnH200, ALoadTakesTheLatencyOfWhereTheDataAre) {
  const Ticks first = load(0, {400, 1, 0});
  EXPECT_GE(first, h200().memory_latency);
  EXPECT_LT(first, h200().memory_latency * 11 / 10);
  EXPECT_EQ(load(0, {400, 1, 0}, first) - first, h200().l1_latency);
  const Ticks of_other = load(1, {400, 1, 0}, first) - first;
  EXPECT_GE(of_other, h200().l2_latency);
  EXPECT_LT(of_other, h200().memory_latency);
}

// dram__bytes_read of stride copies: 64 bytes for each sector that a load misses, and none for its neighbour.
TEST_F(OnH200, TwoSectorsOfABurstAreOneTransfer) {
  (void)load(0, {400, 1, 0});
  EXPECT_EQ(memory.busy().bytes, 64);
  (void)load(1, {401, 1, 0});
  EXPECT_EQ(memory.busy().bytes, 64);
  (void)load(1, {402, 2, 0});
  EXPECT_EQ(memory.busy().bytes, 128);
}

TEST_F(OnH200, OfAPartialSectorTheRestIsReadBeforeItIsWrittenBack) {
  const uint64_t lines = h200().l2_bytes / 128 * 2;  // so that half of them go, and a little more
  for (uint64_t line = 0; line < lines; ++line) store({line * 4, 1, 1});
  const uint64_t partial = memory.busy().bytes;
  Memory other(h200(), 128 << 10);
  for (uint64_t line = 0; line < lines; ++line) {
    const Part part{line * 4, 1, 0};
    other.access(0, 0, request(Event::Kind::store), &part);
  }
  EXPECT_EQ(partial, 2 * other.busy().bytes);
  EXPECT_EQ(other.busy().bytes + other.dirty_bytes(), lines * 32);
  EXPECT_LE(other.dirty_bytes(), h200().l2_bytes / 4);
}

// tests/hw/h100/timing, "atomic red": lanes that change one word come one after another.
TEST_F(OnH200, ChangesOfOneWordWaitForOneAnother) {
  const Part word{400, 1, 0}, far{40000, 1, 0};
  const auto busy_behind = [&](const Part& part, uint16_t lanes) {
    (void)memory.access(0, 0, change(lanes), &part);
    return memory.last_change();
  };
  const Ticks once = busy_behind(word, 32);
  EXPECT_GE(once, 32 * h200().atomic);
  EXPECT_GE(busy_behind(word, 32), 64 * h200().atomic);
  EXPECT_LT(busy_behind(far, 32), 66 * h200().atomic) << "another slice does these";
}

TEST_F(OnH200, AStreamComesAtTheRateOfBusOrCache) {
  constexpr uint64_t lines = 100'000;
  Ticks end = 0;
  for (uint64_t line = 0; line < lines; ++line)
    end = std::max(end, load(static_cast<uint32_t>(line % h200().multiprocessors), {line * 4, 4, 0}));
  const double seconds = h200().nanoseconds(end - h200().memory_latency) / 1e9;
  const double rate = lines * 128 / seconds;
  const auto peak = static_cast<double>(arch::theoretical_bandwidth(*h200().device));
  const double of_slices = h200().l2_slices * 32 / h200().nanoseconds(h200().l2_sector) * 1e9;
  const double slowest = std::min(peak * h200().constants->efficiency, of_slices);
  EXPECT_LT(rate, slowest);
  EXPECT_GT(rate, slowest * 0.85);
}

TEST(TimingMachines, PiecesAndRowsArePowersOfTwo) {
  for (const MachineRecord& record : machine_records()) {
    EXPECT_TRUE(std::has_single_bit(static_cast<uint64_t>(record.constants.partition_bytes)));
    EXPECT_TRUE(std::has_single_bit(static_cast<uint64_t>(record.constants.row)));
    EXPECT_GE(record.constants.l2_copies, 1);
  }
}

}  // namespace
}  // namespace heddle::timing
