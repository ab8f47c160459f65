#include "exec/told_numbers.h"

#include <algorithm>
#include <map>

#include "exec/number_lanes.h"
#include "module/flow.h"
#include "module/math_function.h"

namespace heddle::exec {

namespace {

using isa::Slot;
using isa::Type;
using module::Operand;
using module::OperandKind;

std::span<const Operand> parts_of(const module::Function& function, const Operand& o) {
  if (o.kind == OperandKind::vector) return {function.operands.data() + o.first_child, o.child_count};
  return {&o, 1};
}

Type pair_of(Type type) { return type == Type::f16 ? Type::f16x2 : type == Type::bf16 ? Type::bf16x2 : type; }

Type element_of(Type type) {
  return type == Type::f16x2 ? Type::f16 : type == Type::bf16x2 ? Type::bf16 : type;
}

// Halves lie in registers without a type, and are stored as bits: what a register holds is what instructions
// that compute write there. none: it is not known, or not always the same.
class RegisterFormats {
 public:
  RegisterFormats(const module::Image& image, const module::Function& function) : function_(function) {
    for (const module::Instruction& i : function.code) {
      if (!number_use(i.opcode).computes) continue;
      const isa::FormInfo& form = isa::forms(i.opcode)[image.mnemonics[i.mnemonic].alternative];
      for (unsigned o = 0; o < i.operand_count && o < form.operands.size(); ++o) {
        const Operand& operand = function.operands[i.first_operand + o];
        if (form.operands[o].access != isa::Access::read && operand.kind == OperandKind::reg &&
            format_of(operand.type).bits != 0)
          learn(operand.reg, operand.type);
      }
    }
    // A few rounds: copies of copies.
    for (int round = 0; round < 4 && carry(); ++round) {
    }
  }
  Type of(const Operand& o) const {
    if (o.kind != OperandKind::reg) return Type::none;
    const auto found = formats_.find(o.reg);
    return found == formats_.end() ? Type::none : found->second;
  }

 private:
  bool learn(uint32_t slot, Type type) {
    const auto [found, fresh] = formats_.try_emplace(slot, type);
    if (fresh || found->second == type || found->second == Type::none) return fresh;
    found->second = Type::none;
    return true;
  }
  bool carry() {
    bool more = false;
    for (const module::Instruction& i : function_.code) {
      if (i.operand_count < 2) continue;
      if (i.opcode == isa::Opcode::shr) more |= carry_upper(i);
      if (i.opcode != isa::Opcode::mov && i.opcode != isa::Opcode::selp) continue;
      const std::span<const Operand> to = parts_of(function_, function_.operands[i.first_operand]),
                                     from = parts_of(function_, function_.operands[i.first_operand + 1]);
      const Type type = of(from[0]);
      if (type == Type::none) continue;
      const isa::TypeInfo& info = isa::info(type);
      const bool same = std::ranges::all_of(from, [&](const Operand& o) { return of(o) == type; });
      // A copy; two halves that become a pair, or a pair that is taken apart.
      for (const Operand& part : to) {
        if (part.kind != OperandKind::reg) continue;
        const unsigned bits = isa::info(part.declared).bits;
        if (to.size() == 1 && from.size() == 1 && bits == info.bits) more |= learn(part.reg, type);
        if (to.size() == 1 && from.size() == 2 && info.bits == 16 && same)
          more |= learn(part.reg, pair_of(type));
        if (to.size() == 2 && from.size() == 1 && info.bits == 32 && info.elements == 2)
          more |= learn(part.reg, element_of(type));
      }
    }
    return more;
  }

  // The upper half of a pair, shifted down: what lies above it is 0, and 16 bits of it are stored.
  bool carry_upper(const module::Instruction& i) {
    const Operand *o = &function_.operands[i.first_operand], &to = o[0], &by = o[2];
    const Type type = of(o[1]);
    if (i.operand_count < 3 || type == Type::none || to.kind != OperandKind::reg) return false;
    const bool by_half = by.kind == OperandKind::immediate && by.value == 16 && isa::info(type).bits == 32;
    return by_half && isa::info(type).elements == 2 && learn(to.reg, element_of(type));
  }

  const module::Function& function_;
  std::map<uint32_t, Type> formats_;
};

// Of matrix instructions d, a, b, c, whose fragments are pairs in registers of 32 bits.
Type fragment_type(const isa::SlotValues& words, unsigned operand) {
  constexpr Slot slots[] = {Slot::dtype, Slot::atype, Slot::btype, Slot::ctype};
  if (operand >= std::size(slots) || !words.has(slots[operand])) return Type::none;
  const Type type = pair_of(words.type(slots[operand]));
  return type == Type::tf32 ? Type::f32 : type;
}

std::vector<Number> numbers_of_call(const module::Image& image, const module::Function& function,
                                    const module::Instruction& call) {
  for (unsigned o = 0; o < call.operand_count; ++o) {
    const Operand& operand = function.operands[call.first_operand + o];
    if (operand.kind != OperandKind::function) continue;
    const math::Function* math = module::math_function(image.functions[operand.index]);
    if (math == nullptr) return {};
    std::vector<Number> numbers;
    const Type type = math->single ? Type::f32 : Type::f64;
    for (unsigned r = 0; r < math->result_count(); ++r)
      if (math->results[r] != math::Value::integer) numbers.push_back({nullptr, type, true, true, 0});
    for (unsigned s = 0; s < math->source_count(); ++s)
      if (math->sources[s] != math::Value::integer)
        numbers.push_back({nullptr, type, false, true, static_cast<uint8_t>(s + 1)});
    return numbers;
  }
  return {};
}

std::vector<Number> numbers_of(const module::Image& image, const module::Function& function,
                               const module::Instruction& i, const RegisterFormats& formats) {
  if (module::flow_of(isa::info(i.form)) == module::Flow::call) return numbers_of_call(image, function, i);
  const NumberUse use = number_use(i.opcode);
  if (!use.computes && !use.compares && !use.stores) return {};
  const module::Mnemonic& mnemonic = image.mnemonics[i.mnemonic];
  const isa::FormInfo& form = isa::forms(i.opcode)[mnemonic.alternative];
  const bool is_private =
      use.stores && mnemonic.values.has(Slot::space) && mnemonic.values[Slot::space] == isa::Word::param;
  if (is_private || (use.fragments && i.operand_count < 4)) return {};
  // What is cut off hides what it was.
  const bool absorbs = !use.computes || use.absorbs || mnemonic.values.has(Slot::sat) ||
                       mnemonic.values.has(Slot::satfinite) || mnemonic.values.has(Slot::relu) ||
                       mnemonic.values.has(Slot::oob);
  std::vector<Number> results, sources;
  for (unsigned o = 0; o < i.operand_count && o < form.operands.size(); ++o) {
    const Operand& operand = function.operands[i.first_operand + o];
    if (operand.kind == OperandKind::address) continue;
    const bool result = form.operands[o].access != isa::Access::read;
    if (result && !use.computes) continue;  // atomic operations give what was there before
    for (const Operand& part : parts_of(function, operand)) {
      if (part.kind != OperandKind::reg && part.kind != OperandKind::immediate) continue;
      Type type = use.fragments ? fragment_type(mnemonic.values, o) : part.type;
      if (type == Type::tf32) type = Type::f32;
      if (format_of(type).bits == 0 && use.stores) type = formats.of(part);
      if (format_of(type).bits == 0) continue;
      if (use.stores && part.kind == OperandKind::reg && isa::info(type).bits != isa::info(part.type).bits)
        continue;
      (result ? results : sources)
          .push_back({&part, type, result, result || (absorbs && part.kind == OperandKind::reg),
                      static_cast<uint8_t>(result ? 0 : o)});
    }
  }
  std::ranges::copy(sources, std::back_inserter(results));
  if (results.size() > most_numbers) return {};
  return results;
}

}  // namespace

NumberUse ToldNumbers::use(uint32_t function, uint32_t instruction) const {
  const module::Instruction& i = image_.functions[function].code[instruction];
  if (module::flow_of(isa::info(i.form)) == module::Flow::call) return {.computes = true, .absorbs = true};
  return number_use(i.opcode);
}

std::span<const Number> ToldNumbers::of(uint32_t index, uint32_t instruction) {
  auto& known = functions_[index];
  const module::Function& function = image_.functions[index];
  if (known.empty() && !function.code.empty()) {
    const RegisterFormats formats(image_, function);
    known.reserve(function.code.size());
    for (const module::Instruction& i : function.code)
      known.push_back(numbers_of(image_, function, i, formats));
  }
  return known[instruction];
}

const Number* addend_of(std::span<const Number> numbers, NumberUse use) {
  if (use.addend == 0 || numbers.empty() || !numbers[0].result) return nullptr;
  for (const Number& n : numbers)
    if (!n.result && n.place == use.addend && n.type == numbers[0].type) return &n;
  return nullptr;
}

observe::Mask exceptional_lanes(std::span<const Number> numbers, NumberUse use, uint8_t kinds,
                                observe::Mask lanes, const uint64_t* bits) {
  observe::Mask found = 0;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const Number& n = numbers[k];
    const bool exceptions = (kinds & observe::not_finite) != 0 && n.looked_at;
    const bool small = (kinds & observe::subnormals) != 0 && n.result;
    if (!exceptions && !small) continue;
    for (unsigned e = 0; e < n.elements(); ++e) {
      const NumberLanes of = lanes_of(n, e, bits + k * observe::warp_lanes);
      if (exceptions) found |= of.not_finite();
      if (small) found |= of.subnormal;
    }
  }
  if (const Number* addend = addend_of(numbers, use);
      addend != nullptr && (kinds & observe::cancellations) != 0)
    for (unsigned e = 0; e < addend->elements(); ++e)
      found |= cancelled_lanes(numbers[0], *addend, e, bits,
                               bits + (addend - numbers.data()) * observe::warp_lanes);
  return found & lanes;
}

}  // namespace heddle::exec
