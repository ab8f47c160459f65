// Events.
#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/work.h"

namespace heddle::cu {

Status cuEventCreate(CUevent* phEvent, unsigned int Flags) {
  if (Status known =
          known_flags(Flags, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
      !known)
    return known;
  const bool timing = (Flags & CU_EVENT_DISABLE_TIMING) == 0;
  if ((Flags & CU_EVENT_INTERPROCESS) != 0 && timing)
    return invalid_value(
        "an event for several processes measures no time: CU_EVENT_DISABLE_TIMING must be set, too");
  auto context = working_context();
  if (!context) return context.error();
  auto event = cuda::Event::create(*context, Flags, timing);
  if (!event) return event.error();
  *phEvent = as_handle<CUevent>((*event)->handle());
  return Unit{};
}

Status cuEventDestroy_v2(CUevent hEvent) {
  auto event = find_event(hEvent);
  if (!event) return event.error();
  return (*event)->destroy();
}

Status cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  if (Status known = known_flags(flags, CU_EVENT_RECORD_EXTERNAL); !known) return known;
  auto event = find_event(hEvent);
  if (!event) return event.error();
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  if (flags == CU_EVENT_RECORD_EXTERNAL) return cuda::submit(**stream, cuda::RecordWork{*event});
  return (*event)->record(**stream);
}

Status cuEventQuery(CUevent hEvent) {
  auto event = find_event(hEvent);
  if (!event) return event.error();
  return (*event)->query();
}
Status cuEventSynchronize(CUevent hEvent) {
  auto event = find_event(hEvent);
  if (!event) return event.error();
  return (*event)->synchronize();
}

Status cuEventElapsedTime(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  auto start = find_event(hStart);
  if (!start) return start.error();
  auto end = find_event(hEnd);
  if (!end) return end.error();
  auto nanoseconds = cuda::Event::elapsed(**start, **end);
  if (!nanoseconds) return nanoseconds.error();
  *pMilliseconds = static_cast<float>(static_cast<double>(*nanoseconds) * 1e-6);
  return Unit{};
}

}  // namespace heddle::cu
