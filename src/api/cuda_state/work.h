// What a stream or a node of a graph does, as a value: so that a call can be run at once, captured, told
// again and changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "api/cuda_state/conditional.h"
#include "api/cuda_state/event.h"
#include "api/cuda_state/graph_memory.h"
#include "api/cuda_state/launch_attributes.h"
#include "api/cuda_state/library_work.h"
#include "api/cuda_state/memory_operations.h"
#include "api/cuda_state/module.h"
#include "runtime/copy.h"
#include "runtime/launch.h"

namespace heddle::cuda {

struct EmptyWork {};
struct KernelWork {
  FunctionRef function;
  exec::Dim3 grid, block;
  std::optional<exec::Dim3> cluster = {};
  uint32_t dynamic_shared = 0;
  bool cooperative = false;
  std::vector<std::byte> params = {};
  LaunchAttributes attributes = {};
  uint64_t called = 0;  // what the program called the kernel, to be told again; 0: by its handle
};
struct CopyWork {
  runtime::CopyRequest request;
  // What the call said, to be told again: array handles, and the direction.
  uint64_t to_array = 0, from_array = 0;
  int direction = 0;
};
struct FillWork {
  runtime::CopyPlace to;
  runtime::CopyExtent extent;
  std::vector<std::byte> pattern;
  uint64_t to_array = 0;
};
struct HostWork {
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
};
struct RecordWork {
  EventRef event;
};
struct WaitWork {
  EventRef event;
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
// Memory of a graph has its place from the beginning (graph_memory.h).
struct AllocateWork {
  std::shared_ptr<GraphMemory> memory;
  uint64_t bytes = 0;
  int device = 0;
};
struct FreeWork {
  uint64_t address = 0;
};
using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork,
                          ChildWork, AllocateWork, FreeWork, BatchWork, ConditionalWork, LibraryWork>;
std::string_view name(const Work& work);
// As both APIs number the types of nodes.
enum class NodeType : int {
  kernel = 0,
  memcpy = 1,
  memset = 2,
  host = 3,
  graph = 4,
  empty = 5,
  wait_event = 6,
  event_record = 7,
  signal_semaphores = 8,
  wait_semaphores = 9,
  mem_alloc = 10,
  mem_free = 11,
  batch_mem_op = 12,
  conditional = 13
};
NodeType type_of(const Work& work);

// Now, in the stream's order, or into the graph that the stream is captured to.
Status submit(Stream& stream, Work work);
Status launch(Stream& stream, Function& function, const runtime::LaunchRequest& request,
              const LaunchWishes* wishes = nullptr);
// For graphs: what runs. nullptr: nothing does, it is a mark.
Answer<runtime::OperationRef> make_operation(Context& context, const Work& work);

}  // namespace heddle::cuda
