#include "programs/bandwidth_test/options.h"

#include <gtest/gtest.h>

namespace heddle::bandwidth_test {
namespace {

Result<Options> read_words(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return read(pointers);
}

TEST(BandwidthTest, MeasuresTheSizesOfItsMode) {
  EXPECT_EQ(sizes(*read_words({})), std::vector<uint32_t>{32'000'000});
  EXPECT_EQ(sizes(*read_words({"--mode=range", "--start=10", "--end=35", "--increment=10"})),
            (std::vector<uint32_t>{10, 20, 30}));
  const auto shmoo = sizes(*read_words({"-mode=shmoo"}));
  EXPECT_EQ(shmoo.size(), 81U);
  EXPECT_EQ(shmoo.front(), 1'000U);
  EXPECT_EQ(shmoo[20], 22'000U);
  EXPECT_EQ(shmoo.back(), 68'000'000U);
  // To the end of what a size can be, without beginning again.
  EXPECT_EQ(
      sizes(*read_words({"--mode=range", "--start=4294967290", "--end=4294967295", "--increment=4"})).size(),
      2U);
}

TEST(BandwidthTest, SaysWhatItDoesNotTake) {
  const auto message = [](std::vector<std::string> words) {
    const auto options = read_words(std::move(words));
    return options ? "" : options.error().message;
  };
  EXPECT_EQ(message({"--memory=paged"}), "Invalid memory mode - valid modes are pageable or pinned");
  EXPECT_EQ(message({"--mode=fast"}), "Invalid mode - valid modes are quick, range, or shmoo");
  EXPECT_EQ(message({"--mode=range", "--start=8"}),
            "--mode=range needs --start, --end and --increment, each in bytes");
  EXPECT_EQ(message({"--start=-1"}), "--start=-1: a number of bytes from 1 to 4294967295 is expected");
  EXPECT_EQ(message({"--mode=range", "--start=9", "--end=8", "--increment=1"}),
            "--start=9 is beyond --end=8");
  EXPECT_EQ(message({"--dtoe"}), "'--dtoe' is not known");
}

TEST(BandwidthTest, WritesWhatScriptsRead) {
  Options options = *read_words({"--wc"});
  const uint32_t sizes[] = {1000, 32'000'000};
  const double speeds[] = {0.5, 12.34};
  EXPECT_EQ(table(*read_words({"--memory=pageable"}), Direction::host_to_device, sizes, speeds, 2),
            " Host to Device Bandwidth, 2 Device(s)\n PAGEABLE Memory Transfers\n"
            "   Transfer Size (Bytes)\tBandwidth(GB/s)\n   1000\t\t\t\t0.5\n   32000000\t\t\t12.3\n\n");
  EXPECT_EQ(
      lines(options, Direction::device_to_host, sizes, speeds, 1),
      "bandwidthTest-D2H-Pinned-WriteCombined, Bandwidth = 0.5 GB/s, Time = 0.00000 s, Size = 1000 bytes, "
      "NumDevsUsed = 1\n"
      "bandwidthTest-D2H-Pinned-WriteCombined, Bandwidth = 12.3 GB/s, Time = 0.00259 s, Size = 32000000 "
      "bytes, "
      "NumDevsUsed = 1\n");
  EXPECT_TRUE(
      lines(options, Direction::device_to_device, sizes, speeds, 1).starts_with("bandwidthTest-D2D, "));
}

}  // namespace
}  // namespace heddle::bandwidth_test
