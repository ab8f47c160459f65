// Every key of a record with its value, for listings.
#include <cstddef>

#include "arch/tables.h"

namespace heddle::arch {

namespace {

template <class T>
const T& at(const void* facts, const Key& key) {
  return *reinterpret_cast<const T*>(static_cast<const std::byte*>(facts) + key.offset);
}

std::string text_of(std::span<const uint32_t> values) {
  std::string text;
  for (const uint32_t value : values) text += (text.empty() ? "" : " ") + std::to_string(value);
  return text;
}

std::string text_of(const Key& key, const void* facts) {
  switch (key.type) {
    case Key::Type::u32: return std::to_string(at<uint32_t>(facts, key));
    case Key::Type::u64: return std::to_string(at<uint64_t>(facts, key));
    case Key::Type::u32x2: return text_of(at<std::array<uint32_t, 2>>(facts, key));
    case Key::Type::u32x3: return text_of(at<std::array<uint32_t, 3>>(facts, key));
    case Key::Type::u32s: return text_of(at<std::span<const uint32_t>>(facts, key));
    case Key::Type::flag: return at<bool>(facts, key) ? "1" : "0";
    case Key::Type::text: return std::string(at<std::string_view>(facts, key));
    case Key::Type::ratio: break;
  }
  const auto& ratio = at<Ratio>(facts, key);
  return std::to_string(ratio.numerator) + '/' + std::to_string(ratio.denominator);
}

void add(std::vector<Fact>& out, std::string_view prefix, std::span<const Key> keys, const void* facts) {
  for (const Key& key : keys) {
    std::string name(prefix);
    name.append(key.group).append(".").append(key.name);
    out.push_back({std::move(name), text_of(key, facts)});
  }
}

}  // namespace

std::vector<Fact> facts(const Architecture& architecture) {
  std::vector<Fact> out;
  add(out, "arch.", arch_keys(), static_cast<const ArchitectureFacts*>(&architecture));
  for (std::size_t i = 0; i < feature_count; ++i) {
    const auto feature = static_cast<Feature>(i);
    out.push_back({"feature." + std::string(name(feature)), architecture.has(feature) ? "1" : "0"});
  }
  return out;
}

std::vector<Fact> facts(const Device& device) {
  std::vector<Fact> out;
  add(out, "", device_keys(), static_cast<const DeviceFacts*>(&device));
  for (Fact& fact : facts(device.arch)) out.push_back(std::move(fact));
  return out;
}

}  // namespace heddle::arch
