#include <cstring>

#include "cache/disk.h"

namespace heddle::cache {

namespace {

constexpr std::array<char, 8> magic{'H', 'E', 'D', 'D', 'L', 'E', 'J', '\n'};
constexpr uint32_t format = 1;

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
  KeyHash hash;
  hash.add(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, check)));
  hash.add(payload);
  return hash.digest();
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
