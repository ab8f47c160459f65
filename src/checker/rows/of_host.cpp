#include "checker/rows/rows.h"

namespace heddle::checker::rows {

const Level& of_host() {
  const auto has_v4 = [] {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  };
  static const Level& level = has_v4() ? avx512 : __builtin_cpu_supports("avx2") ? avx2 : plain;
  return level;
}

}  // namespace heddle::checker::rows
