// What an H200 counted for random accesses of one warp: tests/hw/h200/access/counters.txt.
#pragma once

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "model/warp_access.h"

namespace heddle::model {

struct RecordedAccess {
  std::string operation;
  uint32_t bytes = 0;
  LaneMask lanes = 0;
  std::vector<uint64_t> counters;
  std::array<uint64_t, 32> addresses{};

  WarpAccess access() const {
    const bool loads = operation.ends_with("_load"), stores = operation.ends_with("_store");
    const AccessKind kind = loads ? AccessKind::load : stores ? AccessKind::store : AccessKind::change;
    return {kind, lanes, bytes, addresses.data()};
  }
};

inline std::vector<RecordedAccess> recorded_accesses() {
  std::ifstream file(HEDDLE_SOURCE_DIR "/tests/hw/h200/access/counters.txt");
  std::vector<RecordedAccess> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream in(line);
    RecordedAccess one;
    std::string bar;
    in >> one.operation >> one.bytes >> std::hex >> one.lanes >> std::dec >> bar;
    for (std::string word; in >> word && word != "|";) one.counters.push_back(std::stoull(word));
    for (uint64_t& address : one.addresses) in >> address, address *= one.bytes;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace heddle::model
