#include "exec/jit/vectorize/access/flips.h"

#include "exec/jit/vectorize/access/transpose.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace heddle::exec::jit {

using llvm::Value;

Value* Flips::places(unsigned bits) const {
  llvm::Type* type = b_.getIntNTy(bits);
  llvm::SmallVector<llvm::Constant*, 16> numbers;
  for (unsigned lane = 0; lane < lanes_; ++lane) numbers.push_back(llvm::ConstantInt::get(type, lane));
  return b_.CreateXor(b_.CreateVectorSplat(lanes_, b_.CreateZExtOrTrunc(flip_, type)),
                      llvm::ConstantVector::get(numbers));
}

Value* Flips::of(Value* vector) const {
  auto* type = llvm::cast<llvm::FixedVectorType>(vector->getType());
  const unsigned bits = type->getScalarSizeInBits();
  return b_.CreateBitCast(permuted(b_.CreateBitCast(vector, type->getWithNewType(b_.getIntNTy(bits))), bits),
                          type);
}

// A mask has no instruction of its own: as numbers, of which the signs are the mask.
Value* Flips::of_mask(Value* mask) const {
  const unsigned bits = lanes_ == 16 ? 8 : 32;
  auto* type = llvm::FixedVectorType::get(b_.getIntNTy(bits), lanes_);
  return b_.CreateICmpSLT(of(b_.CreateSExt(mask, type)), llvm::Constant::getNullValue(type));
}

// By one instruction where the host has it.
Value* Flips::permuted(Value* vector, unsigned bits) const {
  using namespace llvm;
  const auto permute = [&](Intrinsic::ID id, unsigned of_places) {
    return b_.CreateIntrinsic(id, {}, {vector, places(of_places)});
  };
  if (level_ == VectorLevel::avx512 && lanes_ == 16) {
    if (bits == 8) return permute(Intrinsic::x86_ssse3_pshuf_b_128, 8);
    if (bits == 16) return permute(Intrinsic::x86_avx512_permvar_hi_256, 16);
    if (bits == 32) return permute(Intrinsic::x86_avx512_permvar_si_512, 32);
    if (bits == 64) {
      Value *low = slice(b_, vector, 0, 8), *high = slice(b_, vector, 8, 8), *from = places(64);
      Value* halves[2];
      for (unsigned half = 0; half < 2; ++half)
        halves[half] = b_.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_q_512, {},
                                          {low, slice(b_, from, 8 * half, 8), high});
      return concatenate(b_, halves);
    }
  }
  if (level_ != VectorLevel::v2 && lanes_ == 8 && bits == 32) return permute(Intrinsic::x86_avx2_permd, 32);
  return bit_by_bit(vector, bits);
}

Value* Flips::bit_by_bit(Value* vector, unsigned bits) const {
  llvm::Type* type = b_.getIntNTy(bits);
  Value* flip = b_.CreateZExtOrTrunc(flip_, type);
  for (unsigned bit = 1; bit < lanes_; bit *= 2) {
    llvm::SmallVector<int, 16> order;
    for (unsigned lane = 0; lane < lanes_; ++lane) order.push_back(static_cast<int>(lane ^ bit));
    Value* is_flipped = b_.CreateICmpNE(b_.CreateAnd(flip, bit), llvm::ConstantInt::get(type, 0));
    Value* all = b_.CreateVectorSplat(lanes_, b_.CreateSExt(is_flipped, type));
    Value* difference = b_.CreateXor(vector, b_.CreateShuffleVector(vector, order));
    vector = b_.CreateXor(vector, b_.CreateAnd(difference, all));
  }
  return vector;
}

}  // namespace heddle::exec::jit
