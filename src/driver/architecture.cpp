#include "driver/architecture.h"

#include <algorithm>
#include <string>

#include "arch/device.h"
#include "fatbin/words.h"
#include "frontend/cuda.h"
#include "machine/machine.h"

namespace heddle::driver {

namespace {

uint32_t number_of(const arch::Architecture& arch) {
  return static_cast<uint32_t>(std::stoul(std::string(arch.id.substr(3))));
}

}  // namespace

std::optional<ArchName> parse_arch(std::string_view text) {
  ArchName arch;
  if (text.starts_with("sm_")) {
    arch.real = true;
    text.remove_prefix(3);
  } else if (text.starts_with("compute_")) {
    text.remove_prefix(8);
  } else {
    return std::nullopt;
  }
  arch.name = text;
  const bool exact = text.ends_with('a'), family = text.ends_with('f');
  if (exact || family) text.remove_suffix(1);
  const arch::Architecture* known = arch::find_architecture("sm_" + std::string(text));
  if (known == nullptr) return std::nullopt;
  arch.number = number_of(*known);
  if ((exact && arch.number < 90) || (family && arch.number < 100)) return std::nullopt;
  return arch;
}

bool compiles_for(const ArchName& arch) { return frontend::find_target(arch.name).has_value(); }

const arch::Architecture& architecture_of(const ArchName& arch) {
  const arch::Architecture* found = arch::find_architecture("sm_" + std::to_string(arch.number));
  return found != nullptr ? *found : arch::all_architectures().back();
}

std::string spelled(const ArchName& arch) { return (arch.real ? "sm_" : "compute_") + arch.name; }
std::string as_virtual(const ArchName& arch) { return "compute_" + arch.name; }

fatbin::Arch in_fat_binary(const ArchName& arch) {
  return fatbin::parse_arch(arch.name).value_or(fatbin::Arch{arch.number, {}});
}

std::vector<uint32_t> all_numbers() {
  std::vector<uint32_t> numbers;
  for (const arch::Architecture& one : arch::all_architectures())
    if (frontend::find_target(one.id.substr(3))) numbers.push_back(number_of(one));
  return numbers;
}

std::vector<uint32_t> native_numbers() {
  std::vector<uint32_t> numbers;
  const auto add = [&](const arch::Device& device) {
    const uint32_t number = number_of(device.arch);
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
  };
  if (const auto devices = machine::devices_of_host()) {
    for (const arch::Device* device : *devices) add(*device);
  }
  if (numbers.empty()) add(arch::default_device());
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace heddle::driver
