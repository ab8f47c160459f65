// Events.
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {

Status cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (Status good = known_flags(flags, known); !good) return good;
  if ((flags & cudaEventInterprocess) != 0 && (flags & cudaEventDisableTiming) == 0)
    return invalid_value("an event of several processes keeps no time: cudaEventDisableTiming");
  auto context = working_context();
  if (!context) return context.error();
  auto made = cuda::Event::create(*context, flags, (flags & cudaEventDisableTiming) == 0);
  if (!made) return made.error();
  *event = as_handle<cudaEvent_t>((*made)->handle());
  return Unit{};
}

Status cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  if (Status good = known_flags(flags, cudaEventRecordExternal); !good) return good;
  auto found = find_event(event);
  if (!found) return found.error();
  auto on = find_stream(stream);
  if (!on) return on.error();
  if ((flags & cudaEventRecordExternal) != 0 && (*on)->capturing())
    return cuda::submit(**on, cuda::RecordWork{*found});
  return (*found)->record(**on);
}

Status cudaEventQuery(cudaEvent_t event) {
  auto found = find_event(event);
  return found ? (*found)->query() : Status(found.error());
}
Status cudaEventSynchronize(cudaEvent_t event) {
  auto found = find_event(event);
  return found ? (*found)->synchronize() : Status(found.error());
}
Status cudaEventDestroy(cudaEvent_t event) {
  auto found = find_event(event);
  return found ? (*found)->destroy() : Status(found.error());
}

Status cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  auto first = find_event(start);
  if (!first) return first.error();
  auto second = find_event(end);
  if (!second) return second.error();
  auto nanoseconds = cuda::Event::elapsed(**first, **second);
  if (!nanoseconds) return nanoseconds.error();
  *ms = static_cast<float>(static_cast<double>(*nanoseconds) * 1e-6);
  return Unit{};
}

}  // namespace heddle::cudart
