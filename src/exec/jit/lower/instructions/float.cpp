// Floating-point arithmetic with one rounding (PTX ISA 9.7.3.3 to 9.7.3.8, 9.7.3.13, 9.7.3.15).
//
// An f32 result that is a NaN is left as the host makes it (nan.h). That of an f64 is the first of the
// sources that is one, made quiet, in the order in which devices look at them; a host looks in another order,
// so that operations `first_nan` stand behind all but the last of them.
#include "exec/jit/lower/instructions/floats.h"
#include "exec/jit/transform/nan.h"
#include "llvm/ADT/STLExtras.h"
#include "math/math.h"

namespace heddle::exec::jit {

using isa::Slot;
using isa::Type;
using isa::Word;
using llvm::Value;
using Sources = llvm::SmallVector<Value*, 3>;

namespace {

Direction direction_of(Word rounding) {
  switch (rounding) {
    case Word::rm: return Direction::down;
    case Word::rp: return Direction::up;
    default: return Direction::zero;
  }
}

// Two constants may have made a NaN; which one LLVM folds to is not the device's.
Value* settled(Value* value) {
  auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
  if (constant == nullptr || !constant->isNaN()) return value;
  llvm::Type* type = value->getType();
  const uint64_t bits = type->isFloatTy() ? 0x7fff'ffff : 0xfff8'0000'0000'0000;
  return llvm::ConstantFP::get(
      type, llvm::APFloat(type->getFltSemantics(), llvm::APInt(type->isFloatTy() ? 32 : 64, bits)));
}

Value* nearest(llvm::IRBuilder<>& ir, Arithmetic operation, llvm::ArrayRef<Value*> s) {
  switch (operation) {
    case Arithmetic::add: return ir.CreateFAdd(s[0], s[1]);
    case Arithmetic::mul: return ir.CreateFMul(s[0], s[1]);
    case Arithmetic::fma:
      return ir.CreateIntrinsic(llvm::Intrinsic::fma, {s[0]->getType()}, {s[0], s[1], s[2]});
    case Arithmetic::div: return ir.CreateFDiv(s[0], s[1]);
    case Arithmetic::sqrt: return ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, s[0]);
  }
  return s[0];
}

// The result 2^24 times as large, which is exact where the result itself may be subnormal. Scaling cannot
// overflow to a wrong answer: with a source that large no result but zero is tiny.
Value* scaled_up(Lowering& l, Arithmetic operation, Word rounding, Sources s) {
  llvm::IRBuilder<>& ir = l.ir();
  llvm::Constant* scale = number(s[0], 0x1p24);
  s[0] = ir.CreateFMul(s[0], scale);
  if (operation == Arithmetic::fma) s[2] = ir.CreateFMul(s[2], scale);
  return arithmetic(l, operation, rounding, s);
}

Value* flushed_result(Lowering& l, Arithmetic operation, Word rounding, Value* result, const Sources& s) {
  llvm::IRBuilder<>& ir = l.ir();
  switch (operation) {
    case Arithmetic::sqrt: return result;                  // never tiny
    case Arithmetic::add: return flushed_f32(ir, result);  // exact where it is tiny
    default: return flushed_below(ir, result, scaled_up(l, operation, rounding, s), 0x1p-102);
  }
}

// `order` is how devices look for a NaN among the sources, by their places.
Value* with_nans(Lowering& l, Value* result, const Sources& sources, llvm::ArrayRef<unsigned> order) {
  for (unsigned i : llvm::reverse(order.drop_back())) {
    auto* constant = llvm::dyn_cast<llvm::ConstantFP>(sources[i]);
    if (constant != nullptr && !constant->isNaN()) continue;
    result = l.op(Op::first_nan, result->getType(), {result, sources[i]});
  }
  return result;
}

void emit_arithmetic(Lowering& l, Arithmetic operation, Sources sources, llvm::ArrayRef<unsigned> order,
                     bool minus = false) {
  const Type type = l.type();
  if (is_demoted(l, type)) return l.step();
  Sources signed_sources = sources;
  if (minus) signed_sources[1] = l.ir().CreateFNeg(sources[1]);
  if (type == Type::f32) return l.set(0, arithmetic_f32(l, operation, manner_of(l), signed_sources));
  Value* result = arithmetic(l, operation, l.word(Slot::rnd), signed_sources);
  l.set(0, with_nans(l, result, sources, order));
}

Sources sources_of(Lowering& l, int count) {
  Sources sources;
  for (int i = 1; i <= count; ++i) sources.push_back(l.get(i));
  return sources;
}

// One of two f32 in a 64-bit register.
Value* half_of_pair(llvm::IRBuilder<>& ir, Value* bits, unsigned half) {
  if (half != 0) bits = ir.CreateLShr(bits, 32);
  return ir.CreateBitCast(ir.CreateTrunc(bits, ir.getInt32Ty()), ir.getFloatTy());
}

void emit_pairs(Lowering& l, Arithmetic operation, int count, bool minus = false) {
  llvm::IRBuilder<>& ir = l.ir();
  Value* results[2];
  for (unsigned half = 0; half < 2; ++half) {
    Sources sources;
    for (int i = 1; i <= count; ++i) sources.push_back(half_of_pair(ir, l.get_bits(i), half));
    if (minus) sources[1] = ir.CreateFNeg(sources[1]);
    Value* result = arithmetic_f32(l, operation, manner_of(l), sources);
    results[half] = ir.CreateZExt(ir.CreateBitCast(result, ir.getInt32Ty()), ir.getInt64Ty());
  }
  l.set(0, ir.CreateOr(results[0], ir.CreateShl(results[1], 32)));
}

// The last source is an f32, the others are f16 or bf16.
void emit_mixed(Lowering& l, Arithmetic operation, int count, bool minus = false) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool brain = is_brain(l.type(Slot::atype));
  Sources sources;
  for (int i = 1; i < count; ++i) sources.push_back(from_half(ir, l.get_bits(i), brain));
  sources.push_back(l.get(count));
  if (minus) sources[1] = ir.CreateFNeg(sources[1]);
  l.set(0, arithmetic_f32(l, operation, manner_of(l), sources));
}

// The product's significand cut to 24 digits, its exponent unbounded, then the sum rounded to nearest. A zero
// addend makes it a mul and an add (9.7.3.7). Subnormals are zero.
Value* truncating_mad(Lowering& l, const Sources& s) {
  const auto id = static_cast<uint64_t>(math::Id::truncating_mad);
  Value* result = l.op(Op::math, s[0]->getType(), {l.imm(id), l.imm(0), s[0], s[1], s[2]});
  return l.has(Slot::sat) ? saturated(l.ir(), result) : result;
}

}  // namespace

Value* arithmetic(Lowering& l, Arithmetic operation, Word rounding, llvm::ArrayRef<Value*> sources) {
  if (rounding != Word::rz && rounding != Word::rm && rounding != Word::rp)
    return settled(nearest(l.ir(), operation, sources));
  Sources arguments{l.imm(static_cast<uint64_t>(operation)),
                    l.imm(static_cast<uint64_t>(direction_of(rounding)))};
  arguments.append(sources.begin(), sources.end());
  return l.op(Op::rounded, sources[0]->getType(), arguments);
}

Manner manner_of(Lowering& l) { return {l.word(Slot::rnd), flushes(l), l.has(Slot::sat)}; }

Value* arithmetic_f32(Lowering& l, Arithmetic operation, const Manner& manner, Sources sources) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool by_hand = manner.flush && !l.meaning().flush_mode;
  if (by_hand)
    for (Value*& source : sources) source = flushed_f32(ir, source);
  Value* result = arithmetic(l, operation, manner.rounding, sources);
  if (by_hand) {
    result = flushed_result(l, operation, manner.rounding, result, sources);
    mark_arithmetic(result);
  }
  return manner.saturate ? saturated(ir, result) : result;
}

void lower_add_float(Lowering& l) { emit_arithmetic(l, Arithmetic::add, sources_of(l, 2), {1, 0}); }
void lower_sub_float(Lowering& l) { emit_arithmetic(l, Arithmetic::add, sources_of(l, 2), {1, 0}, true); }
void lower_mul_float(Lowering& l) { emit_arithmetic(l, Arithmetic::mul, sources_of(l, 2), {1, 0}); }
void lower_fma_float(Lowering& l) { emit_arithmetic(l, Arithmetic::fma, sources_of(l, 3), {1, 2, 0}); }
void lower_mad_float(Lowering& l) { emit_arithmetic(l, Arithmetic::fma, sources_of(l, 3), {1, 2, 0}); }
void lower_div_float(Lowering& l) { emit_arithmetic(l, Arithmetic::div, sources_of(l, 2), {0, 1}); }
void lower_sqrt_float(Lowering& l) { emit_arithmetic(l, Arithmetic::sqrt, sources_of(l, 1), {0}); }
void lower_rcp_float(Lowering& l) {
  Value* a = l.get(1);
  emit_arithmetic(l, Arithmetic::div, {number(a, 1), a}, {0, 1});
}

void lower_add_f32x2(Lowering& l) { emit_pairs(l, Arithmetic::add, 2); }
void lower_sub_f32x2(Lowering& l) { emit_pairs(l, Arithmetic::add, 2, true); }
void lower_mul_f32x2(Lowering& l) { emit_pairs(l, Arithmetic::mul, 2); }
void lower_fma_f32x2(Lowering& l) { emit_pairs(l, Arithmetic::fma, 3); }

void lower_add_mixed(Lowering& l) { emit_mixed(l, Arithmetic::add, 2); }
void lower_sub_mixed(Lowering& l) { emit_mixed(l, Arithmetic::add, 2, true); }
void lower_fma_mixed(Lowering& l) { emit_mixed(l, Arithmetic::fma, 3); }

// Devices that do not truncate take it as fma.rn, which flushes where the target or a .ftz says so.
void lower_mad_truncating(Lowering& l) {
  l.set(0, l.meaning().truncates_mad ? truncating_mad(l, sources_of(l, 3))
                                     : arithmetic_f32(l, Arithmetic::fma, manner_of(l), sources_of(l, 3)));
}

}  // namespace heddle::exec::jit
