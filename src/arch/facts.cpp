// How facts are written, for listings.
#include "arch/tables.h"

namespace heddle::arch {

void add(std::vector<Fact>& facts, std::string_view name, uint64_t value) {
  facts.push_back({std::string(name), std::to_string(value)});
}

void add(std::vector<Fact>& facts, std::string_view name, bool value) {
  facts.push_back({std::string(name), value ? "1" : "0"});
}

void add(std::vector<Fact>& facts, std::string_view name, std::string_view value) {
  facts.push_back({std::string(name), std::string(value)});
}

void add(std::vector<Fact>& facts, std::string_view name, std::span<const uint32_t> values) {
  std::string text;
  for (const uint32_t value : values) text += (text.empty() ? "" : " ") + std::to_string(value);
  facts.push_back({std::string(name), std::move(text)});
}

void add(std::vector<Fact>& facts, std::string_view name, Ratio value) {
  facts.push_back(
      {std::string(name), std::to_string(value.numerator) + '/' + std::to_string(value.denominator)});
}

void add_features(std::vector<Fact>& facts, const FeatureSet& features) {
  for (std::size_t i = 0; i < feature_count; ++i) {
    const auto feature = static_cast<Feature>(i);
    add(facts, "feature." + std::string(name(feature)), features.has(feature));
  }
}

}  // namespace heddle::arch
