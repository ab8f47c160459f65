#include "checker/rows/rows.h"

namespace heddle::checker::rows {

const Level& of_host() {
  static const Level& level = __builtin_cpu_supports("avx2") ? avx2 : plain;
  return level;
}

}  // namespace heddle::checker::rows
