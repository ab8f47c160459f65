// Atomic operations: lane by lane in ascending order, as the reference executor does. Shared memory belongs
// to one block, which one thread of the host runs: plain memory operations there.
#include <functional>

#include "exec/jit/ir/mbarrier.h"
#include "exec/jit/vectorize/access/memory.h"

namespace heddle::exec::jit {

using llvm::AtomicRMWInst;
using llvm::Value;
using module::Space;

namespace {

// A vector of which a loop asks for one lane after another.
class LaneByLane {
 public:
  LaneByLane(Weaver& weaver, llvm::Type* type, const Rep& value, unsigned j)
      : b_(weaver.builder), type_(type) {
    if (value.pattern.lane_uniform()) {
      one_ = weaver.lanes.base(value, j);
      return;
    }
    Value* vector = weaver.lanes.vector(value, j);
    lanes_ = weaver.make_alloca(vector->getType(), "lanes");
    b_.CreateStore(vector, lanes_);
  }
  Value* of(Value* lane) const {
    return one_ != nullptr ? one_ : b_.CreateLoad(type_, b_.CreateInBoundsGEP(type_, lanes_, lane));
  }

 private:
  llvm::IRBuilder<>& b_;
  llvm::Type* type_;
  Value* one_ = nullptr;  // all lanes'
  llvm::AllocaInst* lanes_ = nullptr;
};

class Atomic {
 public:
  Atomic(Unit& unit, const llvm::CallInst& call)
      : unit_(unit),
        b_(unit.weaver().builder),
        kind_(static_cast<AtomicKind>(immediate(call, 3))),
        type_(call.getArgOperand(4)->getType()),
        alone_(static_cast<Space>(immediate(call, 1)) == Space::shared) {}

  // What memory holds afterwards; nullptr: as `value` says.
  Value* after(Value* old, Value* a, Value* compare) {
    const auto pick = [&](Value* condition) { return b_.CreateSelect(condition, old, a); };
    if (type_->isFloatingPointTy()) return kind_ == AtomicKind::add ? sum(old, a) : a;
    switch (kind_) {
      case AtomicKind::exchange: return a;
      case AtomicKind::compare_exchange: return b_.CreateSelect(b_.CreateICmpEQ(old, compare), a, old);
      case AtomicKind::add: return b_.CreateAdd(old, a);
      case AtomicKind::and_: return b_.CreateAnd(old, a);
      case AtomicKind::or_: return b_.CreateOr(old, a);
      case AtomicKind::xor_: return b_.CreateXor(old, a);
      case AtomicKind::min_signed: return pick(b_.CreateICmpSLT(old, a));
      case AtomicKind::max_signed: return pick(b_.CreateICmpSGT(old, a));
      case AtomicKind::min_unsigned: return pick(b_.CreateICmpULT(old, a));
      case AtomicKind::max_unsigned: return pick(b_.CreateICmpUGT(old, a));
      case AtomicKind::increment:
        return b_.CreateSelect(b_.CreateICmpUGE(old, a), zero(), b_.CreateAdd(old, one()));
      case AtomicKind::decrement:
        return b_.CreateSelect(b_.CreateOr(b_.CreateICmpEQ(old, zero()), b_.CreateICmpUGT(old, a)), a,
                               b_.CreateSub(old, one()));
      case AtomicKind::arrive: return after_arrival(b_, old, a);
    }
    return a;
  }

  Value* change(const Access& access, Value* pointer, Value* a, Value* compare) {
    const llvm::Align align(type_->getScalarSizeInBits() / 8);
    const auto next_of = [&](Value* old) { return after(old, a, compare); };
    if (alone_) return in_place(access, pointer, next_of);
    const auto order = llvm::AtomicOrdering::SequentiallyConsistent;
    if (kind_ == AtomicKind::compare_exchange) {
      auto* exchange = b_.CreateAtomicCmpXchg(pointer, compare, a, align, order, order);
      access.settle(exchange, AccessLanes::of_noted());
      return b_.CreateExtractValue(exchange, 0);
    }
    if (kind_ == AtomicKind::arrive || (type_->isFloatingPointTy() && kind_ == AtomicKind::add))
      return exchange_loop(access, pointer, next_of);
    auto* change = b_.CreateAtomicRMW(operation(), pointer, a, align, order);
    access.settle(change, AccessLanes::of_noted());
    return change;
  }

  bool is_arrival() const { return kind_ == AtomicKind::arrive; }
  // Sums whose order shows.
  bool adds_in_order() const {
    return kind_ == AtomicKind::add && (type_->isFloatTy() || type_->isDoubleTy());
  }

  // The lanes of a vector to one place, each to what the one before it leaves: memory changes once. A lane's
  // sum is never seen alone, as where nobody came between them.
  void add_lanes_in_order(const Access& access, Value* pointer, const Rep& value, unsigned j) {
    Weaver& weaver = unit_.weaver();
    llvm::AllocaInst* sum_of_lanes = weaver.make_alloca(type_, "sum");
    const LaneByLane values(weaver, type_, value, j);
    const auto with_all = [&](Value* old) -> Value* {
      b_.CreateStore(old, sum_of_lanes);
      access.each_lane(j, [&](Value* lane) {
        Value* a = values.of(lane);  // before the other load, in whatever order a compiler takes arguments
        b_.CreateStore(sum(b_.CreateLoad(type_, sum_of_lanes), a), sum_of_lanes);
      });
      return b_.CreateLoad(type_, sum_of_lanes);
    };
    if (alone_)
      in_place(access, pointer, with_all);
    else
      exchange_loop(access, pointer, with_all);
  }

  bool combines() const {
    if (!type_->isIntegerTy()) return false;
    switch (kind_) {
      case AtomicKind::add:
      case AtomicKind::and_:
      case AtomicKind::or_:
      case AtomicKind::xor_:
      case AtomicKind::min_signed:
      case AtomicKind::max_signed:
      case AtomicKind::min_unsigned:
      case AtomicKind::max_unsigned: return true;
      default: return false;
    }
  }

  // All lanes of a vector in one operand, where the order shows in nothing.
  Value* combined(const Rep& value, unsigned j) {
    Value* lanes = unit_.weaver().lanes.vector(value, j);
    if (Value* mask = unit_.mask(j)) lanes = b_.CreateSelect(mask, lanes, neutral(lanes->getType()));
    switch (kind_) {
      case AtomicKind::add: return b_.CreateAddReduce(lanes);
      case AtomicKind::and_: return b_.CreateAndReduce(lanes);
      case AtomicKind::or_: return b_.CreateOrReduce(lanes);
      case AtomicKind::xor_: return b_.CreateXorReduce(lanes);
      case AtomicKind::min_signed: return b_.CreateIntMinReduce(lanes, true);
      case AtomicKind::max_signed: return b_.CreateIntMaxReduce(lanes, true);
      case AtomicKind::min_unsigned: return b_.CreateIntMinReduce(lanes, false);
      default: return b_.CreateIntMaxReduce(lanes, false);
    }
  }

  // Shared memory, in fast code: one loop over all lanes of all vectors, some at a turn.
  void all_lanes(const Access& access, const Rep& value, const Rep& compare) {
    Weaver& weaver = unit_.weaver();
    const unsigned lanes = weaver.geometry.lanes, count = unit_.vectors() * lanes, turn = 4;
    const auto array_of = [&](const Rep& rep) -> llvm::AllocaInst* {
      if (rep.parts.empty() || rep.pattern.uniform()) return nullptr;
      auto* array = weaver.make_alloca(llvm::ArrayType::get(type_, count), "lanes");
      array->setAlignment(llvm::Align(64));
      for (unsigned j = 0; j < unit_.vectors(); ++j)
        b_.CreateStore(weaver.lanes.vector(rep, j), b_.CreateConstInBoundsGEP1_32(type_, array, j * lanes));
      return array;
    };
    // Shared addresses have 32 bits (Access::host).
    llvm::Type* i32 = b_.getInt32Ty();
    auto* places = weaver.make_alloca(llvm::ArrayType::get(i32, count), "places");
    places->setAlignment(llvm::Align(64));
    for (unsigned j = 0; j < unit_.vectors(); ++j)
      b_.CreateStore(b_.CreateTrunc(access.places(j, true), weaver.lanes.vector_type(i32)),
                     b_.CreateConstInBoundsGEP1_32(i32, places, j * lanes));
    llvm::AllocaInst *values = array_of(value), *compares = array_of(compare);
    const auto of_lane = [&](llvm::AllocaInst* array, const Rep& rep, Value* lane) -> Value* {
      if (rep.parts.empty()) return nullptr;
      return array == nullptr ? rep.parts[0] : b_.CreateLoad(type_, b_.CreateInBoundsGEP(type_, array, lane));
    };
    llvm::BasicBlock *from = b_.GetInsertBlock(), *loop = weaver.block("lanes"), *done = weaver.block("done");
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    auto* first = b_.CreatePHI(i32, 2);
    first->addIncoming(b_.getInt32(0), from);
    for (unsigned k = 0; k < turn; ++k) {
      Value* lane = b_.CreateAdd(first, b_.getInt32(k), "", true, true);
      access.note_lane(0, lane);
      Value* place = b_.CreateLoad(i32, b_.CreateInBoundsGEP(i32, places, lane));
      change(access, access.host(b_.CreateZExt(place, b_.getInt64Ty())), of_lane(values, value, lane),
             of_lane(compares, compare, lane));
    }
    Value* next = b_.CreateAdd(first, b_.getInt32(turn), "", true, true);
    first->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpNE(next, b_.getInt32(count)), loop, done)
        ->setMetadata(llvm::LLVMContext::MD_loop, weaver.no_unroll());
    b_.SetInsertPoint(done);
  }

  // So many arrivals at once as there are lanes, if that is no more than the mbarrier waits for: then none
  // but the last one ends the phase. `one_by_one` is for when it is not; both give what was there before each
  // lane's.
  Value* all_arrive(const Access& access, Value* pointer, unsigned j, uint64_t count,
                    const std::function<Value*()>& one_by_one) {
    Weaver& weaver = unit_.weaver();
    llvm::Type *i32 = b_.getInt32Ty(), *i64 = b_.getInt64Ty();
    const unsigned lanes = weaver.geometry.lanes;
    Value* here =
        unit_.masked() ? b_.CreateZExt(unit_.bits(unit_.mask(j)), i32) : b_.getInt32((1ULL << lanes) - 1);
    Value* total = b_.CreateMul(b_.CreateZExt(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, here), i64),
                                b_.getInt64(count));
    auto* old = b_.CreateAlignedLoad(i64, pointer, llvm::Align(8));
    access.settle(old, AccessLanes::of_noted());
    llvm::BasicBlock *together = weaver.block("arrive"), *apart = weaver.block("one_by_one"),
                     *done = weaver.block("arrived");
    b_.CreateCondBr(takes_arrivals(b_, old, total, false), together, apart);
    b_.SetInsertPoint(together);
    access.settle(b_.CreateAlignedStore(after_arrival(b_, old, total), pointer, llvm::Align(8)),
                  AccessLanes::of_noted());
    llvm::Type* numbers = weaver.lanes.vector_type(i32);
    llvm::SmallVector<llvm::Constant*> before;
    for (unsigned lane = 0; lane < lanes; ++lane) before.push_back(b_.getInt32((1ULL << lane) - 1));
    Value* rank = b_.CreateUnaryIntrinsic(
        llvm::Intrinsic::ctpop,
        b_.CreateAnd(b_.CreateVectorSplat(lanes, here), llvm::ConstantVector::get(before)));
    Value* less = b_.CreateMul(rank, llvm::ConstantInt::get(numbers, count));
    Value* each =
        b_.CreateSub(b_.CreateVectorSplat(lanes, old), b_.CreateZExt(less, weaver.lanes.vector_type(i64)));
    llvm::BasicBlock* from_together = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(apart);
    Value* theirs = one_by_one();
    llvm::BasicBlock* from_apart = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    auto* either = b_.CreatePHI(each->getType(), 2);
    either->addIncoming(each, from_together);
    either->addIncoming(theirs, from_apart);
    return either;
  }

  llvm::Type* type() const { return type_; }

 private:
  llvm::Constant* zero() const { return llvm::ConstantInt::get(type_, 0); }
  llvm::Constant* one() const { return llvm::ConstantInt::get(type_, 1); }

  llvm::Constant* neutral(llvm::Type* vector) const {
    const unsigned bits = type_->getScalarSizeInBits();
    switch (kind_) {
      case AtomicKind::and_:
      case AtomicKind::min_unsigned: return llvm::Constant::getAllOnesValue(vector);
      case AtomicKind::min_signed:
        return llvm::ConstantInt::get(vector, llvm::APInt::getSignedMaxValue(bits));
      case AtomicKind::max_signed:
        return llvm::ConstantInt::get(vector, llvm::APInt::getSignedMinValue(bits));
      default: return llvm::Constant::getNullValue(vector);
    }
  }

  AtomicRMWInst::BinOp operation() const {
    switch (kind_) {
      case AtomicKind::exchange: return AtomicRMWInst::Xchg;
      case AtomicKind::add: return AtomicRMWInst::Add;
      case AtomicKind::and_: return AtomicRMWInst::And;
      case AtomicKind::or_: return AtomicRMWInst::Or;
      case AtomicKind::xor_: return AtomicRMWInst::Xor;
      case AtomicKind::min_signed: return AtomicRMWInst::Min;
      case AtomicKind::max_signed: return AtomicRMWInst::Max;
      case AtomicKind::min_unsigned: return AtomicRMWInst::UMin;
      case AtomicKind::max_unsigned: return AtomicRMWInst::UMax;
      case AtomicKind::increment: return AtomicRMWInst::UIncWrap;
      default: return AtomicRMWInst::UDecWrap;
    }
  }

  // f32: the one NaN, and no subnormals but in shared memory (PTX ISA 9.7.13.5). f64: payloads, b before a.
  Value* sum(Value* old, Value* a) {
    if (type_->isDoubleTy()) {
      Value* result = b_.CreateFAdd(old, a);
      for (Value* source : {old, a}) result = call_op(b_, Op::first_nan, type_, {result, source});
      return result;
    }
    Value* result = b_.CreateFAdd(flushed(old), flushed(a));
    Value* nan = b_.CreateBitCast(b_.getInt32(0x7fffffff), type_);
    return b_.CreateSelect(b_.CreateFCmpUNO(result, result), nan, flushed(result));
  }
  Value* flushed(Value* value) {
    if (alone_) return value;
    Value* bits = b_.CreateBitCast(value, b_.getInt32Ty());
    Value* small = b_.CreateICmpEQ(b_.CreateAnd(bits, b_.getInt32(0x7f800000)), b_.getInt32(0));
    Value* zero = b_.CreateBitCast(b_.CreateAnd(bits, b_.getInt32(0x80000000)), type_);
    return b_.CreateSelect(small, zero, value);
  }

  // Both give what was there before; `next_of` what is there afterwards.
  Value* in_place(const Access& access, Value* pointer, const std::function<Value*(Value* old)>& next_of) {
    const llvm::Align align(type_->getScalarSizeInBits() / 8);
    auto* old = b_.CreateAlignedLoad(type_, pointer, align);
    access.settle(old, AccessLanes::of_noted());
    access.settle(b_.CreateAlignedStore(next_of(old), pointer, align), AccessLanes::of_noted());
    return old;
  }
  Value* exchange_loop(const Access& access, Value* pointer,
                       const std::function<Value*(Value* old)>& next_of) {
    Weaver& weaver = unit_.weaver();
    llvm::Type* integer = b_.getIntNTy(type_->getScalarSizeInBits());
    const llvm::Align align(type_->getScalarSizeInBits() / 8);
    auto* first = b_.CreateAlignedLoad(integer, pointer, align, true);
    access.settle(first, AccessLanes::of_noted());
    llvm::BasicBlock *from = b_.GetInsertBlock(), *loop = weaver.block("exchange"),
                     *done = weaver.block("exchanged");
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    auto* seen = b_.CreatePHI(integer, 2);
    seen->addIncoming(first, from);
    Value* next = b_.CreateBitCast(next_of(b_.CreateBitCast(seen, type_)), integer);
    const auto order = llvm::AtomicOrdering::SequentiallyConsistent;
    auto* exchange = b_.CreateAtomicCmpXchg(pointer, seen, next, align, order, order);
    access.settle(exchange, AccessLanes::of_noted());
    seen->addIncoming(b_.CreateExtractValue(exchange, 0), b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateExtractValue(exchange, 1), done, loop);
    b_.SetInsertPoint(done);
    return b_.CreateBitCast(seen, type_);
  }

  Unit& unit_;
  llvm::IRBuilder<>& b_;
  const AtomicKind kind_;
  llvm::Type* type_;
  const bool alone_;
};

struct Operands {
  const Rep &address, &value, &compare;
};

// One vector, lane by lane. Gives what was there before, if that is asked for.
Value* change_each_lane(Unit& unit, Atomic& atomic, const Access& access, const Operands& operands,
                        unsigned j, bool result) {
  Weaver& weaver = unit.weaver();
  llvm::IRBuilder<>& b = weaver.builder;
  LaneBuilder& lanes = weaver.lanes;
  llvm::Type* type = atomic.type();
  const auto array_of = [&](Value* vector) {
    llvm::AllocaInst* array = weaver.make_alloca(vector->getType(), "lanes");
    b.CreateStore(vector, array);
    return array;
  };
  const auto element = [&](llvm::AllocaInst* array, llvm::Type* of, Value* lane) {
    return b.CreateInBoundsGEP(of, array, lane);
  };
  llvm::AllocaInst* places = array_of(access.places(j, true));
  const LaneByLane values(weaver, type, operands.value, j);
  llvm::AllocaInst* compares =
      operands.compare.parts.empty() ? nullptr : array_of(lanes.vector(operands.compare, j));
  llvm::AllocaInst* old = result ? array_of(llvm::Constant::getNullValue(lanes.vector_type(type))) : nullptr;
  access.each_lane(j, [&](Value* lane) {
    access.note_lane(j, lane);
    Value* pointer = access.host(b.CreateLoad(b.getInt64Ty(), element(places, b.getInt64Ty(), lane)));
    Value* a = values.of(lane);
    Value* c = compares == nullptr ? nullptr : b.CreateLoad(type, element(compares, type, lane));
    Value* before = atomic.change(access, pointer, a, c);
    if (result) b.CreateStore(before, element(old, type, lane));
  });
  return result ? b.CreateLoad(lanes.vector_type(type), old) : nullptr;
}

}  // namespace

void emit_atomic(Unit& unit, const llvm::CallInst& call, bool result) {
  Weaver& weaver = unit.weaver();
  llvm::IRBuilder<>& b = weaver.builder;
  LaneBuilder& lanes = weaver.lanes;
  Atomic atomic(unit, call);
  llvm::Type* type = atomic.type();
  const Rep address = unit.get(call.getArgOperand(0)), value = unit.get(call.getArgOperand(4));
  const Rep compare = call.arg_size() > 5 ? unit.get(call.getArgOperand(5)) : Rep{};
  Access access(unit, call, address, type, 1);
  access.check_alignment(true);
  const auto space = static_cast<Space>(immediate(call, 1));
  const bool plain = space != Space::local && space != Space::generic;
  Rep olds{Pattern::of_vector(), {}};
  const bool once = address.pattern.lane_uniform() && (atomic.combines() || atomic.adds_in_order());
  if (!result && !unit.masked() && space == Space::shared && !once)
    return atomic.all_lanes(access, value, compare);
  for (unsigned j = 0; j < unit.vectors(); ++j) {
    if (!result && plain && once) {
      llvm::BasicBlock *some = weaver.block("some"), *done = weaver.block("combined");
      b.CreateCondBr(unit.any_of(j), some, done);
      b.SetInsertPoint(some);
      Value* pointer = access.host(lanes.base(address, j));
      if (atomic.combines())
        atomic.change(access, pointer, atomic.combined(value, j), nullptr);
      else
        atomic.add_lanes_in_order(access, pointer, value, j);
      b.CreateBr(done);
      b.SetInsertPoint(done);
      continue;
    }
    const auto one_by_one = [&, j] {
      return change_each_lane(unit, atomic, access, {address, value, compare}, j, result);
    };
    const uint64_t count = plain_count(call.getArgOperand(4));
    if (result && atomic.is_arrival() && space == Space::shared && address.pattern.lane_uniform() &&
        count != 0) {
      llvm::BasicBlock *from = b.GetInsertBlock(), *some = weaver.block("some"), *done = weaver.block("all");
      b.CreateCondBr(unit.any_of(j), some, done);
      b.SetInsertPoint(some);
      Value* each = atomic.all_arrive(access, access.host(lanes.base(address, j)), j, count, one_by_one);
      llvm::BasicBlock* last = b.GetInsertBlock();
      b.CreateBr(done);
      b.SetInsertPoint(done);
      auto* olds_here = b.CreatePHI(each->getType(), 2);
      olds_here->addIncoming(each, last);
      olds_here->addIncoming(llvm::Constant::getNullValue(each->getType()), from);
      olds.parts.push_back(olds_here);
      continue;
    }
    Value* old = one_by_one();
    if (result) olds.parts.push_back(old);
  }
  if (result) unit.define(&call, std::move(olds));
}

}  // namespace heddle::exec::jit
