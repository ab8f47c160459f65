#include "fatbin/words.h"

#include <charconv>

namespace heddle::fatbin {

std::optional<Arch> parse_arch(std::string_view number) {
  Arch arch;
  const char* const last = number.data() + number.size();
  const auto [end, failed] = std::from_chars(number.data(), last, arch.number);
  if (failed != std::errc()) return std::nullopt;
  const std::string_view rest(end, last);
  if (rest == "a") arch.reach = Arch::Reach::exact;
  if (rest == "f") arch.reach = Arch::Reach::family;
  if (!rest.empty() && arch.reach == Arch::Reach::portable) return std::nullopt;
  return arch;
}

std::optional<PtxVersion> version_of(std::string_view ptx) {
  constexpr std::string_view word = ".version";
  const std::size_t place = ptx.find(word);
  if (place == ptx.npos) return std::nullopt;
  const std::size_t digits = ptx.find_first_not_of(" \t\r\n", place + word.size());
  if (digits == ptx.npos) return std::nullopt;
  PtxVersion version;
  const char* const last = ptx.data() + ptx.size();
  const auto major = std::from_chars(ptx.data() + digits, last, version.major);
  if (major.ec != std::errc() || major.ptr == last || *major.ptr != '.' ||
      std::from_chars(major.ptr + 1, last, version.minor).ec != std::errc())
    return std::nullopt;
  return version;
}

}  // namespace heddle::fatbin
