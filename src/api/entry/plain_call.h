// The frame of a function that returns something else than a status and belongs to no device: HEDDLE_TRACE
// and those who listen are served.
#pragma once

#include "api/entry/listen.h"
#include "api/entry/trace.h"

namespace heddle::entry {

template <class Value, class Body, class... Arguments>
Value plain(const Record& record, const Body& body, const Arguments&... arguments) {
  const Heard heard(record);
  const Value value = body();
  if (heard) [[unlikely]]
    heard.ended(0, true, value_text(argument(value)), {argument(arguments)...});
  if (tracing()) [[unlikely]]
    trace(record, value_text(argument(value)), true, {argument(arguments)...});
  return value;
}

}  // namespace heddle::entry
