#include "machine/visible_devices.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace heddle::machine {

namespace {

std::string_view trim(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::optional<uint32_t> device_named(std::string_view name, const std::vector<const arch::Device*>& all) {
  if (name.starts_with("GPU-")) {
    std::optional<uint32_t> found;
    for (uint32_t number = 0; number < all.size(); ++number) {
      if (!uuid_text(device_uuid(all[number]->id, number)).starts_with(name)) continue;
      if (found) return std::nullopt;  // it could be either
      found = number;
    }
    return found;
  }
  uint32_t number = 0;
  const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (bad != std::errc() || end != name.data() + name.size() || number >= all.size()) return std::nullopt;
  return number;
}

}  // namespace

std::array<unsigned char, 16> device_uuid(std::string_view id, uint32_t number) {
  std::array<unsigned char, 16> uuid{};
  uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001B3; };
  for (const char c : id) add(static_cast<unsigned char>(c));
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    add(static_cast<unsigned char>(i));
    add(static_cast<unsigned char>(number));
    uuid[i] = static_cast<unsigned char>(hash >> 56);
  }
  uuid[6] = static_cast<unsigned char>((uuid[6] & 0x0F) | 0x80);  // RFC 9562: version 8, of one's own making
  uuid[8] = static_cast<unsigned char>((uuid[8] & 0x3F) | 0x80);
  return uuid;
}

std::string uuid_text(const std::array<unsigned char, 16>& uuid) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "GPU";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[uuid[i] >> 4];
    text += digits[uuid[i] & 15];
  }
  return text;
}

std::vector<uint32_t> visible_devices(std::string_view list, const std::vector<const arch::Device*>& all) {
  std::vector<uint32_t> numbers;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::optional<uint32_t> number = device_named(trim(list.substr(0, comma)), all);
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (!number || std::ranges::find(numbers, *number) != numbers.end()) break;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace heddle::machine
