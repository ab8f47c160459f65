// Callbacks besides those around calls of CUDA: what programs make and end (CUPTI_CB_DOMAIN_RESOURCE), what
// they have waited for (CUPTI_CB_DOMAIN_SYNCHRONIZE), NVTX's functions.
#pragma once

#include <cupti.h>

#include <cstdint>

namespace heddle::cuda {
class Module;
}

namespace heddle::cupti {

class Session;

// Those of the resource domain that are called; others are refused.
bool calls_back_resource(CUpti_CallbackId id);

// Whether cuda_state tells of resources from now on.
void watch_resources(Session& session, bool on);
// Whether calls of NVTX's functions are told to the subscriber from now on (CUPTI_CB_DOMAIN_NVTX).
void watch_nvtx(bool on);
bool calls_back_nvtx(CUpti_CallbackId id);
// What was made and has not been told, in the thread's call: told before the call's end is.
void tell_made(Session& session);
// The devices are there from now on: told so, too.
void tell_ready();
// A kernel of a module was launched, unless the launch was captured.
void tell_launched(Session& session, const cuda::Module& module);
void tell_synchronized(Session& session, CUcontext context, uint64_t stream, bool whole_context);

}  // namespace heddle::cupti
