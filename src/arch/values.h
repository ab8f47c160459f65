// The small types that generated tables of architectures and devices are made of.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace heddle::arch {

struct Capability {
  uint8_t major = 0, minor = 0;
  constexpr unsigned number() const { return major * 10u + minor; }  // 90 for 9.0
  constexpr auto operator<=>(const Capability&) const = default;
};

struct Ratio {
  uint32_t numerator = 0, denominator = 1;
};

// A set over an enumeration whose values are 0 to N - 1.
template <class Enum, std::size_t N>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<Enum> members) {
    for (const Enum member : members) set(member, true);
  }
  constexpr bool has(Enum member) const { return words_[word(member)] >> bit(member) & 1u; }
  constexpr void set(Enum member, bool present) {
    const uint64_t mask = uint64_t{1} << bit(member);
    words_[word(member)] = present ? words_[word(member)] | mask : words_[word(member)] & ~mask;
  }
  constexpr bool operator==(const EnumSet&) const = default;

 private:
  static constexpr std::size_t word(Enum member) { return static_cast<std::size_t>(member) / 64; }
  static constexpr std::size_t bit(Enum member) { return static_cast<std::size_t>(member) % 64; }
  std::array<uint64_t, (N + 63) / 64> words_{};
};

}  // namespace heddle::arch
