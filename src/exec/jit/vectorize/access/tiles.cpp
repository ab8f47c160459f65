// Accesses of several elements one behind the other by each lane, in fast code: whole pieces, one a lane, and
// a transposition in registers between them and the vectors that the program works on.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "exec/jit/abi/code.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/analysis/run_order.h"
#include "exec/jit/vectorize/access/memory.h"
#include "exec/jit/vectorize/access/transpose.h"

namespace heddle::exec::jit {

using llvm::Value;

unsigned Access::piece_elements(unsigned elements) const {
  const unsigned bytes = weaver_.level == VectorLevel::avx512 ? 64
                         : weaver_.level == VectorLevel::avx2 ? 32
                                                              : 16;
  return std::min(elements, bytes / element_bytes_);
}

AccessLanes Access::run_lanes() const {
  return AccessLanes::of_runs(AccessLanes::runs, elements_, lanes_.lanes() * unit_.vectors());
}
AccessLanes Access::run_row_lanes(unsigned j, unsigned element) const {
  return AccessLanes::of_runs(AccessLanes::run_row, elements_, lanes_.lanes(),
                              j * lanes_.lanes() + element / elements_);
}

Value* Access::load_piece(Value* pointer, unsigned elements, const AccessLanes& lanes) const {
  const unsigned size = piece_elements(elements);
  llvm::SmallVector<Value*, 4> parts;
  for (unsigned first = 0; first < elements; first += size)
    parts.push_back(load(llvm::FixedVectorType::get(element_, size), part(pointer, first), lanes));
  return concatenate(b_, parts);
}

// LLVM changes the order of the pieces and makes them parts of shuffles: a fault looks the lanes up in the
// context. No access moves into or out of what lies between: it would be told with the wrong addresses.
void Access::note_runs(llvm::ArrayRef<Value*> places) const {
  fence();
  for (unsigned j = 0; j < places.size(); ++j)
    weaver_.store_context_field(
        b_.CreatePtrToInt(host(places[j]), places[j]->getType()->getWithNewType(b_.getInt64Ty())),
        offsetof(Context, addresses) + std::size_t{j} * lanes_.lanes() * sizeof(uint64_t));
  fence();
}

llvm::SmallVector<Value*, 4> Access::load_pieces(unsigned j, Value* places) const {
  llvm::SmallVector<Value*, 16> rows;
  for (unsigned lane = 0; lane < lanes_.lanes(); ++lane)
    rows.push_back(load_piece(host(b_.CreateExtractElement(places, lane)), elements_,
                              record_.run ? run_lanes() : one_lane(j, lane)));
  weaver_.come_from(call_, record_.run ? run_lanes() : AccessLanes{});
  const auto columns = transpose(b_, rows);
  return {columns.begin(), columns.end()};
}

// The lanes' runs lie one behind the other too: lane 0's, then lane 1's.
llvm::SmallVector<Value*, 4> Access::load_run_row(unsigned j, Value* pointer) const {
  const unsigned n = lanes_.lanes(), all = n * elements_, size = piece_elements(all);
  llvm::SmallVector<Value*, 8> parts;
  for (unsigned first = 0; first < all; first += size)
    parts.push_back(
        load(llvm::FixedVectorType::get(element_, size), part(pointer, first), run_row_lanes(j, first)));
  weaver_.come_from(call_);
  Value* wide = concatenate(b_, parts);
  llvm::SmallVector<Value*, 4> result;
  for (unsigned e = 0; e < elements_; ++e) {
    llvm::SmallVector<int, 16> pick;
    for (unsigned lane = 0; lane < n; ++lane) pick.push_back(static_cast<int>(lane * elements_ + e));
    result.push_back(b_.CreateShuffleVector(wide, pick));
  }
  return result;
}

// Runs of lanes lie apart (runs.cpp), in whatever order they are stored.
void Access::store_run(llvm::ArrayRef<Rep> values) {
  check_alignment(true);
  const unsigned n = lanes_.lanes(), all = n * elements_, size = piece_elements(all);
  if (record_.form == AccessRecord::run_row) {
    for (unsigned number = 0; number < unit_.vectors(); ++number) {
      const unsigned j = vector_in_order(number);
      llvm::SmallVector<Value*, 4> vectors;
      for (const Rep& value : values) vectors.push_back(lanes_.vector(value, j));
      Value *wide = interleaved(vectors), *pointer = host(lanes_.base(address_, j));
      for (unsigned first = 0; first < all; first += size)
        store_vector(slice(b_, wide, first, size), part(pointer, first), run_row_lanes(j, first));
    }
    return;
  }
  llvm::SmallVector<Value*, 16> runs;
  for (unsigned j = 0; j < unit_.vectors(); ++j) runs.push_back(places(j, true));
  note_runs(runs);
  weaver_.come_from(call_, run_lanes());
  for (unsigned number = 0; number < unit_.vectors(); ++number) {
    const unsigned j = vector_in_order(number);
    llvm::SmallVector<Value*, 16> rows;
    for (const Rep& value : values) rows.push_back(lanes_.vector(value, j));
    const auto pieces = transpose(b_, rows);
    for (unsigned lane = 0; lane < n; ++lane)
      store_piece(host(b_.CreateExtractElement(runs[j], lane)), pieces[lane], run_lanes());
  }
}

// As the program has them: one element after the other.
void Access::store_elements(llvm::ArrayRef<Rep> values) {
  for (const unsigned e : element_order()) {
    Rep place = address_;
    const uint64_t ahead = uint64_t{e} * element_bytes_;
    for (Value*& base : place.bases())
      base = b_.CreateAdd(base, llvm::ConstantInt::get(base->getType(), ahead));
    if (e != 0)
      place.pattern.zeros =
          std::min<uint8_t>(place.pattern.zeros, static_cast<uint8_t>(std::countr_zero(ahead)));
    Access(unit_, call_, place, element_, 1, e, values[e].pattern.uniform()).store_all({values[e]});
  }
}

// Runs of lanes that are found side by side at run time, an element apart, overlap: a row for each element.
llvm::SmallVector<Value*, 4> Access::load_run(unsigned j, Value* places) const {
  llvm::BasicBlock *row = weaver_.block("row"), *pieces = weaver_.block("pieces"),
                   *done = weaver_.block("loaded");
  b_.CreateCondBr(contiguous(places, j), row, pieces);
  b_.SetInsertPoint(row);
  Value* pointer = host(b_.CreateExtractElement(places, uint64_t{0}));
  llvm::SmallVector<Value*, 16> rows;
  for (unsigned e = 0; e < elements_; ++e)
    rows.push_back(load(lanes_.vector_type(element_), part(pointer, e), row_lanes(j), e));
  b_.CreateBr(done);
  b_.SetInsertPoint(pieces);
  const auto loaded = load_pieces(j, places);
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::SmallVector<Value*, 4> result;
  for (unsigned e = 0; e < elements_; ++e) {
    auto* both = b_.CreatePHI(rows[e]->getType(), 2);
    both->addIncoming(rows[e], row);
    both->addIncoming(loaded[e], end);
    result.push_back(both);
  }
  return result;
}

}  // namespace heddle::exec::jit
