// The rules that records name with `check` (spec/isa/README.md, "Checks"): one function each.
#include <algorithm>

#include "ptx/verify/checks.h"
#include "ptx/verify/verifier.h"

namespace heddle::ptx {
namespace {

using isa::Slot;
using isa::Word;

bool is_global_or_generic(Word space) { return space == Word::none || space == Word::global; }

bool is_shared(Word space) {
  return space == Word::shared || space == Word::shared_cta || space == Word::shared_cluster;
}

bool is_wide(unsigned bits, unsigned elements) {
  return bits * elements == 256 && (bits == 32 || bits == 64);
}

constexpr isa::Needs wide_access_needs{
    .ptx = {8, 8}, .target = {.sm = 100, .family = 10}, .other_targets = {}};
constexpr isa::Needs b128_at_system_scope_needs{
    .ptx = {8, 4}, .target = {.sm = 70, .family = 7}, .other_targets = {}};
constexpr isa::Needs predicate_of_copy_needs{
    .ptx = {8, 3}, .target = {.sm = 80, .family = 8}, .other_targets = {}};

std::string dotted(Word word) { return "'." + std::string(isa::spelling(word)) + "'"; }

}  // namespace

struct Verifier::NamedCheck {
  std::string_view name;
  void (Verifier::*run)(const Subject&);
};

// THE table of checks.
std::span<const Verifier::NamedCheck> Verifier::named_checks() {
  static constexpr NamedCheck table[] = {
      {"load_store", &Verifier::verify_load_store},
      {"atomic", &Verifier::verify_atomic},
      {"cp_async", &Verifier::verify_cp_async},
      {"texture", &Verifier::verify_texture},
      {"barrier", &Verifier::verify_barrier},
      {"vmad", &Verifier::verify_vmad},
      {"mma_block_scale", &Verifier::verify_mma_block_scale},
      {"setmaxnreg", &Verifier::verify_setmaxnreg},
  };
  return table;
}

bool Verifier::knows_check(std::string_view name) {
  return std::ranges::any_of(named_checks(), [&](const NamedCheck& c) { return c.name == name; });
}

bool is_check(std::string_view name) { return Verifier::knows_check(name); }

void Verifier::check_named(const Subject& subject) {
  if (subject.form->check.empty()) return;
  for (const NamedCheck& check : named_checks())
    if (check.name == subject.form->check) return (this->*check.run)(subject);
}

const Operand* Verifier::Subject::operand(std::string_view name) const {
  for (std::size_t i = 0; i < form->operands.size(); ++i)
    if (form->operands[i].name == name && places->at[i] != OperandPlaces::absent)
      return &operands[places->at[i]];
  return nullptr;
}

std::span<const Operand> Verifier::Subject::parts(std::string_view name) const {
  const Operand* const found = operand(name);
  if (found == nullptr || found->child_count == 0) return {};
  return operands.subspan(static_cast<std::size_t>(found - operands.data()) + 1, found->child_count);
}

Diagnostic& Verifier::complain(const Subject& subject, std::string message) {
  return complain(subject.statement->offset, subject.mnemonic->text, std::move(message),
                  subject.form->section);
}

// Words that only global memory knows, and b128 at system scope.
void Verifier::check_memory_words(const Subject& s) {
  const isa::SlotValues& words = *s.words;
  if (!is_global_or_generic(words[Slot::space])) {
    for (const Slot slot : {Slot::l1_evict, Slot::l2_evict, Slot::cache_hint, Slot::prefetch_size})
      if (words.has(slot))
        complain(s, dotted(words[slot]) + " goes with .global or no state space, not with " +
                        dotted(words[Slot::space]));
  }
  if (words.is(Slot::type, Word::b128) && words.is(Slot::scope, Word::sys))
    check_need(b128_at_system_scope_needs, s.statement->offset, "'.b128' with '.sys'", s.form->section);
}

void Verifier::verify_load_store(const Subject& s) {
  const isa::SlotValues& words = *s.words;
  const Word space = words[Slot::space];
  const unsigned bits = isa::info(words.type()).bits;
  const unsigned elements =
      words.has(Slot::vec) ? static_cast<unsigned>(isa::spelling(words[Slot::vec])[1] - '0') : 1;
  const bool wide = is_wide(bits, elements);
  const bool may_be_wide = words[Slot::async] == Word::none && s.form->opcode != isa::Opcode::ldu;
  check_memory_words(s);
  if (bits * elements > 128 && !(wide && may_be_wide)) {
    complain(s, "'" + s.mnemonic->text + "' accesses " + std::to_string(bits * elements) +
                    " bits, the limit is 128" +
                    (may_be_wide ? ", or 256 as .v8 of 32 or .v4 of 64 bits" : ""));
  } else if (elements == 8 && !wide) {
    complain(s, "'" + s.mnemonic->text + "': .v8 is for elements of 32 bits");
  } else if (wide) {
    if (check_need(wide_access_needs, s.statement->offset, "an access of 256 bits", s.form->section) &&
        !is_global_or_generic(space))
      complain(s, "an access of 256 bits goes with .global or no state space, not with " + dotted(space));
  }
  if (words.has(Slot::l2_evict) && !wide)
    complain(s, dotted(words[Slot::l2_evict]) + " goes with accesses of 256 bits only");
  if ((words.has(Slot::volatile_) || words.has(Slot::sem)) && !is_global_or_generic(space) &&
      !is_shared(space)) {
    const Slot slot = words.has(Slot::volatile_) ? Slot::volatile_ : Slot::sem;
    complain(
        s, dotted(words[slot]) + " goes with .global, .shared or no state space, not with " + dotted(space));
  }
  if (const Operand* const a = s.operand("a");
      a != nullptr && a->component == Word::unified && !is_global_or_generic(space))
    complain(*a, "'.unified' goes with .global or no state space, not with " + dotted(space),
             s.form->section);
  const bool store = s.operand("b") != nullptr;
  if (const Operand* const a = s.operand("a"); store && a != nullptr && a->name != no_name)
    check_written(s, *a);
  const std::string_view data = store ? "b" : "d";
  const Operand* const value = s.operand(data);
  if (value == nullptr) return;
  if (value->kind == OperandKind::sink) {
    complain(*value, "'" + s.mnemonic->text + "' needs a register for '" + std::string(data) + "', not '_'",
             s.form->section);
    return;
  }
  const std::span<const Operand> parts = s.parts(data);
  const auto sinks = std::ranges::count(parts, OperandKind::sink, &Operand::kind);
  if (sinks == 0) return;
  if (static_cast<std::size_t>(sinks) == parts.size())
    complain(*value, "'_' may not stand for all elements", s.form->section);
  else if (store && !wide)
    complain(*value, "'_' in a store goes with accesses of 256 bits only", s.form->section);
}

// The parameters of a function are read only; its results are not.
void Verifier::check_written(const Subject& s, const Operand& address) {
  const Meaning& meaning = names_.find(address.name);
  if (meaning.kind != Meaning::Kind::parameter || function_ == nullptr) return;
  for (const Variable& parameter : function_->signature.params) {
    if (&parameter != meaning.variable) continue;
    Diagnostic& d = complain(address,
                             "'" + s.mnemonic->text + "' writes " + quoted(address.name) +
                                 ", an input parameter of " + quoted(function_->name),
                             "5.1.6.2");
    note_declaration(d, meaning, text(address.name));
  }
}

void Verifier::verify_atomic(const Subject& s) { check_memory_words(s); }

void Verifier::verify_cp_async(const Subject& s) {
  const Operand *const source = s.operand("source"), *const size = s.operand("size");
  if (source == nullptr || size == nullptr) return;
  if (source->kind == OperandKind::integer) {
    if (source->value > size->value)
      complain(*source,
               "'" + s.mnemonic->text + "' reads " + std::to_string(static_cast<int64_t>(source->value)) +
                   " bytes of " + std::to_string(size->value) + "; allowed: 0 to " +
                   std::to_string(size->value),
               s.form->section);
    return;
  }
  if (source->kind != OperandKind::name) return;
  const Meaning& meaning = names_.find(source->name);
  if (meaning.kind != Meaning::Kind::register_) return;  // said before
  if (meaning.variable->type == isa::Type::pred) {
    check_need(predicate_of_copy_needs, source->offset, "a predicate in '" + s.mnemonic->text + "'",
               s.form->section);
  } else if (source->negated) {
    Diagnostic& d = complain(*source, "only a predicate may be negated, " + quoted(source->name) + " is none",
                             s.form->section);
    note_declaration(d, meaning, text(source->name));
  }
}

// The first coordinates of these are a layer or a sample, integers whatever ctype says.
unsigned Verifier::integer_coordinates(const isa::SlotValues& words) {
  const std::string_view geometry = isa::spelling(words[Slot::geom]);
  return static_cast<unsigned>(geometry.starts_with('a')) + static_cast<unsigned>(geometry.ends_with("ms"));
}

void Verifier::verify_texture(const Subject& s) {
  std::size_t at = 0;
  while (at < s.form->operands.size() && s.form->operands[at].inner.empty()) ++at;
  if (at == s.form->operands.size()) return verify_sampler_query(s);
  const std::size_t bracket = s.places->at[at];
  if (bracket == OperandPlaces::absent) return;
  const isa::OperandRule& rule = s.form->operands[at];
  const std::span<const Operand> parts = s.operands.subspan(bracket + 1, s.operands[bracket].child_count);
  OperandPlaces inner;
  if (!fit_parts(rule.inner, *s.words, parts, inner)) return;
  for (std::size_t i = 0; i < rule.inner.size(); ++i) {
    const bool present = inner.at[i] != OperandPlaces::absent;
    if (rule.inner[i].name == "s" && present != independent_textures_)
      complain(parts[present ? inner.at[i] : 0],
               present ? "'" + s.mnemonic->text + "' names a sampler, which is for texmode_independent only"
                       : "'" + s.mnemonic->text + "' names no sampler; texmode_independent asks for one",
               s.form->section);
    if (rule.inner[i].name == "t" && present && parts[inner.at[i]].kind == OperandKind::name)
      check_sampler(s, parts[inner.at[i]], false);
    if (rule.inner[i].name == "s" && present && parts[inner.at[i]].kind == OperandKind::name)
      check_sampler(s, parts[inner.at[i]], true);
  }
}

void Verifier::check_sampler(const Subject& s, const Operand& operand, bool sampler) {
  const Meaning& meaning = names_.find(operand.name);
  if (meaning.kind != Meaning::Kind::variable && meaning.kind != Meaning::Kind::parameter) return;
  const isa::Type declared = meaning.variable->type;
  if (isa::info(declared).kind != isa::TypeKind::opaque || declared == isa::Type::surfref) return;  // said
  if ((declared == isa::Type::samplerref) == sampler) return;
  Diagnostic& d = complain(operand,
                           "'" + s.mnemonic->text + "' takes a " + (sampler ? ".samplerref" : ".texref") +
                               " there, " + quoted(operand.name) + " is none",
                           s.form->section);
  note_declaration(d, meaning, text(operand.name));
}

// txq of filter_mode and its like: the sampler is part of the texture in unified mode.
void Verifier::verify_sampler_query(const Subject& s) {
  if (!independent_textures_ && s.words->is(Slot::query, Word::force_unnormalized_coords))
    complain(s, "'force_unnormalized_coords' is for texmode_independent only");
  const Operand* const object = s.operand("t");
  if (object != nullptr && object->name != no_name) check_sampler(s, *object, independent_textures_);
}

void Verifier::verify_barrier(const Subject& s) {
  const Operand* const threads = s.operand("b");
  if (threads != nullptr && threads->kind == OperandKind::integer && threads->value % 32 != 0)
    complain(*threads,
             "the thread count of '" + s.mnemonic->text + "' is " + std::to_string(threads->value) +
                 ", it must be a multiple of 32",
             s.form->section);
}

void Verifier::verify_vmad(const Subject& s) {
  const auto minus = [&](std::string_view name) {
    const Operand* const operand = s.operand(name);
    return operand != nullptr && operand->minus;
  };
  if (minus("c") && minus("a") != minus("b"))
    complain(*s.operand("c"), "'" + s.mnemonic->text + "' may negate the product or 'c', not both",
             s.form->section);
}

// {byte, thread}: which byte of the scales, and which threads of a quad hold them.
void Verifier::verify_mma_block_scale(const Subject& s) {
  const isa::SlotValues& words = *s.words;
  const Word scale = words[Slot::scale_vec];
  const bool four = scale == Word::scale_vec_4X;
  const bool two =
      scale == Word::scale_vec_2X || (scale == Word::none && words.is(Slot::kind, Word::kind_mxf4));
  for (const std::string_view name : {"select_a", "select_b"}) {
    const std::span<const Operand> parts = s.parts(name);
    if (parts.size() != 2) continue;
    const Operand &byte = parts[0], &thread = parts[1];
    if (byte.kind == OperandKind::integer &&
        !(byte.value == 0 || (!four && byte.value == 2) || (!four && !two && byte.value <= 3)))
      complain(byte,
               "the byte of '" + std::string(name) + "' is " +
                   std::to_string(static_cast<int64_t>(byte.value)) + "; allowed: " +
                   (four  ? "0"
                    : two ? "0, 2"
                          : "0 to 3"),
               s.form->section);
    const uint64_t most = name == "select_a" ? 1 : 3;
    if (thread.kind == OperandKind::integer && thread.value > most)
      complain(thread,
               "the thread of '" + std::string(name) + "' is " +
                   std::to_string(static_cast<int64_t>(thread.value)) + "; allowed: 0 to " +
                   std::to_string(most),
               s.form->section);
  }
}

void Verifier::verify_setmaxnreg(const Subject& s) {
  const Operand* const count = s.operand("count");
  if (count == nullptr || count->kind != OperandKind::integer) return;
  if (count->value < 24 || count->value > 256 || count->value % 8 != 0)
    complain(*count,
             "'" + s.mnemonic->text + "' asks for " + std::to_string(static_cast<int64_t>(count->value)) +
                 " registers; allowed: 24 to 256 in steps of 8",
             s.form->section);
}

}  // namespace heddle::ptx
