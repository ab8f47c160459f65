#include "api/shared/watchers.h"

#include "checker/attach.h"
#include "clock/attach.h"
#include "profiler/attach.h"

namespace heddle::shared {

void attach_watchers() {
  checker::attach();
  clock::attach();
  profiler::attach();
}

}  // namespace heddle::shared
