#include "support/address_limit.h"

#include <sys/resource.h>

namespace heddle {

bool addresses_are_limited() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace heddle
