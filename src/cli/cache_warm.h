// heddle cache warm: what earlier processes ran in quick code is compiled as well as it can be.
#pragma once

#include "cli/command.h"

namespace heddle::cli {

Exit warm_cache(Console&);

}  // namespace heddle::cli
