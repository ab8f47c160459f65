#include "frontend/wide_copies.h"

#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::frontend {

namespace {

constexpr uint64_t wide = 16;
// Longer ones become loops (NVPTXLowerAggrCopies).
constexpr uint64_t longest = 128;

uint64_t bytes_of(const llvm::MemIntrinsic& copy) {
  return llvm::cast<llvm::ConstantInt>(copy.getLength())->getZExtValue();
}

bool is_wide(const llvm::MemIntrinsic& copy) {
  if (!llvm::isa<llvm::ConstantInt>(copy.getLength()) || copy.isVolatile()) return false;
  const uint64_t bytes = bytes_of(copy);
  if (bytes == 0 || bytes % wide != 0 || bytes > longest || copy.getDestAlign().valueOrOne() < wide)
    return false;
  if (const auto* of_two = llvm::dyn_cast<llvm::MemCpyInst>(&copy))
    return of_two->getSourceAlign().valueOrOne() >= wide;
  const auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&copy);
  return fill != nullptr && llvm::isa<llvm::ConstantInt>(fill->getValue());
}

llvm::Value* at(llvm::IRBuilder<>& ir, llvm::Value* pointer, uint64_t offset) {
  return offset == 0 ? pointer : ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), pointer, offset);
}

void widen(llvm::MemSetInst& fill) {
  llvm::IRBuilder<> ir(&fill);
  const auto byte = llvm::cast<llvm::ConstantInt>(fill.getValue())->getZExtValue();
  llvm::Value* words = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(4),
                                                      ir.getInt32(static_cast<uint32_t>(byte * 0x01010101U)));
  for (uint64_t offset = 0; offset < bytes_of(fill); offset += wide)
    ir.CreateAlignedStore(words, at(ir, fill.getDest(), offset), llvm::Align(wide));
  fill.eraseFromParent();
}

void widen(llvm::MemCpyInst& copy) {
  llvm::IRBuilder<> ir(&copy);
  const uint64_t bytes = bytes_of(copy);
  auto* words = llvm::FixedVectorType::get(ir.getInt32Ty(), 4);
  const llvm::Align align(wide);
  // All are read before one is written, as the registers of a structure would be.
  std::vector<llvm::LoadInst*> parts;
  for (uint64_t offset = 0; offset < bytes; offset += wide)
    parts.push_back(ir.CreateAlignedLoad(words, at(ir, copy.getSource(), offset), align));
  for (std::size_t i = 0; i < parts.size(); ++i)
    ir.CreateAlignedStore(parts[i], at(ir, copy.getDest(), i * wide), align);
  copy.eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses WideCopiesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  std::vector<llvm::MemIntrinsic*> copies;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction); copy != nullptr && is_wide(*copy))
      copies.push_back(copy);
  for (llvm::MemIntrinsic* copy : copies)
    if (auto* of_two = llvm::dyn_cast<llvm::MemCpyInst>(copy))
      widen(*of_two);
    else
      widen(llvm::cast<llvm::MemSetInst>(*copy));
  return copies.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace heddle::frontend
