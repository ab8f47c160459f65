#include "exec/jit/vectorize/unit.h"

#include "exec/jit/analysis/needs.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"

namespace heddle::exec::jit {

using llvm::Value;

Unit::Unit(Weaver& weaver, const Region& region, const llvm::DenseSet<const Value*>& crossing, bool slow)
    : weaver_(weaver),
      b_(weaver.builder),
      lanes_(weaver.lanes),
      flow_(slow ? *region.slow_flow : *region.fast_flow),
      patterns_(slow ? *region.slow : *region.fast),
      crossing_(crossing),
      slow_(slow),
      vectors_(patterns_.vectors()),
      at_work_(region.at_work) {}

// In units behind the first no lane is.
unsigned Unit::lanes_at_work(unsigned j) const {
  const unsigned before = j * lanes_.lanes();
  return std::min(at_work_ - std::min(at_work_, before), lanes_.lanes());
}

// ---- values ----------------------------------------------------------------------------------------------

llvm::ArrayRef<llvm::AllocaInst*> Unit::home(const Value* value) {
  auto& parts = homes_[value];
  if (parts.empty()) {
    const Pattern pattern = patterns_.of(value);
    llvm::Type* type = part_type(pattern, value->getType(), lanes_.lanes());
    for (unsigned j = 0; j < part_count(pattern, vectors_); ++j) {
      llvm::AllocaInst* part = weaver_.make_alloca(type, value->getName());
      // Lanes that never came here must not make a division of nothing by nothing.
      if (clear_ != nullptr) llvm::IRBuilder<>(clear_).CreateStore(llvm::Constant::getNullValue(type), part);
      parts.push_back(part);
    }
  }
  return parts;
}

void Unit::clear_homes(const llvm::BasicBlock& block) {
  for (const llvm::Instruction& i : block)
    if (!llvm::isa<llvm::PHINode>(i) && crossing_.contains(&i))
      for (llvm::AllocaInst* part : home(&i))
        b_.CreateStore(llvm::Constant::getNullValue(part->getAllocatedType()), part);
}

Rep Unit::get(const Value* value) {
  if (llvm::isa<llvm::Constant>(value)) return {patterns_.of(value), {const_cast<Value*>(value)}};
  if (auto found = known_.find(value); found != known_.end()) return found->second;
  Rep rep{patterns_.of(value), {}};
  for (llvm::AllocaInst* part : home(value))
    rep.parts.push_back(b_.CreateLoad(part->getAllocatedType(), part));
  known_[value] = rep;
  return rep;
}

void Unit::define(const llvm::Instruction* instruction, Rep rep) {
  if (crossing_.contains(instruction)) {
    const auto parts = home(instruction);
    for (unsigned j = 0; j < parts.size(); ++j) b_.CreateStore(rep.parts[j], parts[j]);
  }
  known_[instruction] = std::move(rep);
}

void Unit::define_element(const llvm::Instruction* aggregate, unsigned element, Rep rep) {
  auto& elements = elements_[aggregate];
  if (elements.size() <= element) elements.resize(element + 1);
  elements[element] = std::move(rep);
}

Rep Unit::convert(const Rep& rep, const Pattern& to) {
  Rep result{to, {}};
  if (result.has_flips()) {
    for (unsigned j = 0; j < vectors_; ++j) result.parts.push_back(lanes_.row(rep, j, to.lane_step));
    for (unsigned j = 0; j < vectors_; ++j) result.parts.push_back(lanes_.flip(rep, j, to.lane_step));
    return result;
  }
  for (unsigned j = 0; j < part_count(to, vectors_); ++j)
    result.parts.push_back(to.kind == Pattern::vector ? lanes_.vector(rep, j) : lanes_.base(rep, j));
  return result;
}

// ---- masks -----------------------------------------------------------------------------------------------

Value* Unit::bits(Value* mask) const { return b_.CreateBitCast(mask, b_.getIntNTy(lanes_.lanes())); }

Value* Unit::any(llvm::ArrayRef<Value*> masks) const {
  Value* all = masks[0];
  for (Value* mask : masks.drop_front()) all = b_.CreateOr(all, mask);
  Value* number = bits(all);
  return b_.CreateICmpNE(number, llvm::ConstantInt::get(number->getType(), 0));
}

Value* Unit::any_of(unsigned j) const { return masked() ? any({mask_[j]}) : b_.getTrue(); }

Value* Unit::full_mask() const { return llvm::Constant::getAllOnesValue(lanes_.vector_type(b_.getInt1Ty())); }

Value* Unit::first_thread() const {
  return b_.CreateMul(first_vector_, b_.getInt32(lanes_.lanes()), "", true, true);
}

Value* Unit::thread_of(unsigned j, Value* lane) const {
  return b_.CreateAdd(b_.CreateAdd(first_thread(), b_.getInt32(j * lanes_.lanes())),
                      b_.CreateZExtOrTrunc(lane, b_.getInt32Ty()));
}

Value* Unit::warp_number(unsigned warp) const {
  return b_.CreateAdd(b_.CreateUDiv(first_vector_, b_.getInt32(weaver_.geometry.warp_vectors())),
                      b_.getInt32(warp));
}

// ---- instructions ----------------------------------------------------------------------------------------

void Unit::emit(const llvm::Instruction& i) {
  weaver_.come_from(i);
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) {
    if (const auto operation = op_of(call)) return emit_operation(*call, *operation);
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
        intrinsic != nullptr && (intrinsic->isAssumeLikeIntrinsic() || llvm::isa<llvm::DbgInfoIntrinsic>(i)))
      return;
  }
  if (const auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&i)) {
    const auto found = elements_.find(extract->getAggregateOperand());
    return define(&i, found->second[extract->getIndices()[0]]);
  }
  const Pattern pattern = patterns_.of(&i);
  if (pattern.stepped() && !i.getType()->isStructTy()) return emit_scalars(i, pattern);
  if (pattern.kind == Pattern::xored) return emit_xored(i, pattern);
  emit_vectors(i);
}

namespace {

// Only of what the place in the block and constants say.
bool is_of_place(const Value* value, unsigned depth) {
  if (llvm::isa<llvm::Constant>(value)) return true;
  const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
  if (i == nullptr || llvm::isa<llvm::LoadInst>(i)) return false;
  if (depth == 0 || llvm::isa<llvm::PHINode>(i)) return true;  // perhaps: then it is
  if (const auto op = op_of(i)) return *op == Op::tid || *op == Op::laneid || *op == Op::warpid;
  return llvm::all_of(i->operand_values(), [&](const Value* v) { return is_of_place(v, depth - 1); });
}

bool makes_a_float(const llvm::CastInst& cast) {
  constexpr unsigned operands = 8;  // one inside the other
  return cast.getOpcode() == llvm::Instruction::BitCast && cast.getType()->isFloatTy() &&
         is_of_place(cast.getOperand(0), operands);
}

}  // namespace

// In vectors without an active lane an operand may be anything. Where that would trap, 1 stands for a divisor
// and its beginning for a place in a table: of a divisor that the program has tested, LLVM takes out the test
// for 0 that came with the division (lower/integer.cpp), since it may.
Value* Unit::harmless(const llvm::Instruction& i, unsigned operand, Value* value, Value* active) const {
  if (llvm::isa<llvm::Constant>(value)) return value;
  if (i.isIntDivRem() && operand == 1)
    return b_.CreateSelect(active, value, llvm::ConstantInt::get(value->getType(), 1));
  if (!llvm::isa<llvm::LoadInst>(i)) return value;
  auto* table = llvm::dyn_cast<llvm::GlobalVariable>(
      const_cast<Value*>(llvm::getUnderlyingObject(i.getOperand(operand))));
  return table == nullptr ? value : b_.CreateSelect(active, value, table);
}

void Unit::emit_scalars(const llvm::Instruction& i, const Pattern& pattern) {
  llvm::SmallVector<Rep, 3> operands;
  for (const Value* operand : i.operands())
    operands.push_back(llvm::isa<llvm::Function>(operand) ? Rep{} : get(operand));
  Rep result{pattern, {}};
  for (unsigned j = 0; j < part_count(pattern, vectors_); ++j) {
    llvm::Instruction* copy = i.clone();
    copy->setDebugLoc({});
    const bool may_trap = masked() && (i.isIntDivRem() || llvm::isa<llvm::LoadInst>(i));
    Value* active = !may_trap ? nullptr : pattern.uniform() ? any(mask_) : any_of(j);
    for (unsigned o = 0; o < i.getNumOperands(); ++o) {
      if (operands[o].parts.empty()) continue;
      Value* base = lanes_.base(operands[o], j);
      copy->setOperand(o, may_trap ? harmless(i, o, base, active) : base);
    }
    // Lane 0 may be one for which the program has no value here.
    if (!pattern.uniform() || masked()) copy->dropPoisonGeneratingFlags();
    copy->dropUnknownNonDebugMetadata();
    b_.Insert(copy);
    result.parts.push_back(copy);
  }
  define(&i, std::move(result));
}

// The row of each vector, as if it were the lane that nothing flips; and what is flipped (pattern_xor.cpp).
void Unit::emit_xored(const llvm::Instruction& i, const Pattern& pattern) {
  llvm::SmallVector<Rep, 3> operands;
  for (const Value* operand : i.operands()) operands.push_back(get(operand));
  const auto varies = [](const Rep& rep) { return rep.has_flips() || !rep.pattern.lane_uniform(); };
  const bool chooses = llvm::isa<llvm::SelectInst>(i);
  Rep result{pattern, {}};
  llvm::SmallVector<Value*, 4> flips;
  for (unsigned j = 0; j < vectors_; ++j) {
    llvm::Instruction *copy = i.clone(), *chosen = chooses ? i.clone() : nullptr;
    copy->setDebugLoc({}), copy->dropPoisonGeneratingFlags(), copy->dropUnknownNonDebugMetadata();
    Value* flip = nullptr;
    for (unsigned o = 0; o < operands.size(); ++o) {
      const Rep& rep = operands[o];
      if (chooses ? o != 0 : varies(rep)) {
        flip = lanes_.flip(rep, j, pattern.lane_step);
        copy->setOperand(o, lanes_.row(rep, j, pattern.lane_step));
        if (chooses) chosen->setOperand(o, flip);
      } else {
        copy->setOperand(o, lanes_.base(rep, j));
        if (chooses) chosen->setOperand(o, lanes_.base(rep, j));
      }
    }
    if (i.getOpcode() == llvm::Instruction::Xor) {
      const unsigned number = varies(operands[0]) ? 1 : 0;
      const auto step = static_cast<uint64_t>(pattern.lane_step);
      Value *all = copy->getOperand(number),
            *low = llvm::ConstantInt::get(all->getType(), step * lanes_.lanes() - 1);
      Value* of_lanes = b_.CreateLShr(b_.CreateAnd(all, low), llvm::Log2_64(step));
      flip = b_.CreateXor(flip, of_lanes);
      copy->setOperand(number, b_.CreateAnd(all, b_.CreateNot(low)));
    } else if (chooses) {
      chosen->setDebugLoc({}), chosen->dropUnknownNonDebugMetadata();
      flip = b_.Insert(chosen);
    } else {
      flip = b_.CreateZExtOrTrunc(flip, i.getType());
    }
    result.parts.push_back(b_.Insert(copy));
    flips.push_back(flip);
  }
  result.parts.append(flips);
  define(&i, std::move(result));
}

void Unit::emit_vectors(const llvm::Instruction& i) {
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) return emit_call(*call);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return emit_table_load(*load);
  llvm::SmallVector<Rep, 3> operands;
  for (const Value* operand : i.operands()) operands.push_back(get(operand));
  Rep result{Pattern::of_vector(), {}};
  for (unsigned j = 0; j < vectors_; ++j) {
    weaver_.come_from(i, AccessLanes::of_row(j * lanes_.lanes()));
    result.parts.push_back(vector_form(i, j, operands));
  }
  result.pattern = patterns_.of(&i);
  define(&i, std::move(result));
}

// In the mode without subnormals LLVM must not see numbers that come of a thread's place: it would compute
// with them as if nothing were flushed (its constants do for vectors and for fma).
Value* Unit::unseen(Value* vector) const {
  auto* type = llvm::cast<llvm::FixedVectorType>(vector->getType());
  llvm::Type* word = type->getElementType();
  auto* same = llvm::InlineAsm::get(llvm::FunctionType::get(word, {word}, false), "", "=r,0", false);
  Value* zero = b_.CreateCall(same, {llvm::ConstantInt::get(word, 0)});
  return b_.CreateXor(vector, b_.CreateVectorSplat(type->getElementCount(), zero));
}

Value* Unit::vector_form(const llvm::Instruction& i, unsigned j, llvm::ArrayRef<Rep> operands) {
  const auto vector = [&](unsigned o) { return lanes_.vector(operands[o], j); };
  Value* result = nullptr;
  if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&i))
    result = b_.CreateBinOp(binary->getOpcode(), vector(0),
                            masked() && i.isIntDivRem() ? divisor(i, operands[1], j) : vector(1));
  else if (const auto* unary = llvm::dyn_cast<llvm::UnaryOperator>(&i))
    result = b_.CreateUnOp(unary->getOpcode(), vector(0));
  else if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&i))
    result = b_.CreateCast(cast->getOpcode(),
                           weaver_.flush_mode && makes_a_float(*cast) ? unseen(vector(0)) : vector(0),
                           lanes_.vector_type(i.getType()));
  else if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&i))
    result = b_.CreateCmp(compare->getPredicate(), vector(0), vector(1));
  else if (llvm::isa<llvm::SelectInst>(i))
    result = b_.CreateSelect(operands[0].pattern.lane_uniform() ? lanes_.base(operands[0], j) : vector(0),
                             vector(1), vector(2));
  else if (llvm::isa<llvm::FreezeInst>(i))
    result = b_.CreateFreeze(vector(0));
  else if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
    const auto pick = [&](unsigned o) {
      return operands[o].pattern.lane_uniform() ? lanes_.base(operands[o], j) : vector(o);
    };
    llvm::SmallVector<Value*, 4> indices;
    for (unsigned o = 1; o < i.getNumOperands(); ++o) indices.push_back(pick(o));
    result = b_.CreateGEP(gep->getSourceElementType(), pick(0), indices);
  }
  if (auto* made = llvm::dyn_cast_or_null<llvm::Instruction>(result);
      made != nullptr &&
      llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::UnaryOperator, llvm::CastInst>(i) &&
      made->getOpcode() == i.getOpcode()) {
    made->copyIRFlags(&i);
    if (masked() && !llvm::isa<llvm::FPMathOperator>(i)) made->dropPoisonGeneratingFlags();
  }
  return result;
}

Value* Unit::divisor(const llvm::Instruction& division, const Rep& rep, unsigned j) const {
  if (!rep.pattern.lane_uniform()) return harmless(division, 1, lanes_.vector(rep, j), mask_[j]);
  return lanes_.spread(harmless(division, 1, lanes_.base(rep, j), any_of(j)), 0);  // one for all is faster
}

void Unit::emit_call(const llvm::CallInst& call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  llvm::SmallVector<Rep, 3> operands;
  for (const Value* argument : call.args()) operands.push_back(get(argument));
  const auto* structure = llvm::dyn_cast<llvm::StructType>(call.getType());
  llvm::SmallVector<Rep, 2> results(structure == nullptr ? 1 : structure->getNumElements(),
                                    Rep{Pattern::of_vector(), {}});
  for (unsigned j = 0; j < vectors_; ++j) {
    llvm::SmallVector<Value*, 3> arguments;
    llvm::SmallVector<llvm::Type*, 2> overloads;
    if (structure == nullptr && llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1))
      overloads.push_back(lanes_.vector_type(call.getType()));
    for (unsigned a = 0; a < call.arg_size(); ++a) {
      const bool scalar = llvm::isVectorIntrinsicWithScalarOpAtArg(id, a);
      arguments.push_back(scalar ? lanes_.base(operands[a], j) : lanes_.vector(operands[a], j));
      if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(a)) ||
          (structure != nullptr && a == 0))
        overloads.push_back(arguments.back()->getType());
    }
    auto* made = b_.CreateCall(llvm::Intrinsic::getDeclaration(&weaver_.module, id, overloads), arguments);
    if (structure == nullptr)
      results[0].parts.push_back(made);
    else
      for (unsigned e = 0; e < results.size(); ++e)
        results[e].parts.push_back(b_.CreateExtractValue(made, e));
  }
  if (structure == nullptr) return define(&call, std::move(results[0]));
  for (unsigned e = 0; e < results.size(); ++e) define_element(&call, e, std::move(results[e]));
}

// A load from a constant table of the program's own.
void Unit::emit_table_load(const llvm::LoadInst& load) {
  const Rep address = get(load.getPointerOperand());
  Rep result{Pattern::of_vector(), {}};
  for (unsigned j = 0; j < vectors_; ++j) {
    llvm::VectorType* type = lanes_.vector_type(load.getType());
    result.parts.push_back(b_.CreateMaskedGather(type, lanes_.vector(address, j), load.getAlign(),
                                                 masked() ? mask_[j] : full_mask(),
                                                 llvm::Constant::getNullValue(type)));
  }
  define(&load, std::move(result));
}

// Stays an operation, on scalars or on vectors: math/expand.h makes code of it.
void Unit::emit_math(const llvm::CallInst& call, Op op) {
  const Pattern pattern = patterns_.of(&call);
  if (pattern.stepped()) return emit_scalars(call, pattern);
  const uint32_t immediates = immediate_arguments(op);
  llvm::SmallVector<Rep, 4> operands;
  for (const Value* argument : call.args()) operands.push_back(get(argument));
  Rep result{pattern, {}};
  for (unsigned j = 0; j < vectors_; ++j) {
    llvm::SmallVector<Value*, 4> arguments;
    for (unsigned a = 0; a < call.arg_size(); ++a)
      arguments.push_back(immediates >> a & 1 ? call.getArgOperand(a) : lanes_.vector(operands[a], j));
    result.parts.push_back(call_op(b_, op, lanes_.vector_type(call.getType()), arguments));
  }
  define(&call, std::move(result));
}

void Unit::emit_operation(const llvm::CallInst& call, Op op) {
  switch (op) {
    case Op::load: return emit_load(*this, call);
    case Op::store: return emit_store(*this, call);
    // Compilers write atom where nobody asks what was there before.
    case Op::atomic: return emit_atomic(*this, call, !call.use_empty());
    case Op::reduce: return emit_atomic(*this, call, false);
    case Op::slot_load:
    case Op::slot_store:
    case Op::barrier_contribute:
    case Op::barrier_result: return emit_slot(call, op);
    case Op::fence: {
      if (immediate(call, 0) > 0) b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
      return;
    }
    case Op::prefetch: return emit_prefetch(*this, call);
    case Op::warp_barrier:
      if (slow_ && weaver_.on_their_own) emit_collective(*this, call, op);
      return;
    case Op::barrier_some: return emit_arrival(*this, call);
    case Op::sleep:
      if (weaver_.on_their_own) {
        emit_wait(*this, call);
        return;
      }
      b_.CreateCall(weaver_.helper("heddle_jit_give_way", b_.getVoidTy(), {b_.getPtrTy(), b_.getInt32Ty()}),
                    {weaver_.run, b_.getInt32(call.hasFnAttr(waits_for_others) ? 1 : 0)});
      return;
    case Op::shuffle:
    case Op::vote:
    case Op::ballot:
    case Op::match_any:
    case Op::match_all:
    case Op::warp_reduce:
    case Op::active_mask: return emit_collective(*this, call, op);
    case Op::rows_apart: return emit_rows_apart(*this, call);
    case Op::observe_come:
    case Op::observe_visit:
    case Op::observe_take:
    case Op::observe_access:
    case Op::observe_sync: return emit_observed(*this, call, op);
    case Op::observe_value: return emit_observed_value(*this, call);
    case Op::step:
    case Op::trap: return emit_step(*this, call);
    case Op::approximate:
    case Op::rounded:
    case Op::first_nan:
    case Op::math:
    case Op::dot_bytes: return emit_math(call, op);
    default: return emit_identity(call, op);
  }
}

}  // namespace heddle::exec::jit
