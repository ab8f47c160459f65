#include "frontend/tesla.h"

#include <array>
#include <string>
#include <utility>

namespace heddle::frontend {

namespace {

// PTX ISA 9.7: forms that need sm_20, and what sm_1x has in their place. PTX ISA 9.7.3.6 mad: on sm_1x
// mad.f32 is what fma.rn.f32 is for, with a truncated product.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> replacements{{
    {"cvta.to.global.u64", "mov.u64"},
    {"cvta.to.const.u64", "mov.u64"},
    {"cvta.to.shared.u64", "mov.u64"},
    {"cvta.to.local.u64", "mov.u64"},
    {"cvta.global.u64", "mov.u64"},
    {"fma.rn.f32", "mad.f32"},
    {"div.rn.f32", "div.full.f32"},
    {"rcp.rn.f32", "rcp.approx.f32"},
    {"sqrt.rn.f32", "sqrt.approx.f32"},
    {"bar.warp.sync", ""},
}};
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

}  // namespace

Result<std::string> lower_to_1x(std::string_view ptx, uint32_t number) {
  std::string out;
  out.reserve(ptx.size());
  while (!ptx.empty()) {
    const std::size_t end = std::min(ptx.find('\n'), ptx.size() - 1);
    std::string_view line = ptx.substr(0, end + 1);
    ptx.remove_prefix(end + 1);
    const std::string_view word = first_word(line);
    if (word == ".target") {
      out += ".target sm_" + std::to_string(number) + '\n';
      continue;
    }
    if (word == ".version") {
      out += ".version 3.2\n";
      continue;
    }
    if (word == "cvta.shared.u64" || word == "cvta.local.u64" || word == "cvta.const.u64")
      return Error{"the code takes a generic address of memory that is not global ('" + std::string(word) +
                   "'), which devices of compute capability 1.x do not have; use -arch=sm_20 or later"};
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
