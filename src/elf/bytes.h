// Reading structures out of a file's bytes, and never beyond them.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "support/result.h"

namespace heddle::elf {

inline constexpr std::string_view archive_magic = "!<arch>\n";
inline constexpr std::size_t member_header_bytes = 60;

template <class T>
std::optional<T> at(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

inline std::optional<std::string_view> part(std::string_view bytes, uint64_t offset, uint64_t count) {
  if (offset > bytes.size() || bytes.size() - offset < count) return std::nullopt;
  return bytes.substr(offset, count);
}

inline std::string_view text_at(std::string_view table, uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

inline Error bad(const std::string& name, std::string_view what) {
  return Error{"'" + name + "' is no object file that can be read: " + std::string(what)};
}

// A member of an archive as it lies there. The System V format: long names stand in a member called "//".
struct RawMember {
  std::size_t offset = 0;   // of its header
  std::string_view header;  // 60 bytes
  std::string_view title;   // as the header has it
  std::string name;         // of a file; empty of the index and of the long names
  std::string_view bytes;
};

// Calls `use` with each in turn. The error says what of the archive is bad.
template <class Use>
Status<> each_member(const std::string& name, std::string_view bytes, Use&& use) {
  std::string_view long_names;
  for (std::size_t offset = archive_magic.size(); offset + member_header_bytes <= bytes.size();) {
    RawMember member;
    member.offset = offset;
    member.header = bytes.substr(offset, member_header_bytes);
    if (member.header.substr(58, 2) != "`\n") return bad(name, "a member's header is damaged");
    const uint64_t size = std::strtoull(std::string(member.header.substr(48, 10)).c_str(), nullptr, 10);
    const auto content = part(bytes, offset + member_header_bytes, size);
    if (!content) return bad(name, "a member goes beyond its end");
    member.bytes = *content;
    member.title = member.header.substr(0, 16);
    member.title = member.title.substr(0, member.title.find_last_not_of(' ') + 1);
    std::string_view title = member.title;
    if (title == "//") {
      long_names = *content;
    } else if (title != "/" && title != "/SYM64/") {
      if (title.starts_with('/')) {
        const std::string_view rest = long_names.substr(std::min<std::size_t>(
            std::strtoull(std::string(title.substr(1)).c_str(), nullptr, 10), long_names.size()));
        title = rest.substr(0, rest.find('\n'));
      }
      if (title.ends_with('/')) title.remove_suffix(1);
      member.name = title;
    }
    use(member);
    offset += member_header_bytes + size + size % 2;
  }
  return Unit{};
}

}  // namespace heddle::elf
