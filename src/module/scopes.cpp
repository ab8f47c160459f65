#include "module/scopes.h"

#include <algorithm>
#include <charconv>

namespace heddle::module {

Scopes::Scopes(const ptx::Module& module, const std::vector<uint32_t>& entity_of_name)
    : module_(module),
      entity_of_name_(entity_of_name),
      direct_(module.names->size()),
      range_of_(module.names->size(), none),
      cache_(module.names->size()) {}

void Scopes::begin_function() {
  registers_.begin();  // first: the last function took its registers along, no scope gives them back
  while (!marks_.empty()) close();
  ++epoch_;
  open();
}

void Scopes::open() { marks_.push_back({undo_.size(), ranges_.size()}); }

void Scopes::close() {
  if (marks_.empty()) return;
  registers_.close(depth());
  const Mark mark = marks_.back();
  while (undo_.size() > mark.undo) {
    const Undo& undo = undo_.back();
    if (undo.range) {
      range_of_[undo.name] = undo.range_index;
    } else {
      direct_[undo.name] = undo.binding;
      cache_[undo.name].epoch = 0;
    }
    undo_.pop_back();
  }
  if (ranges_.size() > mark.ranges) ++epoch_;
  ranges_.resize(mark.ranges);
  marks_.pop_back();
}

void Scopes::declare(NameId name, Binding binding) {
  undo_.push_back({name, false, direct_[name], none});
  binding.depth = depth();
  direct_[name] = binding;
  cache_[name].epoch = 0;
}

void Scopes::declare_register(const ptx::Variable& variable) {
  if (variable.range == 0)
    return declare(variable.name,
                   {.kind = Binding::Kind::declared_reg, .vector = variable.vector, .type = variable.type});
  undo_.push_back({variable.name, true, {}, range_of_[variable.name]});
  Range range;
  range.type = variable.type;
  range.vector = variable.vector;
  range.count = variable.range;
  range.depth = depth();
  range.outer = range_of_[variable.name];
  range_of_[variable.name] = static_cast<uint32_t>(ranges_.size());
  ranges_.push_back(std::move(range));
  ++epoch_;
}

Binding& Scopes::find(NameId name) {
  Cached& cached = cache_[name];
  if (cached.epoch != epoch_) {
    cached.binding = look_up(name);
    cached.epoch = epoch_;
  }
  return cached.binding;
}

Binding Scopes::look_up(NameId name) {
  Binding& direct = direct_[name];
  const Binding ranged = member(name);
  if (ranged.kind != Binding::Kind::unknown && ranged.depth > direct.depth) return ranged;
  if (direct.kind != Binding::Kind::unknown) return direct = materialise(name, direct);
  if (entity_of_name_[name] != none) return {.kind = Binding::Kind::entity, .index = entity_of_name_[name]};
  const std::string_view text = module_.text(name);
  if (const auto special = isa::find_special_register(text); special != isa::SpecialRegister::none)
    return {.kind = Binding::Kind::special, .index = static_cast<uint32_t>(special)};
  if (text == "WARP_SZ") return {.kind = Binding::Kind::warp_size};
  return {};
}

// %r57 as the 58th of %r<100>: all digits at the end are its number, as ptxas reads them; %r1<10> is possible
// too, so other splits follow. The inmost range wins, and hides only its own numbers of outer ones.
Binding Scopes::member(NameId name) {
  const std::string_view text = module_.text(name);
  std::size_t digits = text.size();
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  uint32_t best = none, best_number = 0;
  for (std::size_t at = std::max<std::size_t>(digits, 1); at < text.size(); ++at) {
    if (text[at] == '0' && at + 1 != text.size()) continue;  // %r01 is a name of its own
    const NameId base = module_.names->find(text.substr(0, at));
    if (base == no_name || range_of_[base] == none) continue;
    uint32_t number = 0;
    if (std::from_chars(text.data() + at, text.data() + text.size(), number).ec != std::errc()) continue;
    uint32_t range = range_of_[base];
    while (range != none && number >= ranges_[range].count) range = ranges_[range].outer;
    if (range != none && (best == none || ranges_[range].depth > ranges_[best].depth))
      best = range, best_number = number;
  }
  if (best == none) return {};
  Range& range = ranges_[best];
  if (range.registers.size() <= best_number) range.registers.resize(best_number + 1, none);
  uint32_t& known = range.registers[best_number];
  if (known == none && range.depth > direct_[name].depth)
    known = add_register(text, range.type, range.vector, range.depth);
  return {.kind = Binding::Kind::reg,
          .vector = range.vector,
          .type = range.type,
          .index = known,
          .depth = range.depth};
}

Binding Scopes::materialise(NameId name, Binding binding) {
  if (binding.kind != Binding::Kind::declared_reg) return binding;
  binding.kind = Binding::Kind::reg;
  binding.index = add_register(module_.text(name), binding.type, binding.vector, binding.depth);
  return binding;
}

uint32_t Scopes::add_register(std::string_view name, isa::Type type, uint8_t vector, uint32_t depth) {
  if (vector <= 1) return registers_.add(name, type, depth);
  static constexpr std::string_view suffixes[] = {".x", ".y", ".z", ".w"};
  uint32_t first = none;
  for (uint8_t i = 0; i < vector; ++i) {
    const uint32_t index = registers_.add(
        std::string(name) + (i < 4 ? std::string(suffixes[i]) : "." + std::to_string(i)), type, depth);
    if (i == 0) first = index;
  }
  return first;
}

}  // namespace heddle::module
