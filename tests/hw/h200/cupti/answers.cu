// What CUPTI answers: to no arguments at all, to a structure of zeros, to one that knows its size, and to legacy calls that are well made.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static void died(int s) { siglongjmp(back, s); }
__global__ void kernel(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = p[i] * 2 + 1; }

template <class R, class... A>
int zero(R (*f)(A...)) {
  if constexpr (std::is_void_v<R>) { f(A{}...); return 0; }
  else if constexpr (std::is_same_v<R, CUptiResult>) return (int)f(A{}...);
  else { f(A{}...); return 0; }
}
template <class P>
int sized(CUptiResult (*f)(P*), bool knows) {
  if constexpr (requires { sizeof(P); } && std::is_class_v<P> && !std::is_same_v<P, CUpti_EventGroupSets>) {
    alignas(16) static unsigned char bytes[8192];
    memset(bytes, 0, sizeof bytes);
    if (knows) *reinterpret_cast<size_t*>(bytes) = sizeof(P);
    return (int)f(reinterpret_cast<P*>(bytes));
  }
  return -1;
}
template <class... A> int sized(A...) { return -1; }

template <class F>
void guarded(const char* what, F f) {
  int s = sigsetjmp(back, 1);
  if (s) { printf(" %s=signal%d", what, s); return; }
  alarm(3);
  int r = f();
  alarm(0);
  if (r != -1) printf(" %s=%d", what, r);
}

static void every(bool one_process) {
#define F(name)                                                                        \
  if (pid_t child = one_process ? 0 : fork(); child == 0) {                            \
    printf(#name);                                                                     \
    guarded("zeros", [] { return zero(name); });                                       \
    guarded("size0", [] { return sized(name, false); });                               \
    guarded("sized", [] { return sized(name, true); });                                \
    printf("\n");                                                                      \
    fflush(stdout);                                                                    \
    if (!one_process) _exit(0);                                                        \
  } else if (child > 0) { int st; waitpid(child, &st, 0); }
  F(cuptiGetTimestamp)
  F(cuptiGetContextId)
  F(cuptiGetStreamId)
  F(cuptiGetStreamIdEx)
  F(cuptiGetDeviceId)
  F(cuptiGetGraphNodeId)
  F(cuptiGetGraphId)
  F(cuptiGetGraphExecId)
  F(cuptiActivityEnable)
  F(cuptiActivityEnableAndDump)
  F(cuptiActivityDisable)
  F(cuptiActivityEnableContext)
  F(cuptiActivityDisableContext)
  F(cuptiActivityGetNumDroppedRecords)
  F(cuptiActivityGetNextRecord)
  F(cuptiActivityRegisterCallbacks)
  F(cuptiActivityFlush)
  F(cuptiActivityFlushAll)
  F(cuptiActivityGetAttribute)
  F(cuptiActivitySetAttribute)
  F(cuptiActivityConfigureUnifiedMemoryCounter)
  F(cuptiGetAutoBoostState)
  F(cuptiActivityConfigurePCSampling)
  F(cuptiGetLastError)
  F(cuptiSetThreadIdType)
  F(cuptiGetThreadIdType)
  F(cuptiComputeCapabilitySupported)
  F(cuptiDeviceSupported)
  F(cuptiDeviceVirtualizationMode)
  F(cuptiActivityPushExternalCorrelationId)
  F(cuptiActivityPopExternalCorrelationId)
  F(cuptiActivityEnableLatencyTimestamps)
  F(cuptiActivityFlushPeriod)
  F(cuptiActivityEnableLaunchAttributes)
  F(cuptiActivityRegisterTimestampCallback)
  F(cuptiActivityEnableDeviceGraph)
  F(cuptiActivityEnableDriverApi)
  F(cuptiActivityEnableRuntimeApi)
  F(cuptiActivityEnableHWTrace)
  F(cuptiActivityEnableAllocationSource)
  F(cuptiActivityEnableAllSyncRecords)
  F(cuptiActivityEnableCudaEventDeviceTimestamps)
  F(cuptiSupportedDomains)
  F(cuptiSubscribe)
  F(cuptiSubscribe_v2)
  F(cuptiUnsubscribe)
  F(cuptiGetCallbackState)
  F(cuptiEnableCallback)
  F(cuptiEnableDomain)
  F(cuptiEnableAllDomains)
  F(cuptiGetCallbackName)
  F(cuptiSetEventCollectionMode)
  F(cuptiDeviceGetAttribute)
  F(cuptiDeviceGetNumEventDomains)
  F(cuptiDeviceEnumEventDomains)
  F(cuptiDeviceGetEventDomainAttribute)
  F(cuptiGetNumEventDomains)
  F(cuptiEnumEventDomains)
  F(cuptiEventDomainGetAttribute)
  F(cuptiEventDomainGetNumEvents)
  F(cuptiEventDomainEnumEvents)
  F(cuptiEventGetAttribute)
  F(cuptiEventGetIdFromName)
  F(cuptiEventGroupCreate)
  F(cuptiEventGroupDestroy)
  F(cuptiEventGroupGetAttribute)
  F(cuptiEventGroupSetAttribute)
  F(cuptiEventGroupAddEvent)
  F(cuptiEventGroupRemoveEvent)
  F(cuptiEventGroupRemoveAllEvents)
  F(cuptiEventGroupResetAllEvents)
  F(cuptiEventGroupEnable)
  F(cuptiEventGroupDisable)
  F(cuptiEventGroupReadEvent)
  F(cuptiEventGroupReadAllEvents)
  F(cuptiEventGroupSetsCreate)
  F(cuptiEventGroupSetsDestroy)
  F(cuptiEventGroupSetEnable)
  F(cuptiEventGroupSetDisable)
  F(cuptiEnableKernelReplayMode)
  F(cuptiDisableKernelReplayMode)
  F(cuptiKernelReplaySubscribeUpdate)
  F(cuptiGetNumMetrics)
  F(cuptiEnumMetrics)
  F(cuptiDeviceGetNumMetrics)
  F(cuptiDeviceEnumMetrics)
  F(cuptiMetricGetAttribute)
  F(cuptiMetricGetIdFromName)
  F(cuptiMetricGetNumEvents)
  F(cuptiMetricEnumEvents)
  F(cuptiMetricGetNumProperties)
  F(cuptiMetricEnumProperties)
  F(cuptiMetricGetRequiredEventGroupSets)
  F(cuptiMetricCreateEventGroupSets)
  F(cuptiMetricGetValue)
  F(cuptiMetricGetValue2)
  F(cuptiPCSamplingSetConfigurationAttribute)
  F(cuptiPCSamplingGetConfigurationAttribute)
  F(cuptiPCSamplingGetData)
  F(cuptiPCSamplingEnable)
  F(cuptiPCSamplingDisable)
  F(cuptiPCSamplingStart)
  F(cuptiPCSamplingStop)
  F(cuptiPCSamplingGetNumStallReasons)
  F(cuptiPCSamplingGetStallReasons)
  F(cuptiGetSassToSourceCorrelation)
  F(cuptiGetCubinCrc)
  F(cuptiRegisterComputeCrcCallback)
  F(cuptiPmSamplingSetConfig)
  F(cuptiPmSamplingEnable)
  F(cuptiPmSamplingDisable)
  F(cuptiPmSamplingStart)
  F(cuptiPmSamplingStop)
  F(cuptiPmSamplingDecodeData)
  F(cuptiPmSamplingGetCounterAvailability)
  F(cuptiPmSamplingGetCounterDataSize)
  F(cuptiPmSamplingCounterDataImageInitialize)
  F(cuptiPmSamplingGetCounterDataInfo)
  F(cuptiPmSamplingCounterDataGetSampleInfo)
  F(cuptiProfilerInitialize)
  F(cuptiProfilerDeInitialize)
  F(cuptiProfilerCounterDataImageCalculateSize)
  F(cuptiProfilerCounterDataImageInitialize)
  F(cuptiProfilerCounterDataImageCalculateScratchBufferSize)
  F(cuptiProfilerCounterDataImageInitializeScratchBuffer)
  F(cuptiProfilerBeginSession)
  F(cuptiProfilerEndSession)
  F(cuptiProfilerSetConfig)
  F(cuptiProfilerUnsetConfig)
  F(cuptiProfilerBeginPass)
  F(cuptiProfilerEndPass)
  F(cuptiProfilerEnableProfiling)
  F(cuptiProfilerDisableProfiling)
  F(cuptiProfilerIsPassCollected)
  F(cuptiProfilerFlushCounterData)
  F(cuptiProfilerPushRange)
  F(cuptiProfilerPopRange)
  F(cuptiProfilerGetCounterAvailability)
  F(cuptiProfilerDeviceSupported)
  F(cuptiProfilerHostInitialize)
  F(cuptiProfilerHostDeinitialize)
  F(cuptiProfilerHostGetSupportedChips)
  F(cuptiProfilerHostGetBaseMetrics)
  F(cuptiProfilerHostGetSubMetrics)
  F(cuptiProfilerHostGetMetricProperties)
  F(cuptiProfilerHostGetRangeName)
  F(cuptiProfilerHostEvaluateToGpuValues)
  F(cuptiProfilerHostConfigAddMetrics)
  F(cuptiProfilerHostGetConfigImageSize)
  F(cuptiProfilerHostGetConfigImage)
  F(cuptiProfilerHostGetNumOfPasses)
  F(cuptiProfilerHostGetMaxNumHardwareMetricsPerPass)
  F(cuptiRangeProfilerSetConfig)
  F(cuptiRangeProfilerEnable)
  F(cuptiRangeProfilerDisable)
  F(cuptiRangeProfilerStart)
  F(cuptiRangeProfilerStop)
  F(cuptiRangeProfilerPushRange)
  F(cuptiRangeProfilerPopRange)
  F(cuptiRangeProfilerDecodeData)
  F(cuptiRangeProfilerGetCounterDataSize)
  F(cuptiRangeProfilerCounterDataImageInitialize)
  F(cuptiRangeProfilerGetCounterDataInfo)
  F(cuptiRangeProfilerCounterDataGetRangeInfo)
  F(cuptiGetResultString)
  F(cuptiGetErrorMessage)
  F(cuptiSassMetricsGetNumOfMetrics)
  F(cuptiSassMetricsGetMetrics)
  F(cuptiSassMetricsGetProperties)
  F(cuptiSassMetricsSetConfig)
  F(cuptiSassMetricsUnsetConfig)
  F(cuptiSassMetricsEnable)
  F(cuptiSassMetricsDisable)
  F(cuptiSassMetricsGetDataProperties)
  F(cuptiSassMetricsFlushData)
  F(cuptiDeviceGetChipName)
  F(cuptiGetVersion)
#undef F
}

#define DO(...) (printf("%s = %d\n", #__VA_ARGS__, (int)(__VA_ARGS__)))

static void legacy() {
  CUdevice device = 0;
  CUcontext context;
  cuCtxGetCurrent(&context);
  uint32_t n = 0;
  size_t size = 64;
  char text[4096];
  DO(cuptiDeviceGetNumEventDomains(device, &n));
  DO(cuptiGetNumEventDomains(&n));
  CUpti_EventDomainID domains[64];
  size = sizeof domains;
  DO(cuptiDeviceEnumEventDomains(device, &size, domains));
  size = sizeof domains;
  DO(cuptiEnumEventDomains(&size, domains));
  CUpti_EventID event = 0;
  DO(cuptiEventGetIdFromName(device, "active_warps", &event));
  size = sizeof text;
  DO(cuptiEventGetAttribute(1, CUPTI_EVENT_ATTR_NAME, &size, text));
  DO(cuptiEventDomainGetNumEvents(1, &n));
  CUpti_EventGroup group;
  DO(cuptiEventGroupCreate(context, &group, 0));
  CUpti_EventGroupSets* sets = nullptr;
  DO(cuptiEventGroupSetsCreate(context, sizeof event, &event, &sets));
  DO(cuptiSetEventCollectionMode(context, CUPTI_EVENT_COLLECTION_MODE_KERNEL));
  DO(cuptiEnableKernelReplayMode(context));
  DO(cuptiDisableKernelReplayMode(context));
  DO(cuptiGetNumMetrics(&n)); printf("  %u\n", n);
  DO(cuptiDeviceGetNumMetrics(device, &n));
  CUpti_MetricID metric = 0;
  DO(cuptiMetricGetIdFromName(device, "ipc", &metric));
  size = sizeof text;
  DO(cuptiMetricGetAttribute(1, CUPTI_METRIC_ATTR_NAME, &size, text));
  DO(cuptiMetricCreateEventGroupSets(context, sizeof metric, &metric, &sets));
  for (int a = 0; a < 14; ++a) {
    uint64_t value = 0;
    size = sizeof value;
    int r = cuptiDeviceGetAttribute(device, (CUpti_DeviceAttribute)a, &size, &value);
    printf("cuptiDeviceGetAttribute %d = %d size %zu value %llu\n", a, r, size, (unsigned long long)value);
  }
  CUpti_ActivityPCSamplingConfig pc = {};
  DO(cuptiActivityConfigurePCSampling(context, &pc));
  CUpti_ActivityUnifiedMemoryCounterConfig um[1] = {};
  um[0].scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
  um[0].kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
  um[0].enable = 1;
  DO(cuptiActivityConfigureUnifiedMemoryCounter(um, 1));
  CUpti_Profiler_DeviceSupported_Params supported = {CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE};
  supported.cuDevice = device;
  supported.api = CUPTI_PROFILER_RANGE_PROFILING;
  DO(cuptiProfilerDeviceSupported(&supported));
  printf("  supported %d architecture %d sli %d vGpu %d conf %d cmp %d wsl %d\n", supported.isSupported, supported.architecture, supported.sli,
         supported.vGpu, supported.confidentialCompute, supported.cmp, supported.wsl);
  for (int api = 0; api < 8; ++api) {
    supported.api = (CUpti_Profiler_API)api;
    int r = cuptiProfilerDeviceSupported(&supported);
    printf("  api %d = %d supported %d\n", api, r, supported.isSupported);
  }
}

static void supported() {
  CUpti_Profiler_Initialize_Params init = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  CUpti_Profiler_DeviceSupported_Params p = {CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE};
  for (int round = 0; round < 2; ++round) {
    for (int api = 0; api < 9; ++api) {
      p.api = (CUpti_Profiler_API)api;
      int r = cuptiProfilerDeviceSupported(&p);
      printf("api %d = %d supported %d architecture %d sli %d vGpu %d conf %d cmp %d wsl %d\n", api, r, p.isSupported, p.architecture, p.sli, p.vGpu, p.confidentialCompute, p.cmp, p.wsl);
    }
    DO(cuptiProfilerInitialize(&init));
  }
}

// A whole use of the range profiler: which order, which sizes, which answers.
#define STRUCT(T, v) T v = {}; v.structSize = T##_STRUCT_SIZE
static void ranges(CUpti_ProfilerRange range, CUpti_ProfilerReplayMode replay, bool user_ranges) {
  CUcontext context;
  cuCtxGetCurrent(&context);
  STRUCT(CUpti_Profiler_Initialize_Params, init);
  DO(cuptiProfilerInitialize(&init));
  STRUCT(CUpti_Device_GetChipName_Params, chip);
  chip.deviceIndex = 0;
  DO(cuptiDeviceGetChipName(&chip));
  printf("  chip %s\n", chip.pChipName);
  STRUCT(CUpti_RangeProfiler_Enable_Params, enable);
  enable.ctx = context;
  DO(cuptiRangeProfilerEnable(&enable));
  STRUCT(CUpti_Profiler_GetCounterAvailability_Params, available);
  available.ctx = context;
  DO(cuptiProfilerGetCounterAvailability(&available));
  std::vector<uint8_t> availability(available.counterAvailabilityImageSize);
  available.pCounterAvailabilityImage = availability.data();
  DO(cuptiProfilerGetCounterAvailability(&available));
  printf("  availability %zu\n", availability.size());
  STRUCT(CUpti_Profiler_Host_Initialize_Params, host);
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip.pChipName;
  host.pCounterAvailabilityImage = availability.data();
  DO(cuptiProfilerHostInitialize(&host));
  const char* metrics[] = {"smsp__inst_executed.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "sm__warps_active.avg.per_cycle_active",
                           "smsp__thread_inst_executed_per_inst_executed.ratio", "gpu__time_duration.sum"};
  STRUCT(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
  add.pHostObject = host.pHostObject;
  add.ppMetricNames = metrics;
  add.numMetrics = 5;
  for (int i = 0; i < 5; ++i) { add.ppMetricNames = metrics + i; add.numMetrics = 1; printf("  %s alone %d\n", metrics[i], (int)cuptiProfilerHostConfigAddMetrics(&add)); }
  STRUCT(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = host.pHostObject;
  DO(cuptiProfilerHostGetConfigImageSize(&size));
  std::vector<uint8_t> config(size.configImageSize);
  STRUCT(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = host.pHostObject;
  image.configImageSize = config.size();
  image.pConfigImage = config.data();
  DO(cuptiProfilerHostGetConfigImage(&image));
  STRUCT(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = config.size();
  passes.pConfigImage = config.data();
  DO(cuptiProfilerHostGetNumOfPasses(&passes));
  printf("  config %zu passes %zu\n", config.size(), passes.numOfPasses);
  STRUCT(CUpti_RangeProfiler_GetCounterDataSize_Params, data);
  data.pRangeProfilerObject = enable.pRangeProfilerObject;
  data.pMetricNames = metrics;
  data.numMetrics = 5;
  data.maxNumOfRanges = 10;
  data.maxNumRangeTreeNodes = 10;
  DO(cuptiRangeProfilerGetCounterDataSize(&data));
  std::vector<uint8_t> counters(data.counterDataSize);
  printf("  counter data %zu\n", counters.size());
  STRUCT(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, zero);
  zero.pRangeProfilerObject = enable.pRangeProfilerObject;
  zero.counterDataSize = counters.size();
  zero.pCounterData = counters.data();
  DO(cuptiRangeProfilerCounterDataImageInitialize(&zero));
  STRUCT(CUpti_RangeProfiler_Start_Params, start);
  start.pRangeProfilerObject = enable.pRangeProfilerObject;
  STRUCT(CUpti_RangeProfiler_SetConfig_Params, set);
  set.pRangeProfilerObject = enable.pRangeProfilerObject;
  set.configSize = config.size();
  set.pConfig = config.data();
  set.counterDataImageSize = counters.size();
  set.pCounterDataImage = counters.data();
  set.range = range;
  set.replayMode = replay;
  set.maxRangesPerPass = 10;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = 0;
  DO(cuptiRangeProfilerSetConfig(&set));
  float* p;
  cudaMalloc(&p, 4096 * 4);
  STRUCT(CUpti_RangeProfiler_PushRange_Params, push);
  push.pRangeProfilerObject = enable.pRangeProfilerObject;
  push.pRangeName = "VectorAdd";
  STRUCT(CUpti_RangeProfiler_PopRange_Params, pop);
  pop.pRangeProfilerObject = enable.pRangeProfilerObject;
  STRUCT(CUpti_RangeProfiler_Stop_Params, stop);
  stop.pRangeProfilerObject = enable.pRangeProfilerObject;
  int rounds = 0;
  do {
    DO(cuptiRangeProfilerStart(&start));
    if (user_ranges) DO(cuptiRangeProfilerPushRange(&push));
    kernel<<<16, 256>>>(p, 4096);
    kernel<<<4, 256>>>(p, 1000);
    if (user_ranges) DO(cuptiRangeProfilerPopRange(&pop));
    DO(cuptiRangeProfilerStop(&stop));
    printf("  pass %zu level %zu all %d\n", stop.passIndex, stop.targetNestingLevel, (int)stop.isAllPassSubmitted);
  } while (!stop.isAllPassSubmitted && ++rounds < 12);
  STRUCT(CUpti_RangeProfiler_DecodeData_Params, decode);
  decode.pRangeProfilerObject = enable.pRangeProfilerObject;
  DO(cuptiRangeProfilerDecodeData(&decode));
  printf("  dropped %zu\n", decode.numOfRangeDropped);
  STRUCT(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = counters.data();
  info.counterDataImageSize = counters.size();
  DO(cuptiRangeProfilerGetCounterDataInfo(&info));
  printf("  ranges %zu\n", info.numTotalRanges);
  for (size_t i = 0; i < info.numTotalRanges; ++i) {
    STRUCT(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, one);
    one.counterDataImageSize = counters.size();
    one.pCounterDataImage = counters.data();
    one.rangeIndex = i;
    one.rangeDelimiter = "/";
    DO(cuptiRangeProfilerCounterDataGetRangeInfo(&one));
    printf("  range '%s'", one.rangeName);
    double values[5] = {};
    STRUCT(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate);
    evaluate.pHostObject = host.pHostObject;
    evaluate.counterDataImageSize = counters.size();
    evaluate.pCounterDataImage = counters.data();
    evaluate.ppMetricNames = metrics;
    evaluate.numMetrics = 5;
    evaluate.rangeIndex = i;
    evaluate.pMetricValues = values;
    int r = cuptiProfilerHostEvaluateToGpuValues(&evaluate);
    printf(" evaluate=%d", r);
    for (double v : values) printf(" %.6g", v);
    printf("\n");
  }
  STRUCT(CUpti_RangeProfiler_Disable_Params, disable);
  disable.pRangeProfilerObject = enable.pRangeProfilerObject;
  DO(cuptiRangeProfilerDisable(&disable));
  STRUCT(CUpti_Profiler_Host_Deinitialize_Params, gone);
  gone.pHostObject = host.pHostObject;
  DO(cuptiProfilerHostDeinitialize(&gone));
  STRUCT(CUpti_Profiler_DeInitialize_Params, end);
  DO(cuptiProfilerDeInitialize(&end));
  cudaFree(p);
}

static void host_questions() {
  STRUCT(CUpti_Profiler_Host_GetSupportedChips_Params, chips);
  DO(cuptiProfilerHostGetSupportedChips(&chips));
  for (size_t i = 0; i < chips.numChips; ++i) printf(" %s", chips.ppChipNames[i]);
  printf("\n");
  STRUCT(CUpti_Profiler_Initialize_Params, init);
  DO(cuptiProfilerInitialize(&init));
  STRUCT(CUpti_Profiler_Host_Initialize_Params, host);
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = "nochip";
  DO(cuptiProfilerHostInitialize(&host));
  host.pChipName = "GH100";
  DO(cuptiProfilerHostInitialize(&host));
  for (int type = 0; type < 4; ++type) {
    STRUCT(CUpti_Profiler_Host_GetBaseMetrics_Params, base);
    base.pHostObject = host.pHostObject;
    base.metricType = (CUpti_MetricType)type;
    int r = cuptiProfilerHostGetBaseMetrics(&base);
    printf("base metrics %d = %d: %zu first %s\n", type, r, base.numMetrics, base.numMetrics ? base.ppMetricNames[0] : "");
    if (base.numMetrics) {
      STRUCT(CUpti_Profiler_Host_GetSubMetrics_Params, sub);
      sub.pHostObject = host.pHostObject;
      sub.metricType = (CUpti_MetricType)type;
      sub.pMetricName = base.ppMetricNames[0];
      r = cuptiProfilerHostGetSubMetrics(&sub);
      printf("  sub metrics = %d:", r);
      for (size_t i = 0; i < sub.numOfSubmetrics; ++i) printf(" %s", sub.ppSubMetrics[i]);
      printf("\n");
    }
  }
  for (const char* name : {"smsp__inst_executed", "smsp__inst_executed.sum", "smsp__inst_executed.sum.per_second", "nothing", "sm__warps_active.avg.pct_of_peak_sustained_active"}) {
    STRUCT(CUpti_Profiler_Host_GetMetricProperties_Params, p);
    p.pHostObject = host.pHostObject;
    p.pMetricName = name;
    int r = cuptiProfilerHostGetMetricProperties(&p);
    printf("properties of %s = %d: '%s' unit '%s' dim '%s' type %d (%d)\n", name, r, p.pDescription ? p.pDescription : "", p.pHwUnit ? p.pHwUnit : "",
           p.pDimUnit ? p.pDimUnit : "", (int)p.metricType, -1);
  }
}

static void pc_sampling() {
  CUcontext context;
  cuCtxGetCurrent(&context);
  CUpti_PCSamplingEnableParams enable = {};
  enable.size = CUpti_PCSamplingEnableParamsSize;
  enable.ctx = context;
  DO(cuptiPCSamplingEnable(&enable));
  size_t n = 0;
  CUpti_PCSamplingGetNumStallReasonsParams num = {};
  num.size = CUpti_PCSamplingGetNumStallReasonsParamsSize;
  num.ctx = context;
  num.numStallReasons = &n;
  DO(cuptiPCSamplingGetNumStallReasons(&num));
  printf("  %zu\n", n);
  std::vector<uint32_t> index(n);
  std::vector<char*> names(n);
  for (auto& one : names) one = (char*)calloc(1, CUPTI_STALL_REASON_STRING_SIZE);
  CUpti_PCSamplingGetStallReasonsParams reasons = {};
  reasons.size = CUpti_PCSamplingGetStallReasonsParamsSize;
  reasons.ctx = context;
  reasons.numStallReasons = n;
  reasons.stallReasonIndex = index.data();
  reasons.stallReasons = names.data();
  DO(cuptiPCSamplingGetStallReasons(&reasons));
  for (size_t i = 0; i < n; ++i) printf("  %u %s\n", index[i], names[i]);
  CUpti_PCSamplingDisableParams disable = {};
  disable.size = CUpti_PCSamplingDisableParamsSize;
  disable.ctx = context;
  DO(cuptiPCSamplingDisable(&disable));
}

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  std::string mode = argc > 1 ? argv[1] : "none";
  if (mode == "none" || mode == "context")
    for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGALRM, SIGABRT}) signal(s, died);
  float* p = nullptr;
  if (mode == "none") every(false);
  else if (cudaMalloc(&p, 64), mode == "context") every(true);
  else if (mode == "legacy") legacy();
  else if (mode == "supported") supported();
  else if (mode == "user") ranges(CUPTI_UserRange, CUPTI_UserReplay, true);
  else if (mode == "auto") ranges(CUPTI_AutoRange, CUPTI_KernelReplay, false);
  else if (mode == "user-kernel") ranges(CUPTI_UserRange, CUPTI_KernelReplay, true);
  else if (mode == "auto-user") ranges(CUPTI_AutoRange, CUPTI_UserReplay, false);
  else if (mode == "host") host_questions();
  else if (mode == "pc") pc_sampling();
  fflush(stdout);
  _exit(0);
}
