// Compute capabilities and devices as plain values. All facts come from spec/arch and spec/devices, whose
// schema.toml says what each member means; the structs Launch, Multiprocessor, Registers, Shared, ... are
// generated from it.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/arch.gen.h"
#include "arch/values.h"
#include "support/result.h"

namespace heddle::arch {

// What every device of a compute capability has in common.
struct Architecture
    : ArchitectureFacts {  // launch, multiprocessor, registers, shared, memory, textures, surfaces
  std::string_view id;     // "sm_20"
  Capability capability;
  std::string_view generation;  // "Fermi"
  std::string_view source;      // where the facts come from
  FeatureSet features;
  constexpr bool has(Feature feature) const { return features.has(feature); }
};

// The answer to one question about a device; absent where nobody knows.
struct AttributeValue {
  enum class Kind : uint8_t { absent, number, text };
  Kind kind = Kind::absent;
  int64_t number = 0;
  std::string_view text;
};

struct Device : DeviceFacts {  // board, clock, dram, pci
  std::string_view id;         // "gtx480": what users write
  std::string_view name;       // "GeForce GTX 480": what the driver reports
  std::string_view source;
  Architecture arch;  // of its capability, with what this device does differently
  std::array<AttributeValue, attribute_count> attributes;
  std::bitset<attribute_count> stated;  // attributes that the record says, instead of being derived

  constexpr bool has(Feature feature) const { return arch.has(feature); }
  constexpr Capability capability() const { return arch.capability; }
  constexpr const AttributeValue& attribute(Attribute a) const {
    return attributes[static_cast<std::size_t>(a)];
  }
};

// ---- catalogue -------------------------------------------------------------------------------------------
std::span<const Architecture> all_architectures();           // by rising capability
const Architecture* find_architecture(Capability);           // nullptr when unknown
const Architecture* find_architecture(std::string_view id);  // "sm_20"

std::span<const Device> all_devices();  // by rising capability
const Device& default_device();
// By id or by the driver's name; case, blanks and hyphens do not matter ("GTX 480" is "gtx480"), nor does the
// brand before the name. What ends in .toml or has a slash is the file of a user's own record. Errors of a
// name suggest the nearest id, those of a file say which key is wrong, and how.
Result<const Device*> find_device(std::string_view name);

// ---- names -----------------------------------------------------------------------------------------------
std::string_view name(Feature);
std::string_view title(Feature);  // what it means, in a sentence
std::string_view name(Attribute);
std::optional<Attribute> find_attribute(std::string_view name);
std::optional<Attribute> find_cuda_attribute(int64_t number);  // the CUDA driver's number of an attribute
std::string to_string(Capability);                             // "2.0"
std::string to_string(const AttributeValue&);                  // empty when absent
// "device 'gtx480' (sm_20)", as messages say it.
std::string describe(const Device&);

// ---- everything ------------------------------------------------------------------------------------------
struct Fact {
  std::string name;   // "arch.launch.warp_size", "dram.bus_bits", "feature.shuffle"
  std::string value;  // lists with blanks between; features and flags are 0 or 1
};
std::vector<Fact> facts(const Architecture&);
std::vector<Fact> facts(const Device&);  // with those of its architecture
// The record of a device of the catalogue, to begin one's own with; empty for a user's own.
std::string_view record(const Device&);

// ---- derived ---------------------------------------------------------------------------------------------
// Bytes a second: clock x transfers of a clock x bytes of the bus (CUDA C Best Practices Guide 2.2.1).
constexpr uint64_t theoretical_bandwidth(const Device& d) {
  return uint64_t{d.clock.memory_khz} * 1000 * d.dram.transfers_per_clock * (d.dram.bus_bits / 8);
}
constexpr uint32_t cores(const Device& d) { return d.board.multiprocessors * d.arch.multiprocessor.cores; }

}  // namespace heddle::arch
