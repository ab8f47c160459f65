// Text of the source in messages.
#pragma once

#include <string>
#include <string_view>

namespace heddle::ptx {

// 'text', of a long one the beginning: bad input may be megabytes without a blank.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t most = 64;
  return "'" + std::string(text.substr(0, most)) + (text.size() > most ? "...'" : "'");
}

}  // namespace heddle::ptx
