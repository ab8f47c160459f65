// Who a thread is and what its launch says; values that cross barriers.
#include <cstddef>

#include "exec/jit/abi/context.h"
#include "exec/jit/vectorize/unit.h"
#include "exec/memory_map.h"

namespace heddle::exec::jit {

using llvm::Value;

namespace {

// The parts of %tid in one dimension, see Patterns::thread_index.
class ThreadIndex {
 public:
  ThreadIndex(Weaver& weaver, const Unit& unit, unsigned dimension)
      : b_(weaver.builder), lanes_(weaver.lanes), g_(weaver.geometry), unit_(unit), dimension_(dimension) {}

  Rep make(const Pattern& pattern) {
    Rep rep{pattern, {}};
    const unsigned size = dimension_ == 0 ? g_.block.x : dimension_ == 1 ? g_.block.y : g_.block.z;
    for (unsigned j = 0; j < part_count(pattern, unit_.vectors()); ++j)
      rep.parts.push_back(size == 1                         ? number(0, pattern)
                          : pattern.kind == Pattern::vector ? lanes_of(j)
                                                            : first_of(j));
    return rep;
  }

 private:
  Value* number(unsigned value, const Pattern& pattern) {
    return llvm::ConstantInt::get(part_type(pattern, b_.getInt32Ty(), g_.lanes), value);
  }
  Value* of_linear(Value* thread) {
    const auto constant = [&](unsigned n) { return llvm::ConstantInt::get(thread->getType(), n); };
    const unsigned row = g_.block.x, plane = row * g_.block.y;
    if (dimension_ == 0) return row == g_.threads() ? thread : b_.CreateURem(thread, constant(row));
    if (dimension_ == 2) return b_.CreateUDiv(thread, constant(plane));
    Value* rows = b_.CreateUDiv(thread, constant(row));
    return g_.block.z == 1 ? rows : b_.CreateURem(rows, constant(g_.block.y));
  }
  Value* first_of(unsigned j) {
    const unsigned row_vectors = g_.block.x % g_.lanes == 0 ? g_.block.x / g_.lanes : 0;
    if (dimension_ == 0 && row_vectors != 0 && unit_.vectors() % row_vectors == 0)
      return b_.getInt32(j % row_vectors * g_.lanes);
    return of_linear(b_.CreateMul(b_.CreateAdd(unit_.first_vector(), b_.getInt32(j)), b_.getInt32(g_.lanes),
                                  "", true, true));
  }
  Value* lanes_of(unsigned j) {
    Value* first = b_.CreateAdd(unit_.first_thread(), b_.getInt32(j * g_.lanes));
    return of_linear(lanes_.spread(first, 1));
  }

  llvm::IRBuilder<>& b_;
  LaneBuilder& lanes_;
  const Geometry& g_;
  const Unit& unit_;
  const unsigned dimension_;
};

}  // namespace

void Unit::emit_identity(const llvm::CallInst& call, Op op) {
  const Pattern pattern = patterns_.of(&call);
  const unsigned warp_vectors = weaver_.geometry.warp_vectors();
  const auto uniform = [&](Value* value) { define(&call, {pattern, {value}}); };
  switch (op) {
    case Op::tid: {
      const auto dimension = static_cast<unsigned>(immediate(call, 0));
      return define(&call, ThreadIndex(weaver_, *this, dimension).make(pattern));
    }
    case Op::ntid: {
      const Dim3& block = weaver_.geometry.block;
      const uint32_t sizes[] = {block.x, block.y, block.z};
      return uniform(b_.getInt32(sizes[immediate(call, 0)]));
    }
    case Op::ctaid: return uniform(weaver_.ctaid[immediate(call, 0)]);
    case Op::nctaid: return uniform(weaver_.nctaid[immediate(call, 0)]);
    case Op::laneid: {
      Rep rep{pattern, {}};
      for (unsigned j = 0; j < part_count(pattern, vectors_); ++j)
        rep.parts.push_back(b_.getInt32(j % warp_vectors * lanes_.lanes()));
      return define(&call, std::move(rep));
    }
    case Op::warpid: {
      Rep rep{pattern, {}};
      for (unsigned j = 0; j < part_count(pattern, vectors_); ++j)
        rep.parts.push_back(warp_number(j / warp_vectors));
      return define(&call, std::move(rep));
    }
    case Op::threads_here: return uniform(weaver_.threads_here);
    case Op::grid_id:
      return uniform(weaver_.context_field(b_.getInt64Ty(), offsetof(Context, grid_id), "grid"));
    case Op::dynamic_shared_bytes:
      return uniform(
          weaver_.context_field(b_.getInt32Ty(), offsetof(Context, dynamic_shared_bytes), "dynamic_shared"));
    case Op::environment:
      return uniform(weaver_.context_field(
          b_.getInt32Ty(), offsetof(Context, environment) + 4 * immediate(call, 0), "environment"));
    case Op::parameter: {
      auto* load = b_.CreateAlignedLoad(
          call.getType(), b_.CreateConstGEP1_64(b_.getInt8Ty(), weaver_.parameters, immediate(call, 0)),
          llvm::Align(1));
      weaver_.mark(load, Weaver::frame_memory);
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(weaver_.context, {}));
      return uniform(load);
    }
    case Op::symbol: {
      auto* load = b_.CreateLoad(b_.getInt64Ty(),
                                 b_.CreateConstGEP1_64(b_.getInt64Ty(), weaver_.symbols, immediate(call, 0)));
      weaver_.mark(load, Weaver::frame_memory);
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(weaver_.context, {}));
      return uniform(load);
    }
    case Op::local_address:
      return uniform(b_.getInt64(weaver_.variable_offset(static_cast<uint32_t>(immediate(call, 0)))));
    case Op::generic: {
      const WindowMap& map = weaver_.windows();
      const auto space = static_cast<module::Space>(immediate(call, 1));
      const uint64_t base = space == module::Space::shared  ? map.shared_base
                            : space == module::Space::local ? map.local_base
                                                            : map.param_base;
      Rep rep = get(call.getArgOperand(0));
      for (Value*& part : rep.bases())
        part = b_.CreateAdd(part, llvm::ConstantInt::get(part->getType(), base));
      rep.pattern = pattern;
      return define(&call, std::move(rep));
    }
    case Op::clock: {
      auto callee = weaver_.helper("heddle_jit_clock", b_.getInt64Ty(), {b_.getPtrTy(), b_.getInt32Ty()});
      Value* now =
          b_.CreateCall(callee, {weaver_.run, b_.getInt32(static_cast<uint32_t>(immediate(call, 0)))});
      return uniform(b_.CreateTrunc(now, call.getType()));
    }
    default: break;
  }
  llvm_unreachable("operation without an emitter");
}

void Unit::emit_slot(const llvm::CallInst& call, Op op) {
  if (op == Op::barrier_contribute || op == Op::barrier_result) {
    const auto kind = static_cast<unsigned>(immediate(call, 0));
    if (op == Op::barrier_result) {
      Value* result = b_.CreateLoad(b_.getInt32Ty(), weaver_.reduced[kind]);
      if (call.getType()->isIntegerTy(1)) result = b_.CreateICmpNE(result, b_.getInt32(0));
      return define(&call, {patterns_.of(&call), {result}});
    }
    const Rep predicate = get(call.getArgOperand(1));
    for (unsigned j = 0; j < vectors_; ++j) {
      Value* lanes = lanes_.vector(predicate, j);
      if (kind == 1) lanes = b_.CreateNot(lanes);  // and: nobody says no
      if (slow_) lanes = b_.CreateSelect(mask_[j], lanes, llvm::Constant::getNullValue(lanes->getType()));
      Value* count = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits(lanes));
      Value* sum = b_.CreateLoad(b_.getInt32Ty(), weaver_.contributed[kind]);
      b_.CreateStore(b_.CreateAdd(sum, b_.CreateZExt(count, b_.getInt32Ty())), weaver_.contributed[kind]);
    }
    return;
  }
  const auto number = static_cast<unsigned>(immediate(call, 0));
  const SlotHome& slot = weaver_.slots[number];
  const Pattern& pattern = slow_ ? slot.slow : slot.fast;
  llvm::Type* type = part_type(pattern, slot.type, lanes_.lanes());
  const unsigned parts = part_count(pattern, vectors_);
  Value* first = b_.CreateMul(number_, b_.getInt32(parts), "", true, true);
  const auto place = [&](unsigned part) {
    return b_.CreateInBoundsGEP(type, slow_ ? slot.slow_home : slot.fast_home,
                                b_.CreateAdd(first, b_.getInt32(part), "", true, true));
  };
  if (op == Op::slot_load) {
    Rep rep{pattern, {}};
    for (unsigned part = 0; part < parts; ++part) {
      auto* load = b_.CreateLoad(type, place(part));
      weaver_.mark(load, Weaver::frame_memory);
      rep.parts.push_back(load);
    }
    return define(&call, std::move(rep));
  }
  const Value* value = call.getArgOperand(1);
  if (!slow_ && is_op(value, Op::slot_load) && immediate(*llvm::cast<llvm::CallInst>(value), 0) == number)
    return;
  const Rep rep = convert(get(value), pattern);
  for (unsigned part = 0; part < parts; ++part)
    weaver_.mark(b_.CreateStore(rep.parts[part], place(part)), Weaver::frame_memory);
}

}  // namespace heddle::exec::jit
