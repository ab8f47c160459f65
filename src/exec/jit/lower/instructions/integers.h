// Pieces of IR that the lower functions of integers share. Nothing here makes poison where PTX defines a
// value; an arm of a select that is not taken may be poison.
#pragma once

#include "exec/jit/lower/lowering.h"

namespace heddle::exec::jit {

// The type of one element: s16x2 has signed elements of 16 bits.
struct IntegerType {
  unsigned bits = 32;
  bool is_signed = false;
};
inline IntegerType integer_type(isa::Type type) {
  const isa::TypeInfo& t = isa::info(type);
  return {unsigned{t.bits} / t.elements, t.kind == isa::TypeKind::signed_};
}
inline IntegerType integer_type(isa::Word word) { return integer_type(isa::type_of(word)); }
inline bool is_floating(isa::Type type) { return isa::info(type).kind == isa::TypeKind::floating; }

inline llvm::Value* least(llvm::IRBuilder<>& ir, bool is_signed, llvm::Value* a, llvm::Value* b) {
  return ir.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a, b);
}
inline llvm::Value* greatest(llvm::IRBuilder<>& ir, bool is_signed, llvm::Value* a, llvm::Value* b) {
  return ir.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a, b);
}

inline llvm::Value* extended(llvm::IRBuilder<>& ir, llvm::Value* value, unsigned bits, bool is_signed) {
  llvm::Type* type = ir.getIntNTy(bits);
  return is_signed ? ir.CreateSExtOrTrunc(value, type) : ir.CreateZExtOrTrunc(value, type);
}

// A constant of the value's type.
inline llvm::Constant* like(llvm::Value* value, uint64_t bits) {
  return llvm::ConstantInt::get(value->getType(), bits);
}

// Shifts by any amount: all is shifted out, or the sign remains. The amount is unsigned and of any width.
inline llvm::Value* shifted_left(llvm::IRBuilder<>& ir, llvm::Value* value, llvm::Value* amount) {
  llvm::Value* fits = ir.CreateICmpULT(amount, like(amount, value->getType()->getIntegerBitWidth()));
  llvm::Value* by = ir.CreateZExtOrTrunc(amount, value->getType());
  return ir.CreateSelect(fits, ir.CreateShl(value, by), like(value, 0));
}
inline llvm::Value* shifted_right(llvm::IRBuilder<>& ir, llvm::Value* value, llvm::Value* amount) {
  llvm::Value* fits = ir.CreateICmpULT(amount, like(amount, value->getType()->getIntegerBitWidth()));
  llvm::Value* by = ir.CreateZExtOrTrunc(amount, value->getType());
  return ir.CreateSelect(fits, ir.CreateLShr(value, by), like(value, 0));
}
inline llvm::Value* shifted_right_signed(llvm::IRBuilder<>& ir, llvm::Value* value, llvm::Value* amount) {
  const unsigned top = value->getType()->getIntegerBitWidth() - 1;
  llvm::Value* by = least(ir, false, amount, like(amount, top));
  return ir.CreateAShr(value, ir.CreateZExtOrTrunc(by, value->getType()));
}

// Bits [first, first + width) of a word as a number of 32 or more bits.
inline llvm::Value* field(llvm::IRBuilder<>& ir, llvm::Value* word, unsigned first, unsigned width,
                          bool is_signed) {
  const unsigned bits = word->getType()->getIntegerBitWidth();
  llvm::Value* out = ir.CreateShl(word, like(word, bits - width - first));
  llvm::Constant* rest = like(word, bits - width);
  return is_signed ? ir.CreateAShr(out, rest) : ir.CreateLShr(out, rest);
}

}  // namespace heddle::exec::jit
