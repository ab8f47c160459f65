// Addresses as places in the host's memory, checked for alignment, then for range (docs/reference/
// execution.md). A bad global address is found by the processor: the worker's signal handler tells.
#include "exec/jit/fiber/thread_code.h"
#include "exec/jit/ir/values.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::exec::jit {

using module::Space;

namespace {

uint32_t bytes_of(llvm::Type* type) { return static_cast<uint32_t>(type->getPrimitiveSizeInBits() / 8); }

// A weak access of one thread may be anything; one that others watch is one access, and so is every access to
// memory outside the thread, so that faults and values of racing programs are found where they are.
llvm::AtomicOrdering ordering(uint64_t flags, uint32_t bytes, bool write) {
  if (!(flags & (access_strong | access_acquire | access_release)) || bytes > 8)
    return llvm::AtomicOrdering::NotAtomic;
  if (!write && flags & access_acquire) return llvm::AtomicOrdering::Acquire;
  if (write && flags & access_release) return llvm::AtomicOrdering::Release;
  return llvm::AtomicOrdering::Monotonic;
}

// Several elements that others watch are one access too: CUB's look-back keeps a state and a sum in one, and
// takes the sum by the state.
bool is_whole(uint64_t flags, unsigned count) {
  return count > 1 && (flags & (access_strong | access_acquire | access_release)) != 0;
}

}  // namespace

void ThreadCode::check(Value* good, FaultKind kind, const Access& access) {
  fault_unless(good, kind,
               {access.address, u64(access.bytes), u64(access.write ? 1 : 0),
                u64(static_cast<uint64_t>(access.space))});
}

llvm::Value* ThreadCode::place(const Access& access) {
  if (access.bytes > 1) {
    Value* low = ir_.CreateAnd(access.address, u64(access.bytes - 1));
    check(ir_.CreateICmpEQ(low, u64(0)), FaultKind::misaligned_address, access);
  }
  if (access.space == Space::generic) return place_anywhere(access);
  return place_in(access, access.space, access.address);
}

// A rank in the cluster and an offset in that block's shared memory; or in what the system keeps of it, at
// the end of its part of the window (%reserved_smem_offset_begin).
llvm::Value* ThreadCode::place_in_shared(const Access& access, Value* address) {
  const uint64_t blocks = shape_.cluster.count();
  address = ir_.CreateAnd(address, u64(0xffff'ffff));  // addresses in the shared window have 32 bits and wrap
  Value *offset = address, *in_cluster = ir_.getTrue();
  if (blocks > 1) {
    Value* rank = ir_.CreateLShr(address, shared_rank_shift);
    offset = ir_.CreateAnd(address, u64(shared_offset(~uint64_t{0})));
    if (access.of_cluster) {
      in_cluster = ir_.CreateICmpULT(rank, u64(blocks));
    } else {
      Value* own = ir_.CreateZExt(field(offsetof(Fiber, rank), ir_.getInt32Ty()), ir_.getInt64Ty());
      check(ir_.CreateICmpEQ(rank, own), FaultKind::illegal_instruction, access);
    }
  }
  const auto size = [&](uint64_t at) {
    return ir_.CreateZExt(field(at, ir_.getInt32Ty()), ir_.getInt64Ty());
  };
  const auto lies_in = [&](Value* place, Value* bytes) {
    Value* below = ir_.CreateICmpULE(u64(access.bytes), bytes);
    return ir_.CreateAnd(below, ir_.CreateICmpULE(place, ir_.CreateSub(bytes, u64(access.bytes))));
  };
  const auto at = [&](uint64_t base, Value* place) {
    return ir_.CreateGEP(ir_.getInt8Ty(), field(base, ir_.getPtrTy()), place);
  };
  Value* reserved_bytes = size(offsetof(Fiber, reserved_bytes));
  Value* in_reserved = ir_.CreateSub(offset, ir_.CreateSub(u64(reserved_shared_end), reserved_bytes));
  Value* own_place = lies_in(offset, size(offsetof(Fiber, shared_bytes)));
  Value* there = ir_.CreateOr(own_place, lies_in(in_reserved, reserved_bytes));
  check(ir_.CreateAnd(in_cluster, there), FaultKind::illegal_address, access);
  if (blocks > 1) return at(offsetof(Fiber, shared), address);
  return ir_.CreateSelect(own_place, at(offsetof(Fiber, shared), offset),
                          at(offsetof(Fiber, reserved), in_reserved));
}

llvm::Value* ThreadCode::place_in(const Access& access, Space space, Value* address) {
  switch (space) {
    case Space::shared: return place_in_shared(access, address);
    case Space::local: {
      Value* bytes = field(offsetof(Fiber, local_bytes), ir_.getInt64Ty());
      Value* below = ir_.CreateICmpULE(u64(access.bytes), bytes);
      Value* inside = ir_.CreateICmpULE(address, ir_.CreateSub(bytes, u64(access.bytes)));
      check(ir_.CreateAnd(below, inside), FaultKind::illegal_address, access);
      return ir_.CreateGEP(ir_.getInt8Ty(), field(offsetof(Fiber, local), ir_.getPtrTy()), address);
    }
    case Space::param: {
      uint64_t bytes = 0;
      for (const module::Parameter& p : kernel_.signature.params) bytes = std::max(bytes, p.offset + p.size);
      Value* offset = ir_.CreateSub(address, u64(windows_.param_base));
      const bool possible = access.bytes <= bytes && !access.write;
      check(possible ? ir_.CreateICmpULE(offset, u64(bytes - access.bytes)) : ir_.getFalse(),
            FaultKind::illegal_address, access);
      return ir_.CreateGEP(ir_.getInt8Ty(), context(offsetof(Context, parameters), ir_.getPtrTy()), offset);
    }
    default: return ir_.CreateIntToPtr(address, ir_.getPtrTy());
  }
}

// A generic address: in one of the windows, or global.
llvm::Value* ThreadCode::place_anywhere(const Access& access) {
  struct Window {
    Space space;
    uint64_t base, bytes;
  };
  const Window all[] = {{Space::shared, windows_.shared_base, windows_.shared_bytes},
                        {Space::local, windows_.local_base, windows_.local_bytes},
                        {Space::param, windows_.param_base, windows_.param_bytes}};
  llvm::Instruction* here = &*ir_.GetInsertPoint();
  const llvm::DebugLoc location = ir_.getCurrentDebugLocation();
  llvm::BasicBlock* before = here->getParent();
  llvm::BasicBlock* meet = llvm::SplitBlock(before, here->getIterator());
  before->getTerminator()->eraseFromParent();
  llvm::SmallVector<std::pair<Value*, llvm::BasicBlock*>, 4> ways;
  ir_.SetInsertPoint(before);
  for (const Window& w : all) {
    ir_.SetCurrentDebugLocation(location);
    Value* offset = ir_.CreateSub(access.address, u64(w.base));
    auto* inside = llvm::BasicBlock::Create(ir_.getContext(), "", thread_, meet);
    auto* outside = llvm::BasicBlock::Create(ir_.getContext(), "", thread_, meet);
    ir_.CreateCondBr(ir_.CreateICmpULT(offset, u64(w.bytes)), inside, outside);
    ir_.SetInsertPoint(inside);
    llvm::Instruction* end = ir_.CreateBr(meet);
    ir_.SetInsertPoint(end);
    ir_.SetCurrentDebugLocation(location);
    Access here_access = access;
    here_access.of_cluster = true;
    Value* way = place_in(here_access, w.space, w.space == Space::param ? access.address : offset);
    ways.emplace_back(way, ir_.GetInsertBlock());
    ir_.SetInsertPoint(outside);
  }
  ir_.SetCurrentDebugLocation(location);
  ways.emplace_back(ir_.CreateIntToPtr(access.address, ir_.getPtrTy()), ir_.GetInsertBlock());
  ir_.CreateBr(meet);
  ir_.SetInsertPoint(meet, meet->begin());
  llvm::PHINode* out = ir_.CreatePHI(ir_.getPtrTy(), static_cast<unsigned>(ways.size()));
  for (const auto& [way, block] : ways) out->addIncoming(way, block);
  ir_.SetInsertPoint(here);
  ir_.SetCurrentDebugLocation(location);
  return out;
}

llvm::Value* ThreadCode::load(llvm::CallInst& call) {
  const uint64_t flags = immediate(call, 2);
  auto* parts = llvm::dyn_cast<llvm::StructType>(call.getType());
  llvm::Type* element = parts ? parts->getElementType(0) : call.getType();
  const unsigned count = parts ? parts->getNumElements() : 1;
  const uint32_t bytes = bytes_of(element);
  if (flags & (access_strong | access_acquire)) lose_patience(128);
  const auto space = static_cast<Space>(immediate(call, 1));
  Value* from = place({call.getArgOperand(0), space, bytes * count, false, (flags & access_of_cluster) != 0});
  const auto part = [&](unsigned i) {
    auto* value = ir_.CreateAlignedLoad(element, at(from, uint64_t{bytes} * i), llvm::Align(bytes));
    value->setVolatile(space != Space::local && space != Space::param);
    value->setAtomic(ordering(flags, bytes, false));
    return value;
  };
  if (!parts) return part(0);
  Value* out = llvm::PoisonValue::get(parts);
  if (is_whole(flags, count)) {
    const uint32_t all = bytes * count;
    auto* together =
        ir_.CreateAlignedLoad(type_in_one_piece(ir_, all), from, llvm::Align(all > 8 ? bytes : all), true);
    together->setAtomic(ordering(flags, all, false));
    if (all > 8 && (flags & access_acquire)) ir_.CreateFence(llvm::AtomicOrdering::Acquire);
    Value* elements = ir_.CreateBitCast(together, llvm::FixedVectorType::get(element, count));
    for (unsigned i = 0; i < count; ++i)
      out = ir_.CreateInsertValue(out, ir_.CreateExtractElement(elements, i), i);
    return out;
  }
  for (unsigned i = 0; i < count; ++i) out = ir_.CreateInsertValue(out, part(i), i);
  return out;
}

void ThreadCode::store(llvm::CallInst& call) {
  const uint64_t flags = immediate(call, 2);
  const unsigned count = call.arg_size() - 3;
  const uint32_t bytes = bytes_of(call.getArgOperand(3)->getType());
  const auto space = static_cast<Space>(immediate(call, 1));
  Value* to = place({call.getArgOperand(0), space, bytes * count, true, (flags & access_of_cluster) != 0});
  if (is_whole(flags, count)) {
    const uint32_t all = bytes * count;
    Value* elements =
        llvm::PoisonValue::get(llvm::FixedVectorType::get(call.getArgOperand(3)->getType(), count));
    for (unsigned i = 0; i < count; ++i)
      elements = ir_.CreateInsertElement(elements, call.getArgOperand(3 + i), i);
    if (all > 8 && (flags & access_release)) ir_.CreateFence(llvm::AtomicOrdering::Release);
    auto* together = ir_.CreateAlignedStore(ir_.CreateBitCast(elements, type_in_one_piece(ir_, all)), to,
                                            llvm::Align(all > 8 ? bytes : all), true);
    together->setAtomic(ordering(flags, all, true));
    return;
  }
  for (unsigned i = 0; i < count; ++i) {
    auto* store =
        ir_.CreateAlignedStore(call.getArgOperand(3 + i), at(to, uint64_t{bytes} * i), llvm::Align(bytes));
    store->setVolatile(space != Space::local);
    store->setAtomic(ordering(flags, bytes, true));
  }
}

}  // namespace heddle::exec::jit
