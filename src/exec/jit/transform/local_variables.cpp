#include "exec/jit/transform/local_variables.h"

#include <map>
#include <vector>

#include "exec/jit/ir/ops.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

namespace {

struct Access {
  llvm::CallInst* call;
  uint64_t offset;
};

uint64_t bytes_of(llvm::Type* type) { return type->getPrimitiveSizeInBits() / 8; }

// The types of the elements that an access moves.
std::vector<llvm::Type*> elements(const llvm::CallInst& call) {
  std::vector<llvm::Type*> out;
  if (is_op(&call, Op::store)) {
    for (unsigned i = 3; i < call.arg_size(); ++i) out.push_back(call.getArgOperand(i)->getType());
  } else if (auto* fields = llvm::dyn_cast<llvm::StructType>(call.getType())) {
    for (llvm::Type* field : fields->elements()) out.push_back(field);
  } else {
    out.push_back(call.getType());
  }
  return out;
}

class Variable {
 public:
  explicit Variable(const LocalVariable& layout) : layout_(layout) {}

  // False: something else than a plain access in bounds uses the address.
  bool follow(llvm::Value* address, uint64_t offset) {
    for (llvm::User* user : address->users()) {
      auto* i = llvm::cast<llvm::Instruction>(user);
      if (i->getOpcode() == llvm::Instruction::Add || i->getOpcode() == llvm::Instruction::Or) {
        const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(i->getOperand(1));
        if (constant == nullptr || (i->getOpcode() == llvm::Instruction::Or &&
                                    !llvm::cast<llvm::PossiblyDisjointInst>(i)->isDisjoint()))
          return false;
        if (!follow(i, offset + constant->getZExtValue())) return false;
        continue;
      }
      if (!take_access(i, address, offset)) return false;
    }
    return true;
  }

  void promote(llvm::Function& thread) {
    llvm::IRBuilder<> ir(thread.getContext());
    llvm::BasicBlock& first = thread.getEntryBlock();
    ir.SetInsertPoint(&first, first.begin());
    auto* bytes = llvm::ArrayType::get(ir.getInt8Ty(), layout_.bytes);
    llvm::AllocaInst* place = ir.CreateAlloca(bytes);
    place->setAlignment(llvm::Align(std::max<uint64_t>(16, layout_.align)));
    // What was never written has some value, but always the same.
    ir.CreateMemSet(place, ir.getInt8(0), layout_.bytes, place->getAlign());
    for (const Access& access : accesses_) rewrite(*place, access);
  }

 private:
  bool take_access(llvm::Instruction* i, llvm::Value* address, uint64_t offset) {
    const auto op = op_of(i);
    if (op != Op::load && op != Op::store) return false;
    auto* call = llvm::cast<llvm::CallInst>(i);
    if (immediate(*call, 1) != static_cast<uint64_t>(module::Space::local)) return false;
    for (unsigned k = 3; k < call->arg_size(); ++k)
      if (call->getArgOperand(k) == address) return false;  // the address is what is stored
    uint64_t bytes = 0;
    for (llvm::Type* type : elements(*call)) bytes += bytes_of(type);
    // Anything else is a fault, found out when it happens.
    if (offset > layout_.bytes || bytes > layout_.bytes - offset || (layout_.offset + offset) % bytes != 0)
      return false;
    accesses_.push_back({call, offset});
    return true;
  }

  static void rewrite(llvm::AllocaInst& place, const Access& access) {
    llvm::IRBuilder<> ir(access.call);
    uint64_t offset = access.offset;
    const bool is_store = is_op(access.call, Op::store);
    llvm::Value* whole =
        access.call->getType()->isStructTy() ? llvm::PoisonValue::get(access.call->getType()) : nullptr;
    unsigned index = 0;
    for (llvm::Type* type : elements(*access.call)) {
      llvm::Value* at = ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), &place, offset);
      if (is_store) {
        ir.CreateAlignedStore(access.call->getArgOperand(3 + index), at, llvm::Align(1));
      } else {
        llvm::Value* loaded = ir.CreateAlignedLoad(type, at, llvm::Align(1));
        whole = whole == nullptr ? loaded : ir.CreateInsertValue(whole, loaded, index);
      }
      offset += bytes_of(type);
      ++index;
    }
    if (!is_store) access.call->replaceAllUsesWith(whole);
    access.call->eraseFromParent();
  }

  const LocalVariable& layout_;
  std::vector<Access> accesses_;
};

}  // namespace

bool promote_local_variables(llvm::Function& thread, std::span<const LocalVariable> variables) {
  std::map<uint64_t, std::vector<llvm::CallInst*>> addresses;
  for (llvm::BasicBlock& block : thread)
    for (llvm::Instruction& i : block)
      if (is_op(&i, Op::local_address)) {
        auto* call = llvm::cast<llvm::CallInst>(&i);
        addresses[immediate(*call, 0)].push_back(call);
      }
  bool any = false;
  for (const auto& [index, calls] : addresses) {
    if (index >= variables.size() || variables[index].fixed) continue;
    Variable variable(variables[index]);
    bool good = true;
    for (llvm::CallInst* call : calls) good = good && variable.follow(call, 0);
    if (!good) continue;
    variable.promote(thread);
    any = true;
  }
  return any;
}

}  // namespace heddle::exec::jit
