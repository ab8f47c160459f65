// The process's own System, which every API of the process shares: its devices are one set, their memory is
// counted once.
#pragma once

#include <functional>
#include <memory>

#include "runtime/system.h"

namespace heddle::runtime {

// Made from the environment by whoever asks first, and never destroyed, because programs call until the very
// end of a process. The same error every time when the environment cannot be understood.
Outcome<System*> process_system();

// Makes who watches the process's system; nullptr: nobody after all. An error is process_system()'s.
using MakeWatcher = std::function<Outcome<std::shared_ptr<Watcher>>(System&)>;
// To be offered before anybody asks for the system.
void offer_watcher(MakeWatcher make);

}  // namespace heddle::runtime
