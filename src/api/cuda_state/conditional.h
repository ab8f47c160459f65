// Parts of a graph that run, or run again, as a value says that kernels set
// (CUDA C++ Programming Guide, "Conditional graph nodes").
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "api/cuda_state/context.h"
#include "runtime/task.h"

namespace heddle::cuda {

class Graph;

// What a cudaGraphConditionalHandle stands for. The handle is the address of the value, so that kernels need
// nothing but a store to set it.
class ConditionValue {
 public:
  static Answer<std::shared_ptr<ConditionValue>> create(Context& context, uint32_t usual, bool every_launch);
  ConditionValue(runtime::AllocationRef memory, runtime::System& system, uint32_t usual, bool every_launch);
  ~ConditionValue();
  ConditionValue(const ConditionValue&) = delete;
  ConditionValue& operator=(const ConditionValue&) = delete;

  uint64_t handle() const { return memory_->address; }
  uint32_t read() const;
  // "Assigned at the start of every launch of the graph", if it was made so.
  bool every_launch() const { return every_launch_; }
  void assign_usual() const;

 private:
  const runtime::AllocationRef memory_;
  runtime::System& system_;
  const uint32_t usual_;
  const bool every_launch_;
};
using ConditionRef = std::shared_ptr<ConditionValue>;

enum class ConditionalKind : int { if_ = 0, while_ = 1, switch_ = 2 };  // as both APIs number them

struct ConditionalWork {
  ConditionRef value;
  ConditionalKind kind = ConditionalKind::if_;
  uint32_t size = 1;                           // how many bodies
  std::vector<std::shared_ptr<Graph>> bodies;  // of the node, made with it
};

// The bodies one operation after the other.
using Body = std::vector<runtime::OperationRef>;
runtime::OperationRef make_conditional(const ConditionalWork& work, std::vector<Body> bodies);
// At the start of a launch.
runtime::OperationRef make_assignment(std::vector<ConditionRef> values);

}  // namespace heddle::cuda
