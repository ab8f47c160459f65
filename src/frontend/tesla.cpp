#include "frontend/tesla.h"

#include <array>
#include <set>
#include <string>
#include <utility>

#include "frontend/tesla_bits.h"

namespace heddle::frontend {

namespace {

// PTX ISA 9.7: forms that need sm_20, and what sm_1x has in their place. PTX ISA 9.7.3.6 mad: on sm_1x
// mad.f32 is what a compiler contracts to, with a truncated product; fma that a program asks for is none of
// these any more (software_floats.h).
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> replacements{{
    {"cvta.to.global.u64", "mov.u64"},
    {"cvta.to.const.u64", "mov.u64"},
    {"cvta.to.shared.u64", "mov.u64"},
    {"cvta.to.local.u64", "mov.u64"},
    {"cvta.global.u64", "mov.u64"},
    {"fma.rn.f32", "mad.f32"},
    {"fma.rn.ftz.f32", "mad.ftz.f32"},
    {"div.rn.f32", "div.full.f32"},
    {"div.rn.ftz.f32", "div.full.ftz.f32"},
    {"rcp.rn.f32", "rcp.approx.f32"},
    {"rcp.rn.ftz.f32", "rcp.approx.ftz.f32"},
    {"sqrt.rn.f32", "sqrt.approx.f32"},
    {"sqrt.rn.ftz.f32", "sqrt.approx.ftz.f32"},
    {"bar.warp.sync", ""},
}};
constexpr uint32_t first_with_doubles = 13;
// Accesses by generic address.
constexpr std::array<std::string_view, 4> accesses{"ld", "st", "atom", "red"};
constexpr std::array<std::string_view, 5> spaces{".global", ".shared", ".local", ".const", ".param"};

std::string_view first_word(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  if (line.front() == '@') {
    const std::size_t guard = line.find_first_of(" \t");
    if (guard == std::string_view::npos) return {};
    return first_word(line.substr(guard));
  }
  return line.substr(0, line.find_first_of(" \t;"));
}

bool names_space(std::string_view mnemonic) {
  for (const std::string_view space : spaces)
    if (mnemonic.find(space) != std::string_view::npos) return true;
  return false;
}

// The mnemonic in its new form; empty: the instruction goes.
std::string lowered(std::string_view mnemonic) {
  for (const auto& [from, to] : replacements)
    if (mnemonic == from) return std::string(to);
  for (const std::string_view access : accesses) {
    if (!mnemonic.starts_with(access) || mnemonic.size() == access.size()) continue;
    if (mnemonic[access.size()] != '.' || names_space(mnemonic)) continue;
    const std::string_view rest = mnemonic.substr(access.size());
    const bool is_volatile = rest.starts_with(".volatile");
    const std::size_t head = is_volatile ? std::string_view(".volatile").size() : 0;
    return std::string(access) + std::string(rest.substr(0, head)) + ".global" +
           std::string(rest.substr(head));
  }
  return std::string(mnemonic);
}

// The next line of `text`, which loses it.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size() - 1);
  const std::string_view line = text.substr(0, end + 1);
  text.remove_prefix(end + 1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n,;()");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n,;()") + 1 - begin);
}

// A call as LLVM writes it, with its parameters in memory (PTX ISA 9.7.9.11: for sm_20 and later), as one
// with registers, which all devices have. Empty: one with a structure, or of a function that is not only
// declared, which stays as it is. What kernels call has become part of them, but for the device math
// functions.
std::string call_with_registers(std::string_view text, const std::set<std::string, std::less<>>& declared) {
  std::string results, callee, arguments;
  const auto list = [](std::string& to, std::string_view value) {
    to += (to.empty() ? "" : ", ") + std::string(value);
  };
  while (!text.empty()) {
    const std::string_view line = trimmed(take_line(text));
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    const std::size_t comma = line.find(',');
    if (word.starts_with("st.param")) {
      if (comma == line.npos || line.find("+0]") == line.npos || word.find(".v") != word.npos) return {};
      list(arguments, trimmed(line.substr(comma)));
    } else if (word.starts_with("ld.param")) {
      if (comma == line.npos || line.find("+0]") == line.npos || !results.empty()) return {};
      list(results, trimmed(line.substr(word.size(), comma - word.size())));
    } else if (word.starts_with("call")) {
      callee = trimmed(take_line(text));
    } else if (word == ".param" && line.find('[') != line.npos) {
      return {};
    }
  }
  if (!declared.contains(callee)) return {};
  return "\tcall.uni " + (results.empty() ? "" : '(' + results + "), ") + callee + ", (" + arguments + ");\n";
}

// A declaration's parameters, too.
std::string declaration_with_registers(std::string text) {
  for (std::size_t at = 0; (at = text.find(".param .b", at)) != text.npos;) text.replace(at, 6, ".reg");
  return text;
}

}  // namespace

Result<std::string> lower_to_1x(std::string_view ptx, uint32_t number) {
  std::string out;
  std::set<std::string, std::less<>> declared;
  out.reserve(ptx.size());
  while (!ptx.empty()) {
    const std::string_view before = ptx, line = take_line(ptx), word = first_word(line);
    if (word == "{" && line.find("// callseq") != line.npos) {
      std::string_view rest = ptx;
      while (!rest.empty() && first_word(rest) != "}") take_line(rest);
      const std::string call = call_with_registers(ptx.substr(0, ptx.size() - rest.size()), declared);
      if (!call.empty()) {
        out += call;
        ptx = rest;
        if (!ptx.empty()) take_line(ptx);
        continue;
      }
    }
    if (word == ".extern" && line.find(".func") != line.npos) {
      bool ended = line.find(';') != line.npos;
      while (!ended && !ptx.empty()) ended = take_line(ptx).find(';') != line.npos;
      const std::string_view name = trimmed(line);
      declared.emplace(name.substr(name.find_last_of(" \t)") + 1));
      out += declaration_with_registers(std::string(before.substr(0, before.size() - ptx.size())));
      continue;
    }
    if (word == ".target") {
      // What lies in memory as a double is no wider than a float before 1.3 (demotion.h).
      out += ".target sm_" + std::to_string(number);
      if (line.find("texmode_independent") != line.npos) out += ", texmode_independent";
      if (number < first_with_doubles) out += ", map_f64_to_f32";
      out += '\n';
      continue;
    }
    if (word == ".version") {
      out += ".version 3.2\n";
      continue;
    }
    if (word == "cvta.shared.u64" || word == "cvta.local.u64" || word == "cvta.const.u64")
      return Error{"the code takes a generic address of memory that is not global ('" + std::string(word) +
                   "'), which devices of compute capability 1.x do not have; use -arch=sm_20 or later"};
    if (const std::string bits = bits_of_1x(line); !bits.empty()) {
      out += bits;
      continue;
    }
    const std::string instead = lowered(word);
    if (instead == word) {
      out += line;
    } else if (!instead.empty()) {
      const std::size_t place = static_cast<std::size_t>(word.data() - line.data());
      out.append(line.substr(0, place)).append(instead).append(line.substr(place + word.size()));
    }
  }
  return out;
}

}  // namespace heddle::frontend
