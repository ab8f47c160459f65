// IR on a scalar or on any number of lanes alike: constants and types follow one value's shape.
#pragma once

#include <cstdint>

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

class Lanes {
 public:
  Lanes(llvm::IRBuilderBase& builder, llvm::Type* shape) : ir(builder) {
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(shape)) count_ = vector->getNumElements();
  }

  llvm::IRBuilderBase& ir;
  unsigned count() const { return count_; }  // 0: a scalar

  llvm::Type* of(llvm::Type* element) const {
    return count_ == 0 ? element : llvm::FixedVectorType::get(element, count_);
  }
  llvm::Type* i16() const { return of(ir.getInt16Ty()); }
  llvm::Type* i32() const { return of(ir.getInt32Ty()); }
  llvm::Type* i64() const { return of(ir.getInt64Ty()); }
  llvm::Type* half() const { return of(ir.getHalfTy()); }
  llvm::Type* f32() const { return of(ir.getFloatTy()); }
  llvm::Type* f64() const { return of(ir.getDoubleTy()); }

  llvm::Constant* word(uint32_t value) const { return llvm::ConstantInt::get(i32(), value); }
  llvm::Constant* wide(uint64_t value) const { return llvm::ConstantInt::get(i64(), value); }
  llvm::Constant* single(double value) const { return llvm::ConstantFP::get(f32(), value); }
  llvm::Constant* real(double value) const { return llvm::ConstantFP::get(f64(), value); }
  llvm::Constant* like(llvm::Value* value, uint64_t bits) const {
    return llvm::ConstantInt::get(value->getType(), bits);
  }

  llvm::Value* bits(llvm::Value* value) const {  // of floats or doubles
    return ir.CreateBitCast(value, value->getType()->getScalarType()->isFloatTy() ? i32() : i64());
  }
  llvm::Value* as_f32(llvm::Value* bits) const { return ir.CreateBitCast(bits, f32()); }
  llvm::Value* as_f64(llvm::Value* bits) const { return ir.CreateBitCast(bits, f64()); }
  llvm::Value* widened(llvm::Value* words) const { return ir.CreateZExt(words, i64()); }
  llvm::Value* narrowed(llvm::Value* wides) const { return ir.CreateTrunc(wides, i32()); }

  llvm::Value* add(llvm::Value* a, uint64_t b) const { return ir.CreateAdd(a, like(a, b)); }
  llvm::Value* mask(llvm::Value* a, uint64_t b) const { return ir.CreateAnd(a, like(a, b)); }
  llvm::Value* left(llvm::Value* a, unsigned by) const { return ir.CreateShl(a, like(a, by)); }
  llvm::Value* right(llvm::Value* a, unsigned by) const { return ir.CreateLShr(a, like(a, by)); }
  llvm::Value* right_signed(llvm::Value* a, unsigned by) const { return ir.CreateAShr(a, like(a, by)); }
  llvm::Value* magnitude(llvm::Value* value) const {
    return ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  }
  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) const {
    return ir.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
  }

 private:
  unsigned count_ = 0;
};

}  // namespace heddle::exec::jit
