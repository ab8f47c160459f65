#include "frontend/wide_conversions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::frontend {

namespace {

constexpr unsigned narrow_bits = 64, wide_bits = 128;

bool is_wide(const llvm::Type* type) {
  return type->isIntegerTy() && type->getIntegerBitWidth() > narrow_bits &&
         type->getIntegerBitWidth() <= wide_bits;
}

llvm::APInt wide(const llvm::APInt& narrow, bool is_signed) {
  return is_signed ? narrow.sext(wide_bits) : narrow.zext(wide_bits);
}

// 2 to the power of `exponent`, which is within the normal numbers.
llvm::Value* power_of_two(llvm::IRBuilder<>& ir, llvm::Value* exponent, llvm::Type* type) {
  const bool is_double = type->isDoubleTy();
  llvm::Value* biased = ir.CreateAdd(exponent, ir.getInt64(is_double ? 1023 : 127));
  llvm::Value* bits = ir.CreateShl(biased, is_double ? 52 : 23);
  return ir.CreateBitCast(is_double ? bits : ir.CreateTrunc(bits, ir.getInt32Ty()), type);
}

// The leading `kept` bits of a number whose highest bit of 64 is set; the lowest tells of what is behind
// them.
llvm::Value* leading_bits(llvm::IRBuilder<>& ir, llvm::Value* number, unsigned kept) {
  llvm::Value* behind = ir.CreateICmpNE(ir.CreateShl(number, kept), ir.getInt64(0));
  return ir.CreateOr(ir.CreateLShr(number, 64 - kept), ir.CreateZExt(behind, ir.getInt64Ty()));
}

llvm::Value* to_float(llvm::IRBuilder<>& ir, llvm::Value* from, llvm::Type* type, bool is_signed) {
  llvm::Type* whole = ir.getIntNTy(wide_bits);
  llvm::Value* number = is_signed ? ir.CreateSExt(from, whole) : ir.CreateZExt(from, whole);
  llvm::Value* negative = is_signed ? ir.CreateICmpSLT(number, llvm::Constant::getNullValue(whole)) : nullptr;
  if (negative != nullptr) number = ir.CreateSelect(negative, ir.CreateNeg(number), number);
  llvm::Value* zeros = ir.CreateIntrinsic(llvm::Intrinsic::ctlz, {whole}, {number, ir.getFalse()});
  number = ir.CreateShl(number, ir.CreateAnd(zeros, wide_bits - 1));
  llvm::Value* low = ir.CreateTrunc(number, ir.getInt64Ty());
  llvm::Value* high = ir.CreateTrunc(ir.CreateLShr(number, narrow_bits), ir.getInt64Ty());
  unsigned kept = narrow_bits;
  // Enough bits for one rounding: the last of them stands for all that follow.
  high = ir.CreateOr(high, ir.CreateZExt(ir.CreateICmpNE(low, ir.getInt64(0)), ir.getInt64Ty()));
  llvm::Type* computed = type;
  if (type->is16bitFPTy()) {  // a float holds 16 exactly, and is rounded once to half
    computed = ir.getFloatTy();
    kept = 16;
    high = leading_bits(ir, high, kept);
  }
  llvm::Value* exponent = ir.CreateSub(ir.getInt64(kept), ir.CreateTrunc(zeros, ir.getInt64Ty()));
  llvm::Value* made =
      ir.CreateFMul(ir.CreateUIToFP(high, computed), power_of_two(ir, exponent, computed));  // exact
  if (negative != nullptr) made = ir.CreateSelect(negative, ir.CreateFNeg(made), made);
  return ir.CreateFPTrunc(made, type);
}

// As llvm.fptosi.sat and llvm.fptoui.sat: clamped, and 0 for NaN.
llvm::Value* to_integer(llvm::IRBuilder<>& ir, llvm::Value* from, llvm::Type* type, bool is_signed) {
  constexpr unsigned mantissa_bits = 52, bias = 1023;
  llvm::Type* whole = ir.getIntNTy(wide_bits);
  llvm::Value* exact = from;
  if (from->getType()->is16bitFPTy()) exact = ir.CreateFPExt(exact, ir.getFloatTy());
  exact = ir.CreateFPExt(exact, ir.getDoubleTy());
  llvm::Value* bits = ir.CreateBitCast(exact, ir.getInt64Ty());
  llvm::Value* exponent = ir.CreateAnd(ir.CreateLShr(bits, mantissa_bits), 0x7ff);
  const uint64_t first_bit = uint64_t{1} << mantissa_bits;
  llvm::Value* mantissa = ir.CreateOr(ir.CreateAnd(bits, first_bit - 1), first_bit);
  llvm::Value* shift = ir.CreateSub(exponent, ir.getInt64(bias + mantissa_bits));
  llvm::Value* back = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir.CreateNeg(shift), ir.getInt64(63));
  llvm::Value* large =
      ir.CreateShl(ir.CreateZExt(mantissa, whole), ir.CreateZExt(ir.CreateAnd(shift, wide_bits - 1), whole));
  llvm::Value* small = ir.CreateZExt(ir.CreateLShr(mantissa, back), whole);
  llvm::Value* size = ir.CreateSelect(ir.CreateICmpSLT(shift, ir.getInt64(0)), small, large);

  const unsigned width = type->getIntegerBitWidth();
  const auto least =
      wide(is_signed ? llvm::APInt::getSignedMinValue(width) : llvm::APInt(width, 0), is_signed);
  const auto most =
      wide(is_signed ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width), is_signed);
  llvm::Value* negative = ir.CreateICmpSLT(bits, ir.getInt64(0));
  llvm::Value* beyond = ir.CreateICmpUGE(exponent, ir.getInt64(bias + width - (is_signed ? 1 : 0)));
  llvm::Value* clamped = ir.CreateSelect(beyond, llvm::ConstantInt::get(whole, most), size);
  llvm::Value* below = llvm::ConstantInt::get(whole, least);
  if (is_signed) below = ir.CreateSelect(beyond, below, ir.CreateNeg(size));
  llvm::Value* made = ir.CreateTrunc(ir.CreateSelect(negative, below, clamped), type);
  return ir.CreateSelect(ir.CreateFCmpUNO(exact, exact), llvm::Constant::getNullValue(type), made);
}

llvm::Value* lowered(llvm::Instruction& one) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&one);
  const unsigned intrinsic = call != nullptr ? call->getIntrinsicID() : llvm::Intrinsic::not_intrinsic;
  const unsigned opcode = one.getOpcode();
  const bool signed_integer = opcode == llvm::Instruction::FPToSI || intrinsic == llvm::Intrinsic::fptosi_sat;
  const bool to_float_of_signed = opcode == llvm::Instruction::SIToFP;
  llvm::IRBuilder<> ir(&one);
  if (signed_integer || opcode == llvm::Instruction::FPToUI || intrinsic == llvm::Intrinsic::fptoui_sat)
    return is_wide(one.getType()) ? to_integer(ir, one.getOperand(0), one.getType(), signed_integer)
                                  : nullptr;
  if (to_float_of_signed || opcode == llvm::Instruction::UIToFP)
    return is_wide(one.getOperand(0)->getType())
               ? to_float(ir, one.getOperand(0), one.getType(), to_float_of_signed)
               : nullptr;
  return nullptr;
}

}  // namespace

bool lower_wide_conversions(llvm::Function& function) {
  bool changed = false;
  for (llvm::Instruction& one : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value* made = lowered(one);
    if (made == nullptr) continue;
    one.replaceAllUsesWith(made);
    one.eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace heddle::frontend
