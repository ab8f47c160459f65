#include "api/cupti/objects.h"

#include "api/cuda_state/process.h"
#include "api/cuda_state/thread.h"

namespace heddle::cupti {

Answer<cuda::ContextRef> find_context(CUcontext handle) {
  if (handle == nullptr) {
    cuda::ContextRef current = cuda::current_context_if_any();
    if (current == nullptr) return failure(CUPTI_ERROR_INVALID_CONTEXT, "no context is current");
    return current;
  }
  if (!cuda::Process::started()) return failure(CUPTI_ERROR_INVALID_CONTEXT, "there are no contexts yet");
  cuda::ContextRef found = cuda::Process::get().handles().contexts.find(reinterpret_cast<uint64_t>(handle));
  if (found == nullptr) return failure(CUPTI_ERROR_INVALID_CONTEXT, "'context' is none");
  return found;
}

Answer<cuda::StreamRef> find_stream(const cuda::ContextRef& context, CUstream handle, bool own) {
  const auto find = [&] { return cuda::find_stream(context, handle); };
  const auto stream = own ? [&] {
    const cuda::PerThreadStream per_thread;
    return find();
  }()
                          : find();
  if (!stream) return failure(CUPTI_ERROR_INVALID_STREAM, stream.error().message);
  return *stream;
}

namespace {

// By the table of its kind.
template <class Table, class Handle>
Status check_in(Table cuda::Handles::* table, Handle handle, const char* name) {
  const bool known =
      cuda::Process::started() && (cuda::Process::get().handles().*table).find(handle) != nullptr;
  return known ? Status(Unit{}) : invalid_parameter(std::string("'") + name + "' is none");
}

}  // namespace

Status check_graph(CUgraph handle) { return check_in(&cuda::Handles::graphs, handle, "graph"); }
Status check_graph_exec(CUgraphExec handle) {
  return check_in(&cuda::Handles::graph_execs, handle, "graphExec");
}
Status check_graph_node(CUgraphNode handle) { return check_in(&cuda::Handles::graph_nodes, handle, "node"); }
Status check_event(CUevent handle) { return check_in(&cuda::Handles::events, handle, "event"); }

}  // namespace heddle::cupti
