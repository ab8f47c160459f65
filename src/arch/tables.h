// What the generated source offers to this room alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "arch/device.h"

namespace heddle::arch {

struct CudaAttribute {
  uint32_t number;
  Attribute attribute;
};
std::span<const CudaAttribute> cuda_attribute_table();  // by rising number

// A key of a record: where its value lies in ArchitectureFacts or DeviceFacts.
struct Key {
  enum class Type : uint8_t { u32, u64, u32x2, u32x3, u32s, ratio, flag, text };
  std::string_view group, name;
  Type type;
  std::size_t offset;
  bool has_default;
  uint64_t number;        // the default
  std::string_view text;  // the default of a text
};
std::span<const Key> arch_keys();
std::span<const Key> device_keys();

// A device of spec/devices: its record as text, with what it is like resolved.
struct BuiltIn {
  std::string_view id, name;
  uint32_t gpus;
  std::string_view record;
};
std::span<const BuiltIn> built_in_devices();  // by rising capability
std::size_t default_built_in();

// An expression over facts, from left to right: spec/devices/attributes.toml.
enum class From : uint8_t { number, name, major, minor, feature, architecture, device };
struct Step {
  char operation;  // '=' for the first, then * / % + >
  From from;
  uint16_t index;     // of a key or a feature
  uint8_t component;  // of a list
  int64_t number;
};
struct Expression {
  uint16_t first, count;  // 0: nobody knows
};
std::span<const Step> all_steps();
std::span<const Expression> attribute_rules();  // by Attribute

// spec/arch/rules.toml
struct Rule {
  std::string_view title;
  Expression left;
  bool equal;  // otherwise: at most
  Expression right;
};
std::span<const Rule> rules();

int64_t evaluate(Expression, const Device&);

}  // namespace heddle::arch
