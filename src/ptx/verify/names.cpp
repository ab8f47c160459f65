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

NameTable::NameTable(const Module& module)

    : module_(module),
      meaning_(module.names->size()),
      ranges_(module.names->size()),
      derived_(module.names->size()),
      seen_(module.names->size()) {}

void NameTable::open() { marks_.push_back(undo_.size()); }

void NameTable::close() {
  while (undo_.size() > marks_.back()) {
    const Undo& undo = undo_.back();
    if (undo.range) ++epoch_;
    (undo.range ? ranges_ : meaning_)[undo.name] = undo.before;
    undo_.pop_back();
  }
  marks_.pop_back();
}

bool NameTable::declare(NameId name, Meaning meaning, Meaning* earlier) {
  meaning.depth = depth();
  const bool range = meaning.kind == Meaning::Kind::register_ && meaning.variable->range != 0;
  if (!range && meaning.kind == Meaning::Kind::register_) {  // %r3 behind `%r<20>`
    const Meaning member = member_of_range(name);
    if (member.kind != Meaning::Kind::unknown && member.depth == meaning.depth) {
      if (earlier != nullptr) *earlier = member;
      return false;
    }
  }
  Meaning& place = (range ? ranges_ : meaning_)[name];
  if (place.kind != Meaning::Kind::unknown && place.depth == meaning.depth) {
    if (earlier != nullptr) *earlier = place;
    return false;
  }
  if (range) {
    ++epoch_;
    const std::string_view text = module_.text(name);
    if (text.back() >= '0' && text.back() <= '9') split_digits_ = true;
  }
  undo_.push_back({name, range, place});
  place = meaning;
  return true;
}

const Meaning& NameTable::find(NameId id) const {
  // The innermost of the two: `%r<20>` declares %r0 to %r19, not %r.
  const Meaning& known = meaning_[id];
  if (seen_[id] != epoch_) {
    seen_[id] = epoch_;
    derived_[id] = derive(id);
  }
  const Meaning& derived = derived_[id];
  if (known.kind == Meaning::Kind::unknown) return derived;
  return derived.kind == Meaning::Kind::register_ && derived.depth > known.depth ? derived : known;
}

// What a name means that nobody declared by itself.
Meaning NameTable::derive(NameId id) const {
  Meaning out = member_of_range(id);
  if (out.kind != Meaning::Kind::unknown) return out;
  const std::string_view text = module_.text(id);
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
    if (at > digits && !split_digits_) break;
    if (text[at] == '0' && at + 1 != text.size()) continue;  // no leading zeros
    const NameId prefix = module_.names->find(text.substr(0, at));
    if (prefix == no_name) continue;
    const Meaning* range = &ranges_[prefix];
    if (range->kind == Meaning::Kind::unknown) continue;
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc()) continue;
    if (number >= range->variable->range && (range = outer_range(prefix, number)) == nullptr) continue;
    if (best.kind == Meaning::Kind::unknown || range->depth > best.depth) best = *range;
  }
  return best;
}

// An inner `%r<3>` hides only three of an outer `%r<20>`.
const Meaning* NameTable::outer_range(NameId prefix, uint64_t number) const {
  if (ranges_[prefix].depth == 0) return nullptr;
  for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) {
    if (!undo->range || undo->name != prefix || undo->before.kind == Meaning::Kind::unknown) continue;
    if (number < undo->before.variable->range) return &undo->before;
  }
  return nullptr;
}

}  // namespace heddle::ptx
