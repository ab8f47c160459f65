#include "ptx/verify/names.h"

#include <algorithm>
#include <charconv>

namespace heddle::ptx {

std::string_view name(Meaning::Kind kind) {
  switch (kind) {
    case Meaning::Kind::register_: return "a register";
    case Meaning::Kind::variable: return "a variable";
    case Meaning::Kind::parameter: return "a parameter";
    case Meaning::Kind::function: return "a function";
    case Meaning::Kind::label: return "a label";
    case Meaning::Kind::special: return "a special register";
    case Meaning::Kind::prototype: return "a call prototype";
    case Meaning::Kind::call_targets: return "a list of call targets";
    case Meaning::Kind::branch_targets: return "a list of branch targets";
    case Meaning::Kind::warp_size: return "the constant WARP_SZ";
    default: return "unknown";
  }
}

NameTable::NameTable(const Module& module) : module_(module), meaning_(module.names->size()) {}

void NameTable::open() { marks_.push_back(undo_.size()); }

void NameTable::close() {
  while (undo_.size() > marks_.back()) {
    meaning_[undo_.back().name] = undo_.back().before;
    undo_.pop_back();
  }
  marks_.pop_back();
}

bool NameTable::declare(NameId name, Meaning meaning, Meaning* earlier) {
  meaning.depth = depth();
  Meaning& place = meaning_[name];
  if (place.kind != Meaning::Kind::unknown && place.depth == meaning.depth) {
    if (earlier != nullptr) *earlier = place;
    return false;
  }
  undo_.push_back({name, place});
  place = meaning;
  return true;
}

Meaning NameTable::find(NameId id) const {
  const Meaning& known = meaning_[id];
  if (known.kind != Meaning::Kind::unknown) {
    // `%r<20>` declares %r0 to %r19, not %r
    if (known.kind != Meaning::Kind::register_ || known.variable->range == 0) return known;
  }
  const Meaning member = member_of_range(id);
  if (member.kind != Meaning::Kind::unknown) return member;
  const std::string_view text = module_.text(id);
  Meaning out;
  if (const isa::SpecialRegister special = isa::find_special_register(text);
      special != isa::SpecialRegister::none) {
    out.kind = Meaning::Kind::special;
    out.special = special;
  } else if (text == "WARP_SZ") {
    out.kind = Meaning::Kind::warp_size;
  }
  return out;
}

Meaning NameTable::member_of_range(NameId id) const {
  const std::string_view text = module_.text(id);
  std::size_t digits = text.size();
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  // All digits at the end are the number, as ptxas reads them; %r1<10> is possible too, so other splits
  // follow.
  Meaning best;
  for (std::size_t at = std::max<std::size_t>(digits, 1); at < text.size(); ++at) {
    if (text[at] == '0' && at + 1 != text.size()) continue;  // no leading zeros
    const NameId prefix = module_.names->find(text.substr(0, at));
    if (prefix == no_name) continue;
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc()) continue;
    const auto take = [&](const Meaning& range) {
      if (range.kind != Meaning::Kind::register_ || number >= range.variable->range) return;
      if (best.kind == Meaning::Kind::unknown || range.depth > best.depth) best = range;
    };
    take(meaning_[prefix]);
    // A shorter range in an inner scope hides only its own numbers of an outer one.
    for (const Undo& outer : undo_)
      if (outer.name == prefix) take(outer.before);
  }
  return best;
}

}  // namespace heddle::ptx
