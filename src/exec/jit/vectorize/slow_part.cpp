#include "exec/jit/vectorize/slow_part.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

namespace {

class SlowPartTaker {
 public:
  SlowPartTaker(Weaver& weaver, const SlowPart& part, std::size_t number)
      : weaver_(weaver), b_(weaver.builder), part_(part), number_(number) {}

  llvm::Function* take() {
    find_blocks();
    find_inputs();
    make_function();
    call();  // before the blocks go: what branches to them from outside is still told apart
    move();
    return function_;
  }

 private:
  // Between the part's beginning and its ends, in the kernel's order.
  void find_blocks() {
    llvm::SmallPtrSet<BasicBlock*, 32> inside;
    llvm::SmallVector<BasicBlock*, 32> open = {part_.begin};
    while (!open.empty()) {
      BasicBlock* block = open.pop_back_val();
      if (llvm::is_contained(part_.ends, block) || !inside.insert(block).second) continue;
      llvm::append_range(open, llvm::successors(block));
    }
    for (BasicBlock& block : *weaver_.kernel)
      if (inside.contains(&block)) blocks_.insert(&block);
  }

  bool is_inside(const Value* user) const {
    const auto* i = llvm::dyn_cast<Instruction>(user);
    return i != nullptr && blocks_.contains(const_cast<BasicBlock*>(i->getParent()));
  }

  // What only the part uses of the kernel's variables becomes its own; variables that both use lie in the
  // frame, and everything else of the kernel comes there, but for what the context says again.
  void find_inputs() {
    for (BasicBlock* block : blocks_)
      for (Instruction& i : *block)
        for (Value* operand : i.operands()) {
          if (operand == weaver_.run || is_inside(operand)) continue;
          auto* variable = llvm::dyn_cast<llvm::AllocaInst>(operand);
          if (variable != nullptr &&
              llvm::all_of(variable->users(), [&](const llvm::User* user) { return is_inside(user); }))
            variables_.insert(variable);
          else if (variable != nullptr && may_lie_in_frame(*variable))
            shared_.insert(variable);
          else if (is_of_launch(operand))
            fields_.insert(llvm::cast<llvm::LoadInst>(operand));
          else if (llvm::isa<Instruction, llvm::Argument>(operand))
            inputs_.insert(operand);
        }
  }

  // A field of the context that stays as it is while the kernel runs.
  bool is_of_launch(const Value* value) const {
    const Value* fields[] = {weaver_.parameters, weaver_.shared,    weaver_.shared_of_cluster,
                             weaver_.local,      weaver_.symbols,   weaver_.local_stride,
                             weaver_.nctaid[0],  weaver_.nctaid[1], weaver_.nctaid[2]};
    return llvm::isa<llvm::LoadInst>(value) && llvm::is_contained(fields, value);
  }

  // A field of a structure is aligned as its type says.
  bool may_lie_in_frame(const llvm::AllocaInst& variable) const {
    return variable.getAlign() <= weaver_.module.getDataLayout().getABITypeAlign(variable.getAllocatedType());
  }

  void make_function() {
    llvm::Type* pointer = b_.getPtrTy();
    function_ =
        llvm::Function::Create(llvm::FunctionType::get(b_.getInt32Ty(), {pointer, pointer}, false),
                               llvm::GlobalValue::ExternalLinkage, slow_symbol(number_), weaver_.module);
    function_->copyAttributesFrom(weaver_.kernel);
    llvm::DISubprogram* of_kernel = weaver_.kernel->getSubprogram();
    llvm::DIBuilder debug(weaver_.module, true, of_kernel->getUnit());
    llvm::DIFile* file = of_kernel->getFile();
    function_->setSubprogram(debug.createFunction(file, function_->getName(), function_->getName(), file, 1,
                                                  debug.createSubroutineType(debug.getOrCreateTypeArray({})),
                                                  1, llvm::DINode::FlagZero,
                                                  llvm::DISubprogram::SPFlagDefinition));
    debug.finalize();
    llvm::SmallVector<llvm::Type*, 32> types;
    for (Value* input : inputs_) types.push_back(input->getType());
    for (llvm::AllocaInst* variable : shared_) types.push_back(variable->getAllocatedType());
    frame_ = llvm::StructType::get(weaver_.context, types);
  }

  // In the kernel, instead of the part.
  void call() {
    llvm::AllocaInst* frame = weaver_.make_alloca(frame_, "slow.frame");
    b_.SetInsertPoint(std::next(frame->getIterator()));
    b_.SetCurrentDebugLocation({});
    for (unsigned n = 0; n < shared_.size(); ++n) {
      frame->setAlignment(std::max(frame->getAlign(), shared_[n]->getAlign()));
      Value* place = b_.CreateStructGEP(frame_, frame, inputs_.size() + n, shared_[n]->getName());
      shared_[n]->replaceUsesWithIf(place, [&](llvm::Use& use) { return !is_inside(use.getUser()); });
    }
    BasicBlock* here = weaver_.block("slow.call");
    llvm::SmallVector<BasicBlock*, 4> from;
    for (BasicBlock* before : llvm::predecessors(part_.begin))
      if (!blocks_.contains(before)) from.push_back(before);
    for (BasicBlock* before : from) before->getTerminator()->replaceSuccessorWith(part_.begin, here);
    b_.SetInsertPoint(here);
    b_.SetCurrentDebugLocation({});
    for (unsigned n = 0; n < inputs_.size(); ++n)
      b_.CreateStore(inputs_[n], b_.CreateStructGEP(frame_, frame, n));
    const auto helper =
        weaver_.helper("heddle_jit_slow", b_.getInt32Ty(), {b_.getPtrTy(), b_.getInt32Ty(), b_.getPtrTy()});
    Value* end =
        b_.CreateCall(helper, {weaver_.run, b_.getInt32(static_cast<uint32_t>(number_)), frame}, "slow.end");
    auto* choice = b_.CreateSwitch(end, part_.ends[0], static_cast<unsigned>(part_.ends.size()));
    for (unsigned n = 1; n < part_.ends.size(); ++n) choice->addCase(b_.getInt32(n), part_.ends[n]);
  }

  void move() {
    BasicBlock* entry = BasicBlock::Create(weaver_.context, "entry", function_);
    for (llvm::AllocaInst* variable : variables_) variable->moveBefore(*entry, entry->end());
    b_.SetInsertPoint(entry);
    const auto take = [&](Value* value, Value* here) {
      value->replaceUsesWithIf(here, [&](llvm::Use& use) { return is_inside(use.getUser()); });
    };
    for (unsigned n = 0; n < inputs_.size(); ++n)
      take(inputs_[n],
           b_.CreateLoad(inputs_[n]->getType(), b_.CreateStructGEP(frame_, function_->getArg(1), n),
                         inputs_[n]->getName()));
    for (unsigned n = 0; n < shared_.size(); ++n) {
      take(shared_[n],
           b_.CreateStructGEP(frame_, function_->getArg(1), inputs_.size() + n, shared_[n]->getName()));
      shared_[n]->eraseFromParent();
    }
    for (llvm::LoadInst* field : fields_) {
      auto* place = llvm::cast<Instruction>(field->getPointerOperand())->clone();
      b_.Insert(place)->setOperand(0, function_->getArg(0));
      auto* load = llvm::cast<llvm::LoadInst>(b_.Insert(field->clone(), field->getName()));
      load->setOperand(0, place);
      take(field, load);
    }
    weaver_.run->replaceUsesWithIf(function_->getArg(0),
                                   [&](llvm::Use& use) { return is_inside(use.getUser()); });
    b_.CreateBr(part_.begin);
    for (BasicBlock* block : blocks_) {
      block->removeFromParent();
      block->insertInto(function_);
      for (Instruction& i : *block)
        if (const llvm::DebugLoc& place = i.getDebugLoc())
          i.setDebugLoc(llvm::DILocation::get(weaver_.context, place.getLine(), place.getCol(),
                                              function_->getSubprogram()));
    }
    for (unsigned n = 0; n < part_.ends.size(); ++n) {
      BasicBlock* end = BasicBlock::Create(weaver_.context, "end", function_);
      llvm::ReturnInst::Create(weaver_.context, b_.getInt32(n), end);
      for (BasicBlock* block : blocks_) block->getTerminator()->replaceSuccessorWith(part_.ends[n], end);
    }
  }

  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
  const SlowPart& part_;
  const std::size_t number_;
  llvm::SetVector<BasicBlock*> blocks_;
  llvm::SetVector<Value*> inputs_;
  llvm::SetVector<llvm::AllocaInst*> variables_, shared_;
  llvm::SetVector<llvm::LoadInst*> fields_;
  llvm::Function* function_ = nullptr;
  llvm::StructType* frame_ = nullptr;
};

}  // namespace

std::vector<llvm::Function*> take_slow_parts_out(Weaver& weaver) {
  std::vector<llvm::Function*> functions;
  for (const SlowPart& part : weaver.slow_parts)
    functions.push_back(SlowPartTaker(weaver, part, functions.size()).take());
  return functions;
}

std::unique_ptr<llvm::Module> move_to_own_module(llvm::Module& from,
                                                 llvm::ArrayRef<llvm::Function*> functions) {
  auto own = std::make_unique<llvm::Module>(from.getModuleIdentifier(), from.getContext());
  own->setDataLayout(from.getDataLayout());
  own->setTargetTriple(from.getTargetTriple());
  for (llvm::NamedMDNode& named : from.named_metadata())
    for (llvm::MDNode* node : named.operands())
      own->getOrInsertNamedMetadata(named.getName())->addOperand(node);
  for (llvm::Function* function : functions) {
    function->removeFromParent();
    own->getFunctionList().push_back(function);
  }
  // What they call and read is declared, or there, once more.
  llvm::ValueToValueMapTy map;
  const auto moved = [&](const llvm::User* user) {
    const auto* i = llvm::dyn_cast<Instruction>(user);
    return i != nullptr && i->getModule() == own.get();
  };
  for (llvm::Function& called : from) {
    if (llvm::none_of(called.users(), moved)) continue;
    auto* declared = llvm::Function::Create(called.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                                            called.getName(), *own);
    declared->copyAttributesFrom(&called);
    map[&called] = declared;
  }
  for (llvm::GlobalVariable& table : from.globals()) {
    auto* same = new llvm::GlobalVariable(*own, table.getValueType(), table.isConstant(), table.getLinkage(),
                                          nullptr, table.getName());
    same->copyAttributesFrom(&table);
    map[&table] = same;
  }
  for (llvm::GlobalVariable& table : from.globals())
    if (table.hasInitializer())
      llvm::cast<llvm::GlobalVariable>(map[&table])
          ->setInitializer(llvm::MapValue(table.getInitializer(), map, llvm::RF_NoModuleLevelChanges));
  if (!map.empty())
    for (llvm::Function* function : functions)
      llvm::RemapFunction(*function, map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
  return own;
}

}  // namespace heddle::exec::jit
