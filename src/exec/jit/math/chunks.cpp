#include "exec/jit/math/chunks.h"

namespace heddle::exec::jit {

using llvm::Value;

Chunks cut_up(llvm::IRBuilderBase& ir, Value* value, unsigned width) {
  llvm::Type* type = value->getType();
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr) {
    llvm::Constant* zeros = llvm::Constant::getNullValue(llvm::FixedVectorType::get(type, width));
    return {ir.CreateInsertElement(zeros, value, uint64_t{0})};
  }
  const unsigned lanes = vector->getNumElements();
  if (lanes == width) return {value};
  Chunks chunks;
  llvm::SmallVector<int, 64> places;
  for (unsigned first = 0; first < lanes; first += width) {
    places.clear();
    // Of the source while it lasts, then of zeros.
    for (unsigned i = 0; i < width; ++i)
      places.push_back(static_cast<int>(first + i < lanes ? first + i : lanes));
    chunks.push_back(ir.CreateShuffleVector(value, llvm::Constant::getNullValue(type), places));
  }
  return chunks;
}

Value* put_together(llvm::IRBuilderBase& ir, Chunks chunks, unsigned lanes) {
  if (lanes == 0) return ir.CreateExtractElement(chunks[0], uint64_t{0});
  llvm::SmallVector<int, 64> places;
  // Joined two by two; all have the same width.
  while (chunks.size() > 1) {
    Chunks joined;
    const unsigned now = llvm::cast<llvm::FixedVectorType>(chunks[0]->getType())->getNumElements();
    if (chunks.size() % 2 != 0) chunks.push_back(llvm::PoisonValue::get(chunks[0]->getType()));
    places.clear();
    for (unsigned i = 0; i < 2 * now; ++i) places.push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < chunks.size(); i += 2)
      joined.push_back(ir.CreateShuffleVector(chunks[i], chunks[i + 1], places));
    chunks = joined;
  }
  if (llvm::cast<llvm::FixedVectorType>(chunks[0]->getType())->getNumElements() == lanes) return chunks[0];
  places.clear();
  for (unsigned i = 0; i < lanes; ++i) places.push_back(static_cast<int>(i));
  return ir.CreateShuffleVector(chunks[0], places);
}

}  // namespace heddle::exec::jit
