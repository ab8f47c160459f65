// What an observer is told by vector code: counts are kept in place, accesses told warp by warp.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "exec/jit/abi/watched_context.h"
#include "exec/jit/vectorize/unit.h"
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
    if_told([&] {
      for (unsigned w = 0; w < unit_.warps(); ++w)
        b_.CreateCall(tell, {weaver_.run, b_.getInt32(site_), unit_.warp_number(w), active(w)});
    });
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
    if (space == module::Space::param) return;  // not told
    if (weaver_.module.getModuleFlag(repeats_flag) != nullptr && RepeatKey::has_room(immediate(call, 1), 0))
      return count_repeats(call, address);
    if (weaver_.asks_who_is_told()) return if_told([&] { tell_outside_window(call, address, space); });
    tell_outside_window(call, address, space);
  }

  void tell_outside_window(const llvm::CallInst& call, const Rep& address, module::Space space) {
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

  // What is told of the unit's warps, where somebody wants it of one of them.
  template <class F>
  void if_told(F&& tell) {
    Value* place = weaver_.context_field(b_.getPtrTy(), offsetof(Context, told_warps), "told.warps");
    auto* warps = b_.CreateLoad(b_.getInt32Ty(), place);
    weaver_.mark(warps, Weaver::frame_memory);
    llvm::BasicBlock *told = weaver_.block("told"), *untold = weaver_.block("untold");
    Value* own = b_.CreateAnd(b_.CreateLShr(warps, unit_.warp_number(0)),
                              static_cast<uint32_t>((uint64_t{1} << unit_.warps()) - 1));
    b_.CreateCondBr(b_.CreateICmpEQ(own, b_.getInt32(0)), untold, told,
                    llvm::MDBuilder(b_.getContext()).createBranchWeights(1 << 20, 1));
    b_.SetInsertPoint(told);
    tell();
    b_.CreateBr(untold);
    b_.SetInsertPoint(untold);
  }

  // ---- accesses that repeat others are counted here (exec/jit/abi/repeats.h)

  void count_repeats(const llvm::CallInst& call, const Rep& address) {
    const Pattern& p = address.pattern;
    const auto wide = static_cast<int64_t>(weaver_.geometry.lanes);
    const bool is_row = p.kind == Pattern::affine &&
                        (warp_vectors_ == 1 || p.vector_step == p.lane_step * wide) &&
                        RepeatKey::has_room(0, p.lane_step);
    const RepeatKey key{.bytes = static_cast<uint32_t>(immediate(call, 1)),
                        .space = static_cast<uint32_t>(immediate(call, 2)),
                        .kind = static_cast<uint32_t>(immediate(call, 3)),
                        .lane_step = is_row ? p.lane_step : 0};
    const bool generic = static_cast<module::Space>(key.space) == module::Space::generic;
    if (!is_row) {
      for (unsigned w = 0; w < unit_.warps(); ++w) count_lanes(call, address, w, key.number(), generic);
      return;
    }
    Value* first = weaver_.lanes.base(address, 0U);
    const int64_t of_warp = p.vector_step * warp_vectors_;
    llvm::SmallVector<bool, 8> done(unit_.warps());
    for (unsigned w = 0; w < unit_.warps(); ++w) {
      if (done[w]) continue;
      // Whole warps that begin as far behind a multiple are counted at once.
      llvm::SmallVector<unsigned, 8> warps;
      for (unsigned other = w; other < unit_.warps(); ++other) {
        const auto apart = static_cast<uint64_t>(of_warp) * (other - w);
        if (other != w && (unit_.masked() || generic || apart % observe::repeat_bytes != 0)) continue;
        done[other] = true;
        warps.push_back(other);
      }
      count_row(call, address, warps, first, of_warp, key, generic);
    }
  }

  // The number of an entry among so many, a power of two, by `number` and the lanes.
  Value* entry_number(Value* number, Value* lanes, unsigned entries) {
    if (lanes != nullptr) {
      constexpr uint32_t golden = 0x9e3779b1;
      Value* mixed = b_.CreateLShr(b_.CreateMul(b_.CreateNot(lanes), b_.getInt32(golden)), 26);
      number = b_.CreateXor(number, b_.CreateZExt(mixed, b_.getInt64Ty()));
    }
    return b_.CreateAnd(number, b_.getInt64(entries - 1));
  }
  Value* entry_at(std::size_t offset, Value* number, std::size_t size) {
    Value* repeats = weaver_.context_field(b_.getPtrTy(), offsetof(WatchedContext, repeats), "repeats");
    Value* first =
        b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), repeats, site_ * sizeof(RepeatsOfSite) + offset);
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), first, b_.CreateMul(number, b_.getInt64(size)));
  }
  llvm::LoadInst* field_of(Value* entry, llvm::Type* type, std::size_t offset) {
    auto* load = b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), entry, offset));
    weaver_.mark(load, Weaver::frame_memory);
    return load;
  }

  // The warps' rows begin as far behind a multiple; `first`: where the unit's first one does.
  void count_row(const llvm::CallInst& call, const Rep& address, llvm::ArrayRef<unsigned> warps, Value* first,
                 int64_t of_warp, const RepeatKey& key, bool generic) {
    const unsigned w = warps[0];
    const auto base_of = [&](unsigned warp) {
      return b_.CreateAdd(first, b_.getInt64(static_cast<uint64_t>(of_warp) * warp));
    };
    Value* base = base_of(w);
    Value* lanes = unit_.masked() ? active(w) : nullptr;
    Value* entry =
        entry_at(offsetof(RepeatsOfSite, rows),
                 entry_number(b_.CreateLShr(base, repeat_shift), lanes, repeat_rows), sizeof(Repeat));
    Value* wanted = b_.CreateOr(b_.CreateAnd(base, observe::repeat_bytes - 1), key.number());
    Value* hit = b_.CreateICmpEQ(field_of(entry, b_.getInt64Ty(), offsetof(Repeat, key)), wanted);
    Value* in_window = nullptr;
    if (generic) {
      const int64_t last = key.lane_step * (observe::warp_lanes - 1);
      in_window = b_.CreateOr(is_in_window(base),
                              is_in_window(b_.CreateAdd(base, b_.getInt64(static_cast<uint64_t>(last)))));
    }
    Value* times = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), entry, offsetof(Repeat, times));
    count(call, address, w, {entry, times, hit, lanes, in_window}, static_cast<uint32_t>(warps.size()), [&] {
      llvm::Type *i32 = b_.getInt32Ty(), *i64 = b_.getInt64Ty(), *pointer = b_.getPtrTy();
      const auto tell = weaver_.helper("heddle_jit_observe_row", b_.getVoidTy(),
                                       {pointer, i32, pointer, i64, i64, i32, i32});
      for (const unsigned warp : warps)
        b_.CreateCall(tell, {weaver_.run, b_.getInt32(site_), entry, wanted, base_of(warp),
                             unit_.warp_number(warp), lanes == nullptr ? b_.getInt32(~0U) : lanes});
    });
  }

  void count_lanes(const llvm::CallInst& call, const Rep& address, unsigned w, uint64_t key, bool generic) {
    llvm::SmallVector<Value*, 4> places;
    for (unsigned j = 0; j < warp_vectors_; ++j)
      places.push_back(weaver_.lanes.vector(address, w * warp_vectors_ + j));
    Value *lanes = nullptr, *base = nullptr;
    llvm::AllocaInst* addresses = make_addresses();
    if (unit_.masked()) {
      // The first lane that is active; without any it is not looked at.
      lanes = active(w);
      store_addresses(addresses, places);
      Value* lane = b_.CreateAnd(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, lanes, b_.getFalse()),
                                 b_.getInt32(observe::warp_lanes - 1));
      auto* load = b_.CreateLoad(b_.getInt64Ty(), b_.CreateInBoundsGEP(b_.getInt64Ty(), addresses,
                                                                       b_.CreateZExt(lane, b_.getInt64Ty())));
      weaver_.mark(load, Weaver::frame_memory);
      base = load;
    } else {
      base = b_.CreateExtractElement(places[0], uint64_t{0});
    }
    constexpr uint64_t golden = 0x9e3779b97f4a7c15;
    constexpr unsigned upper = 56;  // bits that all of a product's lower ones go into
    Value* second = b_.CreateSub(b_.CreateExtractElement(places[0], uint64_t{1}),
                                 b_.CreateExtractElement(places[0], uint64_t{0}));
    Value* number = b_.CreateLShr(b_.CreateMul(second, b_.getInt64(golden)), upper);
    Value* entry = entry_at(offsetof(RepeatsOfSite, lanes), entry_number(number, lanes, repeats_of_lanes),
                            sizeof(RepeatOfLanes));
    Value* wanted = b_.CreateOr(b_.CreateAnd(base, (uint64_t{1} << repeat_shift) - 1), key);
    Value* hit = b_.CreateICmpEQ(field_of(entry, b_.getInt64Ty(), offsetof(Repeat, key)), wanted);
    Value *differ = nullptr, *in_window = nullptr;
    const auto add = [&](Value*& sum, Value* more) { sum = sum == nullptr ? more : b_.CreateOr(sum, more); };
    for (unsigned j = 0; j < warp_vectors_; ++j) {
      llvm::Type* type = places[j]->getType();
      auto* distances = field_of(
          entry, type, offsetof(RepeatOfLanes, distances) + j * weaver_.geometry.lanes * sizeof(uint64_t));
      distances->setAlignment(llvm::Align(8));
      Value* own = b_.CreateSub(places[j], b_.CreateVectorSplat(weaver_.geometry.lanes, base));
      Value* mask = unit_.mask(w * warp_vectors_ + j);
      const auto of_active = [&](Value* some) { return mask == nullptr ? some : b_.CreateAnd(some, mask); };
      add(differ, of_active(b_.CreateICmpNE(own, distances)));
      if (generic) add(in_window, of_active(is_in_window(places[j])));
    }
    const auto any = [&](Value* some) {
      Value* number = unit_.bits(some);
      return b_.CreateICmpNE(number, llvm::Constant::getNullValue(number->getType()));
    };
    hit = b_.CreateAnd(hit, b_.CreateNot(any(differ)));
    Value* place = b_.CreateAnd(b_.CreateLShr(base, repeat_shift), repeat_places - 1);
    Value* times = b_.CreateInBoundsGEP(
        b_.getInt64Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), entry, offsetof(RepeatOfLanes, times)),
        place);
    count(call, address, w, {entry, times, hit, lanes, generic ? any(in_window) : nullptr}, 1, [&] {
      if (!unit_.masked()) store_addresses(addresses, places);
      llvm::Type *i32 = b_.getInt32Ty(), *i64 = b_.getInt64Ty(), *pointer = b_.getPtrTy();
      const auto tell = weaver_.helper("heddle_jit_observe_lanes", b_.getVoidTy(),
                                       {pointer, i32, pointer, i64, i32, i32, pointer});
      b_.CreateCall(tell, {weaver_.run, b_.getInt32(site_), entry, wanted, unit_.warp_number(w),
                           lanes == nullptr ? b_.getInt32(~0U) : lanes, addresses});
    });
  }

  // What one warp's access, or several warps' at once, asks of its entry.
  struct Asked {
    Value *entry, *times, *hit;
    Value* lanes;      // nullptr: all
    Value* in_window;  // some lane's address lies in a window of generic addresses; nullptr: none does
  };
  template <class F>
  void count(const llvm::CallInst& call, const Rep& address, unsigned w, const Asked& asked, uint32_t warps,
             F&& miss) {
    // Code for whole warps looks at the lanes, too: masked code of the same site has the same entries.
    Value* own = asked.lanes == nullptr ? b_.getInt32(~0U) : asked.lanes;
    Value* hit = b_.CreateAnd(
        asked.hit, b_.CreateICmpEQ(field_of(asked.entry, b_.getInt32Ty(), offsetof(Repeat, lanes)), own));
    if (asked.in_window != nullptr) hit = b_.CreateAnd(hit, b_.CreateNot(asked.in_window));
    llvm::BasicBlock *repeated = weaver_.block("repeated"), *missed = weaver_.block("missed"),
                     *done = weaver_.block("counted");
    llvm::MDNode* often = llvm::MDBuilder(b_.getContext()).createBranchWeights(1 << 20, 1);
    b_.CreateCondBr(hit, repeated, missed, often);
    b_.SetInsertPoint(repeated);
    llvm::LoadInst* times = field_of(asked.times, b_.getInt64Ty(), 0);
    weaver_.mark(b_.CreateStore(b_.CreateAdd(times, b_.getInt64(warps)), asked.times), Weaver::frame_memory);
    b_.CreateBr(done);
    b_.SetInsertPoint(missed);
    if (asked.lanes != nullptr) {
      llvm::BasicBlock* some = weaver_.block("missed.some");
      b_.CreateCondBr(b_.CreateICmpNE(asked.lanes, b_.getInt32(0)), some, done);
      b_.SetInsertPoint(some);
    }
    if (asked.in_window != nullptr) {
      llvm::BasicBlock *inside = weaver_.block("in.window"), *outside = weaver_.block("in.global");
      b_.CreateCondBr(asked.in_window, inside, outside);
      b_.SetInsertPoint(inside);
      tell(call, address, w);
      b_.CreateBr(done);
      b_.SetInsertPoint(outside);
    }
    miss();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }

  // Of a generic address, or a vector of them: in shared or local memory, or among the parameters.
  Value* is_in_window(Value* address) {
    const WindowMap& map = weaver_.windows();
    const uint64_t begin = std::min({map.shared_base, map.local_base, map.param_base}),
                   end = std::max({map.shared_base + map.shared_bytes, map.local_base + map.local_bytes,
                                   map.param_base + map.param_bytes});
    llvm::Type* type = address->getType();
    return b_.CreateICmpULT(b_.CreateSub(address, llvm::ConstantInt::get(type, begin)),
                            llvm::ConstantInt::get(type, end - begin));
  }

  llvm::AllocaInst* make_addresses() {
    llvm::AllocaInst* addresses =
        weaver_.make_alloca(llvm::ArrayType::get(b_.getInt64Ty(), observe::warp_lanes), "addresses");
    addresses->setAlignment(llvm::Align(64));
    return addresses;
  }
  void store_addresses(llvm::AllocaInst* addresses, llvm::ArrayRef<Value*> places) {
    for (unsigned j = 0; j < places.size(); ++j) {
      Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), addresses, j * weaver_.geometry.lanes);
      weaver_.mark(b_.CreateStore(places[j], place), Weaver::frame_memory);
    }
  }

  void tell(const llvm::CallInst& call, const Rep& address) {
    for (unsigned w = 0; w < unit_.warps(); ++w) tell(call, address, w);
  }

  void tell(const llvm::CallInst& call, const Rep& address, unsigned w) {
    llvm::Type *i32 = b_.getInt32Ty(), *pointer = b_.getPtrTy();
    const auto tell = weaver_.helper("heddle_jit_observe", b_.getVoidTy(),
                                     {pointer, i32, i32, i32, i32, i32, i32, pointer});
    llvm::AllocaInst* addresses = make_addresses();
    llvm::SmallVector<Value*, 4> places;
    for (unsigned j = 0; j < warp_vectors_; ++j)
      places.push_back(weaver_.lanes.vector(address, w * warp_vectors_ + j));
    store_addresses(addresses, places);
    b_.CreateCall(tell, {weaver_.run, b_.getInt32(site_), call.getArgOperand(1), call.getArgOperand(2),
                         call.getArgOperand(3), unit_.warp_number(w), active(w), addresses});
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
