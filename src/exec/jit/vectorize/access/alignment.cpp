// PTX faults where x86 does not: an address that is no multiple of the access.
#include <bit>
#include <cstddef>

#include "exec/jit/abi/code.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/vectorize/access/memory.h"

namespace heddle::exec::jit {

using llvm::Value;
using module::Space;

bool Access::is_aligned() const {
  const Pattern& p = address_.pattern;
  const auto multiple = [&](int64_t step) {
    return step % static_cast<int64_t>(record_.aligned_bytes()) == 0;
  };
  return p.zeros >= static_cast<unsigned>(std::countr_zero(record_.aligned_bytes())) &&
         (p.kind == Pattern::vector || (multiple(p.lane_step) && multiple(p.vector_step)));
}

// Lanes of one vector have their address's low bits in common.
bool Access::lanes_alike() const {
  const Pattern& p = address_.pattern;
  const auto multiple = [&](int64_t step) {
    return step % static_cast<int64_t>(record_.aligned_bytes()) == 0;
  };
  return p.stepped() && multiple(p.lane_step) && multiple(p.vector_step);
}

void Access::check_alignment(bool write) {
  if (is_aligned()) return;
  llvm::BasicBlock* bad = weaver_.block("misaligned");
  llvm::BasicBlock* good = weaver_.block("aligned");
  Value* low = b_.getInt64(record_.aligned_bytes() - 1);
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
  Value* low = llvm::ConstantInt::get(vector->getType(), record_.aligned_bytes() - 1);
  Value* wrong = b_.CreateICmpNE(b_.CreateAnd(vector, low), llvm::Constant::getNullValue(vector->getType()));
  return unit_.masked()
             ? b_.CreateSelect(unit_.mask(j), wrong, llvm::Constant::getNullValue(wrong->getType()))
             : wrong;
}

// Of a run: the element that comes first in the program.
void Access::fault_misaligned(Value* thread, Value* address, bool write) {
  const unsigned first = element_order().front();
  if (first != 0) address = b_.CreateAdd(address, b_.getInt64(uint64_t{first} * element_bytes_));
  llvm::Type* i32 = b_.getInt32Ty();
  auto callee = weaver_.helper("heddle_jit_fault", b_.getVoidTy(),
                               {b_.getPtrTy(), i32, i32, i32, b_.getInt64Ty(), i32, i32, i32}, false);
  b_.CreateCall(callee, {weaver_.run, b_.getInt32(site() + first_element_ + first),
                         b_.getInt32(static_cast<uint32_t>(FaultKind::misaligned_address)), thread, address,
                         b_.getInt32(static_cast<uint32_t>(record_.aligned_bytes())), b_.getInt32(write),
                         b_.getInt32(static_cast<uint32_t>(record_.space))});
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
        Value* rest = b_.CreateAnd(base, b_.getInt64(record_.aligned_bytes() - 1));
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

}  // namespace heddle::exec::jit
