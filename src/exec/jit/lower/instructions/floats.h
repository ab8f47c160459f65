// Pieces of IR that the lower functions of floating-point numbers share. No fast-math flags anywhere, and the
// product of a fma is never a multiplication of its own.
#pragma once

#include "exec/jit/ir/math.h"
#include "exec/jit/lower/lowering.h"
#include "llvm/IR/Constants.h"

namespace heddle::exec::jit {

inline llvm::Constant* number(llvm::Value* like, double value) {
  return llvm::ConstantFP::get(like->getType(), value);
}
inline llvm::Value* magnitude(llvm::IRBuilder<>& ir, llvm::Value* value) {
  return ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
}

// Zero of a number's sign.
inline llvm::Value* signed_zero(llvm::IRBuilder<>& ir, llvm::Value* value) {
  return ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, number(value, 0), value);
}
// Zero of the result's sign where the magnitude of `judged` is below `bound`.
inline llvm::Value* flushed_below(llvm::IRBuilder<>& ir, llvm::Value* result, llvm::Value* judged,
                                  double bound) {
  llvm::Value* tiny = ir.CreateFCmpOLT(magnitude(ir, judged), number(judged, bound));
  return ir.CreateSelect(tiny, signed_zero(ir, result), result);
}

constexpr double least_normal_f32 = 0x1p-126;
// What is less rounds to less than the least normal number if there is no least exponent: so .ftz judges
// which results are subnormal.
constexpr double tiny_f32 = 0x1p-126 - 0x1p-151, tiny_f16 = 0x1p-14 - 0x1p-26;

// By the bits. As a comparison of numbers LLVM makes `value == 0` of it where the host's mode flushes, and
// then of the whole selection `value`, which is right of numbers alone; and of constants it does not know
// that the mode makes them equal.
inline llvm::Value* flushed_f32(llvm::IRBuilder<>& ir, llvm::Value* value) {
  llvm::Value* bits = ir.CreateBitCast(value, ir.getInt32Ty());
  llvm::Value* tiny = ir.CreateICmpULT(ir.CreateAnd(bits, 0x7fffffff), ir.getInt32(0x00800000));
  return ir.CreateBitCast(ir.CreateSelect(tiny, ir.CreateAnd(bits, 0x80000000), bits), value->getType());
}

// [0, 1]; NaN and -0 give +0.
inline llvm::Value* saturated(llvm::IRBuilder<>& ir, llvm::Value* value) {
  llvm::Constant *zero = number(value, 0), *one = number(value, 1);
  value = ir.CreateSelect(ir.CreateFCmpOGT(value, zero), value, zero);
  return ir.CreateSelect(ir.CreateFCmpOLT(value, one), value, one);
}

// Whether f32 sources and results lose their subnormals: .ftz, or a device or target that has none.
inline bool flushes(Lowering& l) { return l.has(isa::Slot::ftz) || l.meaning().flushes_f32; }
// Whether an operation that computes needs help with that: the host's mode may see to it.
inline bool flushes_by_hand(Lowering& l) { return flushes(l) && !l.meaning().flush_mode; }
// `.target map_f64_to_f32`: f64 registers hold numbers of f32.
inline bool is_demoted(Lowering& l, isa::Type type) {
  return type == isa::Type::f64 && l.image().map_f64_to_f32;
}

// One operation with one rounding; sources of one type, float or double. What a NaN looks like is open.
llvm::Value* arithmetic(Lowering& l, Arithmetic operation, isa::Word rounding,
                        llvm::ArrayRef<llvm::Value*> sources);

// Of f32 sources as PTX has it: flush and saturate besides.
struct Manner {
  isa::Word rounding;
  bool flush = false, saturate = false;
};
Manner manner_of(Lowering& l);
llvm::Value* arithmetic_f32(Lowering& l, Arithmetic operation, const Manner& manner,
                            llvm::SmallVector<llvm::Value*, 3> sources);

// ---- f16 and bf16 (`brain`)

// The lower 16 bits of an integer, as a float: exact.
llvm::Value* from_half(llvm::IRBuilder<>& ir, llvm::Value* bits, bool brain);
// Rounded to nearest even, as an i32 of 16 bits; NaN gives 0x7fff. The float is exact or rounded to odd.
llvm::Value* to_half(llvm::IRBuilder<>& ir, llvm::Value* value, bool brain);
inline bool is_brain(isa::Type type) { return type == isa::Type::bf16 || type == isa::Type::bf16x2; }

// Of a sum or product that lies between `down` and `up`, neighbours or equal: what is rounded again, to at
// most 22 digits, as if it were exact.
llvm::Value* to_odd(llvm::IRBuilder<>& ir, llvm::Value* down, llvm::Value* up);
// A double as a float, rounded to odd where it is not exact.
llvm::Value* narrowed_to_odd(llvm::IRBuilder<>& ir, llvm::Value* value);

}  // namespace heddle::exec::jit
