// Matrix instructions of PTX: the registers of a warp go into a row of memory, side by side, where a function
// for the whole warp works on them (exec/jit/matrix). A call and not code in place: a product is hundreds of
// instructions, and kernels have hundreds of products.
#include <cstddef>

#include "exec/jit/abi/context.h"
#include "exec/jit/vectorize/access/gather.h"
#include "exec/jit/vectorize/unit.h"

namespace heddle::exec::jit {

using llvm::Value;

namespace {

class MatrixEmitter {
 public:
  MatrixEmitter(Unit& unit, const llvm::CallInst& call, const matrix::Form& form)
      : unit_(unit), weaver_(unit.weaver()), b_(weaver_.builder), call_(call), form_(form) {}

  // Asks for the operands. False: the step has not all that the form wants.
  bool prepare() {
    const auto results = static_cast<unsigned>(immediate(call_, 0));
    llvm::DenseMap<uint32_t, unsigned> arguments;  // by slot
    for (unsigned a = 1 + results; a + 1 < call_.arg_size(); a += 2)
      arguments[static_cast<uint32_t>(immediate(call_, a))] = a + 1;
    for (const matrix::Register& r : form_.in) {
      const auto found = arguments.find(r.slot);
      if (found == arguments.end()) return false;
      const Value* value = call_.getArgOperand(found->second);
      if (value->getType()->getScalarSizeInBits() > 8U * r.bytes) return false;
      sources_.push_back(r.unread ? Rep{} : unit_.get(value));
    }
    for (unsigned i = 0; i < results; ++i) {
      const auto slot = static_cast<uint32_t>(immediate(call_, 1 + i));
      const matrix::Register* from = nullptr;
      for (const matrix::Register& r : form_.out)
        if (r.slot == slot) from = &r;
      if (from == nullptr || type_of_result(i)->getScalarSizeInBits() > 8U * from->bytes) return false;
      results_.push_back(from);
    }
    return true;
  }

  void emit() {
    StepColumns columns;
    columns.matrix = true;
    for (const matrix::Register& r : form_.in)
      if (!r.unread) columns.sources.push_back({r.at, r.bytes});
    for (const matrix::Register* r : results_) columns.results.push_back({r->at, r->bytes});
    frame_ = weaver_.context_field(b_.getPtrTy(), offsetof(Context, matrix_frame), "frame");
    const unsigned count = weaver_.geometry.warp_vectors();
    llvm::SmallVector<Rep, 8> reps(results_.size(), Rep{Pattern::of_vector(), {}});
    for (unsigned w = 0; w < unit_.warps(); ++w) {
      llvm::BasicBlock *from = b_.GetInsertBlock(), *done = nullptr;
      Value* active = b_.getInt32(0xffffffff);
      if (unit_.masked()) active = active_lanes(w * count, count);
      // Slow code comes nowhere without a lane.
      if (unit_.masked() && !unit_.slow()) {
        llvm::BasicBlock* some = weaver_.block("matrix");
        done = weaver_.block("matrices");
        b_.CreateCondBr(b_.CreateICmpNE(active, b_.getInt32(0)), some, done);
        b_.SetInsertPoint(some);
      }
      for (std::size_t r = 0; r < form_.in.size(); ++r)
        for (unsigned i = 0; i < count && !form_.in[r].unread; ++i)
          put(form_.in[r], i, weaver_.lanes.vector(sources_[r], w * count + i));
      call_step(unit_, call_, unit_.warp_number(w), active, columns);
      llvm::SmallVector<Value*, 16> taken;
      for (unsigned r = 0; r < results_.size(); ++r)
        for (unsigned i = 0; i < count; ++i) taken.push_back(take(*results_[r], i, type_of_result(r)));
      if (done != nullptr) {
        llvm::BasicBlock* here = b_.GetInsertBlock();
        b_.CreateBr(done);
        b_.SetInsertPoint(done);
        for (Value*& value : taken) {
          auto* either = b_.CreatePHI(value->getType(), 2);
          either->addIncoming(value, here);
          either->addIncoming(llvm::Constant::getNullValue(value->getType()), from);
          value = either;
        }
      }
      for (unsigned r = 0, t = 0; r < results_.size(); ++r)
        for (unsigned i = 0; i < count; ++i) reps[r].parts.push_back(taken[t++]);
    }
    if (results_.empty()) return;
    if (!call_.getType()->isStructTy()) return unit_.define(&call_, std::move(reps[0]));
    for (unsigned r = 0; r < results_.size(); ++r) unit_.define_element(&call_, r, std::move(reps[r]));
  }

 private:
  llvm::Type* type_of_result(unsigned i) const {
    auto* structure = llvm::dyn_cast<llvm::StructType>(call_.getType());
    return structure == nullptr ? call_.getType() : structure->getElementType(i);
  }

  Value* active_lanes(unsigned first, unsigned count) {
    Value* all = nullptr;
    for (unsigned i = 0; i < count; ++i) {
      Value* part = b_.CreateZExt(unit_.bits(unit_.mask(first + i)), b_.getInt32Ty());
      part = i == 0 ? part : b_.CreateShl(part, i * weaver_.lanes.lanes());
      all = all == nullptr ? part : b_.CreateOr(all, part);
    }
    return all;
  }

  // Vector `i` of the warp.
  Value* place(const matrix::Register& r, unsigned i) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), frame_,
                                         r.at + uint64_t{i} * weaver_.lanes.lanes() * r.bytes);
  }
  llvm::Align alignment(const matrix::Register& r) const {
    return llvm::Align(std::min(64U, weaver_.lanes.lanes() * r.bytes));
  }

  void put(const matrix::Register& r, unsigned i, Value* vector) {
    LaneBuilder& lanes = weaver_.lanes;
    const unsigned bits = vector->getType()->getScalarSizeInBits();
    vector = b_.CreateBitCast(vector, lanes.vector_type(b_.getIntNTy(bits)));
    vector = b_.CreateZExt(vector, lanes.vector_type(b_.getIntNTy(8U * r.bytes)));
    weaver_.mark(b_.CreateAlignedStore(vector, place(r, i), alignment(r)), Weaver::frame_memory);
  }

  Value* take(const matrix::Register& r, unsigned i, llvm::Type* type) {
    LaneBuilder& lanes = weaver_.lanes;
    auto* word =
        b_.CreateAlignedLoad(lanes.vector_type(b_.getIntNTy(8U * r.bytes)), place(r, i), alignment(r));
    weaver_.mark(word, Weaver::frame_memory);
    Value* value = b_.CreateTrunc(word, lanes.vector_type(b_.getIntNTy(type->getScalarSizeInBits())));
    return b_.CreateBitCast(value, lanes.vector_type(type));
  }

  Unit& unit_;
  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
  const llvm::CallInst& call_;
  const matrix::Form& form_;
  Value* frame_ = nullptr;
  llvm::SmallVector<Rep, 16> sources_;
  llvm::SmallVector<const matrix::Register*, 8> results_;
};

}  // namespace

bool emit_matrix(Unit& unit, const llvm::CallInst& call, const matrix::Form& form) {
  MatrixEmitter emitter(unit, call, form);
  if (!emitter.prepare()) return false;
  emitter.emit();
  return true;
}

}  // namespace heddle::exec::jit
