// Accesses that step through memory by elements from one row of the block to the next, in fast code: each
// lane of the first row has a piece of memory, an element a row.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "exec/jit/abi/code.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/vectorize/access/memory.h"
#include "exec/jit/vectorize/access/transpose.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::exec::jit {

using llvm::Value;

void find_row_extensions(const llvm::Function& function, const Patterns& patterns,
                         llvm::DenseSet<const llvm::Instruction*>& extensions) {
  llvm::SmallVector<const Value*, 16> work;
  for (const llvm::Instruction& i : llvm::instructions(function))
    if ((is_op(&i, Op::load) || is_op(&i, Op::store)) &&
        rows_are_pieces(patterns, llvm::cast<llvm::CallInst>(i)))
      work.push_back(i.getOperand(0));
  llvm::DenseSet<const Value*> seen;
  while (!work.empty()) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(work.pop_back_val());
    if (i == nullptr || !seen.insert(i).second || patterns.of(i).row_step == 0) continue;
    if (patterns.is_row_guarded(i)) extensions.insert(i);
    for (const Value* operand : i->operands()) work.push_back(operand);
  }
}

llvm::SmallVector<Value*, 8> Access::row_bases() const {
  const unsigned row = unit_.patterns().row(), n = lanes_.lanes();
  llvm::SmallVector<Value*, 8> bases;
  for (unsigned r = 0; r < std::max(1u, row / n); ++r)
    bases.push_back(slice(b_, lanes_.vector(address_, r), 0, std::min(row, n)));
  return bases;
}

void Access::note_rows(llvm::ArrayRef<Value*> bases) const { note_runs(bases); }

AccessLanes Access::row_piece_lanes() const {
  return AccessLanes::of_runs(AccessLanes::row_pieces, unit_.patterns().row_count(), unit_.patterns().row());
}

void Access::load_row_tiles() {
  const unsigned row = unit_.patterns().row(), rows = unit_.patterns().row_count(), n = lanes_.lanes();
  const auto bases = row_bases();
  note_rows(bases);
  llvm::SmallVector<llvm::SmallVector<Value*, 16>, 4> parts(elements_);
  for (auto& part : parts) part.resize(unit_.vectors());
  for (unsigned r = 0; r < bases.size(); ++r) {
    llvm::SmallVector<Value*, 16> pieces;
    for (unsigned lane = 0; lane < std::min(row, n); ++lane)
      pieces.push_back(
          load_piece(host(b_.CreateExtractElement(bases[r], lane)), rows * elements_, row_piece_lanes()));
    weaver_.come_from(call_, row_piece_lanes());
    const auto columns = transpose(b_, pieces);
    for (unsigned e = 0; e < elements_; ++e) {
      if (row >= n) {
        for (unsigned k = 0; k < rows; ++k) parts[e][r + k * bases.size()] = columns[k * elements_ + e];
        continue;
      }
      const unsigned in_vector = n / row;
      for (unsigned j = 0; j < unit_.vectors(); ++j) {
        llvm::SmallVector<Value*, 8> joined;
        for (unsigned s = 0; s < in_vector; ++s)
          joined.push_back(columns[(j * in_vector + s) * elements_ + e]);
        parts[e][j] = concatenate(b_, joined);
      }
    }
  }
  llvm::SmallVector<Rep, 4> results(elements_, Rep{unit_.patterns().of(&call_), {}});
  for (unsigned e = 0; e < elements_; ++e) results[e].parts.append(parts[e].begin(), parts[e].end());
  finish(std::move(results));
}

// Of lanes of one warp the first one wins. That shows when pieces of a warp with several rows overlap.
bool Access::may_overlap_in_warp() const {
  // With one thread in a row there is one piece.
  if (unit_.patterns().row() >= 32 || unit_.patterns().row() == 1) return false;
  const Pattern& p = address_.pattern;
  const auto piece = static_cast<int64_t>(record_.bytes() * unit_.patterns().row_count());
  return !(p.kind == Pattern::affine && std::abs(p.lane_step) >= piece &&
           unit_.patterns().row() <= lanes_.lanes());
}

// The pieces of a row's lanes follow one another, up or down, with nothing of one in another.
Value* Access::lie_apart(llvm::ArrayRef<Value*> bases) const {
  Value* all = concatenate(b_, bases);
  const unsigned row = unit_.patterns().row();
  Value* distance = b_.CreateSub(slice(b_, all, 1, row - 1), slice(b_, all, 0, row - 1));
  const uint64_t piece = record_.bytes() * unit_.patterns().row_count();
  const auto every = [&](Value* lanes) {
    return b_.CreateICmpEQ(b_.CreateBitCast(lanes, b_.getIntNTy(row - 1)),
                           llvm::Constant::getAllOnesValue(b_.getIntNTy(row - 1)));
  };
  Value* up = b_.CreateICmpSGE(distance, llvm::ConstantInt::get(distance->getType(), piece));
  Value* down =
      b_.CreateICmpSLE(distance, llvm::ConstantInt::get(distance->getType(), uint64_t{0} - piece, true));
  return b_.CreateOr(every(up), every(down));
}

void Access::store_row_tiles(llvm::ArrayRef<Rep> values) const {
  const auto bases = row_bases();
  if (!may_overlap_in_warp()) return store_row_pieces(bases, values);
  // What both ways need is made before.
  for (const Rep& value : values)
    for (unsigned j = 0; j < unit_.vectors(); ++j) static_cast<void>(lanes_.vector(value, j));
  llvm::BasicBlock *apart = weaver_.block("apart"), *mixed = weaver_.block("overlap"),
                   *done = weaver_.block("stored");
  likely(lie_apart(bases), apart, mixed);
  b_.SetInsertPoint(apart);
  store_row_pieces(bases, values);
  b_.CreateBr(done);
  b_.SetInsertPoint(mixed);
  store_in_order(values);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

void Access::store_row_pieces(llvm::ArrayRef<Value*> bases, llvm::ArrayRef<Rep> values) const {
  const unsigned row = unit_.patterns().row(), rows = unit_.patterns().row_count(), n = lanes_.lanes();
  note_rows(bases);
  weaver_.come_from(call_, row_piece_lanes());
  for (unsigned r = 0; r < bases.size(); ++r) {
    llvm::SmallVector<Value*, 16> lines;
    for (unsigned k = 0; k < rows; ++k)
      for (const Rep& value : values)
        lines.push_back(row >= n ? lanes_.vector(value, static_cast<unsigned>(r + k * bases.size()))
                                 : slice(b_, lanes_.vector(value, k * row / n), k * row % n, row));
    const auto columns = transpose(b_, lines);
    for (unsigned lane = 0; lane < columns.size(); ++lane)
      store_piece(host(b_.CreateExtractElement(bases[r], lane)), columns[lane], row_piece_lanes());
  }
}

void Access::store_piece(Value* pointer, Value* piece, const AccessLanes& lanes) const {
  const unsigned all = llvm::cast<llvm::FixedVectorType>(piece->getType())->getNumElements();
  const unsigned size = piece_elements(all);
  for (unsigned first = 0; first < all; first += size)
    store(slice(b_, piece, first, size), part(pointer, first), lanes);
}

// Thread by thread, in a loop: rare.
void Access::store_in_order(llvm::ArrayRef<Rep> values) const {
  const unsigned n = lanes_.lanes(), vectors = unit_.vectors();
  const auto spill = [&](llvm::Type* type, const Rep& rep, const char* name) {
    llvm::AllocaInst* array = weaver_.make_alloca(llvm::ArrayType::get(type, vectors * n), name);
    array->setAlignment(llvm::Align(64));
    for (unsigned j = 0; j < vectors; ++j)
      b_.CreateStore(lanes_.vector(rep, j), b_.CreateConstInBoundsGEP1_32(type, array, j * n));
    return array;
  };
  llvm::AllocaInst* places = spill(b_.getInt64Ty(), address_, "places");
  llvm::SmallVector<llvm::AllocaInst*, 4> arrays;
  for (const Rep& value : values) arrays.push_back(spill(element_, value, "stored"));
  llvm::BasicBlock *from = b_.GetInsertBlock(), *loop = weaver_.block("thread"),
                   *done = weaver_.block("threads");
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  auto* thread = b_.CreatePHI(b_.getInt32Ty(), 2);
  thread->addIncoming(b_.getInt32(0), from);
  Value* lane = b_.CreateXor(thread, b_.getInt32(31));  // warp by warp, from its last lane
  note_lane(0, lane);
  Value* pointer = host(b_.CreateLoad(b_.getInt64Ty(), b_.CreateInBoundsGEP(b_.getInt64Ty(), places, lane)));
  for (unsigned e = 0; e < values.size(); ++e)
    store(b_.CreateLoad(element_, b_.CreateInBoundsGEP(element_, arrays[e], lane)), part(pointer, e),
          AccessLanes::of_noted());
  Value* next = b_.CreateAdd(thread, b_.getInt32(1));
  thread->addIncoming(next, loop);
  b_.CreateCondBr(b_.CreateICmpNE(next, b_.getInt32(vectors * n)), loop, done)
      ->setMetadata(llvm::LLVMContext::MD_loop, weaver_.no_unroll());
  b_.SetInsertPoint(done);
}

}  // namespace heddle::exec::jit
