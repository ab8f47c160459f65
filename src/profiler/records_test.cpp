#include "profiler/records.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "profiler/data_file.h"

namespace heddle::profiler {
namespace {

namespace fs = std::filesystem;

LaunchRecord launch(uint64_t number) {
  LaunchRecord record;
  record.number = number;
  record.kernel = "k\t" + std::to_string(number);
  record.device = {0, "h200", "NVIDIA H200", {9, 0}};
  record.grid = record.block = {1, 2, 3};
  record.time = {static_cast<int64_t>(number), static_cast<int64_t>(number) + 5};
  record.counted = true;
  at(record.counts, Counter::branches) = number;
  record.ranges = {7, number};
  record.lines = {{"a.cu", 1, record.counts}, {"a.cu", 2, record.counts}};
  return record;
}

CopyRecord copy(uint64_t bytes) {
  CopyRecord record;
  record.bytes = bytes;
  record.kind = "HtoD";
  return record;
}

class RecordsTest : public testing::Test {
 protected:
  RecordsTest() : path_((fs::temp_directory_path() / ("records" + std::to_string(getpid()))).string()) {
    Profile head;
    head.process = 42;
    head.program = "program";
    auto writer = DataWriter::create(path_, head);
    EXPECT_TRUE(writer.ok());
    // Lines of all kinds between each other, and more than what is read at once.
    for (uint64_t i = 1; i <= launches; ++i) {
      if (i % 3 == 0) writer->add(copy(i));
      writer->add(launch(i));
    }
  }
  ~RecordsTest() override { fs::remove(path_); }
  static constexpr uint64_t launches = 2000;
  const std::string path_;
};

TEST_F(RecordsTest, AreAllReadAsOftenAsTheyAreAskedFor) {
  const auto profile = read_data(path_);
  ASSERT_TRUE(profile.ok());
  fs::remove(path_);  // its name is not needed any more
  EXPECT_EQ(profile->process, 42);
  EXPECT_EQ(profile->launches.size(), launches);
  EXPECT_EQ(profile->copies.size(), launches / 3);
  EXPECT_TRUE(profile->calls.empty());
  EXPECT_EQ(profile->calls.begin(), profile->calls.end());
  for (int again = 0; again < 2; ++again) {
    uint64_t number = 0;
    auto copies = profile->copies.begin();
    for (const LaunchRecord& one : profile->launches) {
      const LaunchRecord made = launch(++number);
      EXPECT_EQ(one.number, made.number);
      EXPECT_EQ(one.kernel, made.kernel);
      EXPECT_EQ(one.time.length(), 5);
      EXPECT_EQ(one.counts, made.counts);
      EXPECT_EQ(one.ranges, made.ranges);
      ASSERT_EQ(one.lines.size(), 2U);
      EXPECT_EQ(one.lines[1].line, 2U);
      EXPECT_EQ(one.lines[1].counts, made.counts);
      if (number % 3 == 0) {
        EXPECT_EQ(copies->bytes, number);
        ++copies;
      }
    }
    EXPECT_EQ(number, launches);
    EXPECT_EQ(copies, profile->copies.end());
  }
}

TEST_F(RecordsTest, AreReadFromTheirPlaces) {
  const auto profile = read_data(path_);
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(profile->launches.front().number, 1U);
  EXPECT_EQ(profile->copies.front().bytes, 3U);
  std::vector<uint64_t> places;
  for (auto one = profile->launches.begin(); one != profile->launches.end(); ++one)
    places.push_back(one.place());
  ASSERT_EQ(places.size(), launches);
  for (const uint64_t number : {launches, uint64_t{1}, uint64_t{999}})
    EXPECT_EQ(profile->launches.at(places[number - 1]).number, number);
}

TEST_F(RecordsTest, AreBriefWithoutLines) {
  const auto profile = read_data(path_);
  ASSERT_TRUE(profile.ok());
  uint64_t number = 0;
  for (const LaunchRecord& one : profile->launches.brief()) {
    EXPECT_TRUE(one.lines.empty());
    EXPECT_EQ(at(one.counts, Counter::branches), ++number);
  }
  EXPECT_EQ(number, launches);
}

TEST_F(RecordsTest, OfAProgramThatDiedHaveNoLastLineThatWasCutOff) {
  fs::resize_file(path_, fs::file_size(path_) - 4);
  const auto profile = read_data(path_);
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(profile->launches.size(), launches);
  std::size_t lines = 0;
  for (const LaunchRecord& one : profile->launches) lines = one.lines.size();
  EXPECT_EQ(lines, 1U);
}

TEST_F(RecordsTest, ThatAreBadAreToldWithTheirLine) {
  std::ofstream(path_, std::ios::app) << "launch\tno number\n";
  const auto profile = read_data(path_);
  ASSERT_FALSE(profile.ok());
  const uint64_t line = 3 + 6 * launches + launches / 3;  // launch, facts, within, counts and two lines each
  EXPECT_EQ(profile.error().message, path_ + ":" + std::to_string(line) + ": this is no record of a profile");
}

TEST(Records, OfWhatIsNoProfile) {
  const std::string none = (fs::temp_directory_path() / "no such file").string();
  EXPECT_NE(read_data(none).error().message.find('\'' + none + "' cannot be read"), std::string::npos);
  EXPECT_NE(read_data("/dev/null").error().message.find("is no profile of this version"), std::string::npos);
}

}  // namespace
}  // namespace heddle::profiler
