// The operations of a thread program that LLVM has no instruction for: memory, special registers, barriers,
// lanes that look at each other. Each is a call of a declared function `heddle.<name>.<types>`, opaque to
// LLVM's passes, so that what PTX orders stays ordered and what is convergent stays where it is. Everything
// else of a thread program is plain LLVM IR.
//
// The table of operations is ops.def: one line an operation.
#pragma once

#include <cstdint>
#include <optional>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

enum class Op : uint8_t {
#define HEDDLE_OP(id, effect, text) id,
#include "exec/jit/ir/ops.def"
#undef HEDDLE_OP
};

enum class Effect : uint8_t {
  none,        // a value: may be computed anywhere, as often as wanted, or not at all
  memory,      // keeps its order among the operations with an effect; one thread's own business
  convergent,  // lanes or warps meet here: may not be moved into or out of control flow
};

const char* name(Op);
Effect effect(Op);

// How an access behaves, an immediate argument of load, store and atomic.
enum AccessFlags : uint32_t {
  access_weak = 0,
  access_strong = 1,        // volatile, relaxed, acquire, release, mmio: other threads watch
  access_non_coherent = 2,  // ld.global.nc, ld.const, parameters: nobody writes while the kernel runs
  access_acquire = 4,
  access_release = 8,
  access_uncached_hint = 16,  // .cs, evict_first and kin: not soon used again
  access_run = 32,  // loads that were put together (transform/runs.h): the elements' sites follow one another
  access_by_lanes = 64,     // of local memory: the address is a place of the block's (transform/local_rows.h)
  access_of_cluster = 128,  // of shared memory: of any block's of the cluster, not the own alone
};

// What an atomic operation does, an immediate argument of atomic and reduce. Of T float only add and
// exchange: add of f32 gives the canonical NaN and, outside shared memory, flushes subnormals (PTX
// ISA 9.7.13.5).
enum class AtomicKind : uint32_t {
  exchange,
  compare_exchange,  // `compare` is what memory must hold, `a` the new value
  add,
  and_,
  or_,
  xor_,
  min_signed,
  max_signed,
  min_unsigned,
  max_unsigned,
  increment,  // old >= a ? 0 : old + 1
  decrement,  // old == 0 || old > a ? a : old - 1
  arrive,     // of an mbarrier's word; `a` is what an arrival brings (ir/mbarrier.h)
};

// What warp_reduce does with the members' values.
enum class WarpReduction : uint32_t {
  add,
  and_,
  or_,
  xor_,
  min_signed,
  max_signed,
  min_unsigned,
  max_unsigned
};

// What barrier_some does; popc, and, or are those of all predicates. The last two are of the cluster, which
// has one barrier: who comes to it and who waits there.
enum class BarrierKind : uint32_t { sync, arrive, popc, and_, or_, cluster_arrive, cluster_wait };
constexpr bool is_of_cluster(BarrierKind kind) { return kind >= BarrierKind::cluster_arrive; }

// Declares `heddle.<op>` for these types where it is not there yet and calls it at the builder's place.
llvm::CallInst* call_op(llvm::IRBuilderBase& builder, Op op, llvm::Type* result,
                        llvm::ArrayRef<llvm::Value*> arguments, const llvm::Twine& value_name = "");

// Which operation a value is; nothing for everything else.
std::optional<Op> op_of(const llvm::Value* value);
// Of a call into the run: the thread gives way to others, and does nothing else that they see.
inline constexpr char gives_way[] = "gives-way";

inline bool is_op(const llvm::Value* value, Op op) { return op_of(value) == op; }

// What the whole block waits at (bar.sync 0, __syncthreads_or()).
inline bool is_whole_barrier(const llvm::Value& value) {
  return is_op(&value, Op::barrier) || is_op(&value, Op::barrier_reduce);
}

// Arithmetic that math/expand.h makes code of, of scalars and of vectors.
inline bool is_math(Op op) {
  return op == Op::approximate || op == Op::rounded || op == Op::first_nan || op == Op::dot_bytes ||
         op == Op::math;
}

// The arguments that are always immediates, as bits.
uint32_t immediate_arguments(Op op);

// The value of an immediate argument.
uint64_t immediate(const llvm::CallInst& call, unsigned argument);

constexpr bool is_access(Op op) {
  return op == Op::load || op == Op::store || op == Op::atomic || op == Op::reduce;
}
void add_access_flags(llvm::CallInst& access, uint32_t flags);

}  // namespace heddle::exec::jit
