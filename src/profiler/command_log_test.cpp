#include "profiler/command_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle::profiler {
namespace {

class Logs : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("logs-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  // The lines behind the one with the columns.
  std::vector<std::string> rows(const std::string& name) const {
    std::vector<std::string> lines;
    std::ifstream in(path(name));
    bool behind = false;
    for (std::string line; std::getline(in, line);) {
      if (behind) lines.push_back(line);
      behind = behind || line.starts_with("method,");
    }
    return lines;
  }
  std::filesystem::path folder_;
};

LaunchRecord launch(uint64_t call, uint64_t context = 1) {
  LaunchRecord record;
  record.kernel = "k";
  record.correlation = call;
  record.context = context;
  record.device = {0, "gtx285", "GeForce GTX 285", {1, 3}};
  record.time = {2000, 9500};
  at(record.facts, Fact::resident_warps) = 16;
  at(record.facts, Fact::max_warps) = 32;
  return record;
}

TEST_F(Logs, ARowWaitsForItsCall) {
  LogOptions options;
  options.path = path("log");
  CommandLog log(options, 1000, 5000);
  log.submitted(7);
  log.submitted(8);
  log.add(launch(7));
  EXPECT_TRUE(rows("log").empty());
  log.add(launch(8));
  log.add(CallRecord{8, "cudaLaunchKernel", 0, true, {0, 1000}});
  EXPECT_TRUE(rows("log").empty());  // in order
  log.add(CallRecord{7, "cudaLaunchKernel", 0, true, {0, 2500}});
  EXPECT_EQ(rows("log"), (std::vector<std::string>{
                             "method=[ k ] gputime=[ 7.500 ] cputime=[ 2.500 ] occupancy=[ 0.500 ] ",
                             "method=[ k ] gputime=[ 7.500 ] cputime=[ 1.000 ] occupancy=[ 0.500 ] "}));
}

TEST_F(Logs, TheEndWritesWhatStillWaits) {
  LogOptions options;
  options.path = path("log");
  options.csv = true;
  CommandLog log(options, 0, 0);
  log.submitted(1);
  log.add(launch(1));
  log.end();
  EXPECT_EQ(rows("log"), std::vector<std::string>{"k,7.500,0.000,0.500"});
}

TEST_F(Logs, EachContextHasItsOwn) {
  LogOptions options;
  options.path = path("log.%d");
  CommandLog log(options, 0, 0);
  log.add(launch(0, 5));
  log.add(launch(0, 9));
  log.add(launch(0, 9));
  EXPECT_EQ(rows("log.0").size(), 1U);
  EXPECT_EQ(rows("log.1").size(), 2U);
}

TEST_F(Logs, ColumnsOfCopiesAndKernels) {
  LogOptions options;
  options.path = path("log");
  options.csv = true;
  read_log_configuration("gridsize\nmemtransfersize\nmemtransferdir\nmemtransferhostmemtype\nbranch\nnothing",
                         options);
  CommandLog log(options, 0, 0);
  LaunchRecord kernel = launch(0);
  kernel.grid = {3, 2, 1};
  at(kernel.counts, Counter::branches) = 12;
  log.add(kernel);
  CopyRecord copy;
  copy.context = 1;
  copy.device = kernel.device;
  copy.kind = "DtoH";
  copy.call = "cudaMemcpyAsync";
  copy.bytes = 64;
  copy.to_pinned = true;
  copy.time = {0, 1000};
  log.add(copy);
  EXPECT_EQ(rows("log"), (std::vector<std::string>{"k,7.500,0.000,3,2,0.500,12",
                                                   "memcpyDtoHasync,1.000,0.000,,,,,64,1,1"}));
}

}  // namespace
}  // namespace heddle::profiler
