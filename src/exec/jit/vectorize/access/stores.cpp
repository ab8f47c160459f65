// Stores: the same forms as loads (loads.cpp). Where lanes may store to one place they go in descending
// order, so that the first active lane wins, as in the reference executor.
#include "exec/jit/abi/code.h"
#include "exec/jit/transform/stream.h"
#include "exec/jit/vectorize/access/memory.h"
#include "exec/jit/vectorize/access/transpose.h"

namespace heddle::exec::jit {

using llvm::Value;

// Of lanes that store to one place the first wins: a warp's vectors go last to first where they might.
unsigned Access::vector_in_order(unsigned number) const {
  const Pattern& p = address_.pattern;
  const bool apart = (p.kind == Pattern::affine || p.kind == Pattern::xored) && record_.lanes_apart &&
                     p.vector_step == p.lane_step * static_cast<int64_t>(lanes_.lanes());
  return apart ? number : number ^ (weaver_.geometry.warp_vectors() - 1);
}

void Access::store_lanes(unsigned j, Value* places, llvm::ArrayRef<Value*> values) const {
  if (record_.is_unrolled()) {
    const auto pointer_of = each_pointer(j, places);
    for (unsigned rest = lanes_.lanes(); rest > 0; --rest) {
      const unsigned lane = rest - 1;
      llvm::SmallVector<Value*, 4> stored;
      for (Value* value : values) stored.push_back(b_.CreateExtractElement(value, lane));
      store_elements(stored, pointer_of(lane), one_lane(j, lane));
    }
    return;
  }
  if (record_.is_of_all_lanes()) {  // they go in ascending order, the last one wins
    Value *value = values[0], *to = pointers(j, places), *mask = gather_mask(j);
    if (!record_.lanes_apart) {
      value = b_.CreateVectorReverse(value);
      to = b_.CreateVectorReverse(to);
      mask = b_.CreateVectorReverse(mask);
    }
    settle(b_.CreateMaskedScatter(value, to, llvm::Align(element_bytes_), mask), lanes_of_places(j));
    return;
  }
  llvm::AllocaInst* addresses = weaver_.make_alloca(places->getType(), "places");
  b_.CreateStore(places, addresses);
  llvm::SmallVector<llvm::AllocaInst*, 4> arrays;
  for (Value* value : values) {
    arrays.push_back(weaver_.make_alloca(value->getType(), "stored"));
    b_.CreateStore(value, arrays.back());
  }
  each_lane_from_last(j, [&](Value* lane) {
    note_lane(j, lane);
    Value* pointer =
        host(b_.CreateLoad(b_.getInt64Ty(), b_.CreateInBoundsGEP(b_.getInt64Ty(), addresses, lane)));
    llvm::SmallVector<Value*, 4> stored;
    for (llvm::AllocaInst* array : arrays)
      stored.push_back(b_.CreateLoad(element_, b_.CreateInBoundsGEP(element_, array, lane)));
    store_elements(stored, pointer, AccessLanes::of_noted());
  });
}

void Access::store_row(unsigned j, Value* pointer, llvm::ArrayRef<Value*> values) const {
  store_places(pointer, unit_.mask(j), values, row_lanes(j));
}

void Access::store_places(Value* pointer, Value* mask, llvm::ArrayRef<Value*> values,
                          const AccessLanes& where) const {
  if (elements_ == 1) {
    if (mask == nullptr)
      store_vector(values[0], pointer, where);
    else
      settle(b_.CreateMaskedStore(values[0], pointer, llvm::Align(element_bytes_), mask), where);
    return;
  }
  store_vector(interleaved(values), pointer, where);
}

// Lane 0's elements, then lane 1's.
Value* Access::interleaved(llvm::ArrayRef<Value*> values) const {
  const unsigned n = lanes_.lanes();
  llvm::SmallVector<int, 64> order;
  for (unsigned lane = 0; lane < n; ++lane)
    for (unsigned e = 0; e < elements_; ++e) order.push_back(static_cast<int>(e * n + lane));
  return b_.CreateShuffleVector(concatenate(b_, values), order);
}

// Whole lines may go past the caches, where they begin at one.
void Access::store_vector(Value* value, Value* pointer, const AccessLanes& lanes) const {
  const uint64_t row = record_.bytes() * lanes_.lanes();
  if (weaver_.streams == nullptr || !may_stream(call_) ||
      !is_row_of_lines(address_.pattern, row, unit_.vectors())) {
    store(value, pointer, lanes);
    return;
  }
  llvm::BasicBlock *stream = weaver_.block("stream"), *cached = weaver_.block("cached"),
                   *done = weaver_.block("stored");
  Value* at_line = begins_at_line(b_, b_.CreatePtrToInt(pointer, b_.getInt64Ty()), row);
  b_.CreateCondBr(b_.CreateAnd(weaver_.streams, at_line), stream, cached);
  b_.SetInsertPoint(stream);
  auto* access = b_.CreateAlignedStore(value, pointer, llvm::Align(std::min<uint64_t>(row, 64)));
  access->setMetadata(llvm::LLVMContext::MD_nontemporal,
                      llvm::MDNode::get(weaver_.context, {llvm::ConstantAsMetadata::get(b_.getInt32(1))}));
  settle(access, lanes);
  b_.CreateBr(done);
  b_.SetInsertPoint(cached);
  store(value, pointer, lanes);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

void Access::store_all(llvm::ArrayRef<Rep> values) {
  switch (record_.form) {
    case AccessRecord::by_elements: return store_elements(values);
    case AccessRecord::run_row:
    case AccessRecord::run_pieces: return store_run(values);
    default: break;
  }
  check_alignment(true);
  switch (record_.form) {
    case AccessRecord::broadcast: return store_one_place(values);
    case AccessRecord::row_tiles: return store_row_tiles(values);
    case AccessRecord::permuted_row:
    case AccessRecord::row: return store_rows(values);
    default: break;
  }
  for (unsigned number = 0; number < unit_.vectors(); ++number) {
    const unsigned j = vector_in_order(number);
    if (record_.form == AccessRecord::per_vector) {
      Value* pointer = host(lanes_.base(address_, j));
      llvm::SmallVector<Value*, 4> stored;
      for (const Rep& value : values) stored.push_back(first_lane(value, j));
      store_elements(stored, pointer, one_lane(j, 0));
      continue;
    }
    llvm::SmallVector<Value*, 4> vectors;
    for (const Rep& value : values) vectors.push_back(lanes_.vector(value, j));
    if (is_of_few_lanes()) {
      store_few_lanes(j, vectors);
      continue;
    }
    if (record_.form == AccessRecord::combed_row && !unit_.masked()) {
      store_combed_row(j, vectors[0]);
      continue;
    }
    Value* where = places_by_lane(j, true);
    if (record_.form == AccessRecord::lanes) {
      store_lanes(j, where, vectors);
      continue;
    }
    if (record_.form == AccessRecord::combed_row) {
      store_whole_or_lanes(j, all_there(j), where, vectors, [&] { store_combed_row(j, vectors[0]); });
      continue;
    }
    const auto [is_row, first] = find_row(where, j);
    store_whole_or_lanes(j, is_row, where, vectors, [&, first = first] {
      store_row(j, host_of_row(first, unit_.mask(j), record_.side_by_side_bytes()), vectors);
    });
  }
}

void Access::store_whole_or_lanes(unsigned j, Value* whole, Value* where, llvm::ArrayRef<Value*> values,
                                  llvm::function_ref<void()> store_whole) const {
  llvm::BasicBlock *row = weaver_.block("row"), *single = weaver_.block("single"),
                   *done = weaver_.block("stored");
  b_.CreateCondBr(whole, row, single);
  b_.SetInsertPoint(row);
  store_whole();
  b_.CreateBr(done);
  b_.SetInsertPoint(single);
  store_lanes(j, where, values);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

// Of a warp the first lane wins.
void Access::store_one_place(llvm::ArrayRef<Rep> values) {
  Value* pointer = host(address_.parts[0]);
  llvm::SmallVector<Value*, 4> stored;
  for (const Rep& value : values)
    stored.push_back(first_lane(value, unit_.vectors() - weaver_.geometry.warp_vectors()));
  store_elements(stored, pointer, lanes_of_all(0));
}

// Lanes side by side. A warp's vectors may store to one place all the same: rows of a narrow block.
void Access::store_rows(llvm::ArrayRef<Rep> values) {
  const Pattern& p = address_.pattern;
  const unsigned warp_vectors = weaver_.geometry.warp_vectors();
  const bool same = p.kind == Pattern::affine && p.vector_step == 0 && !unit_.masked();
  // In ascending order, as faults are reported, and once more where that was the wrong one.
  const bool again = p.kind != Pattern::affine && p.vector_step == 0 && warp_vectors > 1 && !record_.strong;
  for (unsigned number = 0; number < unit_.vectors(); ++number) {
    if (same && number % warp_vectors != 0) continue;  // the first one's lanes win
    store_row_of(same || again ? number : vector_in_order(number), values);
  }
  if (!again) return;
  Value* ascending = b_.getTrue();
  for (unsigned j = 1; j < unit_.vectors(); ++j) {
    if (j % warp_vectors == 0) continue;
    Value* step =
        b_.CreateSub(lanes_.row(address_, j, p.lane_step), lanes_.row(address_, j - 1, p.lane_step));
    Value* row = llvm::ConstantInt::get(step->getType(), uint64_t{record_.bytes()} * lanes_.lanes());
    Value* apart = b_.CreateICmpSGE(step, row);
    // Of two the one behind may also lie before: an exclusive or makes them change places.
    if (warp_vectors == 2) apart = b_.CreateOr(apart, b_.CreateICmpSLE(step, b_.CreateNeg(row)));
    ascending = b_.CreateAnd(ascending, apart);
  }
  llvm::BasicBlock *mixed = weaver_.block("mixed"), *done = weaver_.block("rows");
  likely(ascending, done, mixed);
  b_.SetInsertPoint(mixed);
  for (unsigned number = 0; number < unit_.vectors(); ++number)
    store_row_of(number ^ (warp_vectors - 1), values);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

void Access::store_row_of(unsigned j, llvm::ArrayRef<Rep> values) {
  llvm::SmallVector<Value*, 4> vectors;
  for (const Rep& value : values) vectors.push_back(lanes_.vector(value, j));
  Value* pointer = record_.form == AccessRecord::permuted_row
                       ? nullptr
                       : host_of_row(lanes_.base(address_, j), unit_.mask(j), record_.bytes());
  const auto store_it = [&] {
    if (pointer == nullptr) return store_xored_row(j, vectors);
    store_row(j, pointer, vectors);
  };
  if (!unit_.masked()) return store_it();
  llvm::BasicBlock *some = weaver_.block("some"), *done = weaver_.block("row");
  b_.CreateCondBr(unit_.any_of(j), some, done);
  b_.SetInsertPoint(some);
  store_it();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

Value* Access::first_lane(const Rep& value, unsigned j) const {
  if (value.pattern.kind == Pattern::vector) return b_.CreateExtractElement(value.parts[j], uint64_t{0});
  return lanes_.base(value, j);
}

void emit_store(Unit& unit, const llvm::CallInst& call) {
  const unsigned elements = call.arg_size() - 3;
  llvm::SmallVector<Rep, 4> values;
  for (unsigned e = 0; e < elements; ++e) values.push_back(unit.get(call.getArgOperand(3 + e)));
  const bool one_value = llvm::all_of(values, [](const Rep& value) { return value.pattern.uniform(); });
  Access(unit, call, unit.get(call.getArgOperand(0)), call.getArgOperand(3)->getType(), elements, 0,
         one_value)
      .store_all(values);
}

}  // namespace heddle::exec::jit
