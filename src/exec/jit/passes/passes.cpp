#include "exec/jit/passes/passes.h"

#include <algorithm>
#include <array>

#include "support/spelling.h"

namespace heddle::exec::jit {

namespace {

// short_sides as users write it: short-sides.
template <std::size_t size>
struct Hyphened {
  constexpr explicit Hyphened(const char (&id)[size]) {
    for (std::size_t i = 0; i < size; ++i) text[i] = id[i] == '_' ? '-' : id[i];
  }
  char text[size]{};
};

#define HEDDLE_PASS(id, paths, tiers, may_be_off, needs, gives, breaks, title) \
  constexpr Hyphened name_of_##id(#id);
#define HEDDLE_PART(id, of, tiers, title) constexpr Hyphened name_of_##id(#id);
#include "exec/jit/passes/passes.def"
#undef HEDDLE_PART
#undef HEDDLE_PASS

constexpr auto make_table() {
  using namespace pass_table;
  return std::array<PassInfo, pass_count>{{
#define HEDDLE_PASS(id, paths, tiers, may_be_off, needs, gives, breaks, title) \
  {name_of_##id.text, title, paths, tiers, may_be_off, std::nullopt, needs, gives, breaks},
#define HEDDLE_PART(id, of, tiers, title) \
  {name_of_##id.text, title, any, tiers, optional, Pass::of, nothing, nothing, nothing},
#include "exec/jit/passes/passes.def"
#undef HEDDLE_PART
#undef HEDDLE_PASS
  }};
}

constexpr std::array<PassInfo, pass_count> table = make_table();

// On every path and in every tier each pass finds what it needs, whichever of the optional ones are off.
constexpr bool is_in_order(uint8_t path, uint8_t tier) {
  uint32_t held = 0;
  for (std::size_t p = 0; p < pass_count; ++p) {
    const PassInfo& pass = table[p];
    if (pass.of) {
      if (static_cast<std::size_t>(*pass.of) >= p) return false;
      continue;
    }
    if ((pass.paths & path) == 0 || (pass.tiers & tier) == 0) continue;
    if ((pass.needs & ~held) != 0) return false;
    if (pass.may_be_off && (pass.gives != 0 || pass.breaks != 0)) return false;
    held = (held | pass.gives) & ~pass.breaks;
  }
  return (held & pass_table::optimised) != 0;
}

constexpr bool is_in_order() {
  for (const uint8_t path : {pass_table::vectors, pass_table::warps, pass_table::threads})
    for (const uint8_t tier : {pass_table::quick, pass_table::best})
      if (!is_in_order(path, tier)) return false;
  return true;
}
static_assert(is_in_order(), "passes.def: a pass comes before what it needs");

std::string words_of(uint8_t set, std::initializer_list<std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    if ((set & 1) != 0) text += (text.empty() ? "" : ", ") + std::string(word);
    set >>= 1;
  }
  return text;
}

}  // namespace

std::span<const PassInfo, pass_count> passes() { return table; }

const PassInfo& info(Pass pass) { return table[static_cast<std::size_t>(pass)]; }

std::optional<Pass> find_pass(std::string_view name) {
  for (std::size_t p = 0; p < pass_count; ++p)
    if (table[p].name == name) return static_cast<Pass>(p);
  return std::nullopt;
}

Result<PassSet, std::string> read_passes_to_disable(std::string_view text) {
  PassSet set;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) continue;
    const std::optional<Pass> pass = find_pass(name);
    if (pass && info(*pass).may_be_off) {
      set.add(*pass);
      continue;
    }
    if (pass)
      return "the pass '" + std::string(name) +
             "' can not be off: others need it (heddle ptx jit --list-passes lists those that can)";
    NearestWord nearest(name);
    for (const PassInfo& known : table)
      if (known.may_be_off) nearest.consider(known.name);
    std::string problem = "there is no pass '" + std::string(name) + "'";
    if (!nearest.best().empty()) problem += "; the nearest is '" + std::string(nearest.best()) + "'";
    return problem + " (heddle ptx jit --list-passes lists them)";
  }
  return set;
}

std::string list_passes() {
  std::string text = "| pass | for | tier | may be off | what it does |\n|---|---|---|---|---|\n";
  for (const PassInfo& pass : table) {
    std::string paths =
        pass.paths == pass_table::any ? "all" : words_of(pass.paths, {"vectors", "warps", "threads"});
    if (pass.of) paths = "part of `" + std::string(info(*pass.of).name) + "`";
    const std::string tiers =
        pass.tiers == pass_table::both ? "all" : words_of(pass.tiers, {"quick", "best"});
    text += "| `" + std::string(pass.name) + "` | " + paths + " | " + tiers + " | " +
            (pass.may_be_off ? "yes" : "no") + " | " + std::string(pass.title) + " |\n";
  }
  return text;
}

}  // namespace heddle::exec::jit
