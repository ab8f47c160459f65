// What the program marked by NVTX, as records.
#include <unistd.h>

#include "api/cupti/session.h"
#include "api/cupti/watch.h"

namespace heddle::cupti {

namespace {

// Records have no room for fractions where the payload was an integer; NVTX's readers take a double.
CUpti_ActivityMarkerData2 data_record(const ranges::Mark& mark) {
  CUpti_ActivityMarkerData2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER_DATA;
  record.flags =
      mark.description.color ? CUPTI_ACTIVITY_FLAG_MARKER_COLOR_ARGB : CUPTI_ACTIVITY_FLAG_MARKER_COLOR_NONE;
  record.id = static_cast<uint32_t>(mark.id);
  record.payloadKind = CUPTI_METRIC_VALUE_KIND_DOUBLE;
  record.payload.metricValueDouble = mark.description.payload.value_or(0);
  record.color = mark.description.color.value_or(0);
  record.category = mark.description.category_number;
  return record;
}

}  // namespace

// A range is two records: its name stands in the first.
void Watch::tell_mark(const ranges::Mark& mark, CUpti_ActivityFlag flag, int64_t time) {
  const bool begins = flag != CUPTI_ACTIVITY_FLAG_MARKER_END;
  if (session_.wants(CUPTI_ACTIVITY_KIND_MARKER)) {
    CUpti_ActivityMarker2 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MARKER;
    record.flags = flag;
    record.timestamp = static_cast<uint64_t>(time);
    record.id = static_cast<uint32_t>(mark.id);
    record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    record.objectId.pt.processId = static_cast<uint32_t>(getpid());
    record.objectId.pt.threadId = session_.thread_id();
    record.name = begins ? kept_text(mark.description.message) : nullptr;
    record.domain = begins && !mark.description.domain.empty() ? kept_text(mark.description.domain) : nullptr;
    session_.records().add(record);
  }
  if (begins && session_.wants(CUPTI_ACTIVITY_KIND_MARKER_DATA)) session_.records().add(data_record(mark));
}

void Watch::range_began(const ranges::Mark& mark) {
  tell_mark(mark, CUPTI_ACTIVITY_FLAG_MARKER_START, mark.began);
}

void Watch::range_ended(const ranges::Mark& mark) {
  if (mark.kind == ranges::Kind::moment)
    tell_mark(mark, CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, mark.began);
  else
    tell_mark(mark, CUPTI_ACTIVITY_FLAG_MARKER_END, mark.ended);
}

}  // namespace heddle::cupti
