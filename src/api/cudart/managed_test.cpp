// What a program said about where managed memory should lie, and what it is told when it asks.
#include <array>

#include "api/cudart/testing.h"

namespace heddle::cudart {
namespace {

constexpr size_t page = 4096;

class ManagedRanges : public RuntimeApi {
 protected:
  void SetUp() override { ASSERT_EQ(cudaMallocManaged(&memory_, 4 * page), cudaSuccess); }
  void TearDown() override { EXPECT_EQ(cudaFree(memory_), cudaSuccess); }

  char* at(size_t offset) const { return static_cast<char*>(memory_) + offset; }
  int asked(cudaMemRangeAttribute attribute, size_t offset, size_t bytes) {
    int answer = -100;
    EXPECT_EQ(cudaMemRangeGetAttribute(&answer, sizeof answer, attribute, at(offset), bytes), cudaSuccess);
    return answer;
  }

  void* memory_ = nullptr;
};

TEST_F(ManagedRanges, NothingIsKnownOfFreshMemory) {
  EXPECT_EQ(asked(cudaMemRangeAttributeReadMostly, 0, 4 * page), 0);
  EXPECT_EQ(asked(cudaMemRangeAttributePreferredLocation, 0, 4 * page), cudaInvalidDeviceId);
  EXPECT_EQ(asked(cudaMemRangeAttributePreferredLocationType, 0, 4 * page), cudaMemLocationTypeInvalid);
  EXPECT_EQ(asked(cudaMemRangeAttributeLastPrefetchLocation, 0, 4 * page), cudaInvalidDeviceId);
  EXPECT_EQ(asked(cudaMemRangeAttributeAccessedBy, 0, 4 * page), cudaInvalidDeviceId);
}

TEST_F(ManagedRanges, AdviceIsForWholePages) {
  // One byte of the second page.
  ASSERT_EQ(cudaMemAdvise(at(page + 7), 1, cudaMemAdviseSetReadMostly, 0), cudaSuccess);
  EXPECT_EQ(asked(cudaMemRangeAttributeReadMostly, page, page), 1);
  EXPECT_EQ(asked(cudaMemRangeAttributeReadMostly, page - 1, 2), 0) << "the first page is not so";
  EXPECT_EQ(asked(cudaMemRangeAttributeReadMostly, page, page + 1), 0) << "the third page is not so";
  ASSERT_EQ(cudaMemAdvise(at(0), 4 * page, cudaMemAdviseSetReadMostly, 0), cudaSuccess);
  EXPECT_EQ(asked(cudaMemRangeAttributeReadMostly, 0, 4 * page), 1);
  ASSERT_EQ(cudaMemAdvise(at(3 * page), page, cudaMemAdviseUnsetReadMostly, 0), cudaSuccess);
  EXPECT_EQ(asked(cudaMemRangeAttributeReadMostly, 0, 4 * page), 0);
  EXPECT_EQ(asked(cudaMemRangeAttributeReadMostly, 0, 3 * page), 1);
}

TEST_F(ManagedRanges, APlaceIsToldWhereAllPagesAgree) {
  ASSERT_EQ(cudaMemAdvise(at(0), 2 * page, cudaMemAdviseSetPreferredLocation, 1), cudaSuccess);
  ASSERT_EQ(cudaMemAdvise(at(2 * page), page, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId),
            cudaSuccess);
  EXPECT_EQ(asked(cudaMemRangeAttributePreferredLocation, 0, 2 * page), 1);
  EXPECT_EQ(asked(cudaMemRangeAttributePreferredLocationType, 0, 2 * page), cudaMemLocationTypeDevice);
  EXPECT_EQ(asked(cudaMemRangeAttributePreferredLocationId, 0, 2 * page), 1);
  EXPECT_EQ(asked(cudaMemRangeAttributePreferredLocation, 2 * page, page), cudaCpuDeviceId);
  EXPECT_EQ(asked(cudaMemRangeAttributePreferredLocationType, 2 * page, page), cudaMemLocationTypeHost);
  EXPECT_EQ(asked(cudaMemRangeAttributePreferredLocation, page, 2 * page), cudaInvalidDeviceId);
  ASSERT_EQ(cudaMemAdvise(at(0), 4 * page, cudaMemAdviseUnsetPreferredLocation, 0), cudaSuccess);
  EXPECT_EQ(asked(cudaMemRangeAttributePreferredLocation, 0, 4 * page), cudaInvalidDeviceId);
}

TEST_F(ManagedRanges, WhoUsesAllOfARange) {
  ASSERT_EQ(cudaMemAdvise(at(0), 4 * page, cudaMemAdviseSetAccessedBy, 1), cudaSuccess);
  ASSERT_EQ(cudaMemAdvise(at(0), page, cudaMemAdviseSetAccessedBy, 0), cudaSuccess);
  ASSERT_EQ(cudaMemAdvise(at(0), page, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId), cudaSuccess);
  std::array<int, 4> places{};
  ASSERT_EQ(
      cudaMemRangeGetAttribute(places.data(), sizeof places, cudaMemRangeAttributeAccessedBy, at(0), page),
      cudaSuccess);
  EXPECT_THAT(places, testing::UnorderedElementsAre(0, 1, cudaCpuDeviceId, cudaInvalidDeviceId));
  EXPECT_EQ(asked(cudaMemRangeAttributeAccessedBy, 0, 2 * page), 1);
  ASSERT_EQ(cudaMemAdvise(at(page), page, cudaMemAdviseUnsetAccessedBy, 1), cudaSuccess);
  EXPECT_EQ(asked(cudaMemRangeAttributeAccessedBy, 0, 2 * page), cudaInvalidDeviceId);
}

TEST_F(ManagedRanges, TheLastPrefetchIsTold) {
  ASSERT_EQ(cudaMemPrefetchAsync(memory_, 4 * page, 0), cudaSuccess);
  ASSERT_EQ(cudaMemPrefetchAsync(at(page), page, cudaCpuDeviceId), cudaSuccess);
  EXPECT_EQ(asked(cudaMemRangeAttributeLastPrefetchLocation, 0, page), 0);
  EXPECT_EQ(asked(cudaMemRangeAttributeLastPrefetchLocation, page, page), cudaCpuDeviceId);
  EXPECT_EQ(asked(cudaMemRangeAttributeLastPrefetchLocation, 0, 2 * page), cudaInvalidDeviceId);
  ASSERT_EQ(
      cudaMemPrefetchAsync_v2(memory_, page, cudaMemLocation{cudaMemLocationTypeHostNuma, 0}, 0, nullptr),
      cudaSuccess);
  EXPECT_EQ(asked(cudaMemRangeAttributeLastPrefetchLocationType, 0, page), cudaMemLocationTypeHostNuma);
  EXPECT_EQ(asked(cudaMemRangeAttributeLastPrefetchLocationId, 0, page), 0);
  EXPECT_EQ(asked(cudaMemRangeAttributeLastPrefetchLocation, 0, page), cudaInvalidDeviceId)
      << "a node of the host is neither a device nor the host";
}

TEST_F(ManagedRanges, ManyAttributesAtOnce) {
  ASSERT_EQ(cudaMemAdvise(memory_, page, cudaMemAdviseSetReadMostly, 0), cudaSuccess);
  ASSERT_EQ(cudaMemAdvise(memory_, page, cudaMemAdviseSetAccessedBy, 1), cudaSuccess);
  int read_mostly = -1;
  std::array<int, 2> by{};
  std::array<void*, 2> answers = {&read_mostly, by.data()};
  std::array<size_t, 2> sizes = {sizeof read_mostly, sizeof by};
  std::array attributes = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributeAccessedBy};
  ASSERT_EQ(cudaMemRangeGetAttributes(answers.data(), sizes.data(), attributes.data(), 2, memory_, page),
            cudaSuccess);
  EXPECT_EQ(read_mostly, 1);
  EXPECT_THAT(by, testing::ElementsAre(1, cudaInvalidDeviceId));
  EXPECT_EQ(cudaMemRangeGetAttributes(answers.data(), sizes.data(), attributes.data(), 0, memory_, page),
            cudaErrorInvalidValue);
}

TEST_F(ManagedRanges, AdviceGoesWithTheMemory) {
  ASSERT_EQ(cudaMemAdvise(memory_, 4 * page, cudaMemAdviseSetReadMostly, 0), cudaSuccess);
  for (int i = 0; i < 8; ++i) {  // sooner or later at the same address
    ASSERT_EQ(cudaFree(memory_), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&memory_, 4 * page), cudaSuccess);
    EXPECT_EQ(asked(cudaMemRangeAttributeReadMostly, 0, 4 * page), 0);
  }
}

TEST_F(ManagedRanges, MisuseIsRefused) {
  int answer = 0;
  const auto ask = [&](const void* from, size_t bytes, size_t size, int attribute) {
    return cudaMemRangeGetAttribute(&answer, size, static_cast<cudaMemRangeAttribute>(attribute), from,
                                    bytes);
  };
  EXPECT_EQ(ask(memory_, page, 8, cudaMemRangeAttributeReadMostly), cudaErrorInvalidValue);
  EXPECT_EQ(ask(memory_, page, 0, cudaMemRangeAttributeAccessedBy), cudaErrorInvalidValue);
  EXPECT_EQ(ask(memory_, page, 4, 9), cudaErrorInvalidValue);
  EXPECT_EQ(ask(memory_, 0, 4, cudaMemRangeAttributeReadMostly), cudaErrorInvalidValue);
  EXPECT_EQ(ask(memory_, 5 * page, 4, cudaMemRangeAttributeReadMostly), cudaErrorInvalidValue);
  EXPECT_EQ(ask(&answer, 4, 4, cudaMemRangeAttributeReadMostly), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemAdvise(memory_, page, cudaMemAdviseSetPreferredLocation, 99), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemAdvise_v2(memory_, page, cudaMemAdviseSetAccessedBy,
                             cudaMemLocation{cudaMemLocationTypeHostNuma, 0}),
            cudaErrorInvalidValue);
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, page), cudaSuccess);
  EXPECT_EQ(cudaMemAdvise(device, page, cudaMemAdviseSetReadMostly, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(device, page, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST_F(ManagedRanges, ManyRangesArePrefetchedAtOnce) {
  std::array<void*, 3> ranges = {at(0), at(page), at(2 * page)};
  std::array<size_t, 3> sizes = {page, page, page};
  std::array<cudaMemLocation, 2> places = {cudaMemLocation{cudaMemLocationTypeHost, 0},
                                           cudaMemLocation{cudaMemLocationTypeDevice, 1}};
  std::array<size_t, 2> first = {0, 2};
  cudaStream_t stream = nullptr;
  const auto prefetch = [&] {
    return cudaMemPrefetchBatchAsync(ranges.data(), sizes.data(), ranges.size(), places.data(), first.data(),
                                     places.size(), 0, stream);
  };
  EXPECT_EQ(prefetch(), cudaErrorInvalidValue) << "the legacy stream is none for it";
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(prefetch(), cudaSuccess);
  EXPECT_EQ(asked(cudaMemRangeAttributeLastPrefetchLocationType, 0, 2 * page), cudaMemLocationTypeHost);
  EXPECT_EQ(asked(cudaMemRangeAttributeLastPrefetchLocation, 2 * page, page), 1);
  EXPECT_EQ(cudaMemDiscardBatchAsync(ranges.data(), sizes.data(), ranges.size(), 0, stream), cudaSuccess);
  EXPECT_EQ(cudaMemDiscardBatchAsync(ranges.data(), sizes.data(), ranges.size(), 1, stream),
            cudaErrorInvalidValue);

  // Nothing of a batch is done when some of it is wrong.
  places[0].type = cudaMemLocationTypeDevice;
  first = {0, 3};
  EXPECT_EQ(prefetch(), cudaErrorInvalidValue) << "the second place is for no range";
  first = {0, 2};
  sizes[2] = 3 * page;
  EXPECT_EQ(prefetch(), cudaErrorInvalidValue) << "the third range is longer than the memory";
  EXPECT_EQ(asked(cudaMemRangeAttributeLastPrefetchLocationType, 0, 2 * page), cudaMemLocationTypeHost);
}

}  // namespace
}  // namespace heddle::cudart
