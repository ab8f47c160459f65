#include "exec/jit/lower/special.h"

#include <algorithm>
#include <array>
#include <optional>

#include "analysis/clocks.h"
#include "exec/jit/abi/asks_time.h"
#include "exec/jit/abi/place_register.h"
#include "exec/jit/ir/ops.h"
#include "exec/memory_map.h"
#include "llvm/IR/MDBuilder.h"

namespace heddle::exec::jit {

namespace {

using enum isa::SpecialRegister;

// Dimension of a component; nothing for .w, which is 0 of places and 1 of sizes.
std::optional<unsigned> dimension(isa::Word component) {
  switch (component) {
    case isa::Word::y: return 1;
    case isa::Word::z: return 2;
    case isa::Word::w: return std::nullopt;
    default: return 0;
  }
}

// The most that any device has (CUDA C++ Programming Guide, table of technical specifications).
constexpr std::array<uint32_t, 3> most_threads{1024, 1024, 64};
constexpr std::array<uint32_t, 3> most_blocks{0x7fffffff, 65535, 65535};

llvm::Value* ranged(llvm::CallInst* call, uint64_t low, uint64_t high) {
  llvm::MDBuilder metadata(call->getContext());
  const unsigned bits = call->getType()->getIntegerBitWidth();
  call->setMetadata(llvm::LLVMContext::MD_range,
                    metadata.createRange(llvm::APInt(bits, low), llvm::APInt(bits, high)));
  return call;
}

llvm::Value* id(ProgramLowering& p, Op op, isa::Word component, uint64_t low, uint64_t high) {
  const auto d = dimension(component);
  if (!d) return p.ir.getInt32(low == 0 ? 0 : 1);
  return ranged(call_op(p.ir, op, p.ir.getInt32Ty(), {p.ir.getInt32(*d)}), low, high);
}

uint64_t most(ProgramLowering& p, isa::Word component) {
  const unsigned d = dimension(component).value_or(0);
  const module::Limits& limits = p.entry.limits;
  uint32_t bound = most_threads[d];
  if (limits.required_threads[d] != 0)
    bound = limits.required_threads[d];
  else if (limits.max_threads[0] != 0) {
    // .maxntid limits the product of the sizes (PTX ISA 11.4.2).
    uint64_t product = 1;
    for (const uint32_t n : limits.max_threads) product *= std::max(1u, n);
    bound = static_cast<uint32_t>(std::min<uint64_t>(bound, product));
  }
  return bound;
}

llvm::Value* scalar(ProgramLowering& p, Op op, uint64_t high) {
  return ranged(call_op(p.ir, op, p.ir.getInt32Ty(), {}), 0, high);
}

llvm::Value* lane_bit(ProgramLowering& p) {
  return p.ir.CreateShl(p.ir.getInt32(1), scalar(p, Op::laneid, 32));
}

llvm::Value* timer(ProgramLowering& p, unsigned which, bool wide) {
  return call_op(p.ir, Op::clock, wide ? p.ir.getInt64Ty() : p.ir.getInt32Ty(), {p.ir.getInt32(which)});
}

llvm::Value* linear_block(ProgramLowering& p) {
  llvm::IRBuilder<>& ir = p.ir;
  llvm::Value* block = nullptr;
  for (const isa::Word component : {isa::Word::z, isa::Word::y, isa::Word::x}) {
    llvm::Value* at = ir.CreateZExt(read_special(p, ctaid, component), ir.getInt64Ty());
    llvm::Value* in = ir.CreateZExt(read_special(p, nctaid, component), ir.getInt64Ty());
    block = block == nullptr ? at : ir.CreateAdd(ir.CreateMul(block, in), at);
  }
  return block;
}

// Blocks are dealt to the multiprocessors in turn (analysis::WarpPlaces).
llvm::Value* multiprocessor(ProgramLowering& p) {
  llvm::IRBuilder<>& ir = p.ir;
  return ir.CreateTrunc(ir.CreateURem(linear_block(p), ir.getInt64(p.meaning.multiprocessors)),
                        ir.getInt32Ty());
}

// analysis::WarpPlaces::warp, of a launch that says how many blocks are there at once.
llvm::Value* warp_place(ProgramLowering& p) {
  llvm::IRBuilder<>& ir = p.ir;
  llvm::Value* before = ir.CreateUDiv(linear_block(p), ir.getInt64(p.meaning.multiprocessors));
  llvm::Value* threads = ir.getInt32(1);
  for (const isa::Word component : {isa::Word::x, isa::Word::y, isa::Word::z})
    threads = ir.CreateMul(threads, read_special(p, ntid, component));
  llvm::Value* warps = ir.CreateLShr(ir.CreateAdd(threads, ir.getInt32(31)), 5);
  llvm::Value* told = call_op(ir, Op::environment, ir.getInt32Ty(), {ir.getInt32(place_register)});
  told = ir.CreateSelect(ir.CreateICmpEQ(told, ir.getInt32(0)), ir.getInt32(place_word(1, 1)), told);
  llvm::Value *resident = ir.CreateAnd(told, 0xffff), *schedulers = ir.CreateLShr(told, 16);
  llvm::Value* first = ir.CreateMul(
      ir.CreateTrunc(ir.CreateURem(before, ir.CreateZExt(resident, ir.getInt64Ty())), ir.getInt32Ty()),
      warps);
  llvm::Value* warp = scalar(p, Op::warpid, 32);
  llvm::Value* turned =
      ir.CreateURem(ir.CreateAdd(warp, ir.CreateTrunc(before, ir.getInt32Ty())), schedulers);
  llvm::Value* row = ir.CreateMul(ir.CreateUDiv(warp, schedulers), schedulers);
  llvm::Value* alike = ir.CreateICmpEQ(ir.CreateURem(warps, schedulers), ir.getInt32(0));
  return ir.CreateAdd(first, ir.CreateSelect(alike, ir.CreateAdd(row, turned), warp));
}

// Of a size that is known: a mask and a shift, mostly.
using Dimension = uint32_t Dim3::*;
uint32_t blocks_of_cluster(const ProgramLowering& p, isa::Word component) {
  constexpr std::array<Dimension, 3> all{&Dim3::x, &Dim3::y, &Dim3::z};
  const auto d = dimension(component);
  return d ? p.meaning.cluster.*all[*d] : 1;
}
llvm::Value* of_clusters(ProgramLowering& p, isa::SpecialRegister which, isa::Word component) {
  llvm::Value* blocks = read_special(p, which, component);
  return p.ir.CreateUDiv(blocks, p.ir.getInt32(blocks_of_cluster(p, component)));
}
llvm::Value* in_cluster(ProgramLowering& p, isa::Word component) {
  llvm::Value* block = read_special(p, ctaid, component);
  return p.ir.CreateURem(block, p.ir.getInt32(blocks_of_cluster(p, component)));
}

llvm::Value* half(ProgramLowering& p, llvm::Value* value, bool high) {
  if (high) value = p.ir.CreateLShr(value, 32);
  return p.ir.CreateTrunc(value, p.ir.getInt32Ty());
}

llvm::Value* shared_bytes(ProgramLowering& p, uint32_t more) {
  llvm::Value* dynamic = call_op(p.ir, Op::dynamic_shared_bytes, p.ir.getInt32Ty(), {});
  return p.ir.CreateAdd(dynamic, p.ir.getInt32(p.entry.static_shared_bytes + more));
}

// The number of an %envreg.
std::optional<unsigned> environment_index(isa::SpecialRegister which) {
  const unsigned index = static_cast<unsigned>(which) - static_cast<unsigned>(envreg0);
  if (which < envreg0 || index >= 32) return std::nullopt;
  return index;
}

bool is_known(isa::SpecialRegister which) {
  if (environment_index(which)) return true;
  switch (which) {
    case tid:
    case ntid:
    case ctaid:
    case nctaid:
    case laneid:
    case warpid:
    case gridid:
    case is_explicit_cluster:
    case clusterid:
    case nclusterid:
    case cluster_ctaid:
    case cluster_nctaid:
    case cluster_ctarank:
    case cluster_nctarank:
    case lanemask_eq:
    case lanemask_le:
    case lanemask_lt:
    case lanemask_ge:
    case lanemask_gt:
    case clock:
    case clock_hi:
    case clock64:
    case globaltimer:
    case globaltimer_lo:
    case globaltimer_hi:
    case total_smem_size:
    case aggr_smem_size:
    case dynamic_smem_size:
    case nwarpid:
    case nsmid:
    case smid:
    case reserved_smem_offset_begin:
    case reserved_smem_offset_0:
    case reserved_smem_offset_1:
    case reserved_smem_offset_end:
    case reserved_smem_offset_cap:
    case current_graph_exec: return true;
    default: return false;
  }
}

// The reference executor asks an observer that tells the time, warp by warp.
bool has_unknown(const module::Function& function, const module::Operand& o, Observed observed) {
  if (o.kind == module::OperandKind::special)
    return !is_known(o.special) || ((observed & asks_time) != 0 && analysis::is_clock(o.special));
  for (uint32_t i = 0; i < o.child_count; ++i)
    if (has_unknown(function, function.operands[o.first_child + i], observed)) return true;
  return false;
}

}  // namespace

llvm::Value* cluster_rank(ProgramLowering& p) {
  const Dim3& size = p.meaning.cluster;
  llvm::Value* rank = in_cluster(p, isa::Word::x);
  const auto add = [&](isa::Word component, uint32_t before, uint32_t here) {
    if (here == 1) return;
    rank = p.ir.CreateAdd(rank, p.ir.CreateMul(in_cluster(p, component), p.ir.getInt32(before)));
  };
  add(isa::Word::y, size.x, size.y);
  add(isa::Word::z, size.x * size.y, size.z);
  return rank;
}

llvm::Value* shared_memory_of_block(ProgramLowering& p, uint64_t offset, unsigned bits) {
  llvm::Value* at = llvm::ConstantInt::get(p.ir.getIntNTy(bits), offset);
  if (p.meaning.cluster.count() == 1) return at;
  llvm::Value* rank = p.ir.CreateZExt(cluster_rank(p), at->getType());
  return p.ir.CreateOr(p.ir.CreateShl(rank, shared_rank_shift), at);
}

llvm::Value* read_special(ProgramLowering& p, isa::SpecialRegister which, isa::Word component) {
  llvm::IRBuilder<>& ir = p.ir;
  if (const auto index = environment_index(which))
    return call_op(ir, Op::environment, ir.getInt32Ty(), {ir.getInt32(*index)});
  switch (which) {
    case tid: return id(p, Op::tid, component, 0, most(p, component));
    case ntid: return id(p, Op::ntid, component, 1, most(p, component) + 1);
    case nclusterid: return of_clusters(p, nctaid, component);
    case nctaid: return id(p, Op::nctaid, component, 1, most_blocks[dimension(component).value_or(0)] + 1ull);
    case clusterid: return of_clusters(p, ctaid, component);
    case ctaid: return id(p, Op::ctaid, component, 0, most_blocks[dimension(component).value_or(0)]);
    case laneid: return scalar(p, Op::laneid, 32);
    case warpid: return warp_place(p);
    case gridid: return call_op(ir, Op::grid_id, ir.getInt64Ty(), {});
    case is_explicit_cluster: return ir.getInt1(p.meaning.cluster.count() > 1);
    case cluster_ctaid: return in_cluster(p, component);
    case cluster_ctarank: return cluster_rank(p);
    case cluster_nctaid: return ir.getInt32(blocks_of_cluster(p, component));
    case cluster_nctarank: return ir.getInt32(static_cast<uint32_t>(p.meaning.cluster.count()));
    case lanemask_eq: return lane_bit(p);
    case lanemask_lt: return ir.CreateSub(lane_bit(p), ir.getInt32(1));
    case lanemask_ge: return ir.CreateNeg(lane_bit(p));
    case lanemask_le: {
      llvm::Value* bit = lane_bit(p);
      return ir.CreateOr(bit, ir.CreateSub(bit, ir.getInt32(1)));
    }
    case lanemask_gt: return ir.CreateMul(lane_bit(p), ir.getInt32(static_cast<uint32_t>(-2)));
    case clock: return timer(p, 0, false);
    case clock64: return timer(p, 1, true);
    case clock_hi: return half(p, timer(p, 1, true), true);
    case globaltimer: return timer(p, 2, true);
    case globaltimer_lo: return half(p, timer(p, 2, true), false);
    case globaltimer_hi: return half(p, timer(p, 2, true), true);
    case dynamic_smem_size: return call_op(ir, Op::dynamic_shared_bytes, ir.getInt32Ty(), {});
    case total_smem_size: return shared_bytes(p, 0);
    case aggr_smem_size: return shared_bytes(p, p.meaning.reserved_shared);
    case nwarpid: return ir.getInt32(p.meaning.most_warps);
    case nsmid: return ir.getInt32(p.meaning.multiprocessors);
    case smid: return multiprocessor(p);
    // What the system keeps lies at the end of the block's part of the window; cooperative groups have their
    // part of it 64 bytes in.
    case reserved_smem_offset_begin:
    case reserved_smem_offset_0:
      return shared_memory_of_block(p, reserved_shared_end - p.meaning.reserved_shared, 32);
    case reserved_smem_offset_1:
      return shared_memory_of_block(p, reserved_shared_end - p.meaning.reserved_shared + 64, 32);
    case reserved_smem_offset_end: return shared_memory_of_block(p, reserved_shared_end, 32);
    case reserved_smem_offset_cap: return ir.getInt32(p.meaning.reserved_shared);
    case current_graph_exec: return ir.getInt64(0);
    default: return nullptr;
  }
}

bool reads_unknown_special(const module::Function& function, const module::Instruction& instruction,
                           Observed observed) {
  for (uint32_t i = 0; i < instruction.operand_count; ++i)
    if (has_unknown(function, function.operands[instruction.first_operand + i], observed)) return true;
  return false;
}

}  // namespace heddle::exec::jit
