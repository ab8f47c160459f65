#include "fatbin/text_cubin.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace heddle::fatbin {

namespace {

constexpr std::string_view first_word = "architecture", section = "heddle_fatbin";
constexpr std::size_t words_a_line = 4;

void line(std::string& out, std::string_view name, const std::string& value) {
  out += "\t";
  out += name;
  out += name.size() < 4 ? "  = " : " = ";
  out += value + '\n';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // Braces and equal signs are words of their own. Empty at the end.
  std::string_view next() {
    skip_blanks();
    constexpr std::string_view marks = "{}=";
    std::size_t end = at_;
    while (end < text_.size() && !is_blank(text_[end]) && marks.find(text_[end]) == marks.npos) ++end;
    if (end == at_ && end < text_.size()) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
  }
  uint32_t line() const { return line_; }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  void skip_blanks() {
    for (; at_ < text_.size() && is_blank(text_[at_]); ++at_)
      if (text_[at_] == '\n') ++line_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  uint32_t line_ = 1;
};

bool number(std::string_view text, uint64_t& value) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, hexadecimal ? 16 : 10);
  return read.ec == std::errc() && read.ptr == end && !text.empty();
}

Error wrong(const Reader& reader, const std::string& what) {
  return Error{"text cubin, line " + std::to_string(reader.line()) + ": " + what};
}

// The words of `mem { ... }`, behind the brace.
Result<std::string> words(Reader& reader, uint64_t bytes) {
  std::string content;
  for (std::string_view word = reader.next(); word != "}"; word = reader.next()) {
    uint64_t value = 0;
    if (word.empty()) return wrong(reader, "no end of the words of '" + std::string(section) + "'");
    if (!number(word, value) || value > UINT32_MAX)
      return wrong(reader, "'" + std::string(word) + "' is no word of 32 bits");
    const auto four = static_cast<uint32_t>(value);
    content.append(reinterpret_cast<const char*>(&four), sizeof four);
    if (content.size() >= bytes + sizeof four) break;
  }
  if (content.size() != (bytes + 3) / 4 * 4)
    return wrong(reader, "the section has other than the " + std::to_string(bytes) + " bytes that it tells");
  content.resize(bytes);
  return content;
}

}  // namespace

std::string write(const TextCubin& cubin) {
  std::string out = std::string(first_word) + " {" + real_name(cubin.arch) +
                    "}\nabiversion   {1}\nmodname      {cubin}\n"
                    "consts  {\n\tname    = " +
                    std::string(section) +
                    "\n\tsegname = fatbin\n\tsegnum  = 0\n\toffset  = 0\n\tbytes   = " +
                    std::to_string(cubin.fat_binary.size()) + "\n\tmem  {";
  for (std::size_t i = 0; i < cubin.fat_binary.size(); i += 4) {
    uint32_t word = 0;
    std::memcpy(&word, cubin.fat_binary.data() + i, std::min<std::size_t>(4, cubin.fat_binary.size() - i));
    out += i / 4 % words_a_line == 0 ? "\n\t\t0x" : " 0x";
    for (int digit = 28; digit >= 0; digit -= 4) out += "0123456789abcdef"[word >> digit & 15];
  }
  out += "\n\t}\n}\n";
  for (const TextCubin::Kernel& kernel : cubin.kernels) {
    out += "code  {\n";
    line(out, "name", kernel.name);
    line(out, "lmem", std::to_string(kernel.local_bytes));
    line(out, "smem", std::to_string(kernel.shared_bytes));
    line(out, "reg", std::to_string(kernel.registers));
    line(out, "bar", std::to_string(kernel.barriers));
    out += "\tbincode  {\n\t}\n}\n";
  }
  return out;
}

bool is_text_cubin(std::string_view text) {
  Reader reader(text.substr(0, 256));
  return reader.next() == first_word && reader.next() == "{";
}

Result<std::string> read_text_cubin(std::string_view text) {
  Reader reader(text);
  std::string name;
  uint64_t bytes = 0;
  bool any = false;
  for (std::string_view word = reader.next(); !word.empty(); word = reader.next()) {
    if (word == "consts" || word == "code") name.clear(), bytes = 0, any = any || word == "code";
    const bool is_name = word == "name", is_bytes = word == "bytes";
    if ((is_name || is_bytes) && reader.next() == "=") {
      const std::string_view value = reader.next();
      if (is_name) name = value;
      if (is_bytes && (!number(value, bytes) || bytes > most_bytes))
        return wrong(reader, "'" + std::string(value) + "' is no number of bytes");
    }
    if (word == "mem" && name == section && reader.next() == "{") return words(reader, bytes);
  }
  return Error{any ? "the text cubin has machine code of a device only; PTX is needed"
                   : "the text cubin has no code"};
}

}  // namespace heddle::fatbin
