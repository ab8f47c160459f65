#include "api/shared/watchers.h"

#include "api/cupti/attach.h"
#include "checker/attach.h"
#include "clock/attach.h"
#include "profiler/attach.h"

namespace heddle::shared {

void attach_watchers() {
  checker::attach();
  clock::attach();
  profiler::attach();
  cupti::attach();
}

}  // namespace heddle::shared
