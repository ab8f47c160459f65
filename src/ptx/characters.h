// What a byte may be in PTX text (PTX ISA 4.4: identifiers).
#pragma once

#include <array>
#include <cstdint>

namespace heddle::ptx {

enum CharClass : uint8_t {
  char_name_start = 1,  // letters _ $ %
  char_name = 2,        // letters digits _ $
  char_digit = 4,
  char_blank = 8,  // space, tab, CR, LF, VT, FF
  char_word = 16,  // letters digits _: inside a modifier
};

constexpr std::array<uint8_t, 256> make_char_table() {
  std::array<uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = char_name_start | char_name | char_word;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = char_name_start | char_name | char_word;
  for (int c = '0'; c <= '9'; ++c) table[c] = char_name | char_digit | char_word;
  table['_'] = char_name_start | char_name | char_word;
  table['$'] = char_name_start | char_name;
  table['%'] = char_name_start;
  for (const char c : {' ', '\t', '\r', '\n', '\v', '\f'}) table[static_cast<unsigned char>(c)] = char_blank;
  return table;
}
inline constexpr std::array<uint8_t, 256> char_table = make_char_table();

inline bool is(char c, uint8_t classes) { return (char_table[static_cast<unsigned char>(c)] & classes) != 0; }

}  // namespace heddle::ptx
