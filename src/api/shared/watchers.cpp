#include "api/shared/watchers.h"

#include "checker/attach.h"

namespace heddle::shared {

void attach_watchers() { checker::attach(); }

}  // namespace heddle::shared
