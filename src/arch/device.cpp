#include "arch/device.h"

#include <algorithm>

#include "arch/tables.h"

namespace heddle::arch {

const Architecture* find_architecture(Capability capability) {
  const auto all = all_architectures();
  const auto found = std::ranges::find(all, capability, &Architecture::capability);
  return found == all.end() ? nullptr : &*found;
}

const Architecture* find_architecture(std::string_view id) {
  const auto all = all_architectures();
  const auto found = std::ranges::find(all, id, &Architecture::id);
  return found == all.end() ? nullptr : &*found;
}

std::optional<Attribute> find_attribute(std::string_view wanted) {
  for (std::size_t i = 0; i < attribute_count; ++i) {
    if (name(static_cast<Attribute>(i)) == wanted) return static_cast<Attribute>(i);
  }
  return std::nullopt;
}

std::optional<Attribute> find_cuda_attribute(int64_t number) {
  const auto table = cuda_attribute_table();
  const auto found = std::ranges::lower_bound(table, number, {}, &CudaAttribute::number);
  if (found == table.end() || found->number != number) return std::nullopt;
  return found->attribute;
}

std::string to_string(Capability capability) {
  return std::to_string(capability.major) + '.' + std::to_string(capability.minor);
}

std::string to_string(const AttributeValue& value) {
  switch (value.kind) {
    case AttributeValue::Kind::absent: return {};
    case AttributeValue::Kind::number: return std::to_string(value.number);
    case AttributeValue::Kind::text: return std::string(value.text);
  }
  return {};
}

std::string describe(const Device& device) {
  return "device '" + std::string(device.id) + "' (" + std::string(device.arch.id) + ")";
}

}  // namespace heddle::arch
