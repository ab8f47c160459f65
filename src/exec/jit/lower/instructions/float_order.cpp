// Order, sign and class of f32 and f64 (PTX ISA 9.7.3.1, 9.7.3.2, 9.7.3.9 to 9.7.3.12): instructions that
// round nothing. Their NaNs are those of arithmetic: canonical for f32, a source's for f64.
#include "exec/jit/lower/instructions/floats.h"
#include "exec/jit/transform/nan.h"

namespace heddle::exec::jit {

using isa::Slot;
using isa::Type;
using isa::Word;
using llvm::CmpInst;
using llvm::Value;

namespace {

llvm::IntegerType* bits_type(llvm::IRBuilder<>& ir, Value* value) {
  return ir.getIntNTy(value->getType()->isFloatTy() ? 32 : 64);
}
Value* bits_of_float(llvm::IRBuilder<>& ir, Value* value) {
  return ir.CreateBitCast(value, bits_type(ir, value));
}

struct Order {
  bool larger, any_nan, magnitude, xorsign;
};
Order order_of(Lowering& l, bool larger) {
  return {larger, l.has(Slot::nan), l.has(Slot::abs), l.has(Slot::xorsign)};
}

llvm::ConstantFP* constant_number(Value* value) {
  auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
  return constant != nullptr && !constant->isNaN() ? constant : nullptr;
}

// The greater or lesser of a number or NaN and a constant, which stands for a NaN too. -0 is less than +0.
Value* extremum_with_constant(llvm::IRBuilder<>& ir, bool larger, Value* a, llvm::ConstantFP* c) {
  const bool strict = c->isZero() && c->isNegative() != larger;  // a zero never beats this one
  const CmpInst::Predicate wins = larger ? (strict ? CmpInst::FCMP_OGT : CmpInst::FCMP_OGE)
                                         : (strict ? CmpInst::FCMP_OLT : CmpInst::FCMP_OLE);
  return ir.CreateSelect(ir.CreateFCmp(wins, a, c), a, c);
}

// NaN if both are.
Value* extremum(llvm::IRBuilder<>& ir, bool larger, Value* a, Value* b) {
  if (llvm::ConstantFP* c = constant_number(b)) return extremum_with_constant(ir, larger, a, c);
  if (llvm::ConstantFP* c = constant_number(a)) return extremum_with_constant(ir, larger, b, c);
  Value* other = ir.CreateSelect(ir.CreateFCmpUNO(b, b), a, b);
  Value* wins = larger ? ir.CreateFCmpOGT(a, other) : ir.CreateFCmpOLT(a, other);
  Value* taken = ir.CreateSelect(wins, a, other);
  // Equal ones are the same bits, or zeros: their signs decide.
  Value *x = bits_of_float(ir, a), *y = bits_of_float(ir, other);
  Value* both = ir.CreateBitCast(larger ? ir.CreateAnd(x, y) : ir.CreateOr(x, y), a->getType());
  return ir.CreateSelect(ir.CreateFCmpOEQ(a, other), both, taken);
}

Value* two_f32(llvm::IRBuilder<>& ir, const Order& order, Value* a, Value* b) {
  Value* signs = nullptr;
  if (order.xorsign)
    signs = ir.CreateBitCast(ir.CreateXor(bits_of_float(ir, a), bits_of_float(ir, b)), a->getType());
  if (order.magnitude) {
    a = magnitude(ir, a);
    b = magnitude(ir, b);
  }
  Value* result = extremum(ir, order.larger, a, b);
  mark_arithmetic(result);
  if (signs != nullptr) result = ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, signs);
  if (order.any_nan)
    result = ir.CreateSelect(ir.CreateFCmpUNO(a, b), canonical_nan(a->getType()->getContext()), result);
  return result;
}

// Both NaN: the second one, quiet.
Value* two_f64(llvm::IRBuilder<>& ir, bool larger, Value* a, Value* b) {
  Value* result = extremum(ir, larger, a, b);
  if (constant_number(a) != nullptr || constant_number(b) != nullptr) return result;
  Value* quiet = ir.CreateBitCast(ir.CreateOr(bits_of_float(ir, b), uint64_t{1} << 51), b->getType());
  return ir.CreateSelect(ir.CreateFCmpUNO(result, result), quiet, result);
}

Value* source_f32(Lowering& l, int i) {
  Value* a = l.get(i);
  return flushes(l) ? flushed_f32(l.ir(), a) : a;
}

void emit_order(Lowering& l, bool larger) {
  if (is_demoted(l, l.type())) return l.step();
  if (l.type() == Type::f64) return l.set(0, two_f64(l.ir(), larger, l.get(1), l.get(2)));
  l.set(0, two_f32(l.ir(), order_of(l, larger), source_f32(l, 1), source_f32(l, 2)));
}

void emit_order3(Lowering& l, bool larger) {
  const Order order = order_of(l, larger);
  Value* ab = two_f32(l.ir(), order, source_f32(l, 1), source_f32(l, 2));
  l.set(0, two_f32(l.ir(), order, ab, source_f32(l, 3)));
}

// f(number). An f64 NaN stays what it is, but quiet.
template <class F>
void emit_sign(Lowering& l, F&& f) {
  if (is_demoted(l, l.type())) return l.step();
  if (l.type() == Type::f32) return l.set(0, f(source_f32(l, 1)));
  Value* a = l.get(1);
  l.set(0, l.op(Op::first_nan, a->getType(), {f(a), a}));
}

}  // namespace

void lower_min_float(Lowering& l) { emit_order(l, false); }
void lower_max_float(Lowering& l) { emit_order(l, true); }
void lower_min_float3(Lowering& l) { emit_order3(l, false); }
void lower_max_float3(Lowering& l) { emit_order3(l, true); }

void lower_abs_float(Lowering& l) {
  emit_sign(l, [&](Value* a) { return magnitude(l.ir(), a); });
}
void lower_neg_float(Lowering& l) {
  emit_sign(l, [&](Value* a) { return l.ir().CreateFNeg(a); });
}

// The sign of a on b (9.7.3.2).
void lower_copysign(Lowering& l) {
  if (is_demoted(l, l.type())) return l.step();
  llvm::IRBuilder<>& ir = l.ir();
  Value *a = l.get_bits(1), *b = l.get_bits(2);
  const uint64_t sign = uint64_t{1} << (a->getType()->getIntegerBitWidth() - 1);
  l.set(0, ir.CreateOr(ir.CreateAnd(a, sign), ir.CreateAnd(b, sign - 1)));
}

// Zeros count as normal (9.7.3.1).
void lower_testp(Lowering& l) {
  if (is_demoted(l, l.type())) return l.step();
  llvm::IRBuilder<>& ir = l.ir();
  Value* a = l.get(1);
  Value* size = magnitude(ir, a);
  llvm::Constant *infinity = llvm::ConstantFP::getInfinity(a->getType()), *zero = number(a, 0);
  llvm::Constant* least_normal = llvm::ConstantFP::get(
      a->getType(), llvm::APFloat::getSmallestNormalized(a->getType()->getFltSemantics()));
  const auto subnormal = [&] {
    return ir.CreateAnd(ir.CreateFCmpOLT(size, least_normal), ir.CreateFCmpONE(size, zero));
  };
  Value* result = nullptr;
  switch (l.word(Slot::test)) {
    case Word::finite: result = ir.CreateFCmpOLT(size, infinity); break;
    case Word::infinite: result = ir.CreateFCmpOEQ(size, infinity); break;
    case Word::number: result = ir.CreateFCmpORD(a, a); break;
    case Word::notanumber: result = ir.CreateFCmpUNO(a, a); break;
    case Word::normal:
      result = ir.CreateAnd(ir.CreateFCmpOLT(size, infinity), ir.CreateNot(subnormal()));
      break;
    default: result = subnormal(); break;
  }
  l.set(0, result);
}

}  // namespace heddle::exec::jit
