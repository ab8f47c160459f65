#include "exec/jit/transform/local_rows.h"

#include <algorithm>
#include <bit>

#include "exec/jit/abi/local_layout.h"
#include "exec/jit/analysis/record.h"
#include "exec/jit/ir/ops.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

namespace heddle::exec::jit {

namespace {

using llvm::Instruction;
using llvm::Value;

bool is_local(const llvm::CallInst& call, unsigned argument) {
  return immediate(call, argument) == static_cast<uint64_t>(module::Space::local);
}

class LocalRows {
 public:
  LocalRows(ThreadProgram& program, const Dim3& block)
      : program_(program), block_(block), ir_(*program.context) {}

  void run() {
    if (!find_accesses() || accesses_.empty()) return;
    for (const llvm::CallInst* access : accesses_)
      granule_ = std::max(granule_, elements_of(*access).second->getScalarSizeInBits() / 8);
    if (granule_ > 8) return;
    for (const llvm::CallInst* access : accesses_)
      if (!can_be_split(*access)) return;
    find_home();
    for (llvm::CallInst* access : accesses_) translate(*access);
    program_.local_granule = granule_;
  }

 private:
  // False: somebody else knows the frame.
  bool find_accesses() {
    if (program_.needs.reference || !program_.functions.empty()) return false;
    if (llvm::any_of(program_.variables, [](const LocalVariable& v) { return v.fixed; })) return false;
    for (Instruction& i : llvm::instructions(*program_.entry)) {
      const auto op = op_of(&i);
      if (!op) continue;
      auto& call = llvm::cast<llvm::CallInst>(i);
      if (*op == Op::step || *op == Op::call || (*op == Op::generic && is_local(call, 1))) return false;
      if ((*op == Op::load || *op == Op::store) && is_local(call, 1)) accesses_.push_back(&call);
    }
    return true;
  }

  // Each element has a place of its own then, so the whole must be known to be aligned.
  bool can_be_split(const llvm::CallInst& access) const {
    const auto [elements, type] = elements_of(access);
    if (elements == 1) return !access.getType()->isStructTy();
    const unsigned bytes = elements * type->getScalarSizeInBits() / 8;
    if (!std::has_single_bit(bytes) || zeros(access.getArgOperand(0)) < std::countr_zero(bytes)) return false;
    return llvm::all_of(access.users(),
                        [](const llvm::User* user) { return llvm::isa<llvm::ExtractValueInst>(user); });
  }

  // Trailing zeros that an address certainly has. What a loop adds to is taken to have all until something
  // that it is made of has fewer.
  int zeros(const Value* value) const {
    llvm::SmallPtrSet<const llvm::PHINode*, 4> assumed;
    return zeros(value, 7, assumed);
  }
  int zeros(const Value* value, unsigned depth, llvm::SmallPtrSet<const llvm::PHINode*, 4>& assumed) const {
    constexpr int all = 64;
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return constant->isZero() ? all : static_cast<int>(constant->getValue().countr_zero());
    const auto* i = llvm::dyn_cast<Instruction>(value);
    if (i == nullptr || depth == 0) return 0;
    if (is_op(i, Op::local_address)) {
      const uint32_t offset = program_.variables[immediate(llvm::cast<llvm::CallInst>(*i), 0)].offset;
      return offset == 0 ? all : std::countr_zero(offset);
    }
    const auto of = [&](unsigned n) { return zeros(i->getOperand(n), depth - 1, assumed); };
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) {
      int least = all;
      if (!assumed.insert(phi).second) return least;
      for (const Value* from : phi->incoming_values())
        least = std::min(least, zeros(from, depth - 1, assumed));
      assumed.erase(phi);
      return least;
    }
    switch (i->getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Or:
      case Instruction::Xor: return std::min(of(0), of(1));
      case Instruction::And: return std::max(of(0), of(1));
      case Instruction::Mul: return std::min(all, of(0) + of(1));
      case Instruction::ZExt:
      case Instruction::SExt:
      case Instruction::Trunc: return of(0);
      case Instruction::Shl:
        if (const auto* by = llvm::dyn_cast<llvm::ConstantInt>(i->getOperand(1)))
          return std::min(all, of(0) + static_cast<int>(by->getLimitedValue(all)));
        return of(0);
      case Instruction::Select: return std::min(of(1), of(2));
      default: return 0;
    }
  }

  // Offset 0 of each thread.
  void find_home() {
    llvm::BasicBlock& first = program_.entry->getEntryBlock();
    ir_.SetInsertPoint(&first, first.getFirstInsertionPt());
    llvm::MDBuilder metadata(*program_.context);
    const auto who = [&](Op op, uint64_t count) {
      llvm::CallInst* call = call_op(ir_, op, ir_.getInt32Ty(), {});
      call->setMetadata(llvm::LLVMContext::MD_range,
                        metadata.createRange(llvm::APInt(32, 0), llvm::APInt(32, count)));
      return ir_.CreateZExt(call, ir_.getInt64Ty(), "", true);
    };
    const uint64_t warps = (block_.count() + local_warp_lanes - 1) / local_warp_lanes;
    home_ = ir_.CreateMul(who(Op::laneid, local_warp_lanes), ir_.getInt64(granule_), "", true, true);
    if (warps > 1)
      home_ = ir_.CreateAdd(
          home_, ir_.CreateMul(who(Op::warpid, warps),
                               ir_.getInt64(local_warp_lanes * local_stride_of(program_.local_bytes)), "",
                               true, true));
  }

  Value* place(Value* offset, uint64_t element) {
    const auto log2 = static_cast<unsigned>(std::countr_zero(granule_));
    Value* at = element == 0 ? offset : ir_.CreateAdd(offset, ir_.getInt64(element));
    Value* rows = ir_.CreateShl(ir_.CreateLShr(at, log2), log2 + 5);
    Value* within = ir_.CreateAnd(at, ir_.getInt64(granule_ - 1));
    if (zeros(offset) >= static_cast<int>(log2) && element % granule_ == 0) {
      rows = ir_.CreateShl(at, 5);
      within = nullptr;
    }
    Value* place = ir_.CreateAdd(home_, rows);
    return within == nullptr ? place : ir_.CreateAdd(place, within);
  }

  void translate(llvm::CallInst& access) {
    ir_.SetInsertPoint(&access);
    ir_.SetCurrentDebugLocation(access.getDebugLoc());
    const auto [elements, type] = elements_of(access);
    const uint64_t bytes = type->getScalarSizeInBits() / 8;
    Value* flags = ir_.getInt32(static_cast<uint32_t>(immediate(access, 2)) | access_by_lanes);
    for (unsigned e = 0; e < elements; ++e) {
      llvm::SmallVector<Value*, 4> arguments = {place(access.getArgOperand(0), e * bytes),
                                                access.getArgOperand(1), flags};
      if (is_op(&access, Op::store)) {
        arguments.push_back(access.getArgOperand(3 + e));
        call_op(ir_, Op::store, ir_.getVoidTy(), arguments);
        continue;
      }
      llvm::CallInst* loaded = call_op(ir_, Op::load, type, arguments);
      if (!access.getType()->isStructTy()) {
        access.replaceAllUsesWith(loaded);
        continue;
      }
      for (llvm::User* user : llvm::make_early_inc_range(access.users())) {
        auto* extract = llvm::cast<llvm::ExtractValueInst>(user);
        if (extract->getIndices()[0] != e) continue;
        extract->replaceAllUsesWith(loaded);
        extract->eraseFromParent();
      }
    }
    access.eraseFromParent();
  }

  ThreadProgram& program_;
  const Dim3& block_;
  llvm::IRBuilder<> ir_;
  std::vector<llvm::CallInst*> accesses_;
  unsigned granule_ = 4;
  Value* home_ = nullptr;
};

}  // namespace

void lay_local_memory_by_lanes(ThreadProgram& program, const Dim3& block) { LocalRows(program, block).run(); }

}  // namespace heddle::exec::jit
