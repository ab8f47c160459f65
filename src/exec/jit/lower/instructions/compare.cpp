// Comparison and selection (PTX ISA 9.7.6 and 9.7.7).
#include "exec/jit/lower/instructions/floats.h"
#include "exec/jit/lower/instructions/integers.h"

namespace heddle::exec::jit {
namespace {

using isa::Slot;
using isa::Type;
using isa::Word;
using llvm::CmpInst;
using llvm::Value;

// lo, ls, hi and hs compare as unsigned; the others as the type says (9.7.6.1).
CmpInst::Predicate integer_order(Word cmp, bool is_signed) {
  switch (cmp) {
    case Word::eq: return CmpInst::ICMP_EQ;
    case Word::ne: return CmpInst::ICMP_NE;
    case Word::lt: return is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
    case Word::le: return is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
    case Word::gt: return is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
    case Word::ge: return is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
    case Word::lo: return CmpInst::ICMP_ULT;
    case Word::ls: return CmpInst::ICMP_ULE;
    case Word::hi: return CmpInst::ICMP_UGT;
    default: return CmpInst::ICMP_UGE;
  }
}

// With a NaN among the sources the plain comparisons are false and those ending in u are true (9.7.6.2).
CmpInst::Predicate float_order(Word cmp) {
  switch (cmp) {
    case Word::eq: return CmpInst::FCMP_OEQ;
    case Word::ne: return CmpInst::FCMP_ONE;
    case Word::lt: return CmpInst::FCMP_OLT;
    case Word::le: return CmpInst::FCMP_OLE;
    case Word::gt: return CmpInst::FCMP_OGT;
    case Word::ge: return CmpInst::FCMP_OGE;
    case Word::equ: return CmpInst::FCMP_UEQ;
    case Word::neu: return CmpInst::FCMP_UNE;
    case Word::ltu: return CmpInst::FCMP_ULT;
    case Word::leu: return CmpInst::FCMP_ULE;
    case Word::gtu: return CmpInst::FCMP_UGT;
    case Word::geu: return CmpInst::FCMP_UGE;
    case Word::num: return CmpInst::FCMP_ORD;
    default: return CmpInst::FCMP_UNO;
  }
}

// For an order a subnormal of either sign is 0.
Value* flushed(llvm::IRBuilder<>& ir, Value* value, double least_normal) {
  Value* tiny = ir.CreateFCmpOLT(magnitude(ir, value), number(value, least_normal));
  return ir.CreateSelect(tiny, number(value, 0), value);
}

// The lower half of a word as a float.
Value* half_source(Lowering& l, Value* bits, bool brain) {
  Value* value = from_half(l.ir(), bits, brain);
  return l.has(Slot::ftz) ? flushed(l.ir(), value, 0x1p-14) : value;  // f16 only
}

Value* float_source(Lowering& l, Type type, int i) {
  if (type == Type::f16 || type == Type::bf16) return half_source(l, l.get_bits(i), is_brain(type));
  Value* value = l.get(i);
  if (type != Type::f32 || !flushes(l)) return value;
  // What is compared with a number that is known is folded without the host's mode.
  return llvm::isa<llvm::Constant>(value) || flushes_by_hand(l) ? flushed_f32(l.ir(), value) : value;
}

Value* test(Lowering& l, Type type, int first) {
  llvm::IRBuilder<>& ir = l.ir();
  const Word cmp = l.word(Slot::cmp);
  if (!is_floating(type)) {
    const CmpInst::Predicate order = integer_order(cmp, integer_type(type).is_signed);
    return ir.CreateICmp(order, l.get_bits(first), l.get_bits(first + 1));
  }
  return ir.CreateFCmp(float_order(cmp), float_source(l, type, first), float_source(l, type, first + 1));
}

struct Pair {
  Value *low, *high;
};
Pair pair_test(Lowering& l, Type type, int first) {
  llvm::IRBuilder<>& ir = l.ir();
  Value *a = l.get_bits(first), *b = l.get_bits(first + 1);
  const CmpInst::Predicate order = float_order(l.word(Slot::cmp));
  auto half_test = [&](uint64_t shift) {
    Value *x = ir.CreateLShr(a, shift), *y = ir.CreateLShr(b, shift);
    return ir.CreateFCmp(order, half_source(l, x, is_brain(type)), half_source(l, y, is_brain(type)));
  };
  return {half_test(0), half_test(16)};
}

// t BoolOp c; c stands at operand i.
Value* joined(Lowering& l, Value* t, int i) {
  switch (l.word(Slot::bool_)) {
    case Word::and_: return l.ir().CreateAnd(t, l.get_predicate(i));
    case Word::or_: return l.ir().CreateOr(t, l.get_predicate(i));
    case Word::xor_: return l.ir().CreateXor(t, l.get_predicate(i));
    default: return t;  // none given
  }
}

// p = t BoolOp c and q = !t BoolOp c. Operands: p, q, a, b and perhaps c, which may be p's own register.
void set_predicates(Lowering& l, Value* t) {
  Value *p = joined(l, t, 4), *q = l.present(1) ? joined(l, l.ir().CreateNot(t), 4) : nullptr;
  l.set(0, p);
  if (q != nullptr) l.set(1, q);
}

// A true result in the destination's type: all ones for integers, 1.0 for floating-point types.
Value* true_value(Lowering& l, Type type) {
  llvm::Type* t = l.value_type(type);
  switch (type) {
    case Type::f32: return llvm::ConstantFP::get(t, 1);
    case Type::f16: return llvm::ConstantInt::get(t, 0x3c00);
    case Type::bf16: return llvm::ConstantInt::get(t, 0x3f80);
    default: return llvm::ConstantInt::getAllOnesValue(t);
  }
}

// Operands of set: d, a, b and perhaps c.
void set_value(Lowering& l) {
  if (is_demoted(l, l.type(Slot::stype))) return l.step();
  const Type to = l.type(Slot::dtype);
  Value* result = joined(l, test(l, l.type(Slot::stype), 1), 3);
  l.set(0, l.ir().CreateSelect(result, true_value(l, to), llvm::Constant::getNullValue(l.value_type(to))));
}

void select(Lowering& l, Value* first) { l.set(0, l.ir().CreateSelect(first, l.get(1), l.get(2))); }

}  // namespace

void lower_setp_int(Lowering& l) { set_predicates(l, test(l, l.type(), 2)); }
void lower_setp_float(Lowering& l) {
  if (is_demoted(l, l.type())) return l.step();
  set_predicates(l, test(l, l.type(), 2));
}
// Halves have no q (9.7.7.2): p, a, b and perhaps c.
void lower_setp_half(Lowering& l) { l.set(0, joined(l, test(l, l.type(), 1), 3)); }

// p is the test of the low halves and q that of the high ones; both are joined with c (9.7.7.2).
void lower_setp_half_x2(Lowering& l) {
  const Pair t = pair_test(l, l.type(), 2);
  Value *p = joined(l, t.low, 4), *q = joined(l, t.high, 4);
  l.set(0, p);
  l.set(1, q);
}

void lower_set_int(Lowering& l) { set_value(l); }
void lower_set_to_half(Lowering& l) { set_value(l); }
void lower_set_float(Lowering& l) { set_value(l); }
void lower_set_float_to_half(Lowering& l) { set_value(l); }
void lower_set_half(Lowering& l) { set_value(l); }

// Packed to packed gives 1.0 in each half; to an integer, all ones in each half.
void lower_set_half_x2(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const Type to = l.type(Slot::dtype);
  const uint32_t one = to == Type::f16x2 ? 0x3c00 : to == Type::bf16x2 ? 0x3f80 : 0xffff;
  const Pair t = pair_test(l, l.type(Slot::stype), 1);
  Value* low = ir.CreateSelect(joined(l, t.low, 3), ir.getInt32(one), ir.getInt32(0));
  Value* high = ir.CreateSelect(joined(l, t.high, 3), ir.getInt32(one << 16), ir.getInt32(0));
  l.set(0, ir.CreateOr(low, high));
}

void lower_selp(Lowering& l) { select(l, l.get_predicate(3)); }

// a when c >= 0, else b. For f32 a negative zero counts as zero, and a NaN takes b (9.7.6.4).
void lower_slct_s32(Lowering& l) {
  Value* c = l.get_bits(3);
  select(l, l.ir().CreateICmpSGE(c, like(c, 0)));
}
void lower_slct_f32(Lowering& l) {
  Value* c = float_source(l, Type::f32, 3);
  select(l, l.ir().CreateFCmpOGE(c, number(c, 0)));
}

}  // namespace heddle::exec::jit
