#include "exec/printf_format.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace heddle::exec {

namespace {

enum class Size : uint8_t { none, char_, short_, long_, long_long };

struct Conversion {  // %[flags][width][.precision][size]type
  std::string flags;
  int width = 0;
  int precision = -1;
  bool width_from_argument = false, precision_from_argument = false;
  Size size = Size::none;
  char type = 0;           // 0: not a conversion
  std::size_t length = 0;  // of its text
};

// A field so wide that it could only be a mistake (or exhaust memory) is cut.
constexpr int widest_field = 65536;

int number(std::string_view text, std::size_t& at) {
  int value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    value = std::min(widest_field, value * 10 + (text[at] - '0'));
  return value;
}

Conversion read_conversion(std::string_view text) {  // text[0] is the percent sign
  Conversion c;
  std::size_t at = 1;
  auto next_is = [&](char wanted) { return at < text.size() && text[at] == wanted; };
  while (at < text.size() && std::string_view("#0- +").find(text[at]) != std::string_view::npos)
    c.flags += text[at++];
  if (next_is('*')) {
    c.width_from_argument = true;
    ++at;
  } else {
    c.width = number(text, at);
  }
  if (next_is('.')) {
    ++at;
    c.precision = 0;
    if (next_is('*')) {
      c.precision_from_argument = true;
      ++at;
    } else {
      c.precision = number(text, at);
    }
  }
  if (next_is('h')) {
    ++at;
    c.size = Size::short_;
    if (next_is('h')) ++at, c.size = Size::char_;
  } else if (next_is('l')) {
    ++at;
    c.size = Size::long_;
    if (next_is('l')) ++at, c.size = Size::long_long;
  } else if (next_is('j') || next_is('z') || next_is('t')) {
    ++at;
    c.size = Size::long_;
  } else if (next_is('L') || next_is('q')) {
    ++at;
    c.size = Size::long_long;
  }
  if (at < text.size() && std::string_view("%cdiouxXpeEfFgGaAs").find(text[at]) != std::string_view::npos)
    c.type = text[at++];
  c.length = at;
  return c;
}

template <class T>
void print(std::string& out, const Conversion& c, std::string_view size, T value) {
  const std::string format =
      "%" + c.flags + "*" + (c.precision >= 0 ? ".*" : "") + std::string(size) + c.type;
  auto run = [&](char* to, std::size_t room) {
    return c.precision >= 0 ? std::snprintf(to, room, format.c_str(), c.width, c.precision, value)
                            : std::snprintf(to, room, format.c_str(), c.width, value);
  };
  const int length = run(nullptr, 0);
  if (length <= 0) return;
  const std::size_t start = out.size();
  out.resize(start + static_cast<std::size_t>(length) + 1);
  run(out.data() + start, static_cast<std::size_t>(length) + 1);
  out.resize(start + static_cast<std::size_t>(length));
}

void pad(std::string& out, const Conversion& c, std::string_view value) {
  const auto width = static_cast<std::size_t>(c.width);
  const std::size_t fill = width > value.size() ? width - value.size() : 0;
  const bool left = c.flags.find('-') != std::string::npos;
  if (!left) out.append(fill, ' ');
  out += value;
  if (left) out.append(fill, ' ');
}

int64_t as_signed(const Conversion& c, uint64_t bits, unsigned bytes) {
  if (c.size == Size::char_) return static_cast<int8_t>(bits);
  if (c.size == Size::short_) return static_cast<int16_t>(bits);
  return bytes == 4 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
}

uint64_t as_unsigned(const Conversion& c, uint64_t bits, unsigned bytes) {
  if (c.size == Size::char_) return static_cast<uint8_t>(bits);
  if (c.size == Size::short_) return static_cast<uint16_t>(bits);
  return bytes == 4 ? static_cast<uint32_t>(bits) : bits;
}

class Formatter {
 public:
  Formatter(std::string_view format, const PrintfSource& source) : format_(format), source_(source) {}

  std::optional<PrintfResult> run() {
    while (!format_.empty()) {
      const std::size_t percent = std::min(format_.find('%'), format_.size());
      out_.text += format_.substr(0, percent);
      format_.remove_prefix(percent);
      if (format_.empty()) break;
      Conversion c = read_conversion(format_);
      const std::string_view text = format_.substr(0, c.length);
      format_.remove_prefix(c.length);
      if (!convert(c, text)) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  bool convert(Conversion& c, std::string_view text) {
    if (c.type == '%') {
      out_.text += '%';
      return true;
    }
    const int wanted = 1 + (c.width_from_argument ? 1 : 0) + (c.precision_from_argument ? 1 : 0);
    if (c.type == 0 || out_.arguments + wanted > source_.most_arguments) {
      out_.text += text;  // not a conversion, or no argument for it: as it is
      return true;
    }
    out_.arguments += wanted;
    if (c.width_from_argument && !field(c.width)) return false;
    if (c.width < 0) {  // a negative width is a minus flag (C 7.23.6.1)
      c.flags += '-';
      c.width = -c.width;
    }
    if (c.precision_from_argument && !field(c.precision)) return false;
    return value(c);
  }

  bool field(int& to) {
    const std::optional<uint64_t> bits = source_.argument(4);
    if (bits) to = std::clamp(static_cast<int>(static_cast<uint32_t>(*bits)), -widest_field, widest_field);
    return bits.has_value();
  }

  unsigned bytes_of(const Conversion& c) const {
    switch (c.type) {
      case 'c': return 4;
      case 'p':
      case 's': return source_.pointer_bytes;
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X': return c.size == Size::long_long ? 8 : c.size == Size::long_ ? source_.long_bytes : 4;
      default: return 8;  // floating point is always passed as double
    }
  }

  bool value(const Conversion& c) {
    const unsigned bytes = bytes_of(c);
    const std::optional<uint64_t> bits = source_.argument(bytes);
    if (!bits) return false;
    switch (c.type) {
      case 'c': {
        const char one = static_cast<char>(*bits);
        pad(out_.text, c, {&one, 1});
        return true;
      }
      case 's': return text(c, *bits);
      case 'p': print(out_.text, c, "", reinterpret_cast<void*>(static_cast<uintptr_t>(*bits))); return true;
      case 'd':
      case 'i': print(out_.text, c, "ll", static_cast<long long>(as_signed(c, *bits, bytes))); return true;
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        print(out_.text, c, "ll", static_cast<unsigned long long>(as_unsigned(c, *bits, bytes)));
        return true;
      default: print(out_.text, c, "", std::bit_cast<double>(*bits)); return true;
    }
  }

  bool text(const Conversion& c, uint64_t address) {
    if (address == 0) {
      pad(out_.text, c, "(null)");
      return true;
    }
    const std::optional<std::string> value = source_.text(address);
    if (!value) return false;
    std::string_view shown = *value;
    if (c.precision >= 0) shown = shown.substr(0, static_cast<std::size_t>(c.precision));
    pad(out_.text, c, shown);
    return true;
  }

  std::string_view format_;
  const PrintfSource& source_;
  PrintfResult out_;
};

}  // namespace

std::optional<PrintfResult> format_printf(std::string_view format, const PrintfSource& source) {
  return Formatter(format, source).run();
}

}  // namespace heddle::exec
