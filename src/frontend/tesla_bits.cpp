// PTX ISA 9.7.1.14 popc, .15 clz, .18 brev, .19 bfe, .20 bfi and 9.7.9.7 prmt need sm_20. Devices before have
// shifts and masks, and a conversion whose exponent tells the highest bit.
#include "frontend/tesla_bits.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::frontend {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n;");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n;") + 1 - begin);
}

struct Line {
  std::string_view mnemonic;
  std::vector<std::string> operands;
};

Line read(std::string_view text) {
  Line line;
  text = trimmed(text);
  const std::size_t space = text.find_first_of(" \t");
  line.mnemonic = text.substr(0, space);
  if (space == std::string_view::npos) return line;
  for (text = text.substr(space); !text.empty();) {
    const std::size_t comma = text.find(',');
    line.operands.emplace_back(trimmed(text.substr(0, comma)));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return line;
}

std::optional<int64_t> number(const std::string& text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const bool hex = text.starts_with("0x");
  const auto [stop, failed] = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (failed != std::errc() || stop != end) return std::nullopt;
  return value;
}

// $0, $1, ... are the operands, $a to $c registers of `bits` bits, $n and $m numbers; a line's end is an
// instruction's.
std::string written(const Line& line, unsigned bits, std::string_view code, uint64_t n = 0, uint64_t m = 0) {
  std::string out = "\t{\n\t.reg .b" + std::to_string(bits) + " %heddle_a, %heddle_b, %heddle_c;\n\t";
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char next = i + 1 < code.size() ? code[i + 1] : '\0';
    if (code[i] == '\n') {
      out += ";\n\t";
    } else if (code[i] != '$') {
      out += code[i];
    } else {
      ++i;
      if (next >= '0' && next <= '9')
        out += line.operands.at(static_cast<std::size_t>(next - '0'));
      else if (next == 'n' || next == 'm')
        out += std::to_string(next == 'n' ? n : m);
      else
        out += std::string("%heddle_") + next;
    }
  }
  return out + "}\n";
}

uint64_t low_ones(uint64_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

std::string extract(const Line& line, unsigned bits, bool is_signed) {
  const auto at = number(line.operands[2]), length = number(line.operands[3]);
  if (!length || *length < 1) return {};
  const std::string width = std::to_string(bits);
  if (!at) {  // an element of a vector of bytes
    const std::string sign =
        is_signed ? "shl.b" + width + " $0, $0, $m\nshr.s" + width + " $0, $0, $m\n" : "";
    return written(line, bits, "shr.u" + width + " $a, $1, $2\nand.b" + width + " $0, $a, $n\n" + sign,
                   low_ones(static_cast<uint64_t>(*length)), bits - static_cast<uint64_t>(*length));
  }
  if (*at < 0 || *at + *length > bits) return {};
  if (is_signed)
    return written(line, bits, "shl.b" + width + " $a, $1, $n\nshr.s" + width + " $0, $a, $m\n",
                   bits - static_cast<uint64_t>(*at + *length), bits - static_cast<uint64_t>(*length));
  return written(line, bits, "shr.u" + width + " $a, $1, $n\nand.b" + width + " $0, $a, $m\n",
                 static_cast<uint64_t>(*at), low_ones(static_cast<uint64_t>(*length)));
}

std::string insert(const Line& line, unsigned bits) {
  const auto at = number(line.operands[3]), length = number(line.operands[4]);
  if (!length || *length < 0) return {};
  const std::string width = std::to_string(bits);
  if (!at)
    return written(line, bits,
                   "mov.b" + width + " $c, $n\nshl.b" + width + " $c, $c, $3\nshl.b" + width +
                       " $a, $1, $3\nand.b" + width + " $a, $a, $c\nnot.b" + width + " $c, $c\nand.b" +
                       width + " $b, $2, $c\nor.b" + width + " $0, $a, $b\n",
                   low_ones(static_cast<uint64_t>(*length)));
  if (*at < 0 || *at + *length > bits) return {};
  const uint64_t mask = low_ones(static_cast<uint64_t>(*length)) << *at;
  return written(line, bits,
                 "shl.b" + width + " $a, $1, $3\nand.b" + width + " $a, $a, $n\nand.b" + width +
                     " $b, $2, $m\nor.b" + width + " $0, $a, $b\n",
                 mask, ~mask & low_ones(bits));
}

// Each of four bytes is one of the eight of both sources, or its sign everywhere.
std::string permute(const Line& line) {
  const auto selector = number(line.operands[3]);
  if (!selector) {
    std::string code =
        ".reg .b64 %heddle_w, %heddle_v\n.reg .b32 %heddle_s\nmov.b64 %heddle_w, {$1, $2}\nmov.b32 $c, 0\n";
    for (unsigned i = 0; i < 4; ++i)
      code += "shr.u32 $a, $3, " + std::to_string(4 * i) +
              "\nand.b32 $b, $a, 7\nshl.b32 $b, $b, 3\nshr.u64 %heddle_v, %heddle_w, $b\n"
              "cvt.u32.u64 $b, %heddle_v\nshl.b32 $b, $b, 24\nshr.s32 %heddle_s, $b, 31\nshr.u32 $b, $b, 24\n"
              "shl.b32 $a, $a, 28\nshr.s32 $a, $a, 31\nand.b32 %heddle_s, %heddle_s, $a\nnot.b32 $a, $a\n"
              "and.b32 $b, $b, $a\nor.b32 $b, $b, %heddle_s\nand.b32 $b, $b, 255\nshl.b32 $b, $b, " +
              std::to_string(8 * i) + "\nor.b32 $c, $c, $b\n";
    return written(line, 32, code + "mov.b32 $0, $c\n");
  }
  std::string code = "mov.b32 $c, 0\n";
  for (unsigned i = 0; i < 4; ++i) {
    const auto choice = static_cast<unsigned>(static_cast<uint64_t>(*selector) >> (4 * i) & 15);
    const std::string source = (choice & 4) != 0 ? "$2" : "$1";
    const unsigned up = 24 - 8 * (choice & 3);
    code += "shl.b32 $a, " + source + ", " + std::to_string(up) + '\n';
    if ((choice & 8) != 0) code += "shr.s32 $a, $a, 31\nand.b32 $a, $a, 4278190080\n";
    code += "shr.u32 $a, $a, 24\nshl.b32 $a, $a, " + std::to_string(8 * i) + "\nor.b32 $c, $c, $a\n";
  }
  return written(line, 32, code + "mov.b32 $0, $c\n");
}

// $a becomes the number of ones, or the bits in the other order, of $1's half at $n.
constexpr std::string_view ones =
    "shr.u32 $b, $a, 1\nand.b32 $b, $b, 1431655765\nsub.u32 $a, $a, $b\n"
    "shr.u32 $b, $a, 2\nand.b32 $b, $b, 858993459\nand.b32 $a, $a, 858993459\nadd.u32 $a, $a, $b\n"
    "shr.u32 $b, $a, 4\nadd.u32 $a, $a, $b\nand.b32 $a, $a, 252645135\n"
    "shr.u32 $b, $a, 8\nadd.u32 $a, $a, $b\nshr.u32 $b, $a, 16\nadd.u32 $a, $a, $b\nand.b32 $a, $a, 63\n";

std::string reversed() {
  std::string code;
  struct Step {
    unsigned by;
    uint32_t mask;
  };
  for (const Step step : {Step{1, 0x5555'5555}, {2, 0x3333'3333}, {4, 0x0f0f'0f0f}, {8, 0x00ff'00ff}}) {
    const std::string by = std::to_string(step.by), mask = std::to_string(step.mask);
    code += "shr.u32 $b, $a, " + by + "\nand.b32 $b, $b, " + mask + "\nand.b32 $a, $a, " + mask +
            "\nshl.b32 $a, $a, " + by + "\nor.b32 $a, $a, $b\n";
  }
  return code + "shr.u32 $b, $a, 16\nshl.b32 $a, $a, 16\nor.b32 $a, $a, $b\n";
}

// Rounded to zero, a float's exponent is that of the highest bit; zero has none, and the most zeros.
std::string leading_zeros(const Line& line, unsigned bits) {
  return written(line, 32,
                 ".reg .f32 %heddle_f\ncvt.rz.f32.u" + std::to_string(bits) +
                     " %heddle_f, $1\nmov.b32 $a, %heddle_f\nshr.u32 $a, $a, 23\nsub.u32 $a, $n, $a\n"
                     "min.u32 $0, $a, $m\n",
                 126 + bits, bits);
}

std::string halves(const Line& line, const std::string& code, std::string_view end) {
  return written(
      line, 32,
      ".reg .b32 %heddle_l, %heddle_h\nmov.b64 {%heddle_l, %heddle_h}, $1\nmov.b32 $a, %heddle_l\n" + code +
          "mov.b32 $c, $a\nmov.b32 $a, %heddle_h\n" + code + std::string(end));
}

}  // namespace

std::string bits_of_1x(std::string_view text) {
  const Line line = read(text);
  const std::string_view what = line.mnemonic;
  const std::size_t count = line.operands.size();
  const unsigned bits = what.ends_with("64") ? 64 : 32;
  if (what.starts_with("bfe.") && count == 4) return extract(line, bits, what.starts_with("bfe.s"));
  if (what.starts_with("bfi.b") && count == 5) return insert(line, bits);
  if (what == "prmt.b32" && count == 4) return permute(line);
  if (count != 2) return {};
  if (what.starts_with("clz.b")) return leading_zeros(line, bits);
  if (what == "popc.b32")
    return written(line, 32, "mov.b32 $a, $1\n" + std::string(ones) + "mov.b32 $0, $a\n");
  if (what == "popc.b64") return halves(line, std::string(ones), "add.u32 $0, $a, $c\n");
  if (what == "brev.b32") return written(line, 32, "mov.b32 $a, $1\n" + reversed() + "mov.b32 $0, $a\n");
  if (what == "brev.b64") return halves(line, reversed(), "mov.b64 $0, {$a, $c}\n");
  return {};
}

}  // namespace heddle::frontend
