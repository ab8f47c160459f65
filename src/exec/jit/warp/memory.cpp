// Loads and stores: which form an access takes.
//
// In order of preference: one scalar for all lanes; one a vector; whole vectors where neighbours lie side by
// side, proved or found at run time; lane by lane. Stores go in descending order, so the first active lane
// wins where several store to one place, as in the reference executor.
#include "exec/jit/warp/memory.h"

#include <bit>
#include <cstddef>

#include "exec/jit/context.h"
#include "exec/jit/machine/code.h"
#include "exec/jit/warp/stream.h"
#include "llvm/IR/InlineAsm.h"

namespace heddle::exec::jit {

using llvm::Value;
using module::Space;

Access::Access(Unit& unit, const llvm::CallInst& call, const Rep& address, llvm::Type* element,
               unsigned elements)
    : unit_(unit),
      weaver_(unit.weaver()),
      b_(weaver_.builder),
      lanes_(weaver_.lanes),
      call_(call),
      space_(static_cast<Space>(immediate(call, 1))),
      address_(address),
      element_(element),
      elements_(elements),
      element_bytes_(element->getScalarSizeInBits() / 8),
      strong_((immediate(call, 2) & access_strong) != 0 && space_ != Space::shared && space_ != Space::local),
      run_((immediate(call, 2) & access_run) != 0) {
  if (space_ == Space::shared) weaver_.uses_shared = true;
}

Value* Access::host(Value* address) const {
  switch (space_) {
    case Space::shared:
      // The window behind shared memory is 4 GiB of nothing: no address may lead beyond it.
      return b_.CreateGEP(b_.getInt8Ty(), weaver_.shared,
                          b_.CreateAnd(address, llvm::ConstantInt::get(address->getType(), 0xffffffff)));
    case Space::param: return b_.CreateGEP(b_.getInt8Ty(), weaver_.parameters, address);
    default: return b_.CreateIntToPtr(address, address->getType()->getWithNewType(b_.getPtrTy()));
  }
}

// Lane 0 of a row of lanes `step` bytes apart. Where it takes no part, its address may lie before the window:
// the first lane that does leads there.
Value* Access::host_of_row(Value* base, unsigned j, uint64_t step) const {
  if (space_ != Space::shared || !unit_.masked()) return host(base);
  Value* active = unit_.bits(unit_.mask(j));
  Value* lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, active, b_.getFalse());
  Value* ahead = b_.CreateMul(b_.CreateZExt(lane, b_.getInt64Ty()), b_.getInt64(step));
  return b_.CreateGEP(b_.getInt8Ty(), host(b_.CreateAdd(base, ahead)), b_.CreateNeg(ahead));
}

void Access::settle(llvm::Instruction* access, unsigned column, unsigned element) const {
  switch (space_) {
    case Space::generic: break;
    case Space::shared: weaver_.mark(access, Weaver::shared_memory); break;
    case Space::local: weaver_.mark(access, Weaver::local_memory); break;
    case Space::param: weaver_.mark(access, Weaver::frame_memory); break;
    default: weaver_.mark(access, Weaver::global_memory); break;
  }
  weaver_.locate(access, call_, column, run_ ? element : 0);
  weaver_.come_from(call_, column);
}

llvm::LoadInst* Access::load(llvm::Type* type, Value* pointer, unsigned column, unsigned element) const {
  auto* access = b_.CreateAlignedLoad(type, pointer, llvm::Align(element_bytes_), strong_);
  settle(access, column, element);
  return access;
}
llvm::StoreInst* Access::store(Value* value, Value* pointer, unsigned column) const {
  auto* access = b_.CreateAlignedStore(value, pointer, llvm::Align(element_bytes_), strong_);
  settle(access, column);
  return access;
}

uint32_t Access::site() const {
  return call_.getDebugLoc() ? call_.getDebugLoc().getLine() - 1 : 0xffffffffu;
}

// ---- alignment: PTX faults where x86 does not ------------------------------------------------------------

bool Access::is_aligned() const {
  const Pattern& p = address_.pattern;
  const auto multiple = [&](int64_t step) { return step % static_cast<int64_t>(aligned_bytes()) == 0; };
  return p.zeros >= static_cast<unsigned>(std::countr_zero(aligned_bytes())) &&
         (p.kind == Pattern::vector || (multiple(p.lane_step) && multiple(p.vector_step)));
}

// Lanes of one vector have their address's low bits in common.
bool Access::lanes_alike() const {
  const Pattern& p = address_.pattern;
  const auto multiple = [&](int64_t step) { return step % static_cast<int64_t>(aligned_bytes()) == 0; };
  return p.stepped() && multiple(p.lane_step) && multiple(p.vector_step);
}

void Access::check_alignment(bool write) {
  if (is_aligned()) return;
  llvm::BasicBlock* bad = weaver_.block("misaligned");
  llvm::BasicBlock* good = weaver_.block("aligned");
  Value* low = b_.getInt64(aligned_bytes() - 1);
  if (lanes_alike()) {
    Value* all = address_.parts[0];
    for (unsigned j = 1; j < address_.parts.size(); ++j) all = b_.CreateOr(all, address_.parts[j]);
    if (unit_.masked() && address_.parts.size() > 1) {  // vectors without a lane do not count
      all = b_.getInt64(0);
      for (unsigned j = 0; j < address_.parts.size(); ++j)
        all = b_.CreateOr(all, b_.CreateSelect(unit_.any_of(j), address_.parts[j], b_.getInt64(0)));
    }
    likely(b_.CreateICmpEQ(b_.CreateAnd(all, low), b_.getInt64(0)), good, bad);
    b_.SetInsertPoint(bad);
    report_misaligned_vector(write);
  } else {
    Value* wrong = nullptr;
    for (unsigned j = 0; j < unit_.vectors(); ++j) {
      Value* lanes = misaligned(j);
      wrong = wrong == nullptr ? lanes : b_.CreateOr(wrong, lanes);
    }
    likely(b_.CreateICmpEQ(unit_.bits(wrong), llvm::ConstantInt::get(b_.getIntNTy(lanes_.lanes()), 0)), good,
           bad);
    b_.SetInsertPoint(bad);
    report_misaligned(write);
  }
  b_.SetInsertPoint(good);
}

Value* Access::misaligned(unsigned j) const {
  Value* vector = lanes_.vector(address_, j);
  Value* low = llvm::ConstantInt::get(vector->getType(), aligned_bytes() - 1);
  Value* wrong = b_.CreateICmpNE(b_.CreateAnd(vector, low), llvm::Constant::getNullValue(vector->getType()));
  return unit_.masked()
             ? b_.CreateSelect(unit_.mask(j), wrong, llvm::Constant::getNullValue(wrong->getType()))
             : wrong;
}

Value* Access::load_alone(Value* address) {
  if (!is_aligned()) {
    llvm::BasicBlock *bad = weaver_.block("misaligned"), *good = weaver_.block("aligned");
    likely(b_.CreateICmpEQ(b_.CreateAnd(address, b_.getInt64(aligned_bytes() - 1)), b_.getInt64(0)), good,
           bad);
    b_.SetInsertPoint(bad);
    Value* lane = weaver_.context_field(b_.getInt32Ty(), offsetof(Context, lane), "lane");
    fault_misaligned(unit_.thread_of(0, lane), address, false);
    b_.CreateUnreachable();
    b_.SetInsertPoint(good);
  }
  return load(element_, host(address), column_noted);
}

void Access::fault_misaligned(Value* thread, Value* address, bool write) {
  llvm::Type* i32 = b_.getInt32Ty();
  auto callee = weaver_.helper("heddle_jit_fault", b_.getVoidTy(),
                               {b_.getPtrTy(), i32, i32, i32, b_.getInt64Ty(), i32, i32, i32}, false);
  b_.CreateCall(callee, {weaver_.run, b_.getInt32(site()),
                         b_.getInt32(static_cast<uint32_t>(FaultKind::misaligned_address)), thread, address,
                         b_.getInt32(static_cast<uint32_t>(aligned_bytes())), b_.getInt32(write),
                         b_.getInt32(static_cast<uint32_t>(space_))});
}

// Which lane it was: slow, never returns.
void Access::report_misaligned(bool write) {
  for (unsigned j = 0; j < unit_.vectors(); ++j) {
    Value* lanes = unit_.bits(misaligned(j));
    llvm::BasicBlock *here = weaver_.block("fault"), *next = weaver_.block("next");
    b_.CreateCondBr(b_.CreateICmpNE(lanes, llvm::ConstantInt::get(lanes->getType(), 0)), here, next);
    b_.SetInsertPoint(here);
    Value* lane =
        b_.CreateZExt(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, lanes, b_.getTrue()), b_.getInt32Ty());
    fault_misaligned(unit_.thread_of(j, lane), b_.CreateExtractElement(lanes_.vector(address_, j), lane),
                     write);
    b_.CreateUnreachable();
    b_.SetInsertPoint(next);
  }
  b_.CreateUnreachable();
}

// The same where lanes are alike: of the first vector that is misaligned the first lane. Every access has
// this code, so that it is short.
void Access::report_misaligned_vector(bool write) {
  const bool vectors_alike = address_.parts.size() == 1;
  const unsigned vectors = vectors_alike && !unit_.masked() ? 1 : unit_.vectors();
  for (unsigned j = 0; j < vectors; ++j) {
    Value* base = lanes_.base(address_, j);
    const bool last = j + 1 == vectors;
    llvm::BasicBlock* next = last ? nullptr : weaver_.block("next");
    if (!last) {
      Value* wrong = unit_.any_of(j);
      if (!vectors_alike) {
        Value* rest = b_.CreateAnd(base, b_.getInt64(aligned_bytes() - 1));
        wrong = b_.CreateAnd(wrong, b_.CreateICmpNE(rest, b_.getInt64(0)));
      }
      llvm::BasicBlock* here = weaver_.block("fault");
      b_.CreateCondBr(wrong, here, next);
      b_.SetInsertPoint(here);
    }
    Value* lane = b_.getInt32(0);
    if (unit_.masked()) {
      Value* active = unit_.bits(unit_.mask(j));
      lane = b_.CreateZExt(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, active, b_.getTrue()),
                           b_.getInt32Ty());
    }
    Value* step = b_.CreateMul(b_.CreateZExt(lane, b_.getInt64Ty()),
                               b_.getInt64(static_cast<uint64_t>(address_.pattern.lane_step)));
    fault_misaligned(unit_.thread_of(j, lane), b_.CreateAdd(base, step), write);
    b_.CreateUnreachable();
    if (!last) b_.SetInsertPoint(next);
  }
}

void Access::likely(Value* condition, llvm::BasicBlock* yes, llvm::BasicBlock* no) const {
  auto* branch = b_.CreateCondBr(condition, yes, no);
  branch->setMetadata(
      llvm::LLVMContext::MD_prof,
      llvm::MDNode::get(weaver_.context, {llvm::MDString::get(weaver_.context, "branch_weights"),
                                          llvm::ConstantAsMetadata::get(b_.getInt32(2000)),
                                          llvm::ConstantAsMetadata::get(b_.getInt32(1))}));
}

// ---- where local and generic addresses are ---------------------------------------------------------------

// Local memory of the lanes' threads.
Value* Access::local_places(unsigned j) const {
  Value* first = b_.CreateZExt(unit_.thread_of(j, b_.getInt32(0)), b_.getInt64Ty());
  Value* base = b_.CreateAdd(b_.CreatePtrToInt(weaver_.local, b_.getInt64Ty()),
                             b_.CreateMul(first, weaver_.local_stride));
  llvm::SmallVector<llvm::Constant*, 16> numbers;
  for (unsigned lane = 0; lane < lanes_.lanes(); ++lane) numbers.push_back(b_.getInt64(lane));
  Value* strides = b_.CreateVectorSplat(lanes_.lanes(), weaver_.local_stride);
  return b_.CreateAdd(b_.CreateVectorSplat(lanes_.lanes(), base),
                      b_.CreateMul(strides, llvm::ConstantVector::get(numbers)));
}

// Generic addresses of the windows become host addresses, lane by lane; rare.
Value* Access::resolved(unsigned j, bool write) const {
  Value* addresses = lanes_.vector(address_, j);
  llvm::Type* type = addresses->getType();
  const WindowMap& map = weaver_.windows();
  const uint64_t low = std::min({map.shared_base, map.local_base, map.param_base});
  const uint64_t high = std::max({map.shared_base + map.shared_bytes, map.local_base + map.local_bytes,
                                  map.param_base + map.param_bytes});
  Value* inside = b_.CreateICmpULT(b_.CreateSub(addresses, llvm::ConstantInt::get(type, low)),
                                   llvm::ConstantInt::get(type, high - low));
  if (unit_.masked())
    inside = b_.CreateSelect(unit_.mask(j), inside, llvm::Constant::getNullValue(inside->getType()));
  Value* lanes = unit_.bits(inside);
  llvm::BasicBlock *from = b_.GetInsertBlock(), *loop = weaver_.block("resolve"),
                   *done = weaver_.block("resolved");
  llvm::AllocaInst* array = weaver_.make_alloca(type, "addresses");
  b_.CreateStore(addresses, array);
  Value* zero = llvm::ConstantInt::get(lanes->getType(), 0);
  likely(b_.CreateICmpEQ(lanes, zero), done, loop);
  b_.SetInsertPoint(loop);
  auto* rest = b_.CreatePHI(lanes->getType(), 2);
  rest->addIncoming(lanes, from);
  Value* lane =
      b_.CreateZExt(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, b_.getTrue()), b_.getInt32Ty());
  Value* place = b_.CreateInBoundsGEP(b_.getInt64Ty(), array, lane);
  llvm::Type* i32 = b_.getInt32Ty();
  auto callee = weaver_.helper("heddle_jit_resolve", b_.getPtrTy(),
                               {b_.getPtrTy(), b_.getInt64Ty(), i32, i32, i32, i32});
  Value* found = b_.CreateCall(
      callee, {weaver_.run, b_.CreateLoad(b_.getInt64Ty(), place), unit_.thread_of(j, lane),
               b_.getInt32(static_cast<uint32_t>(bytes())), b_.getInt32(write), b_.getInt32(site())});
  b_.CreateStore(b_.CreatePtrToInt(found, b_.getInt64Ty()), place);
  Value* next = b_.CreateAnd(rest, b_.CreateSub(rest, llvm::ConstantInt::get(rest->getType(), 1)));
  rest->addIncoming(next, loop);
  b_.CreateCondBr(b_.CreateICmpNE(next, zero), loop, done);
  b_.SetInsertPoint(done);
  return b_.CreateLoad(type, array);
}

// Addresses of the lanes for an access lane by lane, ready for host().
Value* Access::places(unsigned j, bool write) const {
  if (space_ == Space::local) return b_.CreateAdd(local_places(j), lanes_.vector(address_, j));
  if (space_ == Space::generic) return resolved(j, write);
  return lanes_.vector(address_, j);
}

// Side by side, seen at run time: every active lane where lane 0 says it should be.
Value* Access::contiguous(Value* places, unsigned j) const {
  Value* first = b_.CreateExtractElement(places, uint64_t{0});
  Value* equal = b_.CreateICmpEQ(places, lanes_.spread(first, static_cast<int64_t>(side_by_side_bytes())));
  if (unit_.masked()) equal = b_.CreateSelect(unit_.mask(j), equal, unit_.full_mask());
  Value* number = unit_.bits(equal);
  Value* all = b_.CreateICmpEQ(number, llvm::Constant::getAllOnesValue(number->getType()));
  // A masked access without a lane, at an address of nobody, is very slow where the page is not there.
  return unit_.masked() ? b_.CreateAnd(all, unit_.any_of(j)) : all;
}

// ---- lane by lane ----------------------------------------------------------------------------------------

void Access::each_lane(unsigned j, const std::function<void(Value* lane)>& body) const {
  each_lane(j, false, body);
}

void Access::each_lane_from_last(unsigned j, const std::function<void(Value* lane)>& body) const {
  each_lane(j, true, body);
}

void Access::each_lane(unsigned j, bool from_last, const std::function<void(Value* lane)>& body) const {
  llvm::Type* type = b_.getIntNTy(lanes_.lanes());
  Value* all = unit_.masked() ? unit_.bits(unit_.mask(j)) : llvm::Constant::getAllOnesValue(type);
  llvm::BasicBlock *from = b_.GetInsertBlock(), *loop = weaver_.block("lane"), *done = weaver_.block("lanes");
  Value* zero = llvm::ConstantInt::get(type, 0);
  if (unit_.masked())
    b_.CreateCondBr(b_.CreateICmpNE(all, zero), loop, done);
  else
    b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  auto* rest = b_.CreatePHI(type, 2);
  rest->addIncoming(all, from);
  Value* one = llvm::ConstantInt::get(type, 1);
  Value* number =
      b_.CreateBinaryIntrinsic(from_last ? llvm::Intrinsic::ctlz : llvm::Intrinsic::cttz, rest, b_.getTrue());
  if (from_last) number = b_.CreateSub(llvm::ConstantInt::get(type, lanes_.lanes() - 1), number);
  body(b_.CreateZExt(number, b_.getInt32Ty()));
  Value* next =
      from_last ? b_.CreateXor(rest, b_.CreateShl(one, number)) : b_.CreateAnd(rest, b_.CreateSub(rest, one));
  rest->addIncoming(next, b_.GetInsertBlock());
  auto* branch = b_.CreateCondBr(b_.CreateICmpNE(next, zero), loop, done);
  branch->setMetadata(llvm::LLVMContext::MD_loop, weaver_.no_unroll());
  b_.SetInsertPoint(done);
}

void Access::note_lane(unsigned j, Value* lane) const {
  weaver_.store_context_field(b_.CreateAdd(lane, b_.getInt32(j * lanes_.lanes())), offsetof(Context, lane));
}

// Under a mask one gather is cheaper than going through the lanes; without one that depends on the processor,
// but it is less to compile.
bool Access::gathers() const {
  return weaver_.level == VectorLevel::avx512 && !strong_ && (element_bytes_ == 4 || element_bytes_ == 8) &&
         (unit_.masked() || weaver_.brief || (weaver_.gathers && space_ == Space::shared));
}

bool Access::scatters() const { return gathers() && elements_ == 1; }

Value* Access::gather_mask(unsigned j) const { return unit_.masked() ? unit_.mask(j) : unit_.full_mask(); }

unsigned Access::column_of_places(unsigned j) const {
  return (unit_.masked() ? gathered_column : all_gathered_column) + j * lanes_.lanes();
}

// Of all lanes at once; a fault looks them up in the context.
Value* Access::pointers(Value* places) const {
  Value* all = host(places);
  note_places(all);
  return all;
}

// What a fault reads must be there when the access is made: nothing in the program reads it.
void Access::note_places(Value* all) const {
  fence();
  weaver_.store_context_field(b_.CreatePtrToInt(all, lanes_.vector_type(b_.getInt64Ty())),
                              offsetof(Context, addresses));
  fence();
}

void Access::fence() const {
  auto* nothing = llvm::InlineAsm::get(llvm::FunctionType::get(b_.getVoidTy(), false), "", "~{memory}", true);
  b_.CreateCall(nothing);
}

llvm::SmallVector<Value*, 4> Access::load_lanes(unsigned j, Value* places) const {
  llvm::SmallVector<Value*, 4> result;
  llvm::FixedVectorType* type = lanes_.vector_type(element_);
  if (has_pieces()) return load_pieces(j, places);
  if (!unit_.masked() && !gathers()) {
    for (unsigned e = 0; e < elements_; ++e) result.push_back(llvm::PoisonValue::get(type));
    for (unsigned lane = 0; lane < lanes_.lanes(); ++lane) {
      Value* pointer = host(b_.CreateExtractElement(places, lane));
      for (unsigned e = 0; e < elements_; ++e)
        result[e] =
            b_.CreateInsertElement(result[e], load(element_, part(pointer, e), column(j, lane), e), lane);
    }
    return result;
  }
  if (gathers()) {
    Value* all = pointers(places);
    for (unsigned e = 0; e < elements_; ++e) {
      Value* here = part(all, e);
      if (run_ && e != 0) note_places(here);
      auto* access = b_.CreateMaskedGather(type, here, llvm::Align(element_bytes_), gather_mask(j),
                                           llvm::Constant::getNullValue(type));
      settle(access, column_of_places(j), e);
      result.push_back(access);
    }
    return result;
  }
  llvm::AllocaInst* addresses = weaver_.make_alloca(places->getType(), "places");
  b_.CreateStore(places, addresses);
  llvm::SmallVector<llvm::AllocaInst*, 4> arrays;
  for (unsigned e = 0; e < elements_; ++e) {
    arrays.push_back(weaver_.make_alloca(type, "loaded"));
    b_.CreateStore(llvm::Constant::getNullValue(type), arrays.back());
  }
  each_lane(j, [&](Value* lane) {
    note_lane(j, lane);
    Value* pointer =
        host(b_.CreateLoad(b_.getInt64Ty(), b_.CreateInBoundsGEP(b_.getInt64Ty(), addresses, lane)));
    for (unsigned e = 0; e < elements_; ++e)
      b_.CreateStore(load(element_, part(pointer, e), column_noted, e),
                     b_.CreateInBoundsGEP(element_, arrays[e], lane));
  });
  for (llvm::AllocaInst* array : arrays) result.push_back(b_.CreateLoad(type, array));
  return result;
}

// No two lanes of a vector store to one byte.
bool Access::lanes_lie_apart() const {
  const Pattern& p = address_.pattern;
  return p.stepped() && static_cast<uint64_t>(std::abs(p.lane_step)) >= bytes();
}

void Access::store_lanes(unsigned j, Value* places, llvm::ArrayRef<Value*> values) const {
  if (!unit_.masked() && !scatters()) {
    for (unsigned rest = lanes_.lanes(); rest > 0; --rest) {
      const unsigned lane = rest - 1;
      Value* pointer = host(b_.CreateExtractElement(places, lane));
      for (unsigned e = 0; e < elements_; ++e)
        store(b_.CreateExtractElement(values[e], lane), part(pointer, e), column(j, lane));
    }
    return;
  }
  if (scatters()) {  // they go in ascending order, the last one wins
    Value *value = values[0], *to = pointers(places), *mask = gather_mask(j);
    if (!lanes_lie_apart()) {
      value = b_.CreateVectorReverse(value);
      to = b_.CreateVectorReverse(to);
      mask = b_.CreateVectorReverse(mask);
    }
    settle(b_.CreateMaskedScatter(value, to, llvm::Align(element_bytes_), mask), column_of_places(j));
    return;
  }
  llvm::AllocaInst* addresses = weaver_.make_alloca(places->getType(), "places");
  b_.CreateStore(places, addresses);
  llvm::SmallVector<llvm::AllocaInst*, 4> arrays;
  for (Value* value : values) {
    arrays.push_back(weaver_.make_alloca(value->getType(), "stored"));
    b_.CreateStore(value, arrays.back());
  }
  each_lane_from_last(j, [&](Value* lane) {
    note_lane(j, lane);
    Value* pointer =
        host(b_.CreateLoad(b_.getInt64Ty(), b_.CreateInBoundsGEP(b_.getInt64Ty(), addresses, lane)));
    for (unsigned e = 0; e < elements_; ++e)
      store(b_.CreateLoad(element_, b_.CreateInBoundsGEP(element_, arrays[e], lane)), part(pointer, e),
            column_noted);
  });
}

Value* Access::part(Value* pointer, unsigned e) const {
  return e == 0 ? pointer : b_.CreateGEP(b_.getInt8Ty(), pointer, b_.getInt64(e * element_bytes_));
}

// ---- side by side ----------------------------------------------------------------------------------------

// Elements of vector accesses lie interleaved: lane 0's, then lane 1's.
llvm::SmallVector<Value*, 4> Access::load_row(unsigned j, Value* pointer) const {
  llvm::SmallVector<Value*, 4> result;
  if (is_spaced()) return {load_spaced(pointer, j)};
  const unsigned n = lanes_.lanes();
  const unsigned where = Weaver::column_contiguous + j * n;
  if (elements_ == 1) {
    llvm::FixedVectorType* type = lanes_.vector_type(element_);
    if (!unit_.masked()) return {load(type, pointer, where)};
    auto* access = b_.CreateMaskedLoad(type, pointer, llvm::Align(element_bytes_), unit_.mask(j),
                                       llvm::Constant::getNullValue(type));
    settle(access, where);
    return {access};
  }
  auto* wide = load(llvm::FixedVectorType::get(element_, n * elements_), pointer, where);
  for (unsigned e = 0; e < elements_; ++e) {
    llvm::SmallVector<int, 16> pick;
    for (unsigned lane = 0; lane < n; ++lane) pick.push_back(static_cast<int>(lane * elements_ + e));
    result.push_back(b_.CreateShuffleVector(wide, pick));
  }
  return result;
}

void Access::store_row(unsigned j, Value* pointer, llvm::ArrayRef<Value*> values) const {
  const unsigned n = lanes_.lanes();
  const unsigned where = Weaver::column_contiguous + j * n;
  if (elements_ == 1) {
    if (!unit_.masked()) {
      store_vector(values[0], pointer, where);
    } else {
      settle(b_.CreateMaskedStore(values[0], pointer, llvm::Align(element_bytes_), unit_.mask(j)), where);
    }
    return;
  }
  llvm::SmallVector<Value*, 4> joined(values.begin(), values.end());
  while (joined.size() > 1) {
    llvm::SmallVector<Value*, 4> pairs;
    for (std::size_t i = 0; i < joined.size(); i += 2) {
      const unsigned size = llvm::cast<llvm::FixedVectorType>(joined[i]->getType())->getNumElements();
      llvm::SmallVector<int, 32> both;
      for (unsigned k = 0; k < 2 * size; ++k) both.push_back(static_cast<int>(k));
      pairs.push_back(b_.CreateShuffleVector(joined[i], joined[i + 1], both));
    }
    joined = pairs;
  }
  llvm::SmallVector<int, 64> order;
  for (unsigned lane = 0; lane < n; ++lane)
    for (unsigned e = 0; e < elements_; ++e) order.push_back(static_cast<int>(e * n + lane));
  store_vector(b_.CreateShuffleVector(joined[0], order), pointer, where);
}

// Whole lines may go past the caches, where they begin at one.
void Access::store_vector(Value* value, Value* pointer, unsigned column) const {
  const uint64_t row = bytes() * lanes_.lanes();
  const uint64_t group = row * unit_.vectors();
  const Pattern& p = address_.pattern;
  if (weaver_.streams == nullptr || !may_stream(call_) || !std::has_single_bit(row) || row < 16 ||
      group < 64 || p.kind != Pattern::affine || p.vector_step != static_cast<int64_t>(row)) {
    store(value, pointer, column);
    return;
  }
  llvm::BasicBlock *stream = weaver_.block("stream"), *cached = weaver_.block("cached"),
                   *done = weaver_.block("stored");
  Value* low =
      b_.CreateAnd(b_.CreatePtrToInt(pointer, b_.getInt64Ty()), b_.getInt64(std::min<uint64_t>(row, 64) - 1));
  b_.CreateCondBr(b_.CreateAnd(weaver_.streams, b_.CreateICmpEQ(low, b_.getInt64(0))), stream, cached);
  b_.SetInsertPoint(stream);
  auto* access = b_.CreateAlignedStore(value, pointer, llvm::Align(std::min<uint64_t>(row, 64)));
  access->setMetadata(llvm::LLVMContext::MD_nontemporal,
                      llvm::MDNode::get(weaver_.context, {llvm::ConstantAsMetadata::get(b_.getInt32(1))}));
  settle(access, column);
  b_.CreateBr(done);
  b_.SetInsertPoint(cached);
  store(value, pointer, column);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

// Bytes, or halves, at the beginning of words that lie side by side: whole words are loaded, none of which
// reaches into a page that its first byte is not in.
bool Access::is_spaced() const {
  const Pattern& p = address_.pattern;
  const auto step = static_cast<uint64_t>(p.lane_step);
  return space_ != Space::local && space_ != Space::generic && !strong_ && elements_ == 1 && p.stepped() &&
         element_->isIntegerTy() && (step == 2 || step == 4 || step == 8) && step > element_bytes_ &&
         p.zeros >= static_cast<unsigned>(std::countr_zero(step)) && p.vector_step % p.lane_step == 0;
}

Value* Access::load_spaced(Value* pointer, unsigned j) const {
  const auto step = static_cast<unsigned>(address_.pattern.lane_step);
  llvm::FixedVectorType* words = lanes_.vector_type(b_.getIntNTy(8 * step));
  const unsigned where =
      spaced_column + static_cast<unsigned>(std::countr_zero(step)) * spaced_lanes + j * lanes_.lanes();
  llvm::Instruction* access =
      unit_.masked()
          ? static_cast<llvm::Instruction*>(b_.CreateMaskedLoad(
                words, pointer, llvm::Align(step), unit_.mask(j), llvm::Constant::getNullValue(words)))
          : b_.CreateAlignedLoad(words, pointer, llvm::Align(step));
  settle(access, where);
  return b_.CreateTrunc(access, lanes_.vector_type(element_));
}

bool Access::rows_are_possible() const {
  return (elements_ == 1 && !(strong_ && unit_.masked())) ||
         (!unit_.masked() && std::has_single_bit(elements_));
}

// ---- one scalar for all ----------------------------------------------------------------------------------

unsigned Access::column_of_all(unsigned j) const { return unit_.masked() ? active_column : column(j, 0); }

Value* Access::safe(Value* pointer, unsigned j) const {
  if (!unit_.masked()) return pointer;
  return b_.CreateSelect(unit_.any_of(j), pointer, dummy());
}

Value* Access::dummy() const {
  return weaver_.make_alloca(llvm::ArrayType::get(b_.getInt64Ty(), 8), "nowhere");
}

// ---- the whole access ------------------------------------------------------------------------------------

void Access::load_all() {
  check_alignment(false);
  const Pattern& p = address_.pattern;
  const bool plain = space_ != Space::local && space_ != Space::generic;
  llvm::SmallVector<Rep, 4> results(elements_, Rep{unit_.patterns().of(&call_), {}});
  if (plain && p.lane_uniform()) {
    for (unsigned j = 0; j < address_.parts.size(); ++j) {
      Value* pointer = host(address_.parts[j]);
      if (p.kind != Pattern::affine) pointer = safe(pointer, j);
      const unsigned where = column_of_all(j);
      for (unsigned e = 0; e < elements_; ++e)
        results[e].parts.push_back(load(element_, part(pointer, e), where, e));
    }
    if (p.kind == Pattern::affine && !p.uniform()) {  // one address a vector, a known distance apart
      for (Rep& result : results) result.parts.clear();
      for (unsigned j = 0; j < unit_.vectors(); ++j) {
        Value* pointer = safe(host(lanes_.base(address_, j)), j);
        const unsigned where = column_of_all(j);
        for (unsigned e = 0; e < elements_; ++e)
          results[e].parts.push_back(load(element_, part(pointer, e), where, e));
      }
    }
    return finish(std::move(results));
  }
  if (has_row_tiles()) return load_row_tiles();
  const bool proved = plain && p.stepped() && p.lane_step == static_cast<int64_t>(bytes());
  const bool pieces = run_ && !unit_.masked() && !(proved && elements_ <= 4);
  llvm::SmallVector<Value*, 16> runs;
  for (unsigned j = 0; pieces && j < unit_.vectors(); ++j) runs.push_back(places(j, false));
  if (pieces) note_runs(runs);
  for (unsigned j = 0; j < unit_.vectors(); ++j) {
    llvm::SmallVector<Value*, 4> loaded;
    if (pieces) {
      loaded = p.stepped() ? load_pieces(j, runs[j]) : load_run(j, runs[j]);
    } else if (run_ && !unit_.masked()) {
      loaded = load_run_row(j, host(lanes_.base(address_, j)));
    } else if (is_spaced() || (proved && rows_are_possible())) {
      loaded = guarded_row(j);
    } else {
      Value* where = places(j, false);
      loaded = plain || space_ == Space::generic ? row_or_lanes(j, where) : load_lanes(j, where);
    }
    for (unsigned e = 0; e < elements_; ++e) results[e].parts.push_back(loaded[e]);
  }
  finish(std::move(results));
}

// A masked load with an empty mask is slow where the page is not there: around it.
llvm::SmallVector<Value*, 4> Access::guarded_row(unsigned j) {
  Value* pointer =
      host_of_row(lanes_.base(address_, j), j, static_cast<uint64_t>(address_.pattern.lane_step));
  if (!unit_.masked()) return load_row(j, pointer);
  llvm::BasicBlock *from = b_.GetInsertBlock(), *some = weaver_.block("some"), *done = weaver_.block("row");
  b_.CreateCondBr(unit_.any_of(j), some, done);
  b_.SetInsertPoint(some);
  auto loaded = load_row(j, pointer);
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  for (Value*& value : loaded) {
    auto* both = b_.CreatePHI(value->getType(), 2);
    both->addIncoming(value, end);
    both->addIncoming(llvm::Constant::getNullValue(value->getType()), from);
    value = both;
  }
  return loaded;
}

// No need to see at run time whether lanes lie side by side.
bool Access::apart() const {
  const Pattern& p = address_.pattern;
  if (weaver_.brief && unit_.masked() && gathers()) return true;  // a gather does both
  return p.stepped() && p.lane_step != static_cast<int64_t>(side_by_side_bytes());
}

llvm::SmallVector<Value*, 4> Access::row_or_lanes(unsigned j, Value* where) {
  if (!rows_are_possible() || element_bytes_ < 4 || apart()) return load_lanes(j, where);
  llvm::BasicBlock *row = weaver_.block("row"), *single = weaver_.block("single"),
                   *done = weaver_.block("loaded");
  b_.CreateCondBr(contiguous(where, j), row, single);
  b_.SetInsertPoint(row);
  auto rows = load_row(j, host_of_row(b_.CreateExtractElement(where, uint64_t{0}), j, side_by_side_bytes()));
  llvm::BasicBlock* row_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(single);
  auto singles = load_lanes(j, where);
  llvm::BasicBlock* single_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::SmallVector<Value*, 4> result;
  for (unsigned e = 0; e < elements_; ++e) {
    auto* both = b_.CreatePHI(rows[e]->getType(), 2);
    both->addIncoming(rows[e], row_end);
    both->addIncoming(singles[e], single_end);
    result.push_back(both);
  }
  return result;
}

void Access::finish(llvm::SmallVector<Rep, 4> results) {
  if (elements_ == 1 && !call_.getType()->isStructTy()) return unit_.define(&call_, std::move(results[0]));
  for (unsigned e = 0; e < elements_; ++e) unit_.define_element(&call_, e, std::move(results[e]));
}

void Access::store_all(llvm::ArrayRef<Rep> values) {
  check_alignment(true);
  const Pattern& p = address_.pattern;
  const bool plain = space_ != Space::local && space_ != Space::generic;
  bool one_value = true;
  for (const Rep& value : values) one_value &= value.pattern.uniform();
  const unsigned warp_vectors = 32 / lanes_.lanes();
  if (plain && p.uniform() && (!unit_.masked() || one_value)) {  // of a warp the first lane wins
    Value* pointer = host(address_.parts[0]);
    const unsigned where = column_of_all(0);
    for (unsigned e = 0; e < elements_; ++e)
      store(first_lane(values[e], unit_.vectors() - warp_vectors), part(pointer, e), where);
    return;
  }
  if (has_row_tiles()) return store_row_tiles(values);
  const bool proved = plain && p.stepped() && p.lane_step == static_cast<int64_t>(bytes());
  for (unsigned number = 0; number < unit_.vectors(); ++number) {
    const unsigned j = lanes_lie_apart() && proved ? number : number ^ (warp_vectors - 1);
    if (plain && p.lane_uniform() && !unit_.masked()) {
      Value* pointer = host(lanes_.base(address_, j));
      for (unsigned e = 0; e < elements_; ++e)
        store(first_lane(values[e], j), part(pointer, e), column(j, 0));
      continue;
    }
    llvm::SmallVector<Value*, 4> vectors;
    for (const Rep& value : values) vectors.push_back(lanes_.vector(value, j));
    if (proved && rows_are_possible()) {
      Value* pointer = host_of_row(lanes_.base(address_, j), j, bytes());
      if (!unit_.masked()) {
        store_row(j, pointer, vectors);
        continue;
      }
      llvm::BasicBlock *some = weaver_.block("some"), *done = weaver_.block("row");
      b_.CreateCondBr(unit_.any_of(j), some, done);
      b_.SetInsertPoint(some);
      store_row(j, pointer, vectors);
      b_.CreateBr(done);
      b_.SetInsertPoint(done);
      continue;
    }
    Value* where = places(j, true);
    if (space_ == Space::local || !rows_are_possible() || element_bytes_ < 4 || apart()) {
      store_lanes(j, where, vectors);
      continue;
    }
    llvm::BasicBlock *row = weaver_.block("row"), *single = weaver_.block("single"),
                     *done = weaver_.block("stored");
    Value* side_by_side = contiguous(where, j);
    b_.CreateCondBr(side_by_side, row, single);
    b_.SetInsertPoint(row);
    store_row(j, host_of_row(b_.CreateExtractElement(where, uint64_t{0}), j, side_by_side_bytes()), vectors);
    b_.CreateBr(done);
    b_.SetInsertPoint(single);
    store_lanes(j, where, vectors);
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }
}

Value* Access::first_lane(const Rep& value, unsigned j) const {
  if (value.pattern.kind == Pattern::vector) return b_.CreateExtractElement(value.parts[j], uint64_t{0});
  return lanes_.base(value, j);
}

void emit_load(Unit& unit, const llvm::CallInst& call) {
  llvm::Type* element = call.getType();
  unsigned elements = 1;
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(element)) {
    elements = structure->getNumElements();
    element = structure->getElementType(0);
  }
  Access(unit, call, unit.get(call.getArgOperand(0)), element, elements).load_all();
}

void emit_store(Unit& unit, const llvm::CallInst& call) {
  const unsigned elements = call.arg_size() - 3;
  llvm::SmallVector<Rep, 4> values;
  for (unsigned e = 0; e < elements; ++e) values.push_back(unit.get(call.getArgOperand(3 + e)));
  Access(unit, call, unit.get(call.getArgOperand(0)), call.getArgOperand(3)->getType(), elements)
      .store_all(values);
}

// Lines that lie side by side, in fast code; a hint never faults.
void emit_prefetch(Unit& unit, const llvm::CallInst& call) {
  Weaver& weaver = unit.weaver();
  llvm::IRBuilder<>& b = weaver.builder;
  const Rep address = unit.get(call.getArgOperand(0));
  const auto space = static_cast<Space>(immediate(call, 1));
  if (unit.masked() || space != Space::global || !address.pattern.stepped()) return;
  const int64_t line = 64, span = address.pattern.lane_step * static_cast<int64_t>(weaver.geometry.lanes);
  if (span < 0 || span > 4 * line) return;
  const unsigned vectors = address.pattern.uniform() ? 1 : unit.vectors();
  for (unsigned j = 0; j < vectors; ++j)
    for (int64_t at = 0; at < std::max<int64_t>(1, span); at += line) {
      Value* place = b.CreateAdd(weaver.lanes.base(address, j), b.getInt64(static_cast<uint64_t>(at)));
      b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                        {b.CreateIntToPtr(place, b.getPtrTy()), b.getInt32(0), b.getInt32(3), b.getInt32(1)});
    }
}

}  // namespace heddle::exec::jit
