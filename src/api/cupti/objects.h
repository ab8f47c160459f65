// Objects of CUDA that programs name to CUPTI, by their handles.
#pragma once

#include "api/cuda_state/context.h"
#include "api/cuda_state/stream.h"
#include "api/cupti/call.h"

namespace heddle::cupti {

// NULL is the context that is current.
Answer<cuda::ContextRef> find_context(CUcontext handle);
// NULL is the default stream: of the context, or with `own` the calling thread's.
Answer<cuda::StreamRef> find_stream(const cuda::ContextRef& context, CUstream handle, bool own);

// Whether a handle is of one.
Status check_graph(CUgraph handle);
Status check_graph_exec(CUgraphExec handle);
Status check_graph_node(CUgraphNode handle);
Status check_event(CUevent handle);

}  // namespace heddle::cupti
