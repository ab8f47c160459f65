// Contexts: made by the program or a device's primary one, and each thread's stack of them.
#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/device.h"
#include "api/cuda_state/limits.h"
#include "profiler/collect.h"
#include "profiler/start_log.h"

namespace heddle::cu {
namespace {

constexpr unsigned int context_flags = CU_CTX_FLAGS_MASK;

Status check_flags(unsigned int flags) {
  if (Status known = known_flags(flags, context_flags); !known) return known;
  const unsigned int schedule = flags & CU_CTX_SCHED_MASK;
  if ((schedule & (schedule - 1)) != 0)
    return invalid_value("more than one way of scheduling in flags " + std::to_string(flags));
  return Unit{};
}

CUcontext handle_of(const ContextRef& context) {
  return context == nullptr ? nullptr : as_handle<CUcontext>(context->handle());
}

// The context a limit or a setting is of.
Answer<ContextRef> own_context() { return working_context(); }

}  // namespace

// ---- the primary context
Status cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  auto context = (*device)->retain_primary();
  if (!context) return context.error();
  *pctx = handle_of(*context);
  return Unit{};
}

Status cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  return (*device)->release_primary();
}

Status cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  auto device = find_device(dev);
  if (!device) return device.error();
  if (Status known = check_flags(flags); !known) return known;
  (*device)->set_primary_flags(flags);
  return Unit{};
}

Status cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active) {
  auto device = find_device(dev);
  if (!device) return device.error();
  *flags = (*device)->primary_flags();
  *active = (*device)->primary_if_active() != nullptr ? 1 : 0;
  return Unit{};
}

Status cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  return (*device)->reset_primary();
}

// ---- the program's own
namespace {

Status create(CUcontext* pctx, unsigned int flags, CUdevice dev, const runtime::ContextOptions& options) {
  if (Status known = check_flags(flags); !known) return known;
  auto device = find_device(dev);
  if (!device) return device.error();
  auto context = cuda::Context::create(**device, flags, false, options);
  if (!context) return context.error();
  cuda::push_current(*context);
  *pctx = handle_of(*context);
  return Unit{};
}

}  // namespace

Status cuCtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev) {
  return create(pctx, flags, dev, {});
}
// For the functions of version 1, whose addresses have 32 bits (version_1.cpp).
Status cuCtxCreate(CUcontext* pctx, unsigned int flags, CUdevice dev) {
  return create(pctx, flags, dev, {.low_addresses = true});
}

Status cuCtxCreate_v3(CUcontext* pctx, CUexecAffinityParam* paramsArray, int numParams, unsigned int flags,
                      CUdevice dev) {
  if (numParams != 0 || paramsArray != nullptr)
    return failure(Code::unsupported_exec_affinity,
                   "a context cannot be bound to a part of the multiprocessors");
  return cu::cuCtxCreate_v2(pctx, flags, dev);
}

Status cuCtxCreate_v4(CUcontext* pctx, CUctxCreateParams* ctxCreateParams, unsigned int flags, CUdevice dev) {
  if (ctxCreateParams != nullptr &&
      (ctxCreateParams->numExecAffinityParams != 0 || ctxCreateParams->cigParams != nullptr))
    return failure(Code::not_supported,
                   "a context cannot be bound to a part of the multiprocessors, or to graphics");
  return cu::cuCtxCreate_v2(pctx, flags, dev);
}

Status cuCtxDestroy_v2(CUcontext ctx) {
  auto context = find_context(ctx);
  if (!context) return context.error();
  if ((*context)->primary())
    return failure(Code::invalid_context, "a primary context is released, not destroyed");
  // "If ctx is current to the calling thread then ctx will also be popped from the current thread's context
  // stack."
  if (auto current = cuda::current_context(); current && *current == *context) (void)cuda::pop_current();
  (*context)->destroy();
  return Unit{};
}

Status cuCtxAttach(CUcontext* pctx, unsigned int flags) {
  if (flags != 0) return invalid_value("the flags of cuCtxAttach must be 0, are " + std::to_string(flags));
  auto context = cuda::current_context();
  if (!context) return context.error();
  (*context)->attached.fetch_add(1);
  *pctx = handle_of(*context);
  return Unit{};
}

Status cuCtxDetach(CUcontext ctx) {
  auto context = find_context(ctx);
  if (!context) return context.error();
  auto current = cuda::current_context();
  if (!current || *current != *context) return failure(Code::invalid_context, "the context is not current");
  if ((*context)->attached.fetch_sub(1) > 0) return Unit{};
  return cu::cuCtxDestroy_v2(ctx);
}

// ---- the thread's stack
Status cuCtxPushCurrent_v2(CUcontext ctx) {
  auto context = find_context(ctx);
  if (!context) return context.error();
  cuda::push_current(*context);
  return Unit{};
}

Status cuCtxPopCurrent_v2(CUcontext* pctx) {
  auto context = cuda::pop_current();
  if (!context) return context.error();
  if (pctx != nullptr) *pctx = handle_of(*context);
  return Unit{};
}

Status cuCtxSetCurrent(CUcontext ctx) {
  if (ctx == nullptr) {
    cuda::set_current(nullptr);
    return Unit{};
  }
  auto context = find_context(ctx);
  if (!context) return context.error();
  cuda::set_current(*context);
  return Unit{};
}

Status cuCtxGetCurrent(CUcontext* pctx) {
  *pctx = handle_of(cuda::current_context_if_any());
  return Unit{};
}

// ---- what is asked of the current one
Status cuCtxGetDevice(CUdevice* device) {
  auto context = cuda::current_context();
  if (!context) return context.error();
  *device = (*context)->device().ordinal();
  return Unit{};
}
Status cuCtxGetDevice_v2(CUdevice* device, CUcontext ctx) {
  if (ctx == nullptr) return cu::cuCtxGetDevice(device);
  auto context = find_context(ctx);
  if (!context) return context.error();
  *device = (*context)->device().ordinal();
  return Unit{};
}

Status cuCtxGetFlags(unsigned int* flags) {
  auto context = cuda::current_context();
  if (!context) return context.error();
  *flags = (*context)->flags;
  return Unit{};
}

Status cuCtxSetFlags(unsigned int flags) {
  auto context = cuda::current_context();
  if (!context) return context.error();
  if (Status known = check_flags(flags); !known) return known;
  (*context)->flags = flags;
  return Unit{};
}

Status cuCtxGetId(CUcontext ctx, unsigned long long* ctxId) {
  auto context = ctx == nullptr ? cuda::current_context() : find_context(ctx);
  if (!context) return context.error();
  *ctxId = (*context)->id();
  return Unit{};
}

Status cuCtxSynchronize() {
  auto context = working_context();
  if (!context) return context.error();
  return (*context)->synchronize();
}
Status cuCtxSynchronize_v2(CUcontext ctx) {
  if (ctx == nullptr) return cu::cuCtxSynchronize();
  auto context = find_context(ctx);
  if (!context) return context.error();
  return (*context)->synchronize();
}

Status cuProfilerInitialize(const char* configFile, const char* outputFile, CUoutput_mode outputMode) {
  if (auto context = working_context(); !context) return context.error();
  if (outputMode != CU_OUT_KEY_VALUE_PAIR && outputMode != CU_OUT_CSV)
    return invalid_value("output mode " + std::to_string(outputMode));
  const auto started = profiler::start_log(configFile, outputFile, outputMode == CU_OUT_CSV);
  if (!started.ok()) return invalid_value(started.error().message);
  if (!*started) return failure(Code::profiler_disabled, "another tool measures this process");
  return Unit{};
}
Status cuProfilerStart() {
  if (auto context = working_context(); !context) return context.error();
  profiler::collect(true);
  return Unit{};
}
Status cuProfilerStop() {
  if (auto context = working_context(); !context) return context.error();
  profiler::collect(false);
  return Unit{};
}

Status cuCtxGetApiVersion(CUcontext ctx, unsigned int* version) {
  auto context = ctx == nullptr ? cuda::current_context() : find_context(ctx);
  if (!context) return context.error();
  *version = (*context)->runtime()->options().low_addresses ? 3010 : 3020;
  return Unit{};
}

Status cuCtxGetLimit(size_t* pvalue, CUlimit limit) {
  auto context = own_context();
  if (!context) return context.error();
  auto value = cuda::limit_of(**context, limit);
  if (!value) return value.error();
  *pvalue = *value;
  return Unit{};
}

Status cuCtxSetLimit(CUlimit limit, size_t value) {
  auto context = own_context();
  if (!context) return context.error();
  return cuda::set_limit(**context, limit, value);
}

Status cuCtxGetCacheConfig(CUfunc_cache* pconfig) {
  auto context = own_context();
  if (!context) return context.error();
  *pconfig = static_cast<CUfunc_cache>((*context)->runtime()->cache_preference.load());
  return Unit{};
}
Status cuCtxSetCacheConfig(CUfunc_cache config) {
  auto context = own_context();
  if (!context) return context.error();
  if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
    return invalid_value("no cache configuration has the number " + std::to_string(config));
  (*context)->runtime()->cache_preference = static_cast<model::CachePreference>(config);
  return Unit{};
}

Status cuCtxGetSharedMemConfig(CUsharedconfig* pConfig) {
  auto context = own_context();
  if (!context) return context.error();
  *pConfig = static_cast<CUsharedconfig>((*context)->shared_config.load());
  return Unit{};
}
Status cuCtxSetSharedMemConfig(CUsharedconfig config) {
  auto context = own_context();
  if (!context) return context.error();
  if (config < CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE || config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
    return invalid_value("no bank size has the number " + std::to_string(config));
  (*context)->shared_config = config;
  return Unit{};
}

Status cuCtxGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  auto context = own_context();
  if (!context) return context.error();
  if (leastPriority != nullptr) *leastPriority = 0;
  if (greatestPriority != nullptr) *greatestPriority = cuda::greatest_stream_priority;
  return Unit{};
}

// No device binds a context to a part of it (cuDeviceGetExecAffinitySupport): each has all.
Status cuCtxGetExecAffinity(CUexecAffinityParam* pExecAffinity, CUexecAffinityType type) {
  auto context = own_context();
  if (!context) return context.error();
  if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
    return failure(Code::unsupported_exec_affinity, "no such kind of affinity: " + std::to_string(type));
  pExecAffinity->type = type;
  pExecAffinity->param.smCount.val = (*context)->device().facts().board.multiprocessors;
  return Unit{};
}

Status cuCtxResetPersistingL2Cache() {
  auto context = own_context();
  if (!context) return context.error();
  return Unit{};  // nothing persists in a cache here
}

// ---- events of all of a context's work
Status cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) {
  auto context = find_context(hCtx);
  if (!context) return context.error();
  auto event = find_event(hEvent);
  if (!event) return event.error();
  if ((*event)->context() != *context)
    return failure(Code::invalid_handle, "the event belongs to another context");
  return (*event)->record_all();
}
Status cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) {
  auto context = find_context(hCtx);
  if (!context) return context.error();
  auto event = find_event(hEvent);
  if (!event) return event.error();
  return cuda::all_wait_for(**context, **event);
}

// ---- peers
Status cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  if (Flags != 0)
    return invalid_value("the flags of cuCtxEnablePeerAccess must be 0, are " + std::to_string(Flags));
  auto context = working_context();
  if (!context) return context.error();
  auto peer = find_context(peerContext);
  if (!peer) return peer.error();
  return (*context)->enable_peer(**peer);
}
Status cuCtxDisablePeerAccess(CUcontext peerContext) {
  auto context = working_context();
  if (!context) return context.error();
  auto peer = find_context(peerContext);
  if (!peer) return peer.error();
  return (*context)->disable_peer(**peer);
}

}  // namespace heddle::cu
