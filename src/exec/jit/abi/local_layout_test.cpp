#include "exec/jit/abi/local_layout.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle::exec::jit {
namespace {

TEST(LocalLayout, EachByteOfEachThreadHasItsOwnPlace) {
  for (const uint64_t granule : {0u, 4u, 8u})
    for (const uint64_t bytes : {1u, 16u, 40u}) {
      const uint64_t stride = local_stride_of(bytes), threads = 70;
      std::set<std::pair<uint32_t, uint64_t>> seen;
      for (uint64_t at = 0; at < local_bytes_of_block(stride, threads); ++at) {
        const LocalPlace place = local_place(at, stride, granule);
        EXPECT_LT(place.thread, 96u);
        EXPECT_LT(place.offset, stride);
        seen.emplace(place.thread, place.offset);
      }
      EXPECT_EQ(seen.size(), 96 * stride);
    }
}

TEST(LocalLayout, LanesLieSideBySide) {
  // Bytes 8 to 11 of threads 0, 1 and 33, whose frames are of 16 bytes, in granules of 4.
  EXPECT_EQ(local_place(2 * 128, 16, 4).offset, 8u);
  EXPECT_EQ(local_place(2 * 128, 16, 4).thread, 0u);
  EXPECT_EQ(local_place(2 * 128 + 4 + 3, 16, 4).offset, 11u);
  EXPECT_EQ(local_place(2 * 128 + 4 + 3, 16, 4).thread, 1u);
  EXPECT_EQ(local_place(512 + 2 * 128 + 4, 16, 4).thread, 33u);
  // Byte 9 of thread 2, in granules of 8.
  EXPECT_EQ(local_place(256 + 2 * 8 + 1, 16, 8).offset, 9u);
  EXPECT_EQ(local_place(256 + 2 * 8 + 1, 16, 8).thread, 2u);
}

}  // namespace
}  // namespace heddle::exec::jit
