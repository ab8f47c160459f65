// Callbacks around the calls of the program, in the thread that calls.
#pragma once

#include "api/cupti/calls_table.h"
#include "api/entry/listen.h"

namespace heddle::cupti {

class Session;

void call_began(Session& session, CallNumber call, const entry::Record& record, uint64_t number);
void call_ended(Session& session, CallNumber call, const entry::CallFacts& facts);

}  // namespace heddle::cupti
