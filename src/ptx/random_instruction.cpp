#include "ptx/random_instruction.h"

#include <algorithm>

#include "ptx/fit.h"

namespace heddle::ptx::testing {
namespace {

using isa::Opcode;
using isa::OperandShape;
using isa::Slot;
using isa::TypeKind;
using isa::Word;

bool one_of(Opcode opcode, std::initializer_list<Opcode> list) {
  return std::find(list.begin(), list.end(), opcode) != list.end();
}

bool is_integer(TypeKind kind) { return kind == TypeKind::unsigned_ || kind == TypeKind::signed_; }

// Types that a register may be declared with; all others live in untyped registers of their width.
bool has_registers(const isa::TypeInfo& type) {
  return type.bits >= 16 && (type.elements == 1 || type.name == "f16x2") && type.name != "bf16" &&
         type.name != "tf32";
}

// Their operands on bits stand in no register of floating-point numbers, if NVIDIA's compiler is to take
// them.
bool bits_of_integers(Opcode opcode) {
  return one_of(opcode, {Opcode::bmsk, Opcode::dp2a, Opcode::dp4a, Opcode::match, Opcode::popc, Opcode::redux,
                         Opcode::shf, Opcode::szext});
}

// cvt between bf16 and integers: no 8-bit ones and no registers wider than the type, for the same reason.
bool narrow_bf16(const isa::FormInfo& form, const isa::SlotValues& words) {
  return form.opcode == Opcode::cvt &&
         (words.is(Slot::dtype, Word::bf16) || words.is(Slot::atype, Word::bf16));
}
bool bf16_with_bytes(const isa::FormInfo& form, const isa::SlotValues& words) {
  return narrow_bf16(form, words) &&
         (isa::info(words.type(Slot::dtype)).bits == 8 || isa::info(words.type(Slot::atype)).bits == 8);
}

// Sums of products in floating point: the ISA leaves their order and the roundings between to the device
// (9.7.14.5).
bool sums_products(const isa::FormInfo& form, const isa::SlotValues& words) {
  const isa::Type type = words.type(Slot::dtype);
  return one_of(form.opcode, {Opcode::mma, Opcode::wmma}) &&
         (words.is(Slot::action, Word::mma) || form.opcode == Opcode::mma) &&
         isa::info(type).kind == TypeKind::floating && type != isa::Type::f64;
}

bool is_scalar_video(Opcode opcode) {
  return one_of(opcode, {Opcode::vadd, Opcode::vsub, Opcode::vabsdiff, Opcode::vmin, Opcode::vmax,
                         Opcode::vshl, Opcode::vshr, Opcode::vmad, Opcode::vset});
}

// Where NVIDIA's compiler gives other results than the manual (tests/hw/README.md lists them).
bool miscompiled(const isa::FormInfo& form, const isa::SlotValues& words, std::string_view operands) {
  if (form.opcode == Opcode::abs)
    return form.id.find("half") != std::string_view::npos && isa::info(words.type()).elements == 2;
  if (!is_scalar_video(form.opcode)) return false;
  const bool mixed = words[Slot::dtype] != words[Slot::atype] || words[Slot::dtype] != words[Slot::btype];
  return words.has(Slot::sat) || words.is(Slot::op2, Word::min) || words.is(Slot::op2, Word::max) ||
         (form.opcode == Opcode::vmad && (mixed || words.has(Slot::scale))) ||
         operands.substr(0, operands.find(',')).ends_with(".h1");
}
bool loses_its_guard(Opcode opcode) {
  return one_of(opcode, {Opcode::set, Opcode::testp, Opcode::vadd4, Opcode::vsub4, Opcode::vavrg4,
                         Opcode::vabsdiff4, Opcode::vmin4, Opcode::vmax4, Opcode::vset4});
}
// wmma.mma of two machine instructions: the second reads what the first has written, where the registers are
// the same.
bool in_two_steps(const isa::FormInfo& form, const isa::SlotValues& words) {
  return form.opcode == Opcode::wmma && words.is(Slot::action, Word::mma) &&
         isa::fragment_count(form, 0, words) > 4;
}

bool is_plain(OperandShape shape) {
  switch (shape) {
    case OperandShape::value:
    case OperandShape::register_:
    case OperandShape::immediate:
    case OperandShape::vector:
    case OperandShape::fragment:
    case OperandShape::sink: return true;
    default: return false;
  }
}

std::string hex(uint64_t value, int digits) {
  std::string out;
  while (digits-- > 0) out += "0123456789ABCDEF"[value >> (4 * digits) & 15];
  return out;
}

}  // namespace

bool Setting::allows(const isa::Needs& needs) const {
  return isa::meets(version, needs) && isa::meets(*target, needs) && !isa::removed(needs, version, *target);
}

bool Setting::has(isa::Opcode opcode, std::string_view form) const {
  return std::ranges::any_of(isa::forms(opcode),
                             [&](const isa::FormInfo& f) { return f.id == form && allows(f.needs); });
}

RandomInstructions::RandomInstructions(const Setting& setting,
                                       const std::function<uint32_t(uint32_t)>& choose)
    : setting_(setting), choose_(choose) {
  for (const isa::FormInfo& form : isa::all_forms()) {
    if (form.status != isa::Status::executed || form.leaves || !setting.allows(form.needs)) continue;
    for (const Kind kind : {Kind::plain, Kind::memory, Kind::collective})
      if (is(kind, form)) forms_[static_cast<std::size_t>(kind)].push_back(&form);
  }
}

// Instructions with an effect of their own on flow, time, the stack or caches are of no kind.
bool RandomInstructions::is(Kind kind, const isa::FormInfo& form) {
  const bool flat = std::ranges::all_of(form.operands, [](const auto& rule) { return is_plain(rule.shape); });
  const bool barrier = one_of(form.opcode, {Opcode::bar, Opcode::barrier});
  const bool sync = std::ranges::any_of(
      form.slots, [](const isa::SlotRule& rule) { return rule.slot == Slot::sync && !rule.optional; });
  const bool together = barrier || sync || one_of(form.opcode, {Opcode::vote, Opcode::shfl, Opcode::match});
  switch (kind) {
    case Kind::plain:
      if (form.operands.empty()) return one_of(form.opcode, {Opcode::fence, Opcode::membar});
      return flat && !together && form.operands.front().access != isa::Access::read &&
             !one_of(form.opcode,
                     {Opcode::cvta, Opcode::mapa, Opcode::getctarank, Opcode::isspacep, Opcode::createpolicy,
                      Opcode::alloca, Opcode::stacksave, Opcode::activemask, Opcode::mbarrier,
                      Opcode::istypep, Opcode::tensormap, Opcode::clusterlaunchcontrol, Opcode::tcgen05});
    case Kind::memory:
      return one_of(form.opcode,
                    {Opcode::ld, Opcode::ldu, Opcode::st, Opcode::atom, Opcode::red, Opcode::prefetch});
    case Kind::collective:
      return together && (flat || one_of(form.opcode, {Opcode::ldmatrix, Opcode::stmatrix, Opcode::wmma})) &&
             !one_of(form.opcode,
                     {Opcode::elect, Opcode::setmaxnreg, Opcode::wgmma, Opcode::tensormap, Opcode::tcgen05});
  }
  return false;
}

std::string RandomInstructions::register_of(std::string_view pool) {
  for (const RegisterPool& p : setting_.pools)
    if (p.name == pool) return std::string(pool) + std::to_string(choose_(p.count));
  return {};
}

// Table 27 and 28 of the PTX ISA: the same size; wider only for integers and bits, where the form allows it.
std::string RandomInstructions::register_for(isa::Type type, bool relaxed, unsigned bits) {
  const isa::TypeInfo& wanted = isa::info(type);
  unsigned total = 0;
  const auto fits = [&](const RegisterPool& pool) {
    const isa::TypeInfo& have = isa::info(pool.type);
    if (bits != 0 && have.bits != bits) return false;
    if (wanted.kind == TypeKind::predicate || have.kind == TypeKind::predicate)
      return wanted.kind == have.kind;
    const bool wider = relaxed && (is_integer(wanted.kind) || wanted.kind == TypeKind::untyped) &&
                       (is_integer(have.kind) || have.kind == TypeKind::untyped) && have.bits < 128;
    if (wider ? have.bits < wanted.bits : have.bits != wanted.bits) return false;
    if (have.kind == TypeKind::untyped) return true;
    if (wanted.kind == TypeKind::untyped && !(have.kind == TypeKind::floating ? floats_ : integers_))
      return false;
    if (in_braces_ && wanted.kind == TypeKind::untyped && have.elements != 1) return false;
    if (!has_registers(wanted) && !wider) return false;
    if (wanted.kind == TypeKind::untyped || (is_integer(wanted.kind) && is_integer(have.kind))) return true;
    return wanted.kind == have.kind && wanted.elements == have.elements;
  };
  for (const RegisterPool& pool : setting_.pools) total += fits(pool) ? pool.count : 0;
  if (total == 0) return {};
  uint32_t n = choose_(total);
  for (const RegisterPool& pool : setting_.pools) {
    if (!fits(pool)) continue;
    if (n < pool.count) return std::string(pool.name) + std::to_string(n);
    n -= pool.count;
  }
  return {};
}

// A register that the instruction does not write twice.
std::string RandomInstructions::fresh(isa::Type type, bool relaxed, bool write, unsigned bits) {
  for (int tries = 0; tries < 8; ++tries) {
    std::string name = register_for(type, relaxed, bits);
    if (name.empty() || !write) return name;
    if (std::ranges::find(written_, name) != written_.end()) continue;
    written_.push_back(name);
    return name;
  }
  return {};
}

unsigned RandomInstructions::width(std::string_view name) const {
  const std::string_view pool = name.substr(0, name.find_last_not_of("0123456789") + 1);
  for (const RegisterPool& p : setting_.pools)
    if (p.name == pool) return isa::info(p.type).bits;
  return 0;
}

std::string RandomInstructions::immediate(isa::Type type) {
  const isa::TypeInfo& info = isa::info(type);
  static constexpr uint64_t interesting[] = {0,
                                             1,
                                             2,
                                             31,
                                             32,
                                             0x7f800000,
                                             0x80000000,
                                             0x7fffffff,
                                             0xffffffff,
                                             0x3f800000,
                                             0x7fc00000,
                                             0x8000000000000000,
                                             0x7ff0000000000000,
                                             0x3ff0000000000000,
                                             ~uint64_t{0},
                                             0x8000};
  uint64_t value =
      choose_(2) == 0 ? interesting[choose_(16)] : uint64_t{choose_(0xffffffff)} << 32 | choose_(0xffffffff);
  if (info.elements != 1 || info.bits > 64 || info.kind == TypeKind::predicate) return {};
  if (info.kind == TypeKind::floating) {
    if (info.bits == 32 && info.name == "f32") return "0f" + hex(value, 8);
    if (info.bits == 64) return "0d" + hex(value, 16);
    return {};
  }
  if (info.bits < 64) value &= (uint64_t{1} << info.bits) - 1;
  return "0x" + hex(value, std::max<int>(info.bits, 8) / 4);
}

std::string RandomInstructions::braced(unsigned count, isa::Type type, bool relaxed, bool write,
                                       bool may_sink, bool tile) {
  // Registers side by side agree with each other; those of a tile without a type have none either.
  const bool integers = integers_, floats = floats_;
  in_braces_ = true;
  integers_ = !tile && choose_(2) == 0;
  floats_ = !tile && !integers_ && floats;
  std::string out = "{";
  unsigned bits = 0;
  const uint32_t sunk = may_sink && count > 1 && choose_(4) == 0 ? choose_(count) : count;
  for (unsigned i = 0; i < count; ++i) {
    const std::string name = i == sunk ? "_" : fresh(type, relaxed, write, bits);
    if (name.empty()) {
      out.clear();
      break;
    }
    if (bits == 0 && i != sunk) bits = width(name);  // those of a vector are of one size
    out += (i == 0 ? "" : ", ") + name;
  }
  in_braces_ = false;
  integers_ = integers;
  floats_ = floats;
  return out.empty() ? out : out + '}';
}

std::string RandomInstructions::operand(const isa::FormInfo& form, std::size_t index) {
  const isa::OperandRule& rule = form.operands[index];
  const bool write = rule.access != isa::Access::read;
  isa::Type type = isa::resolve(rule.type, words_, 64);
  if (type == isa::Type::none && rule.type.kind == isa::TypeRule::Kind::one_of)
    type = rule.type.choices[choose_(static_cast<uint32_t>(rule.type.choices.size()))];
  if (type == isa::Type::none) return {};
  if (rule.name == "membermask") return "0xFFFFFFFF";
  // Rows of a matrix in the input buffer: any layout and shape stays in it.
  if (form.opcode == Opcode::wmma && rule.name == "stride")
    return words_.type(Slot::atype) == isa::Type::b1 || words_.type(Slot::btype) == isa::Type::b1 ? "128"
                                                                                                  : "32";
  if (one_of(form.opcode, {Opcode::bar, Opcode::barrier}) && rule.name == "b")
    return std::to_string(setting_.threads);
  if (rule.shape == OperandShape::sink) return "_";
  const bool constant = rule.shape == OperandShape::immediate;
  if (rule.shape == OperandShape::fragment) {
    const unsigned count = isa::fragment_count(form, index, words_);
    if (!setting_.options.open_results && in_two_steps(form, words_) && index != 0) {
      std::string out = "{";
      for (unsigned i = 0; i < count; ++i)
        out += (i == 0 ? "" : ", ") + (index == 3 ? written_[i] : index == 1 ? "%m0" : "%m2");
      return out + '}';
    }
    return count == 0 ? std::string() : braced(count, type, form.relaxed, write, false, true);
  }
  if (rule.shape == OperandShape::vector) {
    const unsigned count = vector_count(rule, words_);
    if (count == 0) return {};
    if (count > 1)
      return braced(count, type, form.relaxed, write,
                    write && rule.may_sink && form.opcode != Opcode::st && form.opcode != Opcode::atom,
                    false);
  }
  if (!setting_.options.open_results && form.opcode == Opcode::bfe && index == 2)
    return std::to_string(choose_(isa::info(words_.type()).bits));
  if (!setting_.options.open_results && form.opcode == Opcode::bfi && index == 4)
    return std::to_string(choose_(32));  // the compiler cuts a constant length to 5 bits
  if (!write && !rule.allowed.empty()) {
    const isa::ImmediateRange& range = rule.allowed[choose_(static_cast<uint32_t>(rule.allowed.size()))];
    return std::to_string(range.first +
                          static_cast<int32_t>(choose_(static_cast<uint32_t>(range.last - range.first) + 1)));
  }
  if (constant) return std::to_string(choose_(256));
  const bool suffixed = !rule.suffixes.empty();
  // Of a constant divisor the compiler takes the reciprocal; amounts for 16 bits it cuts to 16 bits.
  const bool folded =
      words_.has(Slot::approx) || words_.has(Slot::full) ||
      (one_of(form.opcode, {Opcode::shl, Opcode::shr}) && isa::info(words_.type()).bits == 16);
  if (!write && rule.shape == OperandShape::value && !suffixed && index > 1 &&
      (setting_.options.open_results || !folded) && choose_(4) == 0) {
    std::string number = immediate(type);
    if (!number.empty()) return number;
  }
  std::string name = fresh(type, form.relaxed && !narrow_bf16(form, words_), write);
  if (name.empty()) return {};
  if (rule.may_negate && takes_predicate(rule) && choose_(3) == 0) name.insert(0, "!");
  if (suffixed && choose_(2) == 0) {
    const Word part = rule.suffixes[choose_(static_cast<uint32_t>(rule.suffixes.size()))];
    if (part != Word::b1024)
      name += '.' + std::string(isa::spelling(part));  // NVIDIA's lexer takes it for a type
  }
  return name;
}

// "" when something cannot be had.
std::string RandomInstructions::operands(const isa::FormInfo& form, const std::string& address) {
  std::vector<int> present(256, -1);
  std::string out;
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    const isa::OperandRule& rule = form.operands[i];
    const uint8_t group = rule.optional_group;
    if (group != 0 && present[group] < 0) {
      present[group] = (rule.optional_parent == 0 || present[rule.optional_parent] > 0) && choose_(2) != 0;
      for (const isa::OperandNeeds& need : form.operand_needs)
        if (need.suffix == Word::none && need.operand < form.operands.size() &&
            form.operands[need.operand].optional_group == group && !setting_.allows(need.needs))
          present[group] = 0;
    }
    if (rule.tied ? !words_.has(rule.tied_to) : group != 0 && present[group] == 0) continue;
    if (rule.shape == OperandShape::fragment && isa::fragment_count(form, i, words_) == 0 && group != 0) {
      present[group] = 0;
      continue;
    }
    const std::string text = rule.shape == OperandShape::address ? address : operand(form, i);
    if (text.empty()) return {};
    if (!out.empty()) out += rule.piped ? "|" : ", ";
    out += text;
  }
  return out;
}

bool RandomInstructions::words_allowed(const isa::FormInfo& form) const {
  for (const isa::WordNeeds& need : form.word_needs)
    if (words_[need.slot] == need.word && !setting_.allows(need.needs)) return false;
  return setting_.options.approximate || !(words_.has(Slot::approx) || words_.has(Slot::full));
}

// What the verifier's rules load_store and atomic ask for, and what a private place in memory can serve.
bool RandomInstructions::memory_allowed(const isa::FormInfo& form, uint32_t& bytes) const {
  for (const Slot slot : {Slot::cache_hint, Slot::async, Slot::bulk, Slot::tensormap, Slot::l2_evict})
    if (words_.has(slot)) return false;
  const Word space = words_[Slot::space];
  const std::string_view name = isa::spelling(space);
  if (name.starts_with("param") || name.starts_with("const[")) return false;
  const bool local = space == Word::local || space == Word::const_;
  const bool shared = name.starts_with("shared");
  if ((local || shared) && (words_.has(Slot::l1_evict) || words_.has(Slot::prefetch_size))) return false;
  if (local && (words_.has(Slot::volatile_) || words_.has(Slot::sem))) return false;
  bytes = 16;
  if (form.opcode == Opcode::prefetch || form.opcode == Opcode::ldmatrix || form.opcode == Opcode::stmatrix)
    return true;
  unsigned count = 1;
  for (const isa::OperandRule& rule : form.operands)
    if (rule.shape == OperandShape::vector) count = vector_count(rule, words_);
  const unsigned bits = isa::info(words_.type()).bits;
  bytes = count * bits / 8;
  return bits >= 8 && count <= 4 && count * bits <= 128 &&
         !(bits == 128 && words_.is(Slot::scope, Word::sys));
}

std::string RandomInstructions::address(const isa::FormInfo& form, uint32_t bytes, std::string& before) {
  enum class Place { input, own, shared, local, constant };
  Word space = words_[Slot::space];
  const std::string_view name = isa::spelling(space);
  const bool loads = one_of(form.opcode, {Opcode::ld, Opcode::ldu, Opcode::prefetch});
  // A prefetch, a hint or an atomic through a generic address: where that means something.
  const bool hinted = words_.has(Slot::l1_evict) || words_.has(Slot::prefetch_size) ||
                      words_.has(Slot::volatile_) || words_.has(Slot::sem) || form.opcode == Opcode::prefetch;
  Place place = Place::own;
  if (one_of(form.opcode, {Opcode::ldmatrix, Opcode::stmatrix}) || name.starts_with("shared"))
    place = Place::shared;
  else if (space == Word::local)
    place = Place::local;
  else if (space == Word::const_)
    place = Place::constant;
  else if (form.opcode == Opcode::ldu || words_.has(Slot::nc))
    place = Place::input;
  else if (space == Word::none && !hinted && form.opcode != Opcode::atom && form.opcode != Opcode::red)
    place = static_cast<Place>(choose_(4));
  else if (loads)
    place = static_cast<Place>(choose_(2));
  else if (space == Word::none && !hinted)
    place = static_cast<Place>(1 + choose_(2));
  // Vectors are changed atomically in global memory alone, however it is addressed (9.7.13.5).
  if ((place == Place::input && !loads) ||
      (words_.has(Slot::vec) && one_of(form.opcode, {Opcode::atom, Opcode::red})))
    place = Place::own;

  const uint32_t room = place == Place::input ? random_program_input : place == Place::own ? 512 : 64;
  const std::string mask = std::to_string((room - 1) & ~(bytes - 1));
  before = "and.b32 %m0, " + register_of("%r") + ", " + mask + ";\n";
  const bool generic = space == Word::none;
  switch (place) {
    case Place::input:
    case Place::own:
      before += "cvt.u64.u32 %m1, %m0;\nadd.u64 %m1, %m1, " +
                std::string(place == Place::input ? "%in" : "%own") + ";\n";
      break;
    case Place::shared: before += "add.u32 %m0, %m0, %slot;\n"; [[fallthrough]];
    case Place::local:
    case Place::constant: {
      const std::string variable = place == Place::shared ? "sh" : place == Place::local ? "lo" : "co";
      // (a constant's address needs all of its 64 bits)
      if (!generic && place != Place::constant && choose_(2) == 0) {
        before += "mov.u32 %m2, " + variable + ";\nadd.u32 %m0, %m0, %m2;\n";
        return "[%m0]";
      }
      before += "mov.u64 %m3, " + variable + ";\n";
      if (generic)
        before += std::string("cvta.") + (place == Place::shared ? "shared" : "local") + ".u64 %m3, %m3;\n";
      before += "cvt.u64.u32 %m1, %m0;\nadd.u64 %m1, %m1, %m3;\n";
      break;
    }
  }
  // An offset that stays in place: what the register lost, the constant adds.
  if (choose_(4) == 0) {
    const std::string by = std::to_string(16 * choose_(64));
    before += "sub.u64 %m1, %m1, " + by + ";\n";
    return "[%m1+" + by + "]";
  }
  return "[%m1]";
}

std::string RandomInstructions::attempt(Kind kind, const isa::FormInfo& form, const std::string& guard) {
  std::vector<Word> words;
  std::string mnemonic(isa::name(form.opcode));
  for (const isa::SlotRule& slot : form.slots) {
    if (slot.optional && choose_(2) == 0) continue;
    words.push_back(slot.words[choose_(static_cast<uint32_t>(slot.words.size()))]);
    mnemonic += '.' + std::string(isa::spelling(words.back()));
  }
  words_ = {};
  written_.clear();
  integers_ = true;
  floats_ = !bits_of_integers(form.opcode);
  if (!isa::match(form, words, words_) || !words_allowed(form) || bf16_with_bytes(form, words_)) return {};
  // match() may have found words that another form of this name takes as well; the first one is meant then.
  std::string before, at;
  uint32_t bytes = 0;
  const bool addressed = std::ranges::any_of(
      form.operands, [](const auto& rule) { return rule.shape == OperandShape::address; });
  if (form.opcode == Opcode::wmma && addressed) {
    const bool placed = words_.is(Slot::space, Word::none) || words_.is(Slot::space, Word::global);
    if (!words_.is(Slot::action, Word::load) || !placed) return {};
    at = "[%in]";
  } else if (kind != Kind::plain && addressed) {
    if (!memory_allowed(form, bytes)) return {};
    at = address(form, bytes, before);
  }
  if (one_of(form.opcode, {Opcode::bar, Opcode::barrier}) &&
      !(words_.is(Slot::action, Word::sync) || words_.is(Slot::action, Word::red)))
    return {};
  const bool open = setting_.options.open_results;
  // Sparse metadata has to follow rules that random bits do not.
  if (!open && (form.id.find("mma_sp") != std::string_view::npos || sums_products(form, words_))) return {};
  if (one_of(form.opcode, {Opcode::addc, Opcode::subc, Opcode::madc}))
    before += "add.cc.u32 %m0, " + register_of("%r") + ", " + register_of("%r") + ";\n";
  if (!open && in_two_steps(form, words_))
    before += "mov.b32 %m0, " + register_of("%r") + ";\nmov.b32 %m2, " + register_of("%r") + ";\n";
  std::string list = operands(form, at);
  if (list.empty() && !form.operands.empty()) return {};
  if (!open && miscompiled(form, words_, list)) return {};
  if (!open && one_of(form.opcode, {Opcode::div, Opcode::rem}) &&
      isa::info(words_.type()).kind != TypeKind::floating) {
    // The divisor is the last operand: a constant that is not zero.
    list.resize(list.rfind(", "));
    list += ", " + std::to_string(1 + choose_(1000));
  }
  return before + (open || !loses_its_guard(form.opcode) ? guard : "") + mnemonic +
         (list.empty() ? "" : " ") + list + ";\n";
}

std::string RandomInstructions::write(Kind kind, const std::string& guard) {
  const auto& forms = forms_[static_cast<std::size_t>(kind)];
  if (forms.empty()) return {};
  for (int tries = 0; tries < 8; ++tries) {
    const isa::FormInfo& form = *forms[choose_(static_cast<uint32_t>(forms.size()))];
    std::string text = attempt(kind, form, guard);
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace heddle::ptx::testing
