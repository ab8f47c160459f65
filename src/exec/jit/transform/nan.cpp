#include "exec/jit/transform/nan.h"

#include <algorithm>

#include "exec/jit/ir/math.h"
#include "exec/jit/ir/ops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::exec::jit {

using llvm::Instruction;
using llvm::Value;

namespace {

constexpr const char* arithmetic_mark = "heddle.arithmetic";
constexpr const char* number_mark = "heddle.number";

void mark(Value* value, const char* kind) {
  if (auto* instruction = llvm::dyn_cast<Instruction>(value))
    instruction->setMetadata(kind, llvm::MDNode::get(instruction->getContext(), {}));
}
bool marked(const Instruction& instruction, const char* kind) {
  return instruction.hasMetadata() && instruction.getMetadata(kind) != nullptr;
}

// Where a value's NaN comes from. `none`: there is none, or it is canonical already.
enum Origin : uint8_t { none = 0, moved = 1, computed = 2, either = 3 };

Origin join(Origin a, Origin b) { return static_cast<Origin>(a | b); }

class Canonicaliser {
 public:
  explicit Canonicaliser(llvm::Function& thread) : thread_(thread), context_(thread.getContext()) {}

  void run() {
    forward_bit_casts();
    find_origins();
    llvm::SmallVector<std::pair<Instruction*, unsigned>, 32> places;
    for (Instruction& user : llvm::instructions(thread_))
      for (llvm::Use& use : user.operands())
        if (shows_bits(user, use)) places.push_back({&user, use.getOperandNo()});
    for (auto [user, operand] : places) canonicalise(*user, operand);
  }

 private:
  // A float that was an integer in between is the same value.
  void forward_bit_casts() {
    for (Instruction& i : llvm::instructions(thread_)) {
      if (!llvm::isa<llvm::BitCastInst>(i) || !i.getType()->isFloatTy()) continue;
      auto* inner = llvm::dyn_cast<llvm::BitCastInst>(i.getOperand(0));
      if (inner != nullptr && inner->getSrcTy()->isFloatTy()) i.replaceAllUsesWith(inner->getOperand(0));
    }
  }

  static Origin origin_of_constant(const llvm::Constant& constant) {
    const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant);
    if (number == nullptr || !number->isNaN()) return none;
    return number->getValueAPF().bitcastToAPInt() == 0x7fff'ffff ? none : moved;
  }

  static Origin origin_of_call(const llvm::CallInst& call) {
    if (const auto op = op_of(&call)) return *op == Op::rounded || *op == Op::approximate ? computed : moved;
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
    if (intrinsic == nullptr) return moved;
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::copysign &&
        llvm::isa<llvm::Constant>(call.getArgOperand(0)))
      return none;
    return computed;
  }

  Origin origin(const Value* value) const {
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return origin_of_constant(*constant);
    const auto found = origins_.find(value);
    return found != origins_.end() ? found->second : moved;
  }

  Origin compute(const Instruction& i) const {
    if (marked(i, arithmetic_mark)) return computed;
    switch (i.getOpcode()) {
      case Instruction::FAdd:
      case Instruction::FSub:
      case Instruction::FMul:
      case Instruction::FDiv:
      case Instruction::FRem:
      case Instruction::FNeg: return computed;
      case Instruction::SIToFP:
      case Instruction::UIToFP: return none;
      case Instruction::FPExt: return computed;  // of half
      case Instruction::Call: return origin_of_call(llvm::cast<llvm::CallInst>(i));
      case Instruction::Freeze: return origin(i.getOperand(0));
      case Instruction::Select: return join(origin(i.getOperand(1)), origin(i.getOperand(2)));
      case Instruction::PHI: {
        Origin all = none;
        for (const Value* incoming : llvm::cast<llvm::PHINode>(i).incoming_values())
          all = join(all, origin(incoming));
        return all;
      }
      default: return moved;
    }
  }

  // From nothing upwards: a loop's value is what goes into the loop.
  void find_origins() {
    llvm::SmallVector<Instruction*, 64> floats;
    for (Instruction& i : llvm::instructions(thread_)) {
      if (!i.getType()->isFloatTy()) continue;
      floats.push_back(&i);
      origins_[&i] = none;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (Instruction* i : floats) {
        const Origin now = join(origins_[i], compute(*i));
        changed |= now != origins_[i];
        origins_[i] = now;
      }
    }
  }

  bool shows_bits(const Instruction& user, const llvm::Use& use) const {
    const Value* value = use.get();
    if (!value->getType()->isFloatTy() || (origin(value) & computed) == 0) return false;
    switch (user.getOpcode()) {
      case Instruction::BitCast:
      case Instruction::FPExt: return !marked(user, number_mark);
      case Instruction::Call:
        if (const auto op = op_of(&user))
          return *op != Op::rounded && *op != Op::approximate && *op != Op::math;
        return !llvm::isa<llvm::IntrinsicInst>(user);
      case Instruction::Store:
      case Instruction::Ret:
      case Instruction::InsertValue: return true;
      default: return false;
    }
  }

  // Whether a value that may be either comes from arithmetic this time: follows it through phis and selects.
  // In a loop that is a bit that goes around with the value, not a test of the value.
  Value* was_computed(Value* value) {
    const Origin from = origin(value);
    if (from != either) return llvm::ConstantInt::getBool(context_, from != moved);
    if (const auto found = flags_.find(value); found != flags_.end()) return found->second;
    llvm::Type* type = llvm::Type::getInt1Ty(context_);
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
      auto* flag = llvm::PHINode::Create(type, phi->getNumIncomingValues(), "", phi->getIterator());
      flags_[value] = flag;
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        flag->addIncoming(was_computed(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
      return flag;
    }
    auto* instruction = llvm::cast<Instruction>(value);
    Value* flag = nullptr;
    if (instruction->getOpcode() == Instruction::Freeze) {
      flag = was_computed(instruction->getOperand(0));
    } else {
      Value *first = was_computed(instruction->getOperand(1)),
            *second = was_computed(instruction->getOperand(2));
      auto* select =
          llvm::SelectInst::Create(instruction->getOperand(0), first, second, "", instruction->getIterator());
      select->setDebugLoc(instruction->getDebugLoc());
      flag = select;
    }
    flags_[value] = flag;
    return flag;
  }

  void canonicalise(Instruction& user, unsigned operand) {
    Value* value = user.getOperand(operand);
    const llvm::DataLayout& layout = thread_.getParent()->getDataLayout();
    if (llvm::isKnownNeverNaN(value, 0, llvm::SimplifyQuery(layout, &user))) return;
    llvm::IRBuilder<> ir(&user);
    Value* replaces = ir.CreateFCmpUNO(value, value);
    if (origin(value) == either) replaces = ir.CreateSelect(was_computed(value), replaces, ir.getFalse());
    if (!llvm::isa<llvm::BitCastInst>(user))
      return user.setOperand(operand, ir.CreateSelect(replaces, canonical_nan(context_), value));
    ir.SetInsertPoint(user.getParent(), std::next(user.getIterator()));
    Value* bits = ir.CreateSelect(replaces, llvm::ConstantInt::get(user.getType(), 0x7fff'ffff), &user);
    user.replaceUsesWithIf(bits, [&](const llvm::Use& use) { return use.getUser() != bits; });
  }

  llvm::Function& thread_;
  llvm::LLVMContext& context_;
  llvm::DenseMap<const Value*, Origin> origins_;
  llvm::DenseMap<Value*, Value*> flags_;
};

// ---- f64

bool computes(const Instruction& i) {
  if (i.isBinaryOp() && i.getType()->isDoubleTy()) return true;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i))
    return call->getIntrinsicID() == llvm::Intrinsic::fma || call->getIntrinsicID() == llvm::Intrinsic::sqrt;
  return op_of(&i) == Op::rounded;
}

// LLVM knows the result of an operation with such a constant without computing it.
bool folds(const Value* value) {
  const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value);
  return number != nullptr && (number->isZero() || number->isExactlyValue(1) || number->isExactlyValue(-1));
}

// LLVM takes "equal to zero" of a number whose bits it has for "all bits but the sign are zero", in the flush
// mode too, where it is the exponent.
void keep_flush(llvm::FCmpInst& compare) {
  if (!compare.isEquality() || !compare.getOperand(0)->getType()->isFloatTy()) return;
  const bool zero_first = llvm::PatternMatch::match(compare.getOperand(0), llvm::PatternMatch::m_AnyZeroFP());
  if (!zero_first && !llvm::PatternMatch::match(compare.getOperand(1), llvm::PatternMatch::m_AnyZeroFP()))
    return;
  auto* number = llvm::dyn_cast<llvm::BitCastInst>(compare.getOperand(zero_first ? 1 : 0));
  if (number == nullptr) return;
  llvm::IRBuilder<> ir(&compare);
  Value* tiny = ir.CreateICmpEQ(ir.CreateAnd(number->getOperand(0), 0x7f80'0000), ir.getInt32(0));
  Value* result = tiny;  // oeq
  switch (compare.getPredicate()) {
    case llvm::CmpInst::FCMP_UEQ: result = ir.CreateOr(tiny, ir.CreateFCmpUNO(number, number)); break;
    case llvm::CmpInst::FCMP_UNE: result = ir.CreateNot(tiny); break;
    case llvm::CmpInst::FCMP_ONE:
      result = ir.CreateAnd(ir.CreateNot(tiny), ir.CreateFCmpORD(number, number));
      break;
    default: break;
  }
  compare.replaceAllUsesWith(result);
  compare.eraseFromParent();
}

// In the flush mode an operation makes a subnormal zero; LLVM takes x * 1 for x.
void keep_flushes(llvm::Function& thread) {
  if (thread.getFnAttribute("denormal-fp-math-f32").getValueAsString() != "preserve-sign,preserve-sign")
    return;
  for (Instruction& i : llvm::make_early_inc_range(llvm::instructions(thread))) {
    if (auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&i)) {
      keep_flush(*compare);
      continue;
    }
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    const bool computes =
        i.isBinaryOp() || (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::fma);
    if (!i.getType()->isFloatTy() || !computes || llvm::none_of(i.operand_values(), folds)) continue;
    llvm::IRBuilder<> ir(i.getParent(), std::next(i.getIterator()));
    ir.SetCurrentDebugLocation(i.getDebugLoc());
    Value* bits = bits_with_any_nan(ir, &i);
    Value* tiny = ir.CreateICmpEQ(ir.CreateAnd(bits, 0x7f80'0000), ir.getInt32(0));
    Value* zero = ir.CreateBitCast(ir.CreateAnd(bits, 0x8000'0000), i.getType());
    Value* flushed = ir.CreateSelect(tiny, zero, &i);
    i.replaceUsesWithIf(
        flushed, [&](const llvm::Use& use) { return use.getUser() != flushed && use.getUser() != bits; });
    mark_arithmetic(flushed);
  }
}

class PayloadKeeper {
 public:
  explicit PayloadKeeper(llvm::Function& thread) : thread_(thread) {}

  void run() {
    llvm::SmallVector<Instruction*, 32> doubles;
    for (Instruction& i : llvm::instructions(thread_))
      if (i.getType()->isDoubleTy()) doubles.push_back(&i);
    for (Instruction* i : doubles)
      if (op_of(i) == Op::first_nan && !matters(*i)) {
        i->replaceAllUsesWith(i->getOperand(0));
        i->eraseFromParent();
      } else if (computes(*i)) {
        guard(*i);
      }
  }

 private:
  bool never_nan(const Value* value, const Instruction& at) const {
    const llvm::DataLayout& layout = thread_.getParent()->getDataLayout();
    return llvm::isKnownNeverNaN(value, 0, llvm::SimplifyQuery(layout, &at));
  }

  // A host's operation with one NaN among its sources gives that one.
  bool matters(const Instruction& first) const {
    const Value* source = first.getOperand(1);
    if (never_nan(source, first)) return false;
    const auto* result = llvm::dyn_cast<Instruction>(first.getOperand(0));
    if (result == nullptr || !computes(*result)) return true;
    for (const Value* operand : result->operand_values()) {
      if (!operand->getType()->isDoubleTy() || operand == source) continue;
      if (folds(operand) || !never_nan(operand, first)) return true;
    }
    return false;
  }

  void guard(Instruction& i) {
    if (llvm::none_of(i.operand_values(), folds)) return;
    llvm::IRBuilder<> ir(i.getParent(), std::next(i.getIterator()));
    ir.SetCurrentDebugLocation(i.getDebugLoc());
    for (Value* operand : llvm::SmallVector<Value*, 4>(i.operand_values())) {
      if (!operand->getType()->isDoubleTy() || never_nan(operand, i)) continue;
      Value* guarded = call_op(ir, Op::first_nan, i.getType(), {&i, operand});
      i.replaceUsesWithIf(guarded, [&](const llvm::Use& use) { return use.getUser() != guarded; });
      return;
    }
  }

  llvm::Function& thread_;
};

// A number added to what is not negative is not less than that number.
bool never_subnormal(const Value* value, const llvm::SimplifyQuery& query) {
  const auto normal = [](const Value* v) {
    const auto* c = llvm::dyn_cast<llvm::ConstantFP>(v);
    return c != nullptr && c->getValueAPF().isNormal() && !c->isNegative();
  };
  const auto* i = llvm::dyn_cast<Instruction>(value);
  if (i == nullptr) return normal(value);
  if (llvm::isa<llvm::UIToFPInst>(i) || llvm::isa<llvm::SIToFPInst>(i)) return true;
  if (i->getOpcode() == Instruction::FAdd) {
    for (unsigned n = 0; n < 2; ++n)
      if (normal(i->getOperand(n)) && llvm::cannotBeOrderedLessThanZero(i->getOperand(1 - n), 0, query))
        return true;
  }
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(i);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::fma &&
         call->getArgOperand(0) == call->getArgOperand(1) && normal(call->getArgOperand(2));
}

// Functions that differ with .ftz only for subnormal arguments cost less with it.
void skip_subnormals(llvm::Function& thread) {
  for (Instruction& i : llvm::instructions(thread)) {
    if (op_of(&i) != Op::approximate) continue;
    auto& call = llvm::cast<llvm::CallInst>(i);
    const auto function = static_cast<Approximation>(immediate(call, 0));
    if (function != Approximation::rsqrt && function != Approximation::sqrt && function != Approximation::lg2)
      continue;
    const llvm::SimplifyQuery query(thread.getParent()->getDataLayout(), &i);
    if (never_subnormal(call.getArgOperand(2), query))
      call.setArgOperand(1, llvm::ConstantInt::get(call.getArgOperand(1)->getType(), 1));
  }
}

}  // namespace

void mark_arithmetic(Value* value) { mark(value, arithmetic_mark); }
void mark_number(Value* value) { mark(value, number_mark); }

Value* bits_with_any_nan(llvm::IRBuilderBase& ir, Value* value) {
  Value* bits = ir.CreateBitCast(value, ir.getIntNTy(value->getType()->isFloatTy() ? 32 : 64));
  mark_number(bits);
  return bits;
}

void canonicalise_nans(llvm::Function& thread) {
  keep_flushes(thread);
  Canonicaliser(thread).run();
  PayloadKeeper(thread).run();
  skip_subnormals(thread);
}

}  // namespace heddle::exec::jit
