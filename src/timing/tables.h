// The records of spec/timing.
#pragma once

#include <string_view>
#include <vector>

#include "arch/device.h"
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
  arch::Capability from;
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
  double combined;              // the same of write-combined memory that goes to the device
  double latency;               // ns, of a copy
  double pageable_latency;      // the same where the memory is pageable
  double read;                  // ns, of a load of a kernel
};
const std::vector<PcieRecord>& pcie_records();

// How far off times of devices with these constants were.
struct JudgedRecord {
  std::string_view machine;
  uint32_t numbers, families;  // that were compared
  double simulated, instant;   // errors, means of the families
};
const std::vector<JudgedRecord>& judged_records();

// Of a device's bus to the host: as its record says, or its capability's.
const PcieRecord& pcie_of(const arch::Device& device, const Constants& constants);
// Bytes a second that a stream of loads has of the device's memory.
double memory_bandwidth(const arch::Device& device, const Constants& constants);
// Bytes a second of all lanes.
double host_bandwidth(const arch::Device& device, const PcieRecord& pcie);

}  // namespace heddle::timing
