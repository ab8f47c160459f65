// What the generated source offers to this room alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "arch/device.h"

namespace heddle::arch {

struct CudaAttribute {
  uint32_t number;
  Attribute attribute;
};
std::span<const CudaAttribute> cuda_attribute_table();  // by rising number

// One line of facts(), by the type of the value.
void add(std::vector<Fact>&, std::string_view name, uint64_t);
void add(std::vector<Fact>&, std::string_view name, bool);
void add(std::vector<Fact>&, std::string_view name, std::string_view);
void add(std::vector<Fact>&, std::string_view name, std::span<const uint32_t>);
void add(std::vector<Fact>&, std::string_view name, Ratio);
inline void add(std::vector<Fact>& facts, std::string_view name, uint32_t value) {
  add(facts, name, uint64_t{value});
}
template <std::size_t N>
void add(std::vector<Fact>& facts, std::string_view name, const std::array<uint32_t, N>& values) {
  add(facts, name, std::span<const uint32_t>(values));
}
void add_features(std::vector<Fact>&, const FeatureSet&);

}  // namespace heddle::arch
