#include "exec/jit/math/division.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::exec::jit {

namespace {

using llvm::Value;

struct Quotient {
  Value *quotient, *remainder;
};

class Division {
 public:
  Division(llvm::BinaryOperator& instruction)
      : ir_(&instruction),
        a_(instruction.getOperand(0)),
        b_(instruction.getOperand(1)),
        type_(instruction.getType()),
        bits_(type_->getScalarSizeInBits()),
        is_signed_(instruction.getOpcode() == llvm::Instruction::SDiv ||
                   instruction.getOpcode() == llvm::Instruction::SRem) {}

  unsigned bits() const { return bits_; }
  // Up to 32 bits.
  Quotient narrow(unsigned significant_bits);
  Quotient wide();

 private:
  llvm::Type* vector_of(llvm::Type* element) const { return type_->getWithNewType(element); }
  Value* to_float(Value* value, llvm::Type* type) {
    return is_signed_ ? ir_.CreateSIToFP(value, vector_of(type)) : ir_.CreateUIToFP(value, vector_of(type));
  }
  Value* number(llvm::Type* type, double value) { return llvm::ConstantFP::get(vector_of(type), value); }

  llvm::IRBuilder<> ir_;
  Value *a_, *b_;
  llvm::Type* type_;
  unsigned bits_;
  bool is_signed_;
};

// If a / b is no integer k, it is at least 1 / b below the next one. It has an error of at most its size, a /
// b, times half of the last digit's unit: less than 1 / b as long as a has no more digits than the format. So
// cutting it gives the quotient.
//
// One divisor for all lanes is better multiplied with. (a + 1/2) / b is at least 1 / 2b away from any
// integer, and its error of three roundings is less, with 53 digits for 32 bits.
Quotient Division::narrow(unsigned significant_bits) {
  const bool short_numbers = significant_bits <= 24;
  llvm::Type* element = short_numbers ? ir_.getFloatTy() : ir_.getDoubleTy();
  // Conversions of 16 bits go through 32.
  llvm::Type* type = vector_of(ir_.getIntNTy(std::max(bits_, 32u)));
  Value* a = is_signed_ ? ir_.CreateSExt(a_, type) : ir_.CreateZExt(a_, type);
  Value* ratio = nullptr;
  Value* divisor = short_numbers ? nullptr : llvm::getSplatValue(b_);
  if (divisor != nullptr) {
    Value* x = is_signed_ ? ir_.CreateSIToFP(divisor, element) : ir_.CreateUIToFP(divisor, element);
    Value* inverse = ir_.CreateFDiv(llvm::ConstantFP::get(element, 1), x);
    inverse = ir_.CreateVectorSplat(llvm::cast<llvm::VectorType>(type_)->getElementCount(), inverse);
    Value *number_a = to_float(a, element), *half = number(element, 0.5);
    if (is_signed_) half = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, half, number_a);
    ratio = ir_.CreateFMul(ir_.CreateFAdd(number_a, half), inverse);
  } else {
    Value* b = is_signed_ ? ir_.CreateSExt(b_, type) : ir_.CreateZExt(b_, type);
    ratio = ir_.CreateFDiv(to_float(a, element), to_float(b, element));
  }
  const bool to_signed = is_signed_ || significant_bits < 32;
  Value* quotient = to_signed ? ir_.CreateFPToSI(ratio, type) : ir_.CreateFPToUI(ratio, type);
  quotient = ir_.CreateTrunc(quotient, type_);
  return {quotient, ir_.CreateSub(a_, ir_.CreateMul(quotient, b_))};
}

// In two steps of 50 digits, of magnitudes. `inverse` is less than 1 / b by a little more than the five
// roundings that stand between it and a / b, so that no quotient is too great and no remainder negative:
// what is left after the first step is less than (2^15 + 2) b, and after the second less than 2 b. None is
// greater than a, so nothing overflows.
Quotient Division::wide() {
  llvm::Type* element = ir_.getDoubleTy();
  auto magnitude = [&](Value* value) {
    return is_signed_ ? ir_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, ir_.getFalse()) : value;
  };
  Value *a = magnitude(a_), *b = magnitude(b_);
  Value* inverse = nullptr;
  if (Value* divisor = llvm::getSplatValue(b)) {
    inverse = ir_.CreateFDiv(llvm::ConstantFP::get(element, 1), ir_.CreateUIToFP(divisor, element));
    inverse = ir_.CreateVectorSplat(llvm::cast<llvm::VectorType>(type_)->getElementCount(), inverse);
  } else {
    inverse = ir_.CreateFDiv(number(element, 1), ir_.CreateUIToFP(b, vector_of(element)));
  }
  inverse = ir_.CreateFMul(inverse, number(element, 1 - 0x1p-50));
  Value *quotient = llvm::Constant::getNullValue(type_), *rest = a;
  for (int step = 0; step < 2; ++step) {
    Value* ratio = ir_.CreateFMul(ir_.CreateUIToFP(rest, vector_of(element)), inverse);
    Value* part = ir_.CreateFPToUI(ratio, type_);
    quotient = ir_.CreateAdd(quotient, part);
    rest = ir_.CreateSub(rest, ir_.CreateMul(part, b));
  }
  Value* once_more = ir_.CreateICmpUGE(rest, b);
  quotient = ir_.CreateSelect(once_more, ir_.CreateAdd(quotient, llvm::ConstantInt::get(type_, 1)), quotient);
  rest = ir_.CreateSelect(once_more, ir_.CreateSub(rest, b), rest);
  if (!is_signed_) return {quotient, rest};
  auto signed_as = [&](Value* value, Value* sign) {
    Value* negative = ir_.CreateICmpSLT(sign, llvm::Constant::getNullValue(type_));
    return ir_.CreateSelect(negative, ir_.CreateNeg(value), value);
  };
  return {signed_as(quotient, ir_.CreateXor(a_, b_)), signed_as(rest, a_)};
}

// Bits that both sources need.
unsigned significant_bits(const llvm::BinaryOperator& i, bool is_signed) {
  const llvm::DataLayout& layout = i.getDataLayout();
  auto bits = [&](Value* value) {
    const unsigned width = value->getType()->getScalarSizeInBits();
    if (is_signed) return width - llvm::ComputeNumSignBits(value, layout) + 1;
    return llvm::computeKnownBits(value, layout).countMaxActiveBits();
  };
  return std::max(bits(i.getOperand(0)), bits(i.getOperand(1)));
}

}  // namespace

llvm::PreservedAnalyses ExpandDivision::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::BinaryOperator*> found;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (!i.isIntDivRem() || !llvm::isa<llvm::FixedVectorType>(i.getType())) continue;
    if (llvm::isa<llvm::Constant>(i.getOperand(1))) continue;
    const unsigned bits = i.getType()->getScalarSizeInBits();
    if (bits <= 32 || (bits == 64 && converts_i64_)) found.push_back(llvm::cast<llvm::BinaryOperator>(&i));
  }
  for (llvm::BinaryOperator* i : found) {
    const bool is_remainder =
        i->getOpcode() == llvm::Instruction::SRem || i->getOpcode() == llvm::Instruction::URem;
    const bool is_signed =
        i->getOpcode() == llvm::Instruction::SRem || i->getOpcode() == llvm::Instruction::SDiv;
    Division division(*i);
    const Quotient q =
        division.bits() <= 32 ? division.narrow(significant_bits(*i, is_signed)) : division.wide();
    i->replaceAllUsesWith(is_remainder ? q.remainder : q.quotient);
    i->eraseFromParent();
  }
  if (found.empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace heddle::exec::jit
