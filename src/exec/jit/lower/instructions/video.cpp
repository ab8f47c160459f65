// Video instructions on parts of registers (PTX ISA 9.7.18.1) and on all halves or bytes at once (9.7.18.2).
#include <array>
#include <string_view>

#include "exec/jit/lower/instructions/integers.h"

namespace heddle::exec::jit {
namespace {

using isa::Slot;
using isa::Word;
using llvm::CmpInst;
using llvm::Value;

bool is_signed(Word type) { return integer_type(type).is_signed; }
bool signed_result(Lowering& l) { return l.has(Slot::dtype) && is_signed(l.word(Slot::dtype)); }

// Into the range of numbers of `width` bits, which is less than the value's own width.
Value* clamped(llvm::IRBuilder<>& ir, Value* value, unsigned width, bool as_signed) {
  const int64_t low = as_signed ? -(int64_t{1} << (width - 1)) : 0;
  const int64_t high = as_signed ? (int64_t{1} << (width - 1)) - 1 : (int64_t{1} << width) - 1;
  llvm::Type* type = value->getType();
  value = greatest(ir, true, value, llvm::ConstantInt::getSigned(type, low));
  return least(ir, true, value, llvm::ConstantInt::getSigned(type, high));
}

// All computing is signed: the sources have been extended.
using Operation = Value* (*)(Lowering&, Value*, Value*);

Value* plus(Lowering& l, Value* a, Value* b) { return l.ir().CreateAdd(a, b); }
Value* minus(Lowering& l, Value* a, Value* b) { return l.ir().CreateSub(a, b); }
Value* smaller(Lowering& l, Value* a, Value* b) { return least(l.ir(), true, a, b); }
Value* larger(Lowering& l, Value* a, Value* b) { return greatest(l.ir(), true, a, b); }
Value* distance(Lowering& l, Value* a, Value* b) {
  return l.ir().CreateSub(larger(l, a, b), smaller(l, a, b));
}

// Halves round up, those of a negative sum down (9.7.18.2.1).
Value* average(Lowering& l, Value* a, Value* b) {
  llvm::IRBuilder<>& ir = l.ir();
  Value* sum = ir.CreateAdd(a, b);
  Value* one = ir.CreateZExt(ir.CreateICmpSGE(sum, like(sum, 0)), sum->getType());
  return ir.CreateAShr(ir.CreateAdd(sum, one), 1);
}

Value* comparison(Lowering& l, Value* a, Value* b) {
  auto order = [&] {
    switch (l.word(Slot::cmp)) {
      case Word::eq: return CmpInst::ICMP_EQ;
      case Word::ne: return CmpInst::ICMP_NE;
      case Word::lt: return CmpInst::ICMP_SLT;
      case Word::le: return CmpInst::ICMP_SLE;
      case Word::gt: return CmpInst::ICMP_SGT;
      default: return CmpInst::ICMP_SGE;
    }
  };
  return l.ir().CreateZExt(l.ir().CreateICmp(order(), a, b), a->getType());
}

// ---- scalar

struct Part {  // .b2: 8 bits from bit 16 on; no selector: all 32 bits
  unsigned width = 32, first = 0;
};
Part part_of(Word component) {
  if (component == Word::none) return {};
  const std::string_view text = isa::spelling(component);
  const unsigned width = text[0] == 'b' ? 8 : 16;
  return {width, static_cast<unsigned>(text[1] - '0') * width};
}

// The selected part of operand i, extended to 64 bits: whatever is computed with two of them fits.
Value* source(Lowering& l, int i, Word type) {
  const Part part = part_of(l.operand(i).component);
  Value* bits = field(l.ir(), l.get_bits(i), part.first, part.width, is_signed(type));
  return extended(l.ir(), bits, 64, is_signed(type));
}

// Clamped for .sat, then joined with c: by the second operation, on numbers of the result's type, or put into
// the selected part of it.
void set_scalar(Lowering& l, Value* value) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool as_signed = signed_result(l);
  const Part part = part_of(l.operand(0).component);
  if (l.has(Slot::sat)) value = clamped(ir, value, part.width, as_signed);
  if (!l.present(3)) return l.set(0, ir.CreateTrunc(value, ir.getInt32Ty()));
  Value* bits = l.get_bits(3);
  Value* c = extended(ir, bits, 64, as_signed);
  switch (l.word(Slot::op2)) {
    case Word::add: value = ir.CreateAdd(value, c); break;
    case Word::min: value = smaller(l, value, c); break;
    case Word::max: value = larger(l, value, c); break;
    default: {
      const auto mask = static_cast<uint32_t>(((uint64_t{1} << part.width) - 1) << part.first);
      Value* in = ir.CreateShl(ir.CreateTrunc(value, ir.getInt32Ty()), uint64_t{part.first});
      return l.set(0, ir.CreateOr(ir.CreateAnd(bits, uint64_t{~mask}), ir.CreateAnd(in, mask)));
    }
  }
  l.set(0, ir.CreateTrunc(value, ir.getInt32Ty()));
}

void scalar(Lowering& l, Operation f) {
  set_scalar(l, f(l, source(l, 1, l.word(Slot::atype)), source(l, 2, l.word(Slot::btype))));
}

// The shift amount: past the width it stops at 32 or wraps (9.7.18.1.2).
Value* amount(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  Value* b = source(l, 2, l.word(Slot::btype));
  return l.word(Slot::extend) == Word::wrap ? ir.CreateAnd(b, 31) : least(ir, false, b, like(b, 32));
}

// ---- SIMD

// `.h32`, `.b7654`: for each element from the lowest up, which of the elements of {b, a} it takes.
std::array<unsigned, 4> selected(Word component, unsigned count, unsigned first) {
  std::array<unsigned, 4> out{};
  const std::string_view text = component == Word::none ? std::string_view() : isa::spelling(component);
  for (unsigned i = 0; i < count; ++i)
    out[i] = text.empty() ? first + i : static_cast<unsigned>(text[count - i] - '0');
  return out;
}

// `.h1`, `.b310`: the elements of d that are written.
unsigned mask_of(Word component) {
  if (component == Word::none) return ~0u;
  unsigned mask = 0;
  for (const char digit : isa::spelling(component).substr(1)) mask |= 1u << (digit - '0');
  return mask;
}

void simd(Lowering& l, unsigned count, Operation f) {
  llvm::IRBuilder<>& ir = l.ir();
  const unsigned width = 32 / count;
  const uint64_t ones = (uint64_t{1} << width) - 1;
  const bool a_signed = is_signed(l.word(Slot::atype)), b_signed = is_signed(l.word(Slot::btype));
  const unsigned mask = mask_of(l.operand(0).component);
  const auto a_from = selected(l.operand(1).component, count, 0);
  const auto b_from = selected(l.operand(2).component, count, count);
  const std::array<Value*, 2> words{l.get_bits(1), l.get_bits(2)};
  auto element = [&](unsigned i, bool as_signed) {
    return field(ir, words[i / count], width * (i % count), width, as_signed);
  };
  Value* c = l.get_bits(3);
  uint64_t kept = 0;  // of c
  Value *merged = ir.getInt32(0), *sum = c;
  for (unsigned i = 0; i < count; ++i) {
    if ((mask >> i & 1) == 0) {
      kept |= ones << width * i;
      continue;
    }
    Value* value = f(l, element(a_from[i], a_signed), element(b_from[i], b_signed));
    if (l.has(Slot::sat)) value = clamped(ir, value, width, signed_result(l));
    sum = ir.CreateAdd(sum, value);
    merged = ir.CreateOr(merged, ir.CreateShl(ir.CreateAnd(value, ones), uint64_t{width * i}));
  }
  l.set(0, l.has(Slot::op2) ? sum : ir.CreateOr(merged, ir.CreateAnd(c, kept)));
}

}  // namespace

void lower_vadd(Lowering& l) { scalar(l, plus); }
void lower_vsub(Lowering& l) { scalar(l, minus); }
void lower_vabsdiff(Lowering& l) { scalar(l, distance); }
void lower_vmin(Lowering& l) { scalar(l, smaller); }
void lower_vmax(Lowering& l) { scalar(l, larger); }
void lower_vset(Lowering& l) { scalar(l, comparison); }

// What a scalar operation gives is a number of 34 bits with a sign; saturation sees no more of it (9.7.18.1).
void lower_vshl(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  Value* a = source(l, 1, l.word(Slot::atype));
  set_scalar(l, ir.CreateAShr(ir.CreateShl(ir.CreateShl(a, amount(l)), 30), 30));
}

void lower_vshr(Lowering& l) {
  Value* a = source(l, 1, l.word(Slot::atype));
  set_scalar(l, l.ir().CreateAShr(a, amount(l)));
}

// (a * b) + c with at most one of them negated, or plus one; shifted, then clamped (9.7.18.1.3). The exact
// value has 67 bits, of which without .sat only the lower ones are asked for.
void lower_vmad(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const Word atype = l.word(Slot::atype), btype = l.word(Slot::btype);
  const bool minus_product = l.operand(1).negated != l.operand(2).negated, minus_c = l.operand(3).negated;
  const bool result_signed = is_signed(atype) || is_signed(btype) || minus_product || minus_c;
  const unsigned shift = l.word(Slot::scale) == Word::shr7 ? 7 : l.word(Slot::scale) == Word::shr15 ? 15 : 0;
  const bool saturates = l.has(Slot::sat);
  const unsigned bits = saturates ? 128 : 64;
  Value* value = ir.CreateMul(extended(ir, source(l, 1, atype), bits, true),
                              extended(ir, source(l, 2, btype), bits, true));
  Value* c = extended(ir, l.get_bits(3), bits, result_signed);
  if (l.has(Slot::po))
    value = ir.CreateAdd(value, like(value, 1));
  else if (minus_product)
    value = ir.CreateNeg(value);
  value = minus_c ? ir.CreateSub(value, c) : ir.CreateAdd(value, c);
  value = ir.CreateAShr(value, uint64_t{shift});
  if (saturates) value = clamped(ir, value, 32, result_signed);
  l.set(0, ir.CreateTrunc(value, ir.getInt32Ty()));
}

void lower_vadd2(Lowering& l) { simd(l, 2, plus); }
void lower_vsub2(Lowering& l) { simd(l, 2, minus); }
void lower_vavrg2(Lowering& l) { simd(l, 2, average); }
void lower_vabsdiff2(Lowering& l) { simd(l, 2, distance); }
void lower_vmin2(Lowering& l) { simd(l, 2, smaller); }
void lower_vmax2(Lowering& l) { simd(l, 2, larger); }
void lower_vset2(Lowering& l) { simd(l, 2, comparison); }
void lower_vadd4(Lowering& l) { simd(l, 4, plus); }
void lower_vsub4(Lowering& l) { simd(l, 4, minus); }
void lower_vavrg4(Lowering& l) { simd(l, 4, average); }
void lower_vabsdiff4(Lowering& l) { simd(l, 4, distance); }
void lower_vmin4(Lowering& l) { simd(l, 4, smaller); }
void lower_vmax4(Lowering& l) { simd(l, 4, larger); }
void lower_vset4(Lowering& l) { simd(l, 4, comparison); }

}  // namespace heddle::exec::jit
