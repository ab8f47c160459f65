// Numbers that an observer wants to be told of: a whole group is looked at at once, and only where something
// is exceptional its warps tell.
#include <cstddef>

#include "exec/jit/abi/observed.h"
#include "exec/jit/abi/watched_context.h"
#include "exec/jit/vectorize/unit.h"
#include "exec/number_format.h"
#include "llvm/IR/MDBuilder.h"

namespace heddle::exec::jit {

using llvm::Value;

namespace {

// Tests of numbers in their bits: scalars, or vectors of them.
class Tests {
 public:
  Tests(llvm::IRBuilder<>& b, isa::Type type)
      : b_(b), format_(format_of(type)), elements_(isa::info(type).elements) {}

  Value* is_exceptional(Value* number) {
    llvm::Type* scalar = number->getType()->getScalarType();
    if (scalar->isFloatTy() || scalar->isDoubleTy()) {
      Value* magnitude = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, number);
      return b_.CreateFCmpUGE(magnitude, llvm::ConstantFP::getInfinity(number->getType()));
    }
    // The exponent's lowest bit carries into the sign where all of its bits are set, in each element.
    Value* exponents = b_.CreateAnd(number, constant(number, format_.exponent()));
    Value* carried = b_.CreateAdd(exponents, constant(number, format_.least_normal()));
    return is_not_zero(b_.CreateAnd(carried, constant(number, format_.sign())));
  }

  Value* is_subnormal(Value* number) {
    return some([&](unsigned element) {
      Value* magnitude = part(number, element, format_.mask() >> 1);
      return b_.CreateICmpULT(b_.CreateSub(magnitude, one(magnitude, 1)),
                              one(magnitude, format_.least_normal() - 1));
    });
  }

  // Of numbers that are one element.
  Value* is_nan(Value* number) {
    if (number->getType()->isFPOrFPVectorTy()) return b_.CreateFCmpUNO(number, number);
    Value* magnitude = part(number, 0, format_.mask() >> 1);
    return b_.CreateICmpUGT(magnitude, one(magnitude, format_.exponent()));
  }

  // As NumberFormat::is_cancelled, but for infinite addends, which are told anyhow if so.
  Value* is_cancelled(Value* sum, Value* addend) {
    return some([&](unsigned element) {
      Value *magnitude = part(sum, element, format_.mask() >> 1),
            *of_sum = b_.CreateAnd(magnitude, one(magnitude, format_.exponent())),
            *of_addend = part(addend, element, format_.exponent());
      Value* least = b_.CreateAdd(of_sum, one(of_sum, format_.cancelled_exponents() << format_.mantissa));
      return b_.CreateAnd(b_.CreateICmpUGE(of_addend, least), is_not_zero(magnitude));
    });
  }

 private:
  Value* is_not_zero(Value* value) {
    return b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  }
  template <class F>
  Value* some(F&& test) {
    Value* all = test(0);
    for (unsigned element = 1; element < elements_; ++element) all = b_.CreateOr(all, test(element));
    return all;
  }
  static Value* one(Value* like, uint64_t number) { return llvm::ConstantInt::get(like->getType(), number); }
  // In each element.
  Value* constant(Value* like, uint64_t number) {
    for (unsigned element = 1; element < elements_; ++element) number |= number << (element * format_.bits);
    return one(like, number);
  }
  Value* part(Value* number, unsigned element, uint64_t mask) {
    Value* bits = as_bits(b_, number);
    if (element != 0) bits = b_.CreateLShr(bits, element * format_.bits);
    return b_.CreateAnd(bits, one(bits, mask));
  }

 public:
  static Value* as_bits(llvm::IRBuilder<>& b, Value* number) {
    llvm::Type* type = number->getType();
    if (!type->isFPOrFPVectorTy()) return number;
    llvm::Type* bits = b.getIntNTy(type->getScalarSizeInBits());
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      bits = llvm::FixedVectorType::get(bits, vector->getNumElements());
    return b.CreateBitCast(number, bits);
  }

 private:
  llvm::IRBuilder<>& b_;
  const NumberFormat format_;
  const unsigned elements_;
};

struct Told {
  ValueCode code;
  Rep value;
};

class ValueEmitter {
 public:
  ValueEmitter(Unit& unit, const llvm::CallInst& call)
      : unit_(unit),
        weaver_(unit.weaver()),
        b_(weaver_.builder),
        kinds_(static_cast<uint8_t>(immediate(call, 1))) {
    for (unsigned i = 2; i + 1 < call.arg_size(); i += 2)
      told_.push_back({ValueCode::of(immediate(call, i)), unit.get(call.getArgOperand(i + 1))});
    site_ = static_cast<uint32_t>(immediate(call, 0));
  }

  void emit() {
    for (const Told& one : told_) {
      Tests tests(b_, one.code.type);
      if ((kinds_ & observe::not_finite) != 0 && one.code.looked_at)
        look({&one}, [&](llvm::ArrayRef<Value*> v) { return tests.is_exceptional(v[0]); });
      if ((kinds_ & observe::subnormals) != 0 && one.code.result)
        look({&one}, [&](llvm::ArrayRef<Value*> v) { return tests.is_subnormal(v[0]); });
      if ((kinds_ & observe::cancellations) != 0 && one.code.addend)
        look({told_.begin(), &one}, [&](llvm::ArrayRef<Value*> v) { return tests.is_cancelled(v[0], v[1]); });
    }
    Value* found = of_all_;
    if (of_lanes_ != nullptr) {
      Value* bits = unit_.bits(of_lanes_);
      Value* any = b_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
      found = found == nullptr ? any : b_.CreateOr(found, any);
    }
    if (found == nullptr) return;
    llvm::BasicBlock *tells = weaver_.block("exceptional"), *done = weaver_.block("ordinary");
    b_.CreateCondBr(found, tells, done, llvm::MDBuilder(b_.getContext()).createBranchWeights(1, 1 << 20));
    b_.SetInsertPoint(tells);
    if ((kinds_ & observe::counts_carried) != 0) tells = count_carried(done);
    b_.SetInsertPoint(tells);
    for (unsigned w = 0; w < unit_.warps(); ++w) tell(w);
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }

 private:
  template <class F>
  void look(llvm::ArrayRef<const Told*> numbers, F&& test) {
    const auto add = [&](Value*& to, Value* more) { to = to == nullptr ? more : b_.CreateOr(to, more); };
    llvm::SmallVector<Value*, 2> values;
    if (llvm::all_of(numbers, [](const Told* n) { return n->value.pattern.uniform(); })) {
      for (const Told* n : numbers) values.push_back(weaver_.lanes.base(n->value, 0U));
      return add(of_all_, test(values));
    }
    for (unsigned j = 0; j < unit_.vectors(); ++j) {
      values.clear();
      for (const Told* n : numbers) values.push_back(weaver_.lanes.vector(n->value, j));
      Value* found = test(values);
      if (unit_.masked()) found = b_.CreateAnd(found, unit_.mask(j));
      add(of_lanes_, found);
    }
  }

  // Goes to `done` where nothing is born and nothing lost: programs that compute with NaNs do so all the
  // time. Else to the block that it returns.
  llvm::BasicBlock* count_carried(llvm::BasicBlock* done) {
    Value *strange = nullptr, *nans = nullptr, *infinities = nullptr;
    const auto any = [&](Value*& to, Value* more) { to = to == nullptr ? more : b_.CreateOr(to, more); };
    const auto add = [&](Value*& to, Value* lanes) {
      Value* bits = unit_.bits(lanes);
      Value* count =
          b_.CreateZExtOrTrunc(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits), b_.getInt64Ty());
      to = to == nullptr ? count : b_.CreateAdd(to, count);
    };
    for (unsigned j = 0; j < unit_.vectors(); ++j) {
      Value *nan = nullptr, *exceptional = nullptr, *of_nan = nullptr, *of_any = nullptr;
      for (const Told& one : told_) {
        Tests tests(b_, one.code.type);
        Value* number = weaver_.lanes.vector(one.value, j);
        any(one.code.result ? nan : of_nan, tests.is_nan(number));
        any(one.code.result ? exceptional : of_any, tests.is_exceptional(number));
      }
      if (of_any == nullptr) of_any = of_nan = llvm::Constant::getNullValue(nan->getType());
      // A NaN of an infinity is born, too.
      Value* odd = b_.CreateOr(b_.CreateAnd(nan, b_.CreateNot(of_nan)), b_.CreateXor(exceptional, of_any));
      Value* infinite = b_.CreateAnd(exceptional, b_.CreateNot(nan));
      if (unit_.masked()) {
        odd = b_.CreateAnd(odd, unit_.mask(j)), nan = b_.CreateAnd(nan, unit_.mask(j));
        infinite = b_.CreateAnd(infinite, unit_.mask(j));
      }
      any(strange, odd), add(nans, nan), add(infinities, infinite);
    }
    Value* bits = unit_.bits(strange);
    llvm::BasicBlock *counts = weaver_.block("carried"), *tells = weaver_.block("strange");
    b_.CreateCondBr(b_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType())), tells, counts);
    b_.SetInsertPoint(counts);
    add_to(offsetof(observe::Carried, nans), nans);
    add_to(offsetof(observe::Carried, infinities), infinities);
    b_.CreateBr(done);
    return tells;
  }

  void add_to(std::size_t field, Value* amount) {
    Value* carried = weaver_.context_field(b_.getPtrTy(), offsetof(WatchedContext, carried), "carried");
    Value* place =
        b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), carried, site_ * sizeof(observe::Carried) + field);
    auto* before = b_.CreateLoad(b_.getInt64Ty(), place);
    weaver_.mark(before, Weaver::frame_memory);
    weaver_.mark(b_.CreateStore(b_.CreateAdd(before, amount), place), Weaver::frame_memory);
  }

  void tell(unsigned warp) {
    const unsigned vectors = weaver_.geometry.warp_vectors(), lanes = weaver_.geometry.lanes;
    llvm::Type* row = weaver_.lanes.vector_type(b_.getInt64Ty());
    for (std::size_t n = 0; n < told_.size(); ++n)
      for (unsigned j = 0; j < vectors; ++j) {
        Value* bits = Tests::as_bits(b_, weaver_.lanes.vector(told_[n].value, warp * vectors + j));
        weaver_.store_context_field(
            b_.CreateZExt(bits, row),
            offsetof(Context, addresses) + (n * observe::warp_lanes + j * lanes) * sizeof(uint64_t));
      }
    llvm::Type* i32 = b_.getInt32Ty();
    const auto helper =
        weaver_.helper("heddle_jit_observe_value", b_.getVoidTy(), {b_.getPtrTy(), i32, i32, i32});
    b_.CreateCall(helper, {weaver_.run, b_.getInt32(site_), unit_.warp_number(warp), active(warp)});
  }

  Value* active(unsigned warp) {
    if (!unit_.masked()) return b_.getInt32(~0U);
    const unsigned vectors = weaver_.geometry.warp_vectors();
    Value* all = nullptr;
    for (unsigned j = 0; j < vectors; ++j) {
      Value* part = b_.CreateZExt(unit_.bits(unit_.mask(warp * vectors + j)), b_.getInt32Ty());
      if (j != 0) part = b_.CreateShl(part, j * weaver_.geometry.lanes);
      all = all == nullptr ? part : b_.CreateOr(all, part);
    }
    return all;
  }

  Unit& unit_;
  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
  const uint8_t kinds_;
  uint32_t site_ = 0;
  llvm::SmallVector<Told, 4> told_;
  Value *of_all_ = nullptr, *of_lanes_ = nullptr;  // of numbers that all lanes have; of vectors
};

}  // namespace

void emit_observed_value(Unit& unit, const llvm::CallInst& call) { ValueEmitter(unit, call).emit(); }

}  // namespace heddle::exec::jit
