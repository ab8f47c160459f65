#include "arch/device.h"

#include <algorithm>

#include "arch/tables.h"
#include "support/spelling.h"

namespace heddle::arch {

namespace {

// What is left when case and separators do not count: "GeForce GTX 480" -> "geforcegtx480".
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

// "geforcegtx480" ends in "gtx480", and what stands before is one of its leading words.
bool names_without_brand(std::string_view full, std::string_view wanted) {
  for (std::size_t blank = full.find(' '); blank != full.npos; blank = full.find(' ', blank + 1)) {
    if (plain(full.substr(blank + 1)) == wanted) return true;
  }
  return false;
}

}  // namespace

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

Result<const Device*> find_device(std::string_view name) {
  const std::string wanted = plain(name);
  if (!wanted.empty()) {
    for (const Device& device : all_devices()) {
      if (plain(device.id) == wanted || plain(device.name) == wanted) return &device;
    }
    for (const Device& device : all_devices()) {
      if (names_without_brand(device.name, wanted)) return &device;
    }
  }
  NearestWord nearest(wanted);
  for (const Device& device : all_devices()) nearest.consider(device.id);
  std::string message = "no device is called '" + std::string(name) + "'";
  if (!nearest.best().empty()) {
    message += "; did you mean '" + std::string(nearest.best()) + "'?";
  } else {
    message += "; there are ";
    for (const Device& device : all_devices()) {
      if (&device != all_devices().data()) message += ", ";
      message += device.id;
    }
  }
  return Error{std::move(message)};
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
