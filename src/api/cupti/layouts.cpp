#include "api/cupti/layouts.h"

#include <algorithm>

namespace heddle::cupti {

namespace {

// Always the newest layout: programs of older versions read the beginning of it (layouts_test.cpp).
constexpr Layout kernel(CUpti_ActivityKind kind) {
  return {kind,
          sizeof(CUpti_ActivityKernel13),
          {offsetof(CUpti_ActivityKernel13, start), offsetof(CUpti_ActivityKernel13, end),
           offsetof(CUpti_ActivityKernel13, completed), offsetof(CUpti_ActivityKernel13, queued),
           offsetof(CUpti_ActivityKernel13, submitted)}};
}
template <class T>
constexpr Layout span(CUpti_ActivityKind kind) {
  return {kind, sizeof(T), {offsetof(T, start), offsetof(T, end)}};
}
template <class T>
constexpr Layout moment(CUpti_ActivityKind kind) {
  return {kind, sizeof(T), {offsetof(T, timestamp)}};
}
template <class T>
constexpr Layout timeless(CUpti_ActivityKind kind) {
  return {kind, sizeof(T), {}};
}

constexpr std::array layouts{
    kernel(CUPTI_ACTIVITY_KIND_KERNEL),
    kernel(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL),
    span<CUpti_ActivityMemcpy7>(CUPTI_ACTIVITY_KIND_MEMCPY),
    span<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2),
    span<CUpti_ActivityMemset5>(CUPTI_ACTIVITY_KIND_MEMSET),
    span<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME),
    span<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER),
    span<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION),
    span<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD),
    timeless<CUpti_ActivityExternalCorrelation>(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION),
    timeless<CUpti_ActivityDevice6>(CUPTI_ACTIVITY_KIND_DEVICE),
    timeless<CUpti_ActivityContext4>(CUPTI_ACTIVITY_KIND_CONTEXT),
    timeless<CUpti_ActivityStream>(CUPTI_ACTIVITY_KIND_STREAM),
    Layout{CUPTI_ACTIVITY_KIND_CUDA_EVENT,
           sizeof(CUpti_ActivityCudaEvent3),
           {offsetof(CUpti_ActivityCudaEvent3, deviceTimestamp)}},
    moment<CUpti_ActivityMarker2>(CUPTI_ACTIVITY_KIND_MARKER),
    timeless<CUpti_ActivityMarkerData2>(CUPTI_ACTIVITY_KIND_MARKER_DATA),
    moment<CUpti_ActivityMemory4>(CUPTI_ACTIVITY_KIND_MEMORY2),
};

}  // namespace

const Layout* layout_of(CUpti_ActivityKind kind) {
  const auto* found = std::ranges::find(layouts, kind, &Layout::kind);
  return found == layouts.end() ? nullptr : found;
}

}  // namespace heddle::cupti
