// The records of spec/timing.
#pragma once

#include <string_view>
#include <vector>

#include "arch/values.h"
#include "timing/timing.gen.h"

namespace heddle::timing {

struct MachineRecord {
  arch::Capability capability;
  Constants constants;
};
const std::vector<MachineRecord>& machine_records();

struct OperationRecord {
  std::string_view opcode;
  std::string_view types, words, feature;  // names with blanks between; empty: any
  Unit unit;
  double count, depth;
};
const std::vector<OperationRecord>& operation_records();

// A math function that is called by its name.
struct MathRecord {
  std::string_view name;
  uint32_t instructions, doubles;  // of a warp, and those of them in double precision
};
const std::vector<MathRecord>& math_records();

// Copies between host and device.
struct PcieRecord {
  uint32_t generation;
  double lane;                  // MB/s
  double efficiency, pageable;  // parts of it
  double latency;               // ns
};
const std::vector<PcieRecord>& pcie_records();

}  // namespace heddle::timing
