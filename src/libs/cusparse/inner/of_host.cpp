#include "libs/cusparse/inner/inner.h"
#include "support/host_level.h"

namespace heddle::cusparse::inner {

const Level& of_host() {
  static const Level& level = host_level() == HostLevel::avx512 ? avx512
                              : host_level() == HostLevel::avx2 ? avx2
                                                                : plain;
  return level;
}

}  // namespace heddle::cusparse::inner
