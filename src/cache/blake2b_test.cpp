// Against RFC 7693, appendix A, and Python's hashlib.
#include "cache/blake2b.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace heddle::cache {
namespace {

// Of `bytes` bytes i * 7 + 3, in pieces of changing size.
std::string digest(std::size_t digest_bytes, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(i * 7 + 3);
  Blake2b hash(digest_bytes);
  std::string_view left = text;
  for (std::size_t piece = 1; !left.empty(); piece = piece * 37 % 200 + 1) {
    const std::size_t n = std::min(piece, left.size());
    hash.add(std::as_bytes(std::span(left.substr(0, n))));
    left.remove_prefix(n);
  }
  std::string out;
  uint8_t result[64];
  hash.finish(std::span(result).first(digest_bytes));
  for (std::size_t i = 0; i < digest_bytes; ++i) {
    out += "0123456789abcdef"[result[i] >> 4];
    out += "0123456789abcdef"[result[i] & 15];
  }
  return out;
}

TEST(Blake2b, GivesTheStandardsDigests) {
  Blake2b hash(64);
  hash.add(std::as_bytes(std::span(std::string_view("abc"))));
  uint8_t result[64];
  hash.finish(result);
  const uint8_t begin[] = {0xba, 0x80, 0xa5, 0x3f, 0x98, 0x1c, 0x4d, 0x0d};
  const uint8_t end[] = {0x18, 0xd3, 0x8a, 0xa8, 0xdb, 0xf1, 0x92, 0x5a,
                         0xb9, 0x23, 0x86, 0xed, 0xd4, 0x00, 0x99, 0x23};
  EXPECT_TRUE(std::equal(std::begin(begin), std::end(begin), result));
  EXPECT_TRUE(std::equal(std::begin(end), std::end(end), result + 48));
}

TEST(Blake2b, GivesWhatAnotherImplementationGives) {
  EXPECT_EQ(digest(64, 0),
            "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419"
            "d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce");
  EXPECT_EQ(digest(16, 128), "8e0cf9bb1b36fa6c42aa6490f719b575");
  EXPECT_EQ(digest(16, 129), "6cefde50e4008690e61cf8225d101256");
  EXPECT_EQ(digest(16, 256), "ac60b0f8b3227af67328401630cd4dfa");
  EXPECT_EQ(digest(32, 1000), "d62b6c768ce1afc8367e0498ab2f8e3f7c178c35b1429f14c4604b545d200f52");
}

}  // namespace
}  // namespace heddle::cache
