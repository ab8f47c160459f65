#include <array>
#include <charconv>
#include <cstdint>
#include <iostream>

#include "driver/file.h"
#include "driver/options.gen.h"
#include "driver/program.h"

namespace heddle::driver::bin2c {
namespace {

const ProgramFacts program{.options = options,
                           .what = "File to C data converter",
                           .usage = "Usage  : bin2c [options] <inputfile>\n",
                           .one_file = true};

int complain(const std::string& text) { return driver::complain(program, text); }

struct Element {
  std::string_view name, type;
  unsigned bytes, a_line;
  std::string_view suffix;
};
constexpr std::array elements{
    Element{"char", "unsigned char", 1, 16, ""},
    Element{"short", "unsigned short", 2, 12, ""},
    Element{"int", "unsigned int", 4, 8, ""},
    Element{"longlong", "unsigned long long", 8, 4, "ULL"},
};

// "10", "0x0a".
Result<unsigned> read_number(std::string_view text, unsigned most, std::string_view option) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = text.substr(hexadecimal ? 2 : 0);
  unsigned value = 0;
  const auto [end, failed] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (failed != std::errc() || end != digits.data() + digits.size() || value > most)
    return Error{"'" + std::string(text) + "' is no number from 0 to " + std::to_string(most) +
                 " for option '" + std::string(option) + "'"};
  return value;
}

bool is_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name[0])) return false;
  for (const char c : name)
    if (!letter(c) && (c < '0' || c > '9')) return false;
  return true;
}

std::string elements_of(std::string_view bytes, const Element& element) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  const std::size_t count = (bytes.size() + element.bytes - 1) / element.bytes;
  for (std::size_t i = 0; i < count; ++i) {
    text += "0x";
    for (unsigned byte = element.bytes; byte-- > 0;) {
      const std::size_t at = i * element.bytes + byte;
      const auto value = static_cast<unsigned char>(at < bytes.size() ? bytes[at] : '\0');
      text += digits[value >> 4];
      text += digits[value & 15];
    }
    text += element.suffix;
    if (i + 1 < count) text += ',';
    if ((i + 1) % element.a_line == 0 || i + 1 == count) text += '\n';
  }
  return text;
}

std::string upper(std::string name) {
  for (char& c : name)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return name;
}

Result<std::string> array_of(const std::string& bytes, const CommandLine& line) {
  const std::string name = line.value(Opt::name).value_or("imageBytes");
  if (!is_name(name)) return Error{"'" + name + "' is no name for option 'name'"};
  const std::string wanted = line.value(Opt::type).value_or("char");
  const Element* element = &elements[0];
  for (const Element& one : elements)
    if (one.name == wanted) element = &one;
  const Result<unsigned> alignment =
      read_number(line.value(Opt::alignment).value_or("1"), 1u << 20, "alignment");
  if (!alignment) return alignment.error();
  if (*alignment == 0 || (*alignment & (*alignment - 1)) != 0)
    return Error{"an alignment of " + std::to_string(*alignment) + " bytes is no power of two"};
  const bool own = element->bytes == 8 && line.has(Opt::nvint),
             standard = element->bytes == 8 && !own && line.has(Opt::stdint);

  std::string text = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  const std::string guard = "INCLUDE_GUARD_" + upper(name);
  if (own)
    text += "#ifndef " + guard + "\n#define " + guard +
            "\n\ntypedef unsigned long long nv_uint64;\n\ntypedef char assert_" + name +
            "[(sizeof(nv_uint64) == 8U) ? 1 : -1];\n\n";
  if (standard || line.has(Opt::length)) text += "#include <stdint.h>\n\n";
  if (line.has(Opt::o_static)) text += "static ";
  if (line.has(Opt::o_const)) text += "const ";
  text += own ? "nv_uint64" : standard ? "uint64_t" : std::string(element->type);
  text += ' ' + name + "[]";
  if (*alignment != 1) text += " __attribute__((aligned(" + std::to_string(*alignment) + ")))";
  if (const auto section = line.value(Opt::section))
    text += " __attribute__((section(\"" + *section + "\")))";
  text += " = {\n" + elements_of(bytes, *element) + "};\n";
  if (line.has(Opt::length))
    text += "\nuint32_t " + name +
            "Length = " + std::to_string((bytes.size() + element->bytes - 1) / element->bytes) + ";\n";
  if (own) text += "\n#endif /* " + guard + " */\n";
  return text + "\n#ifdef __cplusplus\n}\n#endif\n";
}

int run(std::vector<std::string> words) {
  const Result<CommandLine, int> line = begin(program, std::move(words));
  if (!line) return line.error();
  Result<std::string> bytes = read_file(line->inputs()[0]);
  if (!bytes) return complain(bytes.error().message);
  for (const std::string& text : line->values(Opt::padd)) {
    const Result<unsigned> byte = read_number(text, 255, "padd");
    if (!byte) return complain(byte.error().message);
    *bytes += static_cast<char>(*byte);
  }
  const Result<std::string> text = array_of(*bytes, *line);
  if (!text) return complain(text.error().message);
  std::cout << *text;
  std::cout.flush();
  return std::cout ? 0 : complain("the output cannot be written");
}

}  // namespace
}  // namespace heddle::driver::bin2c

// What bin/bin2c calls (src/driver/start/start.c).
extern "C" [[gnu::visibility("default")]] int heddle_main_bin2c(int argc, char** argv) {
  return heddle::driver::bin2c::run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
