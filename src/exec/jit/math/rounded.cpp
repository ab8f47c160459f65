// Directed rounding by arithmetic that rounds to nearest.
//
// An f32 result is computed as a double that is exact or rounded to odd, which loses nothing that a rounding
// to 24 digits could want to know. An f64 one has no greater format behind it: its lanes go to the host one
// by one.
#include "exec/jit/math/portable.h"
#include "llvm/IR/Module.h"

namespace heddle::exec::jit::portable {

using llvm::Value;

namespace {

// `nearest` differs from the value by something of the sign of `error`.
Value* to_odd(const Lanes& l, Value* nearest, Value* error) {
  llvm::IRBuilderBase& ir = l.ir;
  Value* bits = l.bits(nearest);
  Value* even = ir.CreateICmpEQ(l.mask(bits, 1), l.wide(0));
  Value* finite = ir.CreateFCmpOLT(l.magnitude(nearest), llvm::ConstantFP::getInfinity(l.f64()));
  Value* inexact = ir.CreateAnd(ir.CreateFCmpONE(error, l.real(0)), finite);
  Value* away = ir.CreateICmpEQ(ir.CreateFCmpOGT(error, l.real(0)), ir.CreateFCmpOGT(nearest, l.real(0)));
  Value* moved = ir.CreateAdd(bits, ir.CreateSelect(away, l.wide(1), l.wide(~uint64_t{0})));
  return l.as_f64(ir.CreateSelect(ir.CreateAnd(even, inexact), moved, bits));
}

Value* odd_sum(const Lanes& l, Value* a, Value* b) {
  llvm::IRBuilderBase& ir = l.ir;
  Value* sum = ir.CreateFAdd(a, b);
  Value* b_part = ir.CreateFSub(sum, a);
  Value* a_part = ir.CreateFSub(sum, b_part);
  return to_odd(l, sum, ir.CreateFAdd(ir.CreateFSub(a, a_part), ir.CreateFSub(b, b_part)));
}

Value* odd(const Lanes& l, Arithmetic operation, llvm::ArrayRef<Value*> s) {
  llvm::IRBuilderBase& ir = l.ir;
  switch (operation) {
    case Arithmetic::add: return odd_sum(l, s[0], s[1]);
    case Arithmetic::mul: return ir.CreateFMul(s[0], s[1]);
    case Arithmetic::fma: return odd_sum(l, ir.CreateFMul(s[0], s[1]), s[2]);
    case Arithmetic::div: {
      Value* quotient = ir.CreateFDiv(s[0], s[1]);
      Value* rest = l.fma(ir.CreateFNeg(quotient), s[1], s[0]);
      Value* error = ir.CreateSelect(ir.CreateFCmpOGT(s[1], l.real(0)), rest, ir.CreateFNeg(rest));
      return to_odd(l, quotient, error);
    }
    case Arithmetic::sqrt: {
      Value* root = ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, s[0]);
      return to_odd(l, root, l.fma(ir.CreateFNeg(root), root, s[0]));
    }
  }
  return s[0];
}

Value* by_the_host(const Lanes& l, Arithmetic operation, Direction direction,
                   llvm::ArrayRef<Value*> sources) {
  llvm::IRBuilderBase& ir = l.ir;
  llvm::Module& module = *ir.GetInsertBlock()->getModule();
  llvm::Type *number = ir.getDoubleTy(), *word = ir.getInt32Ty();
  auto callee = module.getOrInsertFunction(
      "heddle_jit_rounded", llvm::FunctionType::get(number, {word, word, number, number, number}, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::WillReturn);
  const auto call = [&](auto source) {
    llvm::SmallVector<Value*, 5> arguments{ir.getInt32(static_cast<uint32_t>(operation)),
                                           ir.getInt32(static_cast<uint32_t>(direction))};
    for (std::size_t i = 0; i < 3; ++i) arguments.push_back(source(sources[std::min(i, sources.size() - 1)]));
    return ir.CreateCall(callee, arguments);
  };
  if (l.count() == 0) return call([](Value* value) { return value; });
  Value* result = llvm::PoisonValue::get(sources[0]->getType());
  for (unsigned lane = 0; lane < l.count(); ++lane) {
    Value* one = call([&](Value* value) { return ir.CreateExtractElement(value, lane); });
    result = ir.CreateInsertElement(result, one, lane);
  }
  return result;
}

}  // namespace

Value* narrowed(const Lanes& l, Direction direction, Value* value) {
  llvm::IRBuilderBase& ir = l.ir;
  Value* nearest = ir.CreateFPTrunc(value, l.f32());
  Value* exact = ir.CreateFPExt(nearest, l.f64());
  Value* bits = l.bits(nearest);
  Value *less = l.add(bits, 0xffffffff), *more = l.add(bits, 1);
  if (direction == Direction::zero) {
    Value* beyond = ir.CreateFCmpOGT(l.magnitude(exact), l.magnitude(value));
    return l.as_f32(ir.CreateSelect(beyond, less, bits));
  }
  Value* negative = ir.CreateICmpSLT(bits, l.word(0));
  const bool up = direction == Direction::up;
  Value* wrong = up ? ir.CreateFCmpOLT(exact, value) : ir.CreateFCmpOGT(exact, value);
  Value* moved = up ? ir.CreateSelect(negative, less, more) : ir.CreateSelect(negative, more, less);
  return l.as_f32(ir.CreateSelect(wrong, moved, bits));
}

Value* rounded(llvm::IRBuilderBase& ir, Arithmetic operation, Direction direction,
               llvm::ArrayRef<Value*> sources) {
  const Lanes l(ir, sources[0]->getType());
  if (sources[0]->getType()->getScalarType()->isDoubleTy())
    return by_the_host(l, operation, direction, sources);
  llvm::SmallVector<Value*, 3> wide;
  for (Value* source : sources) wide.push_back(ir.CreateFPExt(source, l.f64()));
  Value* value = odd(l, operation, wide);
  Value* result = narrowed(l, direction, value);
  if (direction != Direction::down || (operation != Arithmetic::add && operation != Arithmetic::fma))
    return result;
  // Numbers that cancel give +0, but -0 when rounded down; zeros of one sign keep it.
  Value* last = sources.back();
  Value* term = operation == Arithmetic::fma ? ir.CreateFMul(wide[0], wide[1]) : wide[0];
  Value* zero = ir.CreateFCmpOEQ(value, l.real(0));
  Value* term_positive = ir.CreateICmpSGE(l.bits(term), l.wide(0));
  Value* last_positive = ir.CreateICmpSGE(l.bits(last), l.word(0));
  Value* both = ir.CreateAnd(term_positive, last_positive);
  Value* zero_result = ir.CreateSelect(both, l.single(0), l.single(-0.0));
  return ir.CreateSelect(zero, zero_result, result);
}

Value* first_nan(llvm::IRBuilderBase& ir, Value* result, Value* source) {
  const Lanes l(ir, source->getType());
  Value* quiet = l.as_f64(ir.CreateOr(l.bits(source), l.wide(uint64_t{1} << 51)));
  return ir.CreateSelect(ir.CreateFCmpUNO(source, source), quiet, result);
}

}  // namespace heddle::exec::jit::portable
