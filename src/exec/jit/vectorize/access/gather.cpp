#include "exec/jit/vectorize/access/gather.h"

#include <cstddef>

#include "exec/jit/abi/context.h"
#include "exec/jit/fiber/fiber.h"
#include "exec/jit/fiber/warps.h"

namespace heddle::exec::jit {

using llvm::Value;

namespace {

// How the operands of an operation stand (ir/ops.def).
struct Form {
  Want want;
  int what;  // an immediate, or -1
  llvm::SmallVector<unsigned, 3> arguments;
  unsigned members;
  int sync;  // an immediate: whether the members are named; -1: always
};

Form form_of(Op op) {
  switch (op) {
    case Op::shuffle: return {Want::shuffle, 0, {1, 2, 3}, 4, 5};
    case Op::vote: return {Want::vote, 0, {1}, 2, 3};
    case Op::ballot: return {Want::ballot, -1, {0}, 1, 2};
    case Op::match_any: return {Want::match_any, -1, {0}, 1, -1};
    case Op::match_all: return {Want::match_all, -1, {0}, 1, -1};
    case Op::warp_reduce: return {Want::warp_reduce, 0, {1}, 2, -1};
    default: return {Want::warp_barrier, -1, {}, 0, -1};
  }
}

class Gathering {
 public:
  Gathering(Unit& unit, const llvm::CallInst& call)
      : unit_(unit), call_(call), weaver_(unit.weaver()), b_(weaver_.builder) {}

  Results run(Op op, const std::function<Results()>& here) {
    const Form form = form_of(op);
    llvm::SmallVector<Rep, 4> operands;
    for (const unsigned a : form.arguments) operands.push_back(unit_.get(call_.getArgOperand(a)));
    const Rep members = unit_.get(call_.getArgOperand(form.members));
    llvm::BasicBlock *apart = weaver_.block("apart"), *together = weaver_.block("together"),
                     *done = weaver_.block("gathered");
    Value* parted = weaver_.context_field(b_.getInt32Ty(), offsetof(Context, parted), "parted");
    b_.CreateCondBr(b_.CreateICmpNE(parted, b_.getInt32(0)), apart, together);
    b_.SetInsertPoint(together);
    const Results ours = here();
    llvm::BasicBlock* from_here = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(apart);
    const Results theirs = gather(form, operands, members, ours);
    llvm::BasicBlock* from_apart = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    Results results = ours;
    for (unsigned r = 0; r < results.size(); ++r)
      for (unsigned i = 0; i < results[r].parts.size(); ++i) {
        auto* phi = b_.CreatePHI(ours[r].parts[i]->getType(), 2);
        phi->addIncoming(ours[r].parts[i], from_here);
        phi->addIncoming(theirs[r].parts[i], from_apart);
        results[r].parts[i] = phi;
      }
    return results;
  }

 private:
  Value* place(Value* table, unsigned row, unsigned lane) {
    return b_.CreateConstInBoundsGEP1_32(b_.getInt64Ty(), table, row * 32 + lane);
  }

  Results gather(const Form& form, llvm::ArrayRef<Rep> operands, const Rep& members, const Results& like) {
    const unsigned lanes = weaver_.geometry.lanes;
    llvm::Type *i32 = b_.getInt32Ty(), *wide = weaver_.lanes.vector_type(b_.getInt64Ty());
    llvm::AllocaInst* table =
        weaver_.make_alloca(llvm::ArrayType::get(b_.getInt64Ty(), uint64_t{LaneTable::rows} * 32), "lanes");
    Value* active = b_.getInt32(0);
    for (unsigned j = 0; j < unit_.vectors(); ++j) {
      active = b_.CreateOr(active, b_.CreateShl(b_.CreateZExt(unit_.bits(unit_.mask(j)), i32), j * lanes));
      const auto put = [&](unsigned row, const Rep& rep) {
        b_.CreateAlignedStore(b_.CreateZExt(weaver_.lanes.vector(rep, j), wide), place(table, row, j * lanes),
                              llvm::Align(8));
      };
      for (unsigned a = 0; a < operands.size(); ++a) put(a, operands[a]);
      put(LaneTable::members, members);
    }
    const uint32_t site = call_.getDebugLoc() ? call_.getDebugLoc().getLine() - 1 : 0xffffffffu;
    auto callee = weaver_.helper("heddle_jit_gather", b_.getVoidTy(),
                                 {b_.getPtrTy(), i32, i32, i32, i32, b_.getPtrTy()});
    const uint64_t what = form.what < 0 ? 0 : immediate(call_, static_cast<unsigned>(form.what));
    b_.CreateCall(callee, {weaver_.run, b_.getInt32(static_cast<uint32_t>(form.want)),
                           b_.getInt32(static_cast<uint32_t>(what)), b_.getInt32(site), active, table});
    Value* first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, active, b_.getFalse());
    Results results;
    for (unsigned r = 0; r < like.size(); ++r) {
      Rep rep{like[r].pattern, {}};
      for (unsigned i = 0; i < like[r].parts.size(); ++i) {
        llvm::Type* type = like[r].parts[i]->getType();
        Value* from = place(table, LaneTable::results + r, type->isVectorTy() ? i * lanes : 0);
        if (!type->isVectorTy()) from = b_.CreateInBoundsGEP(b_.getInt64Ty(), from, first);
        Value* bits = b_.CreateAlignedLoad(type->isVectorTy() ? wide : b_.getInt64Ty(), from, llvm::Align(8));
        rep.parts.push_back(b_.CreateTrunc(bits, type));
      }
      results.push_back(std::move(rep));
    }
    return results;
  }

  Unit& unit_;
  const llvm::CallInst& call_;
  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
};

}  // namespace

Results gather_lanes(Unit& unit, const llvm::CallInst& call, Op op, const std::function<Results()>& here) {
  if (op == Op::active_mask) return here();
  const Form form = form_of(op);
  if (form.sync >= 0 && immediate(call, static_cast<unsigned>(form.sync)) == 0) return here();
  return Gathering(unit, call).run(op, here);
}

void call_step(Unit& unit, const llvm::CallInst& step, Value* warp, Value* active,
               const StepColumns& columns) {
  Weaver& weaver = unit.weaver();
  llvm::IRBuilder<>& b = weaver.builder;
  llvm::Type* i32 = b.getInt32Ty();
  Value* site = b.getInt32(step.getDebugLoc() ? step.getDebugLoc().getLine() - 1 : 0xffffffffu);
  if (!unit.slow() || !weaver.on_their_own || !step.hasFnAttr(of_a_warp)) {
    auto callee = weaver.helper(columns.matrix ? "heddle_jit_matrix" : "heddle_jit_step", b.getVoidTy(),
                                {b.getPtrTy(), i32, i32, i32});
    b.CreateCall(callee, {weaver.run, site, warp, active});
    return;
  }
  llvm::SmallVector<uint32_t> words{columns.matrix ? 1U : 0U, static_cast<uint32_t>(columns.sources.size()),
                                    static_cast<uint32_t>(columns.results.size())};
  for (const auto* list : {&columns.sources, &columns.results})
    for (const LaneColumn& column : *list) words.append({column.at, column.bytes});
  llvm::Constant* table = llvm::ConstantDataArray::get(weaver.context, words);
  auto* global = new llvm::GlobalVariable(weaver.module, table->getType(), true,
                                          llvm::GlobalValue::PrivateLinkage, table, "together");
  global->setAlignment(llvm::Align(4));
  auto callee =
      weaver.helper("heddle_jit_together", b.getVoidTy(), {b.getPtrTy(), i32, i32, i32, b.getPtrTy()});
  b.CreateCall(callee, {weaver.run, site, warp, active, global});
}

}  // namespace heddle::exec::jit
