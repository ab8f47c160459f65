// Copies between host and device, against those of an H200 (tests/hw/h200/clocks/copies.csv).
#include "timing/copy.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace heddle::timing {
namespace {

TEST(Copies, TakeWhatAnH200Takes) {
  const Machine machine = *make_machine(**arch::find_device("h200"));
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/tests/hw/h200/clocks/copies.csv");
  ASSERT_TRUE(file.is_open());
  struct Direction {
    CopyKind kind;
    HostSide host;
  };
  const std::map<std::string, Direction> directions{
      {"pinned to device", {CopyKind::to_device, HostSide::pinned}},
      {"device to pinned", {CopyKind::to_host, HostSide::pinned}},
      {"pageable to device", {CopyKind::to_device, HostSide::pageable}},
      {"device to pageable", {CopyKind::to_host, HostSide::pageable}}};
  int judged = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string what, bytes, ms;
    std::getline(fields, what, ',');
    std::getline(fields, bytes, ',');
    std::getline(fields, ms, ',');
    const auto direction = directions.find(what);
    if (direction == directions.end()) continue;
    const uint64_t size = std::stoull(bytes);
    const double measured = std::stod(ms) * 1e6;
    const bool pinned = direction->second.host == HostSide::pinned;
    // The driver copies through buffers of its own: 64 KB are the last that it takes at once.
    if (!pinned && size == 65536) continue;
    const double off = pinned ? (size >= 1 << 20 ? 0.04 : 0.21) : 0.26;
    EXPECT_NEAR(copy_time(machine, direction->second.kind, size, direction->second.host), measured,
                off * measured)
        << line;
    ++judged;
  }
  EXPECT_EQ(judged, 38);
}

}  // namespace
}  // namespace heddle::timing
