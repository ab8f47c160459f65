// Numbers that an observer wants to be told of: a whole group is looked at at once, and only where something
// is exceptional its warps tell.
#include <cstddef>

#include "exec/jit/abi/context.h"
#include "exec/jit/abi/observed.h"
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
