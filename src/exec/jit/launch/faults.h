// From a signal that native code raised to what the program did wrong, and in which thread.
//
// What is claimed: the instruction, from the debug location of the machine instruction; the address, as the
// program sees it in its space; the thread, when the location says that the instruction works for one thread,
// or for threads whose data lie one behind the other and the instruction's address is known. Where the thread
// is not known, the fault is in the name of the first thread of its group, and its detail says so.
#pragma once

#include "exec/jit/launch/incident.h"
#include "exec/jit/launch/landing.h"

namespace heddle::exec::jit {

class Worker;

Incident incident_of(const Worker& worker, const Trap& trap);

}  // namespace heddle::exec::jit
