// A thread's function in work: what emit.cpp, places.cpp and atomics.cpp share.
#pragma once

#include <cstddef>
#include <vector>

#include "exec/fault.h"
#include "exec/jit/fiber/fiber.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/ir/program.h"
#include "exec/jit/kernel/kernel.h"
#include "exec/memory_map.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

class ThreadCode {
 public:
  ThreadCode(ThreadProgram& program, const module::Image& image, uint32_t entry, const Shape& shape);

  void run();

 private:
  void convert(llvm::Function& before, llvm::Function& after, bool is_entry);
  void call(llvm::CallInst& call);
  using Value = llvm::Value;

  // ---- the fiber's fields
  Value* at(Value* base, uint64_t offset) { return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), base, offset); }
  Value* field(size_t offset, llvm::Type* type) { return ir_.CreateLoad(type, at(fiber_, offset)); }
  Value* context(size_t offset, llvm::Type* type) {
    return ir_.CreateLoad(type, at(field(offsetof(Fiber, context), ir_.getPtrTy()), offset));
  }
  Value* request_at(size_t offset) { return at(fiber_, offsetof(Fiber, request) + offset); }
  Value* u32(uint32_t value) { return ir_.getInt32(value); }
  Value* u64(uint64_t value) { return ir_.getInt64(value); }

  // ---- requests
  void ask(Want want, Value* what, llvm::ArrayRef<Value*> arguments);
  void ask_together(Want want, Value* what, Value* members, Value* sync, llvm::ArrayRef<Value*> arguments);
  Value* result(unsigned index, llvm::Type* type);
  llvm::FunctionCallee want_function();
  llvm::CallInst* yield();
  void fault_unless(Value* good, FaultKind kind, llvm::ArrayRef<Value*> arguments);
  llvm::Function* fault_function();
  uint32_t site() const;

  // ---- memory (places.cpp)
  struct Access {
    Value* address;
    module::Space space;
    uint32_t bytes;
    bool write;
    bool of_cluster = false;  // in shared memory: of any block of the cluster
  };
  Value* place(const Access& access);
  Value* place_in(const Access& access, module::Space space, Value* address);
  Value* place_in_shared(const Access& access, Value* address);
  Value* place_anywhere(const Access& access);
  void check(Value* good, FaultKind kind, const Access& access);
  Value* load(llvm::CallInst& call);
  void store(llvm::CallInst& call);

  // ---- atomics (atomics.cpp)
  Value* atomic(llvm::CallInst& call);
  Value* float_sum(Value* old, Value* a, bool flush);

  // ---- operations
  void expand(llvm::CallInst& call, Op op);
  Value* value_of(llvm::CallInst& call, Op op);
  Value* dimension(llvm::CallInst& call, size_t offset);
  Value* step(llvm::CallInst& call);
  Value* barrier(llvm::CallInst& call, BarrierKind kind, Value* predicate);
  void lose_patience(int32_t cost);
  void give_way_in_loops();
  void make_entry();

  ThreadProgram& program_;
  const module::Image& image_;
  const module::Function& kernel_;
  const Shape& shape_;
  const WindowMap& windows_;
  llvm::Module& module_;
  llvm::IRBuilder<> ir_;
  llvm::Function *thread_ = nullptr, *fault_ = nullptr;
  Value* fiber_ = nullptr;
  bool looks_ = false;      // some loop does, at what others write
  uint32_t place_ = 0;      // of the operation in work, in the order of the program
  Value* frame_ = nullptr;  // of a function; nullptr in the entry: 0
  llvm::DenseMap<uint32_t, llvm::Function*> functions_;  // by number in the image
};

}  // namespace heddle::exec::jit
