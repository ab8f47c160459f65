#include "exec/jit/transform/aggregates.h"

#include <vector>

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

namespace {

llvm::StructType* fields_of(const llvm::Value& value) {
  return llvm::dyn_cast<llvm::StructType>(value.getType());
}

llvm::Instruction* behind(llvm::Instruction& i) {
  llvm::BasicBlock& block = *i.getParent();
  return llvm::isa<llvm::PHINode>(i) ? &*block.getFirstInsertionPt() : i.getNextNode();
}

// A choice of whole results, or a frozen one, becomes one of each field; who wants the whole puts it
// together.
void split(llvm::Instruction& choice) {
  llvm::StructType* type = fields_of(choice);
  llvm::IRBuilder<> ir(&choice);
  std::vector<llvm::Value*> fields;
  for (unsigned f = 0; f < type->getNumElements(); ++f) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&choice)) {
      fields.push_back(ir.CreatePHI(type->getElementType(f), phi->getNumIncomingValues()));
      continue;
    }
    if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(&choice)) {
      fields.push_back(ir.CreateFreeze(ir.CreateExtractValue(freeze->getOperand(0), f)));
      continue;
    }
    auto& select = llvm::cast<llvm::SelectInst>(choice);
    fields.push_back(ir.CreateSelect(select.getCondition(), ir.CreateExtractValue(select.getTrueValue(), f),
                                     ir.CreateExtractValue(select.getFalseValue(), f)));
  }
  llvm::Value* whole = nullptr;
  for (llvm::Use& use : llvm::make_early_inc_range(choice.uses())) {
    if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(use.getUser())) {
      extract->replaceAllUsesWith(fields[extract->getIndices()[0]]);
      extract->eraseFromParent();
      continue;
    }
    if (whole == nullptr) {
      ir.SetInsertPoint(behind(choice));
      whole = llvm::PoisonValue::get(type);
      for (unsigned f = 0; f < fields.size(); ++f) whole = ir.CreateInsertValue(whole, fields[f], f);
    }
    use.set(whole);
  }
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&choice)) {
    for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k) {
      llvm::BasicBlock* from = phi->getIncomingBlock(k);
      ir.SetInsertPoint(from->getTerminator());
      for (unsigned f = 0; f < fields.size(); ++f) {
        auto* to = llvm::cast<llvm::PHINode>(fields[f]);
        const int same = to->getBasicBlockIndex(from);
        to->addIncoming(same >= 0 ? to->getIncomingValue(static_cast<unsigned>(same))
                                  : ir.CreateExtractValue(phi->getIncomingValue(k), f),
                        from);
      }
    }
  }
  choice.eraseFromParent();
}

// One extraction of each field, right behind.
bool gather(llvm::Instruction& result) {
  std::vector<llvm::ExtractValueInst*> first(fields_of(result)->getNumElements());
  bool changed = false;
  for (llvm::User* user : llvm::make_early_inc_range(result.users())) {
    auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    if (extract == nullptr) continue;
    llvm::ExtractValueInst*& kept = first[extract->getIndices()[0]];
    if (kept != nullptr) {
      extract->replaceAllUsesWith(kept);
      extract->eraseFromParent();
      changed = true;
      continue;
    }
    kept = extract;
    changed |= extract->getParent() != result.getParent();
    extract->moveBefore(behind(result));
  }
  return changed;
}

}  // namespace

bool take_apart_aggregates(llvm::Function& thread) {
  std::vector<llvm::Instruction*> choices, results;
  for (llvm::Instruction& i : llvm::instructions(thread)) {
    if (fields_of(i) == nullptr) continue;
    if (llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(i))
      choices.push_back(&i);
    else if (llvm::isa<llvm::CallInst>(i))
      results.push_back(&i);
  }
  for (llvm::Instruction* choice : choices) split(*choice);
  bool changed = !choices.empty();
  for (llvm::Instruction* result : results) changed |= gather(*result);
  return changed;
}

}  // namespace heddle::exec::jit
