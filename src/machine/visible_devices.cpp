#include "machine/visible_devices.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

namespace heddle::machine {

namespace {

std::string_view trim(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

bool is_uuid(std::string_view name) { return name.starts_with("GPU-"); }

// A beginning of a uuid that only one has; digits above 9 in either case, and what stands behind a whole one
// does not count.
std::optional<uint32_t> device_with_uuid(std::string_view name, const std::vector<const arch::Device*>& all) {
  constexpr std::size_t longest = 40;
  std::string wanted(name.substr(0, longest));
  std::transform(wanted.begin() + 4, wanted.end(), wanted.begin() + 4,
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::optional<uint32_t> found;
  for (uint32_t number = 0; number < all.size(); ++number) {
    if (!uuid_text(device_uuid(all[number]->id, number)).starts_with(wanted)) continue;
    if (found) return std::nullopt;  // it could be either
    found = number;
  }
  return found;
}

// As C's strtol and a conversion to int make it: what follows the digits does not count.
std::optional<uint32_t> device_numbered(std::string_view name, std::size_t count) {
  const std::string text(name);
  char* end = nullptr;
  const auto number = static_cast<int32_t>(std::strtol(text.c_str(), &end, 10));
  if (end == text.c_str() || number < 0 || static_cast<std::size_t>(number) >= count) return std::nullopt;
  return static_cast<uint32_t>(number);
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

Result<std::vector<uint32_t>> visible_devices(std::string_view list,
                                              const std::vector<const arch::Device*>& all) {
  const std::string_view whole = list;
  const bool by_uuid = is_uuid(trim(list));
  std::vector<uint32_t> numbers;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view name = trim(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (is_uuid(name) != by_uuid) break;
    const std::optional<uint32_t> number =
        by_uuid ? device_with_uuid(name, all) : device_numbered(name, all.size());
    if (!number) break;
    if (std::ranges::find(numbers, *number) != numbers.end())
      return Error{"CUDA_VISIBLE_DEVICES: '" + std::string(whole) + "' names device " +
                   std::to_string(*number) + " twice"};
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace heddle::machine
