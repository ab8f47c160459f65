#include <cstring>

#include "cache/checksum.h"
#include "cache/disk.h"

namespace heddle::cache {

namespace {

constexpr std::array<char, 8> magic{'H', 'E', 'D', 'D', 'L', 'E', 'J', '\n'};
constexpr uint32_t format = 2;

struct Header {
  std::array<char, 8> magic;
  uint32_t format;
  uint32_t header_bytes;
  Digest key;
  uint64_t payload_bytes;
  Digest check;  // of everything before it and of the payload
};
static_assert(sizeof(Header) == 56);

Digest check_of(const Header& header, std::string_view payload) {
  const auto front = std::as_bytes(std::span(&header, 1)).first(offsetof(Header, check));
  const Digest of_front = checksum(front);
  uint64_t seed;
  std::memcpy(&seed, of_front.data(), sizeof seed);
  return checksum(std::as_bytes(std::span(payload)), seed);
}

Header header_of(const Digest& key, std::string_view payload) {
  Header header{magic, format, sizeof(Header), key, payload.size(), {}};
  header.check = check_of(header, payload);
  return header;
}

}  // namespace

std::string write_entry(const Digest& key, std::string_view payload) {
  const Header header = header_of(key, payload);
  std::string file(sizeof header, '\0');
  std::memcpy(file.data(), &header, sizeof header);
  return file.append(payload);
}

std::optional<std::string_view> read_entry(const Digest& key, std::string_view file) {
  Header header;
  if (file.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, file.data(), sizeof header);
  const std::string_view payload = file.substr(sizeof header);
  const Header right = header_of(key, payload);
  if (std::memcmp(&header, &right, sizeof header) != 0) return std::nullopt;
  return payload;
}

}  // namespace heddle::cache
