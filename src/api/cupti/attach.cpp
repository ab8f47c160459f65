#include "api/cupti/attach.h"

#include "api/cupti/session.h"
#include "runtime/process_system.h"

namespace heddle::cupti {

void attach() {
  runtime::offer_watcher([](runtime::System& system) {
    Session::get().attach(system);
    return runtime::Outcome<std::shared_ptr<runtime::Watcher>>(nullptr);
  });
}

}  // namespace heddle::cupti
