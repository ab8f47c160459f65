// What an observer is told by vector code: counts are kept in place, accesses told warp by warp.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "exec/jit/context.h"
#include "exec/jit/warp/unit.h"
#include "llvm/IR/MDBuilder.h"
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
    const auto space = static_cast<module::Space>(immediate(call, 2));
    const bool has_windows =
        space == module::Space::global || space == module::Space::generic || space == module::Space::shared;
    if (!weaver_.looks_at_windows() || !has_windows) return tell(call, address);
    llvm::BasicBlock *told = weaver_.block("told"), *seen = weaver_.block("seen");
    Value* inside = is_inside(address, immediate(call, 1));
    b_.CreateCondBr(inside, seen, told, llvm::MDBuilder(b_.getContext()).createBranchWeights(1 << 20, 1));
    b_.SetInsertPoint(told);
    tell(call, address);
    b_.CreateBr(seen);
    b_.SetInsertPoint(seen);
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
  // All addresses that the unit accesses lie in the site's window, aligned. Those of lanes that do not access
  // are looked at, too, where that costs less: then it is told what need not be.
  Value* is_inside(const Rep& address, uint64_t bytes) {
    Value* windows = weaver_.context_field(b_.getPtrTy(), offsetof(Context, windows), "windows");
    const auto field = [&](std::size_t offset) {
      Value* place =
          b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), windows, site_ * sizeof(observe::Window) + offset);
      auto* load = b_.CreateLoad(b_.getInt64Ty(), place);
      weaver_.mark(load, Weaver::frame_memory);
      return load;
    };
    Value *begin = field(offsetof(observe::Window, begin)), *size = field(offsetof(observe::Window, size));
    const uint64_t low_bits = std::bit_floor(bytes) - 1;
    return is_row(address.pattern, low_bits) ? rows_are_inside(address, begin, size, low_bits)
                                             : lanes_are_inside(address, begin, size, low_bits);
  }

  // The lanes' addresses lie between those of the first and the last ones, aligned as those are.
  static bool is_row(const Pattern& p, uint64_t low_bits) {
    constexpr int64_t most = int64_t{1} << 40;  // that no sum of them wraps
    const auto is_short = [&](int64_t step) {
      return step > -most && step < most && (static_cast<uint64_t>(step) & low_bits) == 0;
    };
    return p.stepped() && is_short(p.lane_step) && (p.kind != Pattern::affine || is_short(p.vector_step));
  }

  Value* rows_are_inside(const Rep& address, Value* begin, Value* size, uint64_t low_bits) {
    const Pattern& p = address.pattern;
    Value* all = b_.getTrue();
    const auto require = [&](Value* condition) { all = b_.CreateAnd(all, condition); };
    const bool one = p.kind == Pattern::affine;
    const int64_t lanes = p.lane_step * (weaver_.geometry.lanes - 1),
                  vectors = one ? p.vector_step * (unit_.vectors() - 1) : 0;
    const auto [lowest, highest] = std::minmax({int64_t{0}, lanes, vectors, lanes + vectors});
    for (unsigned j = 0; j < (one ? 1 : unit_.vectors()); ++j) {
      Value* first = weaver_.lanes.base(address, j);
      for (const int64_t offset : {lowest, highest}) {
        Value* place = b_.CreateAdd(first, b_.getInt64(static_cast<uint64_t>(offset)));
        require(b_.CreateICmpULT(b_.CreateSub(place, begin), size));
        if (lowest == highest) break;
      }
      if (low_bits >> std::min<unsigned>(p.zeros, 63) != 0)
        require(b_.CreateICmpEQ(b_.CreateAnd(first, low_bits), b_.getInt64(0)));
    }
    return all;
  }

  Value* lanes_are_inside(const Rep& address, Value* begin, Value* size, uint64_t low_bits) {
    const auto splat = [&](Value* one) { return b_.CreateVectorSplat(weaver_.geometry.lanes, one); };
    Value* wrong = nullptr;
    for (unsigned j = 0; j < unit_.vectors(); ++j) {
      Value* places = weaver_.lanes.vector(address, j);
      Value* out = b_.CreateICmpUGE(b_.CreateSub(places, splat(begin)), splat(size));
      if (low_bits != 0) {
        Value* odd = b_.CreateAnd(places, splat(b_.getInt64(low_bits)));
        out = b_.CreateOr(out, b_.CreateICmpNE(odd, llvm::Constant::getNullValue(odd->getType())));
      }
      if (unit_.masked()) out = b_.CreateAnd(out, unit_.mask(j));
      wrong = wrong == nullptr ? out : b_.CreateOr(wrong, out);
    }
    Value* bits = unit_.bits(wrong);
    return b_.CreateICmpEQ(bits, llvm::Constant::getNullValue(bits->getType()));
  }

  void tell(const llvm::CallInst& call, const Rep& address) {
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
