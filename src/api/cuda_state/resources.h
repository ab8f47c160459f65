// Who is told of what programs make and end: contexts, streams, modules, graphs. For CUPTI, whose programs
// ask for callbacks; nobody asking costs one look at a pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace heddle::cuda {

enum class Resource : uint8_t { context, stream, module, graph, graph_node, graph_edge, graph_exec };

struct ResourceFacts {
  Resource kind;
  // Made, perhaps with locks held: to be noted and told later. Otherwise it is about to end, and no lock is
  // held.
  bool made = true;
  uint64_t context = 0;  // handle; 0: of none
  uint64_t handle = 0;   // of a module: what tells it from others; of an edge: the node that waits
  uint64_t graph = 0;    // of a node and an edge: what it is part of; of what can run: what it was made of
  uint64_t original = 0, original_graph = 0;  // of a copy
  uint64_t before = 0;                        // of an edge: the node that is waited for
  int node_type = 0;                          // CUgraphNodeType
  std::vector<uint64_t> dependencies = {};    // of a node that is made
};

class ResourceListener {
 public:
  virtual ~ResourceListener() = default;
  virtual void resource(const ResourceFacts& facts) = 0;
};

namespace detail {
inline std::atomic<ResourceListener*> resource_listener{nullptr};
}

// It lives as long as the process. nullptr: nobody any more.
inline void listen_to_resources(ResourceListener* listener) {
  detail::resource_listener.store(listener, std::memory_order_release);
}

// `facts` are made only if somebody listens.
template <class Facts>
void tell_resource(const Facts& facts) {
  if (auto* listener = detail::resource_listener.load(std::memory_order_acquire)) [[unlikely]]
    listener->resource(facts());
}

}  // namespace heddle::cuda
