// What an observer is told by vector code: counts are kept in place, accesses told warp by warp.
#include <cstddef>

#include "exec/jit/context.h"
#include "exec/jit/warp/unit.h"
#include "observe/observer.h"

namespace heddle::exec::jit {

using llvm::Value;

namespace {

class ObserveEmitter {
 public:
  ObserveEmitter(Unit& unit, const llvm::CallInst& call)
      : unit_(unit),
        weaver_(unit.weaver()),
        b_(weaver_.builder),
        site_(static_cast<uint32_t>(immediate(call, 0))),
        warp_vectors_(weaver_.geometry.warp_vectors()) {}

  void come() {
    if (!unit_.masked()) {
      add(offsetof(observe::Count, warps), b_.getInt64(unit_.warps()));
      add(offsetof(observe::Count, threads), b_.getInt64(uint64_t{unit_.warps()} * observe::warp_lanes));
      return;
    }
    for (unsigned w = 0; w < unit_.warps(); ++w) {
      Value* lanes = active(w);
      add(offsetof(observe::Count, warps), is_any(lanes));
      add(offsetof(observe::Count, threads), population(lanes));
    }
  }

  void visit() {
    llvm::Type* i32 = b_.getInt32Ty();
    const auto tell =
        weaver_.helper("heddle_jit_observe_visit", b_.getVoidTy(), {b_.getPtrTy(), i32, i32, i32});
    for (unsigned w = 0; w < unit_.warps(); ++w)
      b_.CreateCall(tell, {weaver_.run, b_.getInt32(site_), unit_.warp_number(w), active(w)});
  }

  void take(const Rep& guard) {
    for (unsigned w = 0; w < unit_.warps(); ++w) {
      Value *lanes = active(w),
            *taken = b_.CreateAnd(lanes, bits(w, [&](unsigned j) { return weaver_.lanes.vector(guard, j); }));
      Value* any = is_any(taken);
      add(offsetof(observe::Count, taken_warps), any);
      add(offsetof(observe::Count, taken_threads), population(taken));
      add(offsetof(observe::Count, parted),
          b_.CreateAnd(any, b_.CreateZExt(b_.CreateICmpNE(taken, lanes), b_.getInt64Ty())));
    }
  }

  void access(const llvm::CallInst& call, const Rep& address) {
    llvm::Type *i32 = b_.getInt32Ty(), *pointer = b_.getPtrTy();
    const auto tell = weaver_.helper("heddle_jit_observe", b_.getVoidTy(),
                                     {pointer, i32, i32, i32, i32, i32, i32, pointer});
    llvm::AllocaInst* addresses =
        weaver_.make_alloca(llvm::ArrayType::get(b_.getInt64Ty(), observe::warp_lanes), "addresses");
    addresses->setAlignment(llvm::Align(64));
    for (unsigned w = 0; w < unit_.warps(); ++w) {
      for (unsigned j = 0; j < warp_vectors_; ++j) {
        Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), addresses, j * weaver_.geometry.lanes);
        auto* store = b_.CreateStore(weaver_.lanes.vector(address, w * warp_vectors_ + j), place);
        weaver_.mark(store, Weaver::frame_memory);
      }
      b_.CreateCall(tell, {weaver_.run, b_.getInt32(site_), call.getArgOperand(1), call.getArgOperand(2),
                           call.getArgOperand(3), unit_.warp_number(w), active(w), addresses});
    }
  }

  void sync(const llvm::CallInst& call, const Rep& a, const Rep& b) {
    llvm::Type *i32 = b_.getInt32Ty(), *pointer = b_.getPtrTy();
    const auto tell = weaver_.helper("heddle_jit_observe_sync", b_.getVoidTy(),
                                     {pointer, i32, i32, i32, i32, pointer, pointer});
    llvm::AllocaInst *of_a = make_row("sync.a"), *of_b = make_row("sync.b");
    for (unsigned w = 0; w < unit_.warps(); ++w) {
      store_row(of_a, a, w), store_row(of_b, b, w);
      b_.CreateCall(tell, {weaver_.run, b_.getInt32(site_), call.getArgOperand(1), unit_.warp_number(w),
                           active(w), of_a, of_b});
    }
  }

 private:
  llvm::AllocaInst* make_row(const char* name) {
    llvm::AllocaInst* row =
        weaver_.make_alloca(llvm::ArrayType::get(b_.getInt32Ty(), observe::warp_lanes), name);
    row->setAlignment(llvm::Align(64));
    return row;
  }
  void store_row(llvm::AllocaInst* row, const Rep& value, unsigned warp) {
    for (unsigned j = 0; j < warp_vectors_; ++j) {
      Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt32Ty(), row, j * weaver_.geometry.lanes);
      auto* store = b_.CreateStore(weaver_.lanes.vector(value, warp * warp_vectors_ + j), place);
      weaver_.mark(store, Weaver::frame_memory);
    }
  }

  // An i32 of a warp's vectors of i1, lane 0 of the first lowest.
  template <class F>
  Value* bits(unsigned warp, F&& vector) {
    Value* all = nullptr;
    for (unsigned j = 0; j < warp_vectors_; ++j) {
      Value* part = b_.CreateZExt(unit_.bits(vector(warp * warp_vectors_ + j)), b_.getInt32Ty());
      if (j != 0) part = b_.CreateShl(part, j * weaver_.geometry.lanes);
      all = all == nullptr ? part : b_.CreateOr(all, part);
    }
    return all;
  }

  Value* active(unsigned warp) {
    if (!unit_.masked()) return b_.getInt32(~0U);
    return bits(warp, [&](unsigned j) { return unit_.mask(j); });
  }

  Value* is_any(Value* lanes) {
    return b_.CreateZExt(b_.CreateICmpNE(lanes, b_.getInt32(0)), b_.getInt64Ty());
  }
  Value* population(Value* lanes) {
    return b_.CreateZExt(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, lanes), b_.getInt64Ty());
  }

  void add(std::size_t field, Value* amount) {
    Value* counts = weaver_.context_field(b_.getPtrTy(), offsetof(Context, counts), "counts");
    Value* place =
        b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), counts, site_ * sizeof(observe::Count) + field);
    auto* before = b_.CreateLoad(b_.getInt64Ty(), place);
    weaver_.mark(before, Weaver::frame_memory);
    weaver_.mark(b_.CreateStore(b_.CreateAdd(before, amount), place), Weaver::frame_memory);
  }

  Unit& unit_;
  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
  const uint32_t site_;
  const unsigned warp_vectors_;
};

}  // namespace

void emit_observed(Unit& unit, const llvm::CallInst& call, Op op) {
  ObserveEmitter emitter(unit, call);
  if (op == Op::observe_come) return emitter.come();
  if (op == Op::observe_visit) return emitter.visit();
  const Rep last = unit.get(call.getArgOperand(call.arg_size() - 1));
  if (op == Op::observe_take) return emitter.take(last);
  if (op == Op::observe_sync) return emitter.sync(call, unit.get(call.getArgOperand(2)), last);
  emitter.access(call, last);
}

}  // namespace heddle::exec::jit
