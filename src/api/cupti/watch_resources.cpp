#include "api/cupti/watch_resources.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "api/cuda_state/module.h"
#include "api/cuda_state/resources.h"
#include "api/cupti/session.h"
#include "api/ranges/calls.h"

namespace heddle::cupti {

namespace {

using cuda::Resource;
using cuda::ResourceFacts;

// Numbers of modules: one that is loaded where another one was is another.
struct Modules {
  struct One {
    uint32_t number;
    uint64_t context;
  };
  std::mutex mutex;
  uint32_t next = 1;
  std::map<uint64_t, One> known;

  uint32_t number(uint64_t module, uint64_t context) {
    const std::lock_guard lock(mutex);
    const auto [found, fresh] = known.try_emplace(module, One{next, context});
    if (fresh) ++next;
    return found->second.number;
  }
  void forget(uint64_t module) {
    const std::lock_guard lock(mutex);
    known.erase(module);
  }
  std::vector<uint64_t> of(uint64_t context) {
    const std::lock_guard lock(mutex);
    std::vector<uint64_t> found;
    for (const auto& [module, one] : known)
      if (one.context == context) found.push_back(module);
    return found;
  }
};
Modules& modules() {
  static Modules& all = *new Modules;
  return all;
}

// A module has no machine code here: `pCubin` is NULL.
void tell_module(Session& session, CUpti_CallbackIdResource id, uint64_t context, uint64_t module) {
  CUpti_ModuleResourceData module_data{};
  module_data.moduleId = modules().number(module, context);
  CUpti_ResourceData data{};
  data.context = std::bit_cast<CUcontext>(context);
  data.resourceDescriptor = &module_data;
  if (session.calls_back(CUPTI_CB_DOMAIN_RESOURCE, id))
    session.call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
  if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING) modules().forget(module);
}

void tell_of_graph(Session& session, CUpti_CallbackIdResource id, const ResourceFacts& facts) {
  if (!session.calls_back(CUPTI_CB_DOMAIN_RESOURCE, id)) return;
  CUpti_GraphData graph{};
  graph.graph = std::bit_cast<CUgraph>(facts.graph);
  graph.originalGraph = std::bit_cast<CUgraph>(facts.original_graph);
  graph.originalNode = std::bit_cast<CUgraphNode>(facts.original);
  graph.nodeType = static_cast<CUgraphNodeType>(facts.node_type);
  graph.dependency = std::bit_cast<CUgraphNode>(facts.before);
  if (facts.kind == Resource::graph_exec)
    graph.graphExec = std::bit_cast<CUgraphExec>(facts.handle);
  else if (facts.kind != Resource::graph)
    graph.node = std::bit_cast<CUgraphNode>(facts.handle);
  CUpti_ResourceData data{};
  data.resourceDescriptor = &graph;
  session.call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

void tell_handle(Session& session, CUpti_CallbackIdResource id, const ResourceFacts& facts) {
  if (!session.calls_back(CUPTI_CB_DOMAIN_RESOURCE, id)) return;
  CUpti_ResourceData data{};
  data.context = std::bit_cast<CUcontext>(facts.context);
  data.resourceHandle.stream = std::bit_cast<CUstream>(facts.handle);
  session.call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

void tell(Session& session, const ResourceFacts& facts) {
  const auto one = [&](CUpti_CallbackIdResource made, CUpti_CallbackIdResource ends) {
    return facts.made ? made : ends;
  };
  switch (facts.kind) {
    case Resource::context:
      tell_handle(session,
                  one(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING),
                  facts);
      if (!facts.made)
        for (const uint64_t module : modules().of(facts.context))
          tell_module(session, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, facts.context, module);
      return;
    case Resource::stream:
      return tell_handle(session,
                         one(CUPTI_CBID_RESOURCE_STREAM_CREATED, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING),
                         facts);
    case Resource::module:
      return tell_module(session,
                         one(CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING),
                         facts.context, facts.handle);
    case Resource::graph:
      return tell_of_graph(session,
                           facts.original_graph != 0 ? CUPTI_CBID_RESOURCE_GRAPH_CLONED
                                                     : one(CUPTI_CBID_RESOURCE_GRAPH_CREATED,
                                                           CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING),
                           facts);
    case Resource::graph_node: {
      if (!facts.made) return tell_of_graph(session, CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING, facts);
      // What it is a copy of is told in the end.
      ResourceFacts alone = facts;
      alone.original = alone.original_graph = 0;
      tell_of_graph(session, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING, alone);
      for (const uint64_t before : facts.dependencies) {
        ResourceFacts edge{.kind = Resource::graph_edge, .handle = facts.handle, .graph = facts.graph};
        edge.before = before;
        tell_of_graph(session, CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED, edge);
      }
      tell_of_graph(session, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, alone);
      if (facts.original != 0) tell_of_graph(session, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, facts);
      return;
    }
    case Resource::graph_edge:
      return tell_of_graph(session,
                           one(CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED,
                               CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING),
                           facts);
    case Resource::graph_exec:
      if (!facts.made) return tell_of_graph(session, CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, facts);
      tell_of_graph(session, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, facts);
      return tell_of_graph(session, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, facts);
  }
}

thread_local std::vector<ResourceFacts> made;
thread_local bool ready = false, recorded = false;

class Listener final : public cuda::ResourceListener {
 public:
  explicit Listener(Session& session) : session_(session) {}
  void resource(const ResourceFacts& facts) override {
    if (Session::in_callback()) return;
    if (facts.made) return made.push_back(facts);
    tell_made(session_);
    tell(session_, facts);
  }

 private:
  Session& session_;
};

}  // namespace

bool calls_back_resource(CUpti_CallbackId id) {
  return id <= CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED && id < CUPTI_CBID_RESOURCE_SIZE;
}

void watch_resources(Session& session, bool on) {
  static Listener& listener = *new Listener(session);
  cuda::listen_to_resources(on ? &listener : nullptr);
}

void watch_nvtx(bool on) {
  ranges::tell_calls_to(!on ? nullptr : [](const char* function, const void* parameters, void* result) {
    const std::span<const char* const> functions = nvtx_functions();
    const auto found = std::ranges::find(functions, std::string_view(function));
    const auto id = static_cast<CUpti_CallbackId>(found - functions.begin());
    Session& session = Session::get();
    if (found == functions.end() || !session.calls_back(CUPTI_CB_DOMAIN_NVTX, id)) return;
    CUpti_NvtxData data{};
    data.functionName = function;
    data.functionParams = parameters;
    data.functionReturnValue = result;
    session.call_back(CUPTI_CB_DOMAIN_NVTX, id, &data);
  });
}

bool calls_back_nvtx(CUpti_CallbackId id) {
  return id == 0 || (id < nvtx_functions().size() && ranges::tells_calls_of(nvtx_functions()[id]));
}

void tell_ready() { ready = true; }

void tell_made(Session& session) {
  if (std::exchange(ready, false) &&
      session.calls_back(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED))
    session.call_back(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, nullptr);
  recorded = std::ranges::any_of(made, [](const auto& one) { return one.kind == Resource::graph_node; });
  if (made.empty()) return;
  // A callback may make things of its own.
  for (const ResourceFacts& facts : std::exchange(made, {})) tell(session, facts);
}

void tell_launched(Session& session, const cuda::Module& module) {
  if (recorded) return;  // it became a node
  if (session.calls_back(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_PROFILED))
    tell_module(session, CUPTI_CBID_RESOURCE_MODULE_PROFILED, module.context().handle(),
                reinterpret_cast<uint64_t>(&module));
}

void tell_synchronized(Session& session, CUcontext context, uint64_t stream, bool whole_context) {
  const CUpti_CallbackIdSync id = whole_context ? CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED
                                                : CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED;
  if (!session.calls_back(CUPTI_CB_DOMAIN_SYNCHRONIZE, id)) return;
  CUpti_SynchronizeData data{};
  data.context = context;
  data.stream = std::bit_cast<CUstream>(stream);
  session.call_back(CUPTI_CB_DOMAIN_SYNCHRONIZE, id, &data);
}

}  // namespace heddle::cupti
