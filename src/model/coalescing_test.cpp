// Every statement of the guides about transactions, and what an H200 counted for random accesses.
#include "model/coalescing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "model/recorded_access.h"
#include "model/testing.h"

namespace heddle::model {
namespace {

using testing::ElementsAre;

std::vector<uint32_t> sizes(std::string_view arch, const WarpAccess& access,
                            Caching caching = Caching::none) {
  std::vector<uint32_t> all;
  for (const Transaction& t : coalesce(arch_of(arch), access, caching).transactions()) all.push_back(t.bytes);
  return all;
}

unsigned in_order(unsigned lane) { return lane; }
unsigned two_swapped(unsigned lane) { return lane == 3 ? 4 : lane == 4 ? 3 : lane; }

// ---- CUDA C Best Practices Guide 3.2.1
TEST(BestPractices3211, OneSegmentOf64BytesIsOneTransaction) {
  for (const char* arch : {"sm_10", "sm_11", "sm_12", "sm_13"})
    EXPECT_THAT(sizes(arch, words(half_warp, 4, in_order)), ElementsAre(64)) << arch;
}

TEST(BestPractices3211, APermutationWithinTheSegment) {
  EXPECT_EQ(sizes("sm_10", words(half_warp, 4, two_swapped)), std::vector<uint32_t>(16, 32));
  EXPECT_EQ(sizes("sm_11", words(half_warp, 4, two_swapped)), std::vector<uint32_t>(16, 32));
  EXPECT_THAT(sizes("sm_12", words(half_warp, 4, two_swapped)), ElementsAre(64));
}

TEST(BestPractices3211, LanesThatAreOffDoNotMatter) {
  EXPECT_THAT(sizes("sm_10", words(0xbff7, 4, in_order)), ElementsAre(64));
  EXPECT_THAT(sizes("sm_13", words(0xbff7, 4, in_order)), ElementsAre(64));
}

TEST(BestPractices3211, MisalignedWithin128BytesAndAcrossThem) {
  EXPECT_THAT(sizes("sm_13", words(half_warp, 4, [](unsigned l) { return l + 1; })), ElementsAre(128));
  EXPECT_THAT(sizes("sm_13", words(half_warp, 4, [](unsigned l) { return l + 24; })), ElementsAre(32, 32));
  // Figure 3.6: 96 bytes of two segments: one of 64 and one of 32.
  EXPECT_THAT(sizes("sm_13", words(half_warp, 4, [](unsigned l) { return l + 23; })), ElementsAre(64, 32));
}

TEST(BestPractices3213, OffsetCopy) {
  for (unsigned offset = 0; offset <= 16; ++offset) {
    const auto even = words(half_warp, 4, [=](unsigned l) { return l + offset; });
    const auto odd = words(half_warp, 4, [=](unsigned l) { return l + 16 + offset; });
    if (offset % 16 == 0) {
      EXPECT_THAT(sizes("sm_13", even), ElementsAre(64)) << offset;
      EXPECT_THAT(sizes("sm_13", odd), ElementsAre(64)) << offset;
      EXPECT_THAT(sizes("sm_10", even), ElementsAre(64)) << offset;
    } else {
      EXPECT_THAT(sizes("sm_13", even), ElementsAre(128)) << offset;
      EXPECT_EQ(sizes("sm_10", even), std::vector<uint32_t>(16, 32)) << offset;
      if (offset == 8)
        EXPECT_THAT(sizes("sm_13", odd), ElementsAre(32, 32));
      else
        EXPECT_THAT(sizes("sm_13", odd), testing::UnorderedElementsAre(64, 32)) << offset;
    }
  }
}

TEST(BestPractices3214, StridedCopy) {
  const auto by = [](unsigned stride) { return words(half_warp, 4, [=](unsigned l) { return l * stride; }); };
  EXPECT_THAT(sizes("sm_13", by(2)), ElementsAre(128));
  for (unsigned stride = 2; stride <= 18; ++stride)
    EXPECT_EQ(sizes("sm_10", by(stride)).size(), 16u) << stride;
  EXPECT_EQ(sizes("sm_13", by(32)).size(), 16u);
}

TEST(BestPractices3222, AllLanesReadOneWord) {
  const auto same = words(half_warp, 4, [](unsigned) { return 5; });
  EXPECT_EQ(sizes("sm_11", same).size(), 16u);
  EXPECT_THAT(sizes("sm_12", same), ElementsAre(32));
}

// ---- OpenCL Programming Guide C.3.2
TEST(OpenClGuideC321, WordsOf4And8And16Bytes) {
  EXPECT_THAT(sizes("sm_10", words(half_warp, 8, in_order)), ElementsAre(128));
  EXPECT_THAT(sizes("sm_10", words(half_warp, 16, in_order)), ElementsAre(128, 128));
  EXPECT_EQ(sizes("sm_10", words(half_warp, 1, in_order)).size(), 16u);
  EXPECT_EQ(sizes("sm_10", words(half_warp, 2, in_order)).size(), 16u);
}

TEST(OpenClGuideC321, RequestsAreOfHalfWarps) {
  const Coalesced both = coalesce(arch_of("sm_10"), words(warp, 4, in_order), Caching::none);
  EXPECT_EQ(both.requests, 2u);
  EXPECT_EQ(both.scattered, 0u);
  EXPECT_EQ(both.bytes(), 128u);
  const Coalesced lower = coalesce(arch_of("sm_10"), words(0xff, 4, two_swapped), Caching::none);
  EXPECT_EQ(lower.requests, 1u);
  EXPECT_EQ(lower.scattered, 1u);
  EXPECT_EQ(lower.count(), 8u);
}

TEST(OpenClGuideC322, SegmentsGrowWithTheWordAndShrinkToWhatIsUsed) {
  EXPECT_THAT(sizes("sm_12", words(half_warp, 1, in_order)), ElementsAre(32));
  EXPECT_THAT(sizes("sm_12", words(half_warp, 1, [](unsigned l) { return 4 * l; })), ElementsAre(32, 32));
  EXPECT_THAT(sizes("sm_12", words(half_warp, 2, in_order)), ElementsAre(32));
  EXPECT_THAT(sizes("sm_12", words(half_warp, 2, [](unsigned l) { return 2 * l; })), ElementsAre(64));
  EXPECT_THAT(sizes("sm_12", words(half_warp, 8, in_order)), ElementsAre(128));
  EXPECT_THAT(sizes("sm_12", words(half_warp, 16, in_order)), ElementsAre(128, 128));
  EXPECT_THAT(sizes("sm_12", words(1, 4, in_order)), ElementsAre(32));
}

// ---- CUDA C Programming Guide G.3.2 and figure 16
TEST(ProgrammingGuideG32, LinesWithL1AndSectorsWithout) {
  const auto aligned = words(warp, 4, in_order), shifted = words(warp, 4, [](unsigned l) { return l + 1; });
  const auto permuted = words(warp, 4, [](unsigned l) { return l ^ 5; });
  EXPECT_THAT(sizes("sm_20", aligned, Caching::l1), ElementsAre(128));
  EXPECT_THAT(sizes("sm_20", permuted, Caching::l1), ElementsAre(128));
  EXPECT_THAT(sizes("sm_20", shifted, Caching::l1), ElementsAre(128, 128));
  EXPECT_EQ(sizes("sm_20", aligned, Caching::l2), std::vector<uint32_t>(4, 32));
  EXPECT_EQ(sizes("sm_20", shifted, Caching::l2), std::vector<uint32_t>(5, 32));
  EXPECT_EQ(sizes("sm_35", shifted, Caching::l2), std::vector<uint32_t>(5, 32));
}

TEST(ProgrammingGuideG32, WiderWordsAreSeveralRequests) {
  EXPECT_EQ(coalesce(arch_of("sm_20"), words(warp, 8, in_order), Caching::l1).requests, 2u);
  EXPECT_EQ(coalesce(arch_of("sm_20"), words(warp, 16, in_order), Caching::l1).requests, 4u);
  EXPECT_EQ(sizes("sm_20", words(warp, 16, [](unsigned) { return 0; }), Caching::l1).size(), 4u);
  EXPECT_EQ(coalesce(arch_of("sm_90"), words(warp, 16, in_order), Caching::l1).requests, 1u);
}

TEST(ProgrammingGuideG52, SectorsOfTheUnifiedCache) {
  EXPECT_EQ(sizes("sm_52", words(warp, 4, in_order), Caching::l1), std::vector<uint32_t>(4, 32));
}

// ---- OpenCL Programming Guide 3.3.2.4
TEST(OpenClGuide3324, ConstantMemoryServesOneAddressAtATime) {
  EXPECT_EQ(constant_requests(arch_of("sm_13"), words(warp, 4, [](unsigned) { return 7; })), 2u);
  EXPECT_EQ(constant_requests(arch_of("sm_13"), words(warp, 4, [](unsigned l) { return l / 16; })), 2u);
  EXPECT_EQ(constant_requests(arch_of("sm_13"), words(warp, 4, in_order)), 32u);
  EXPECT_EQ(constant_requests(arch_of("sm_20"), words(warp, 4, [](unsigned) { return 7; })), 1u);
}

// ---- whatever the addresses
TEST(Coalescing, EveryLaneIsServedOnceByWhatHoldsItsWord) {
  std::mt19937_64 random(3);
  for (const arch::Architecture& arch : arch::all_architectures())
    for (int round = 0; round < 400; ++round) {
      const uint32_t bytes = 1U << random() % 5, window = 1U << (4 + random() % 8);
      auto access =
          words(static_cast<LaneMask>(random()), bytes, [&](unsigned) { return random() % window; });
      for (const Caching caching : {Caching::l1, Caching::l2}) {
        const Coalesced all = coalesce(arch, access, caching);
        LaneMask served = 0;
        for (const Transaction& t : all.transactions()) {
          EXPECT_EQ(t.address % t.bytes, 0u);
          each_lane(t.lanes, [&](unsigned lane) {
            const bool whole_word =
                access.of[lane] >= t.address && access.of[lane] + bytes <= t.address + t.bytes;
            EXPECT_TRUE(whole_word) << arch.id;
          });
          EXPECT_EQ(served & t.lanes, 0u) << arch.id;
          served |= t.lanes;
        }
        EXPECT_EQ(served, access.lanes) << arch.id;
        Transactions counted;
        counted.count = counted.coalesced = all.count();
        counted.bytes = all.bytes();
        for (const Transaction& t : all.transactions()) counted.add(t.bytes, 1);
        if (all.scattered != 0) counted.coalesced -= counted.of_32;
        EXPECT_EQ(count_transactions(arch, access, caching), counted) << arch.id;
        EXPECT_EQ(count_transactions(arch, access, caching, pieces(access, 32)), counted) << arch.id;
      }
    }
}

// Lanes of one address are in passes of their own, in the lanes' order.
TEST(CacheAccess, PassesOfAtomicOperations) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; ++round) {
    const uint32_t bytes = 4U << random() % 2, window = 1U << random() % 9;
    const auto access = words(
        static_cast<LaneMask>(random()), bytes, [&](unsigned) { return random() % window; },
        AccessKind::change);
    CacheAccess sum;
    for (LaneMask left = access.lanes; left != 0;) {
      LaneMask pass = 0;
      each_lane(left, [&](unsigned lane) {
        bool first = true;
        each_lane(pass, [&](unsigned other) { first = first && access.of[other] != access.of[lane]; });
        if (first) pass |= LaneMask{1} << lane;
      });
      const WarpAccess of_pass{AccessKind::change, pass, bytes, access.of.data()};
      sum.tags += pieces(of_pass, 128);
      sum.sectors += pieces(of_pass, 32);
      left &= ~pass;
    }
    const CacheAccess ours = cache_access(access);
    EXPECT_EQ(ours.tags, sum.tags);
    EXPECT_EQ(ours.sectors, sum.sectors);
  }
}

TEST(Pieces, AreCountedOnceInAnyOrder) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 2000; ++round) {
    const uint64_t window = uint64_t{1} << random() % 40;
    const auto access =
        words(static_cast<LaneMask>(random()), 4, [&](unsigned) { return random() % window; });
    std::set<uint64_t> sectors;
    each_lane(access.lanes, [&](unsigned lane) { sectors.insert(access.of[lane] / 32); });
    EXPECT_EQ(pieces(access, 32), sectors.size());
  }
}

// ---- an H200
TEST(RecordedAccess, SectorsTagsAndRequestsOfAnH200) {
  unsigned compared = 0;
  std::vector<std::string> differ;
  for (const RecordedAccess& recorded : recorded_accesses()) {
    const WarpAccess access = recorded.access();
    const auto tell = [&](std::string_view what, uint64_t ours, std::size_t column) {
      ++compared;
      if (ours != recorded.counters[column])
        differ.push_back(std::string(what) + " of " + recorded.operation + " " + std::to_string(ours) +
                         ", not " + std::to_string(recorded.counters[column]));
    };
    if (recorded.operation == "constant_load") {
      const uint32_t of_parameters = static_cast<uint32_t>(std::popcount(access.lanes)) + 1;
      tell("requests", constant_requests(arch_of("sm_90"), access) + of_parameters, 0);
    } else if (recorded.operation.starts_with("global")) {
      const CacheAccess cache = cache_access(access);
      tell("requests", coalesce(arch_of("sm_90"), access, Caching::l1).requests, 0);
      tell("tags", cache.tags, 1);
      tell("sectors", cache.sectors, 2);
      tell("ideal sectors", ideal_sectors(access), 3);
    }
  }
  EXPECT_EQ(compared, 4u * 560 + 40);
  // Not understood: of 160 atomic operations six counts, each one less than recorded.
  EXPECT_THAT(differ, testing::SizeIs(6));
  for (const std::string& line : differ)
    EXPECT_THAT(line, testing::AnyOf(testing::HasSubstr("atom"), testing::HasSubstr("exch"),
                                     testing::HasSubstr("red")));
}

}  // namespace
}  // namespace heddle::model
