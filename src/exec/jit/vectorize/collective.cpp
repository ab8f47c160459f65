// Lanes of a warp that look at each other, and instructions that the reference executor does for a warp.
#include <cstddef>

#include "exec/jit/abi/context.h"
#include "exec/jit/vectorize/access/gather.h"
#include "exec/jit/vectorize/unit.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace heddle::exec::jit {

using llvm::Value;

namespace {

// One warp of a unit: vectors [first, first + count).
class WarpEmitter {
 public:
  WarpEmitter(Unit& unit, unsigned warp)
      : unit_(unit),
        weaver_(unit.weaver()),
        b_(weaver_.builder),
        lanes_(weaver_.lanes),
        count_(weaver_.geometry.warp_vectors()),
        first_(warp * count_) {}

  using Vectors = llvm::SmallVector<Value*, 8>;

  Vectors of(const Rep& rep) {
    Vectors all;
    for (unsigned i = 0; i < count_; ++i) all.push_back(lanes_.vector(rep, first_ + i));
    return all;
  }

  // 32 bits, one a lane.
  Value* number(llvm::ArrayRef<Value*> predicates) {
    Value* all = nullptr;
    for (unsigned i = 0; i < count_; ++i) {
      Value* part = b_.CreateZExt(unit_.bits(predicates[i]), b_.getInt32Ty());
      part = i == 0 ? part : b_.CreateShl(part, i * lanes_.lanes());
      all = all == nullptr ? part : b_.CreateOr(all, part);
    }
    return all;
  }

  Value* active() {
    if (!unit_.slow()) return b_.getInt32(0xffffffff);
    return number(unit_.masks().slice(first_, count_));
  }

  Vectors lane_numbers() {
    Vectors all;
    for (unsigned i = 0; i < count_; ++i) all.push_back(lanes_.spread(b_.getInt32(i * lanes_.lanes()), 1));
    return all;
  }

  // Predicate bits of active lanes.
  Value* ballot(const Rep& predicate) {
    Vectors lanes = of(predicate);
    if (unit_.slow())
      for (unsigned i = 0; i < count_; ++i)
        lanes[i] = b_.CreateSelect(unit_.mask(first_ + i), lanes[i],
                                   llvm::Constant::getNullValue(lanes[i]->getType()));
    return number(lanes);
  }

  // values[index[lane]] for each lane, indices below 32.
  Vectors permute(const Vectors& values, const Vectors& indices) {
    Vectors result;
    if (const auto order = constant_order(indices)) {
      Value* joined = join(values);
      for (unsigned i = 0; i < count_; ++i)
        result.push_back(
            b_.CreateShuffleVector(joined, llvm::ArrayRef(*order).slice(i * lanes_.lanes(), lanes_.lanes())));
      return result;
    }
    if (weaver_.level == VectorLevel::avx512 && count_ == 2) {
      for (unsigned i = 0; i < count_; ++i)
        result.push_back(b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                            {values[0], indices[i], values[1]}));
      return result;
    }
    llvm::AllocaInst* array = to_array(values);
    for (unsigned i = 0; i < count_; ++i) {
      Value* vector = llvm::PoisonValue::get(values[i]->getType());
      for (unsigned lane = 0; lane < lanes_.lanes(); ++lane) {
        Value* place =
            b_.CreateInBoundsGEP(b_.getInt32Ty(), array, b_.CreateExtractElement(indices[i], lane));
        vector = b_.CreateInsertElement(vector, b_.CreateLoad(b_.getInt32Ty(), place), lane);
      }
      result.push_back(vector);
    }
    return result;
  }

  llvm::AllocaInst* to_array(const Vectors& values) {
    llvm::Type* type = values[0]->getType();
    llvm::AllocaInst* array = weaver_.make_alloca(llvm::ArrayType::get(type, count_), "warp");
    for (unsigned i = 0; i < count_; ++i)
      b_.CreateStore(values[i], b_.CreateConstInBoundsGEP1_32(type, array, i));
    return array;
  }

  // For each lane in turn; `body` gives the lane's i32.
  Vectors one_by_one(const std::function<Value*(Value* lane)>& body) {
    llvm::FixedVectorType* type = lanes_.vector_type(b_.getInt32Ty());
    llvm::AllocaInst* results = weaver_.make_alloca(llvm::ArrayType::get(type, count_), "results");
    llvm::BasicBlock *from = b_.GetInsertBlock(), *loop = weaver_.block("each"), *done = weaver_.block("all");
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    auto* lane = b_.CreatePHI(b_.getInt32Ty(), 2);
    lane->addIncoming(b_.getInt32(0), from);
    b_.CreateStore(body(lane), b_.CreateInBoundsGEP(b_.getInt32Ty(), results, lane));
    Value* next = b_.CreateAdd(lane, b_.getInt32(1), "", true, true);
    lane->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt32(32)), loop, done)
        ->setMetadata(llvm::LLVMContext::MD_loop, weaver_.no_unroll());
    b_.SetInsertPoint(done);
    Vectors loaded;
    for (unsigned i = 0; i < count_; ++i)
      loaded.push_back(b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_32(type, results, i)));
    return loaded;
  }

  // Predicates of the lanes out of a number.
  Vectors lanes_of(Value* number) {
    Vectors result;
    llvm::Type* narrow = b_.getIntNTy(lanes_.lanes());
    for (unsigned i = 0; i < count_; ++i)
      result.push_back(b_.CreateBitCast(b_.CreateTrunc(b_.CreateLShr(number, i * lanes_.lanes()), narrow),
                                        lanes_.vector_type(b_.getInt1Ty())));
    return result;
  }

  Value* reduce(WarpReduction kind, const Vectors& values, Value* members) {
    const Vectors chosen = lanes_of(members);
    const uint32_t neutral = kind == WarpReduction::and_ || kind == WarpReduction::min_unsigned ? 0xffffffffu
                             : kind == WarpReduction::min_signed                                ? 0x7fffffffu
                             : kind == WarpReduction::max_signed                                ? 0x80000000u
                                                                                                : 0u;
    Value* all = nullptr;
    for (unsigned i = 0; i < count_; ++i) {
      Value* v = b_.CreateSelect(chosen[i], values[i], llvm::ConstantInt::get(values[i]->getType(), neutral));
      all = all == nullptr ? v : combine(kind, all, v);
    }
    switch (kind) {
      case WarpReduction::add: return b_.CreateAddReduce(all);
      case WarpReduction::and_: return b_.CreateAndReduce(all);
      case WarpReduction::or_: return b_.CreateOrReduce(all);
      case WarpReduction::xor_: return b_.CreateXorReduce(all);
      case WarpReduction::min_signed: return b_.CreateIntMinReduce(all, true);
      case WarpReduction::max_signed: return b_.CreateIntMaxReduce(all, true);
      case WarpReduction::min_unsigned: return b_.CreateIntMinReduce(all, false);
      case WarpReduction::max_unsigned: return b_.CreateIntMaxReduce(all, false);
    }
    return all;
  }

  unsigned count() const { return count_; }
  unsigned first() const { return first_; }

 private:
  Value* combine(WarpReduction kind, Value* a, Value* b) {
    switch (kind) {
      case WarpReduction::add: return b_.CreateAdd(a, b);
      case WarpReduction::and_: return b_.CreateAnd(a, b);
      case WarpReduction::or_: return b_.CreateOr(a, b);
      case WarpReduction::xor_: return b_.CreateXor(a, b);
      case WarpReduction::min_signed: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
      case WarpReduction::max_signed: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
      case WarpReduction::min_unsigned: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
      case WarpReduction::max_unsigned: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b);
    }
    return a;
  }

  std::optional<std::vector<int>> constant_order(const Vectors& indices) {
    std::vector<int> order;
    for (Value* vector : indices) {
      auto* constant = llvm::dyn_cast<llvm::Constant>(vector);
      if (constant == nullptr) return std::nullopt;
      for (unsigned lane = 0; lane < lanes_.lanes(); ++lane) {
        auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(lane));
        if (number == nullptr) return std::nullopt;
        order.push_back(static_cast<int>(number->getZExtValue()));
      }
    }
    return order;
  }

  Value* join(Vectors parts) {
    while (parts.size() > 1) {
      Vectors pairs;
      for (std::size_t i = 0; i < parts.size(); i += 2) {
        const unsigned size = llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements();
        std::vector<int> both;
        for (unsigned k = 0; k < 2 * size; ++k) both.push_back(static_cast<int>(k));
        pairs.push_back(b_.CreateShuffleVector(parts[i], parts[i + 1], both));
      }
      parts = pairs;
    }
    return parts[0];
  }

  Unit& unit_;
  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
  LaneBuilder& lanes_;
  const unsigned count_, first_;
};

// PTX ISA 9.7.9.6: where a lane's value comes from, and whether that is in its segment.
Results shuffle(Unit& unit, const llvm::CallInst& call) {
  llvm::IRBuilder<>& b = unit.weaver().builder;
  LaneBuilder& lanes = unit.weaver().lanes;
  const auto mode = immediate(call, 0);
  const Rep a = unit.get(call.getArgOperand(1)), distance = unit.get(call.getArgOperand(2)),
            clamp = unit.get(call.getArgOperand(3));
  Rep values{Pattern::of_vector(), {}}, inside{Pattern::of_vector(), {}};
  for (unsigned w = 0; w < unit.warps(); ++w) {
    WarpEmitter warp(unit, w);
    const auto numbers = warp.lane_numbers();
    WarpEmitter::Vectors from;
    for (unsigned i = 0; i < warp.count(); ++i) {
      const auto splat = [&](uint32_t n) { return llvm::ConstantInt::get(numbers[i]->getType(), n); };
      Value* lane = numbers[i];
      Value* by = b.CreateAnd(lanes.vector(distance, warp.first() + i), splat(31));
      Value* c = lanes.vector(clamp, warp.first() + i);
      Value* segment = b.CreateAnd(b.CreateLShr(c, splat(8)), splat(31));
      Value* outside = b.CreateXor(segment, splat(31));
      Value* low = b.CreateAnd(lane, segment);
      Value* high = b.CreateOr(low, b.CreateAnd(b.CreateAnd(c, splat(31)), outside));
      Value* source = mode == 0   ? b.CreateSub(lane, by)
                      : mode == 1 ? b.CreateAdd(lane, by)
                      : mode == 2 ? b.CreateXor(lane, by)
                                  : b.CreateOr(low, b.CreateAnd(by, outside));
      Value* in = mode == 0 ? b.CreateICmpSGE(source, high) : b.CreateICmpSLE(source, high);
      from.push_back(b.CreateSelect(in, source, lane));
      inside.parts.push_back(in);
    }
    // A lane that takes no part has no value to give: undefined by the ISA, 0 on an H200 and here.
    WarpEmitter::Vectors given = warp.of(a);
    if (unit.masked())
      for (unsigned i = 0; i < warp.count(); ++i)
        given[i] = b.CreateSelect(unit.mask(warp.first() + i), given[i],
                                  llvm::Constant::getNullValue(given[i]->getType()));
    for (Value* value : warp.permute(given, from)) values.parts.push_back(value);
  }
  return {std::move(values), std::move(inside)};
}

Results vote(Unit& unit, const llvm::CallInst& call, Op op) {
  llvm::IRBuilder<>& b = unit.weaver().builder;
  const bool ballot = op == Op::ballot;
  const unsigned at = ballot ? 0 : 1;
  const auto mode = ballot ? 0 : immediate(call, 0);
  const Rep predicate = unit.get(call.getArgOperand(at)), members = unit.get(call.getArgOperand(at + 1));
  const Pattern pattern = unit.patterns().of(&call);
  Rep result{pattern, {}};
  const auto answer = [&](Value* yes, Value* here, Value* who) -> Value* {
    yes = b.CreateAnd(yes, who);
    if (ballot) return yes;
    Value* none = b.CreateICmpEQ(yes, llvm::Constant::getNullValue(yes->getType()));
    if (mode == 1) return b.CreateNot(none);
    Value* all = b.CreateICmpEQ(yes, b.CreateAnd(here, who));
    return mode == 0 ? all : b.CreateOr(all, none);
  };
  for (unsigned w = 0; w < unit.warps(); ++w) {
    WarpEmitter warp(unit, w);
    Value *yes = warp.ballot(predicate), *here = warp.active();
    for (unsigned i = 0; i < warp.count(); ++i) {
      if (pattern.kind == Pattern::vector) {
        const unsigned n = unit.weaver().lanes.lanes();
        result.parts.push_back(answer(b.CreateVectorSplat(n, yes), b.CreateVectorSplat(n, here),
                                      unit.weaver().lanes.vector(members, warp.first() + i)));
      } else if (pattern.kind == Pattern::per_vector || (w == 0 && i == 0)) {
        result.parts.push_back(answer(yes, here, unit.weaver().lanes.base(members, warp.first() + i)));
      }
    }
  }
  return {std::move(result)};
}

Results match(Unit& unit, const llvm::CallInst& call, bool all) {
  llvm::IRBuilder<>& b = unit.weaver().builder;
  LaneBuilder& lanes = unit.weaver().lanes;
  const Rep value = unit.get(call.getArgOperand(0)), members = unit.get(call.getArgOperand(1));
  llvm::Type* type = call.getArgOperand(0)->getType();
  Rep masks{Pattern::of_vector(), {}}, same{Pattern::of_vector(), {}};
  for (unsigned w = 0; w < unit.warps(); ++w) {
    WarpEmitter warp(unit, w);
    const auto values = warp.of(value);
    const auto who = warp.of(members);
    llvm::AllocaInst *value_array = warp.to_array(values), *who_array = warp.to_array(who);
    Value* active = warp.active();
    const auto equal = warp.one_by_one([&](Value* lane) -> Value* {
      Value* own = b.CreateLoad(type, b.CreateInBoundsGEP(type, value_array, lane));
      Value* mine = b.CreateLoad(b.getInt32Ty(), b.CreateInBoundsGEP(b.getInt32Ty(), who_array, lane));
      WarpEmitter::Vectors alike;
      for (Value* vector : values)
        alike.push_back(b.CreateICmpEQ(vector, b.CreateVectorSplat(lanes.lanes(), own)));
      return b.CreateAnd(b.CreateAnd(warp.number(alike), active), mine);
    });
    for (unsigned i = 0; i < warp.count(); ++i) {
      if (!all) {
        masks.parts.push_back(equal[i]);
        continue;
      }
      Value* everyone = b.CreateAnd(who[i], b.CreateVectorSplat(lanes.lanes(), active));
      Value* yes = b.CreateICmpEQ(equal[i], everyone);
      same.parts.push_back(yes);
      masks.parts.push_back(b.CreateSelect(yes, everyone, llvm::Constant::getNullValue(everyone->getType())));
    }
  }
  if (!all) return {std::move(masks)};
  return {std::move(masks), std::move(same)};
}

Results warp_reduce(Unit& unit, const llvm::CallInst& call) {
  llvm::IRBuilder<>& b = unit.weaver().builder;
  LaneBuilder& lanes = unit.weaver().lanes;
  const auto kind = static_cast<WarpReduction>(immediate(call, 0));
  const Rep value = unit.get(call.getArgOperand(1)), members = unit.get(call.getArgOperand(2));
  Rep result{Pattern::of_vector(), {}};
  for (unsigned w = 0; w < unit.warps(); ++w) {
    WarpEmitter warp(unit, w);
    const auto values = warp.of(value);
    Value* active = warp.active();
    if (members.pattern.uniform()) {
      Value* all = warp.reduce(kind, values, b.CreateAnd(active, members.parts[0]));
      for (unsigned i = 0; i < warp.count(); ++i)
        result.parts.push_back(b.CreateVectorSplat(lanes.lanes(), all));
      continue;
    }
    llvm::AllocaInst* who = warp.to_array(warp.of(members));
    for (Value* vector : warp.one_by_one([&](Value* lane) {
           Value* mine = b.CreateLoad(b.getInt32Ty(), b.CreateInBoundsGEP(b.getInt32Ty(), who, lane));
           return warp.reduce(kind, values, b.CreateAnd(active, mine));
         }))
      result.parts.push_back(vector);
  }
  return {std::move(result)};
}

Results active_mask(Unit& unit, const llvm::CallInst& call) {
  const Pattern pattern = unit.patterns().of(&call);
  Rep result{pattern, {}};
  for (unsigned w = 0; w < unit.warps(); ++w) {
    WarpEmitter warp(unit, w);
    Value* active = warp.active();
    for (unsigned i = 0; i < warp.count(); ++i)
      if (pattern.kind == Pattern::per_vector || (w == 0 && i == 0)) result.parts.push_back(active);
  }
  return {std::move(result)};
}

Results of_lanes_here(Unit& unit, const llvm::CallInst& call, Op op) {
  switch (op) {
    case Op::shuffle: return shuffle(unit, call);
    case Op::vote:
    case Op::ballot: return vote(unit, call, op);
    case Op::match_any: return match(unit, call, false);
    case Op::match_all: return match(unit, call, true);
    case Op::warp_reduce: return warp_reduce(unit, call);
    case Op::active_mask: return active_mask(unit, call);
    default: return {};  // warp_barrier
  }
}

}  // namespace

void emit_collective(Unit& unit, const llvm::CallInst& call, Op op) {
  const auto here = [&] { return of_lanes_here(unit, call, op); };
  Results results = unit.slow() && unit.weaver().on_their_own ? gather_lanes(unit, call, op, here) : here();
  if (results.empty()) return;
  if (!call.getType()->isStructTy()) return unit.define(&call, std::move(results[0]));
  for (unsigned e = 0; e < results.size(); ++e) unit.define_element(&call, e, std::move(results[e]));
}

// ---- the reference executor's help -----------------------------------------------------------------------

namespace {

// A register slot holds 64 bits a lane; 128-bit values take two.
void put_register(Unit& unit, unsigned slot, unsigned i, Value* vector) {
  Weaver& weaver = unit.weaver();
  llvm::IRBuilder<>& b = weaver.builder;
  const unsigned n = weaver.lanes.lanes(), bits = vector->getType()->getScalarSizeInBits();
  vector = b.CreateBitCast(vector, weaver.lanes.vector_type(b.getIntNTy(bits)));
  llvm::Type* wide = weaver.lanes.vector_type(b.getInt64Ty());
  for (unsigned half = 0; half < (bits == 128 ? 2u : 1u); ++half) {
    Value* part = half == 0 ? vector : b.CreateLShr(vector, llvm::ConstantInt::get(vector->getType(), 64));
    b.CreateAlignedStore(
        b.CreateZExtOrTrunc(part, wide),
        b.CreateConstGEP1_64(b.getInt64Ty(), weaver.step_registers(), (slot + half) * 32ull + i * n),
        llvm::Align(8));
  }
}

Value* take_register(Unit& unit, unsigned slot, unsigned i, llvm::Type* type) {
  Weaver& weaver = unit.weaver();
  llvm::IRBuilder<>& b = weaver.builder;
  const unsigned n = weaver.lanes.lanes(), bits = type->getScalarSizeInBits();
  llvm::Type* wide = weaver.lanes.vector_type(b.getInt64Ty());
  const auto word = [&](unsigned half) {
    return b.CreateAlignedLoad(
        wide, b.CreateConstGEP1_64(b.getInt64Ty(), weaver.step_registers(), (slot + half) * 32ull + i * n),
        llvm::Align(8));
  };
  llvm::Type* integer = weaver.lanes.vector_type(b.getIntNTy(bits));
  Value* result = b.CreateZExtOrTrunc(word(0), integer);
  if (bits == 128)
    result =
        b.CreateOr(result, b.CreateShl(b.CreateZExt(word(1), integer), llvm::ConstantInt::get(integer, 64)));
  return b.CreateBitCast(result, weaver.lanes.vector_type(type));
}

}  // namespace

void emit_step(Unit& unit, const llvm::CallInst& call) {
  Weaver& weaver = unit.weaver();
  llvm::IRBuilder<>& b = weaver.builder;
  llvm::Type* i32 = b.getInt32Ty();
  const uint32_t site = call.getDebugLoc() ? call.getDebugLoc().getLine() - 1 : 0xffffffffu;
  if (is_op(&call, Op::trap)) {
    auto callee = weaver.helper("heddle_jit_fault", b.getVoidTy(),
                                {b.getPtrTy(), i32, i32, i32, b.getInt64Ty(), i32, i32, i32}, false);
    Value* lane = b.getInt32(0);
    if (unit.slow()) {
      WarpEmitter warp(unit, 0);
      lane = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, warp.active(), b.getFalse());
    }
    b.CreateCall(callee, {weaver.run, b.getInt32(site), b.getInt32(static_cast<uint32_t>(immediate(call, 0))),
                          b.CreateAdd(unit.first_thread(), lane), b.getInt64(0), b.getInt32(0), b.getInt32(0),
                          b.getInt32(0)});
    return;
  }
  weaver.uses_steps = true;
  if (const matrix::Form* form = weaver.matrix_form(site); form != nullptr && emit_matrix(unit, call, *form))
    return;
  const auto results = static_cast<unsigned>(immediate(call, 0));
  llvm::SmallVector<unsigned, 4> result_slots;
  for (unsigned r = 0; r < results; ++r)
    result_slots.push_back(static_cast<unsigned>(immediate(call, 1 + r)));
  llvm::SmallVector<std::pair<unsigned, Rep>, 8> sources;
  for (unsigned a = 1 + results; a + 1 < call.arg_size(); a += 2)
    sources.emplace_back(static_cast<unsigned>(immediate(call, a)), unit.get(call.getArgOperand(a + 1)));
  StepColumns columns;
  const auto add_columns = [](llvm::SmallVector<LaneColumn, 8>& to, unsigned slot, unsigned bits) {
    constexpr uint32_t lane_bytes = sizeof(uint64_t);
    for (unsigned half = 0; half < (bits == 128 ? 2U : 1U); ++half)
      to.push_back({(slot + half) * 32 * lane_bytes, lane_bytes});
  };
  for (unsigned a = 1 + results; a + 1 < call.arg_size(); a += 2)
    add_columns(columns.sources, static_cast<unsigned>(immediate(call, a)),
                call.getArgOperand(a + 1)->getType()->getScalarSizeInBits());
  auto* structure = llvm::dyn_cast<llvm::StructType>(call.getType());
  const auto type_of = [&](unsigned r) {
    return structure == nullptr ? call.getType() : structure->getElementType(r);
  };
  for (unsigned r = 0; r < results; ++r)
    add_columns(columns.results, result_slots[r], type_of(r)->getScalarSizeInBits());
  llvm::SmallVector<Rep, 4> reps(results, Rep{Pattern::of_vector(), {}});
  for (unsigned w = 0; w < unit.warps(); ++w) {
    WarpEmitter warp(unit, w);
    Value* active = warp.active();
    llvm::BasicBlock *some = weaver.block("step"), *done = weaver.block("stepped");
    llvm::BasicBlock* from = b.GetInsertBlock();
    b.CreateCondBr(b.CreateICmpNE(active, b.getInt32(0)), some, done);
    b.SetInsertPoint(some);
    for (auto& [slot, rep] : sources)
      for (unsigned i = 0; i < warp.count(); ++i)
        put_register(unit, slot, i, weaver.lanes.vector(rep, warp.first() + i));
    call_step(unit, call, unit.warp_number(w), active, columns);
    llvm::SmallVector<Value*, 8> taken;
    for (unsigned r = 0; r < results; ++r)
      for (unsigned i = 0; i < warp.count(); ++i)
        taken.push_back(take_register(unit, result_slots[r], i, type_of(r)));
    b.CreateBr(done);
    b.SetInsertPoint(done);
    for (unsigned r = 0, t = 0; r < results; ++r)
      for (unsigned i = 0; i < warp.count(); ++i, ++t) {
        auto* value = b.CreatePHI(taken[t]->getType(), 2);
        value->addIncoming(taken[t], some);
        value->addIncoming(llvm::Constant::getNullValue(taken[t]->getType()), from);
        reps[r].parts.push_back(value);
      }
  }
  if (results == 0) return;
  if (structure == nullptr) return unit.define(&call, std::move(reps[0]));
  for (unsigned r = 0; r < results; ++r) unit.define_element(&call, r, std::move(reps[r]));
}

}  // namespace heddle::exec::jit
