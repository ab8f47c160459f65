// Loads: which form one takes. In order of preference: one scalar for all lanes; one a vector; whole vectors
// where neighbours lie side by side, proved or found at run time; lane by lane.
#include <bit>
#include <cstddef>

#include "exec/jit/abi/code.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/vectorize/access/memory.h"
#include "exec/jit/vectorize/access/transpose.h"

namespace heddle::exec::jit {

using llvm::Value;
using module::Space;

Value* Access::load_alone(Value* address) {
  if (!is_aligned()) {
    llvm::BasicBlock *bad = weaver_.block("misaligned"), *good = weaver_.block("aligned");
    likely(b_.CreateICmpEQ(b_.CreateAnd(address, b_.getInt64(record_.aligned_bytes() - 1)), b_.getInt64(0)),
           good, bad);
    b_.SetInsertPoint(bad);
    Value* lane = weaver_.context_field(b_.getInt32Ty(), offsetof(Context, lane), "lane");
    fault_misaligned(unit_.thread_of(0, lane), address, false);
    b_.CreateUnreachable();
    b_.SetInsertPoint(good);
  }
  return load(element_, host(address), AccessLanes::of_noted());
}

llvm::SmallVector<Value*, 4> Access::load_lanes(unsigned j, Value* places) const {
  llvm::SmallVector<Value*, 4> result;
  llvm::FixedVectorType* type = lanes_.vector_type(element_);
  if (record_.by_lane == AccessRecord::pieces) return load_pieces(j, places);
  if (record_.is_unrolled()) {
    for (unsigned e = 0; e < elements_; ++e) result.push_back(llvm::PoisonValue::get(type));
    const auto pointer_of = each_pointer(j, places);
    for (unsigned lane = 0; lane < lanes_.lanes(); ++lane) {
      const auto loaded = load_elements(pointer_of(lane), one_lane(j, lane));
      for (unsigned e = 0; e < elements_; ++e) result[e] = b_.CreateInsertElement(result[e], loaded[e], lane);
    }
    return result;
  }
  if (record_.is_of_all_lanes()) {
    Value* all = pointers(j, places);
    result.resize(elements_);
    for (const unsigned e : element_order()) {
      Value* here = part(all, e);
      if (record_.run && elements_ > 1) note_places(here);
      result[e] = element_bytes_ < 4 ? gather_of_words(j, here, e) : gather(type, j, here, e);
    }
    return result;
  }
  llvm::AllocaInst* addresses = weaver_.make_alloca(places->getType(), "places");
  b_.CreateStore(places, addresses);
  llvm::SmallVector<llvm::AllocaInst*, 4> arrays;
  for (unsigned e = 0; e < elements_; ++e) {
    arrays.push_back(weaver_.make_alloca(type, "loaded"));
    b_.CreateStore(llvm::Constant::getNullValue(type), arrays.back());
  }
  each_lane(j, [&](Value* lane) {
    note_lane(j, lane);
    Value* pointer =
        host(b_.CreateLoad(b_.getInt64Ty(), b_.CreateInBoundsGEP(b_.getInt64Ty(), addresses, lane)));
    const auto loaded = load_elements(pointer, AccessLanes::of_noted());
    for (unsigned e = 0; e < elements_; ++e)
      b_.CreateStore(loaded[e], b_.CreateInBoundsGEP(element_, arrays[e], lane));
  });
  for (llvm::AllocaInst* array : arrays) result.push_back(b_.CreateLoad(type, array));
  return result;
}

Value* Access::gather(llvm::FixedVectorType* type, unsigned j, Value* pointers, unsigned element) const {
  const auto bytes = static_cast<unsigned>(type->getScalarSizeInBits() / 8);
  auto* access = b_.CreateMaskedGather(type, pointers, llvm::Align(bytes), gather_mask(j),
                                       llvm::Constant::getNullValue(type));
  settle(access, lanes_of_places(j), element);
  return access;
}

// Bytes and halves of words: the processor gathers words. One of theirs lies in the page that they lie in.
Value* Access::gather_of_words(unsigned j, Value* pointers, unsigned element) const {
  llvm::FixedVectorType *i32 = lanes_.vector_type(b_.getInt32Ty()),
                        *i64 = lanes_.vector_type(b_.getInt64Ty());
  Value* words = b_.CreateIntrinsic(llvm::Intrinsic::ptrmask, {pointers->getType(), i64},
                                    {pointers, llvm::ConstantInt::get(i64, ~uint64_t{3})});
  Value* within = b_.CreateTrunc(b_.CreatePtrToInt(pointers, i64), i32);
  Value* bits = b_.CreateShl(b_.CreateAnd(within, llvm::ConstantInt::get(i32, 3)), 3);
  Value* shifted = b_.CreateLShr(gather(i32, j, words, element), bits);
  Value* number = b_.CreateTrunc(shifted, lanes_.vector_type(b_.getIntNTy(8 * element_bytes_)));
  return b_.CreateBitCast(number, lanes_.vector_type(element_));
}

// Elements of vector accesses lie interleaved: lane 0's, then lane 1's.
llvm::SmallVector<Value*, 4> Access::load_row(unsigned j, Value* pointer) const {
  if (record_.form == AccessRecord::spaced_row) return {load_spaced(pointer, j)};
  return load_places(pointer, unit_.mask(j), row_lanes(j));
}

llvm::SmallVector<Value*, 4> Access::load_places(Value* pointer, Value* mask,
                                                 const AccessLanes& where) const {
  llvm::SmallVector<Value*, 4> result;
  const unsigned n = lanes_.lanes();
  if (elements_ == 1) {
    llvm::FixedVectorType* type = lanes_.vector_type(element_);
    if (mask == nullptr) return {load(type, pointer, where)};
    auto* access = b_.CreateMaskedLoad(type, pointer, llvm::Align(element_bytes_), mask,
                                       llvm::Constant::getNullValue(type));
    settle(access, where);
    return {access};
  }
  auto* wide = load(llvm::FixedVectorType::get(element_, n * elements_), pointer, where);
  for (unsigned e = 0; e < elements_; ++e) {
    llvm::SmallVector<int, 16> pick;
    for (unsigned lane = 0; lane < n; ++lane) pick.push_back(static_cast<int>(lane * elements_ + e));
    result.push_back(b_.CreateShuffleVector(wide, pick));
  }
  return result;
}

// None of the words reaches into a page that its first byte is not in.
Value* Access::load_spaced(Value* pointer, unsigned j) const {
  const auto step = static_cast<unsigned>(address_.pattern.lane_step);
  llvm::FixedVectorType* words = lanes_.vector_type(b_.getIntNTy(8 * step));
  const AccessLanes where = AccessLanes::of_row(j * lanes_.lanes(), step);
  llvm::Instruction* access =
      unit_.masked()
          ? static_cast<llvm::Instruction*>(b_.CreateMaskedLoad(
                words, pointer, llvm::Align(step), unit_.mask(j), llvm::Constant::getNullValue(words)))
          : b_.CreateAlignedLoad(words, pointer, llvm::Align(step));
  settle(access, where);
  return b_.CreateTrunc(access, lanes_.vector_type(element_));
}

Value* Access::safe(Value* pointer, unsigned j) const {
  if (!unit_.masked()) return pointer;
  return b_.CreateSelect(unit_.any_of(j), pointer, dummy());
}

Value* Access::dummy() const {
  return weaver_.make_alloca(llvm::ArrayType::get(b_.getInt64Ty(), 8), "nowhere");
}

void Access::load_all() {
  check_alignment(false);
  switch (record_.form) {
    case AccessRecord::broadcast:
    case AccessRecord::per_vector: return load_one_place();
    case AccessRecord::row_tiles: return load_row_tiles();
    case AccessRecord::run_pieces:
    case AccessRecord::found_run: return load_runs();
    default: break;
  }
  llvm::SmallVector<Rep, 4> results(elements_, Rep{unit_.patterns().of(&call_), {}});
  for (unsigned j = 0; j < unit_.vectors(); ++j) {
    const auto loaded = load_vector(j);
    for (unsigned e = 0; e < elements_; ++e) results[e].parts.push_back(loaded[e]);
  }
  finish(std::move(results));
}

llvm::SmallVector<Value*, 4> Access::load_vector(unsigned j) {
  if (is_of_few_lanes()) return load_few_lanes(j);
  switch (record_.form) {
    case AccessRecord::run_row: return load_run_row(j, host(lanes_.base(address_, j)));
    case AccessRecord::spaced_row:
    case AccessRecord::permuted_row:
    case AccessRecord::row: return guarded_row(j);
    case AccessRecord::combed_row: {
      const auto load_whole = [&] { return llvm::SmallVector<Value*, 4>{load_combed_row(j)}; };
      if (!unit_.masked()) return load_whole();
      return load_whole_or_lanes(j, all_there(j), places_by_lane(j, false), load_whole);
    }
    case AccessRecord::found_row: {
      Value* where = places_by_lane(j, false);
      const auto [is_row, first] = find_row(where, j);
      return load_whole_or_lanes(j, is_row, where, [&, first = first] {
        return load_row(j, host_of_row(first, unit_.mask(j), record_.side_by_side_bytes()));
      });
    }
    default: return load_lanes(j, places_by_lane(j, false));
  }
}

void Access::load_one_place() {
  llvm::SmallVector<Rep, 4> results(elements_, Rep{unit_.patterns().of(&call_), {}});
  const bool one = record_.form == AccessRecord::broadcast;
  for (unsigned j = 0; j < (one ? 1 : unit_.vectors()); ++j) {
    Value* pointer = host(lanes_.base(address_, j));
    if (!one) pointer = safe(pointer, j);
    const auto loaded = load_elements(pointer, lanes_of_all(j));
    for (unsigned e = 0; e < elements_; ++e) results[e].parts.push_back(loaded[e]);
  }
  finish(std::move(results));
}

void Access::load_runs() {
  llvm::SmallVector<Rep, 4> results(elements_, Rep{unit_.patterns().of(&call_), {}});
  llvm::SmallVector<Value*, 16> runs;
  for (unsigned j = 0; j < unit_.vectors(); ++j) runs.push_back(places(j, false));
  note_runs(runs);
  for (unsigned j = 0; j < unit_.vectors(); ++j) {
    const auto loaded =
        record_.form == AccessRecord::run_pieces ? load_pieces(j, runs[j]) : load_run(j, runs[j]);
    for (unsigned e = 0; e < elements_; ++e) results[e].parts.push_back(loaded[e]);
  }
  finish(std::move(results));
}

// A masked load with an empty mask is slow where the page is not there: around it.
llvm::SmallVector<Value*, 4> Access::guarded_row(unsigned j) {
  const bool permuted = record_.form == AccessRecord::permuted_row;
  Value* pointer = permuted ? nullptr
                            : host_of_row(lanes_.base(address_, j), unit_.mask(j),
                                          static_cast<uint64_t>(address_.pattern.lane_step));
  const auto load_it = [&] { return pointer == nullptr ? load_xored_row(j) : load_row(j, pointer); };
  if (!unit_.masked()) return load_it();
  llvm::BasicBlock *from = b_.GetInsertBlock(), *some = weaver_.block("some"), *done = weaver_.block("row");
  b_.CreateCondBr(unit_.any_of(j), some, done);
  b_.SetInsertPoint(some);
  auto loaded = load_it();
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  for (Value*& value : loaded) {
    auto* both = b_.CreatePHI(value->getType(), 2);
    both->addIncoming(value, end);
    both->addIncoming(llvm::Constant::getNullValue(value->getType()), from);
    value = both;
  }
  return loaded;
}

llvm::SmallVector<Value*, 4> Access::load_whole_or_lanes(
    unsigned j, Value* whole, Value* where,
    llvm::function_ref<llvm::SmallVector<Value*, 4>()> load_whole) const {
  llvm::BasicBlock *row = weaver_.block("row"), *single = weaver_.block("single"),
                   *done = weaver_.block("loaded");
  b_.CreateCondBr(whole, row, single);
  b_.SetInsertPoint(row);
  auto rows = load_whole();
  llvm::BasicBlock* row_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(single);
  auto singles = load_lanes(j, where);
  llvm::BasicBlock* single_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::SmallVector<Value*, 4> result;
  for (unsigned e = 0; e < elements_; ++e) {
    auto* both = b_.CreatePHI(rows[e]->getType(), 2);
    both->addIncoming(rows[e], row_end);
    both->addIncoming(singles[e], single_end);
    result.push_back(both);
  }
  return result;
}

void Access::finish(llvm::SmallVector<Rep, 4> results) {
  if (elements_ == 1 && !call_.getType()->isStructTy()) return unit_.define(&call_, std::move(results[0]));
  for (unsigned e = 0; e < elements_; ++e) unit_.define_element(&call_, e, std::move(results[e]));
}

void emit_load(Unit& unit, const llvm::CallInst& call) {
  llvm::Type* element = call.getType();
  unsigned elements = 1;
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(element)) {
    elements = structure->getNumElements();
    element = structure->getElementType(0);
  }
  Access(unit, call, unit.get(call.getArgOperand(0)), element, elements).load_all();
}

}  // namespace heddle::exec::jit
