// Memory of a graph: it has its place from the making of the node that allocates it, and keeps it as long as
// a graph could use it. What programs free in between says only that they are done with its contents. What a
// launch allocated and nobody has freed stays, whatever becomes of the graph (so on an H200).
#pragma once

#include <memory>

#include "api/cuda_state/process.h"
#include "runtime/context.h"

namespace heddle::cuda {

class GraphMemory {
 public:
  static Answer<std::shared_ptr<GraphMemory>> create(Context& context, uint64_t bytes);
  explicit GraphMemory(runtime::AllocationRef memory, runtime::System& system);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  uint64_t address() const { return memory_->address; }

  // What the nodes do when their time comes.
  static runtime::OperationRef allocating(std::shared_ptr<GraphMemory> memory);
  static runtime::OperationRef freeing(uint64_t address);
  // Somebody frees what a launch allocated; nothing, if none did.
  static void free(uint64_t address);
  // The context ends, and its memory with it.
  static void end_of(const runtime::Context& context);

  // Some graph's memory begins there.
  static bool begins_at(uint64_t address);
  // What graphs have of a device's memory, and the most that they had.
  struct Usage {
    uint64_t now = 0, high = 0;
  };
  static Usage usage(uint32_t device);
  static void reset_high(uint32_t device);

 private:
  const runtime::AllocationRef memory_;
  runtime::System& system_;
};

}  // namespace heddle::cuda
