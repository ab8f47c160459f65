#include "support/host_level.h"

namespace heddle {
namespace {

HostLevel ask() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c"))
    return HostLevel::plain;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl")
             ? HostLevel::avx512
             : HostLevel::avx2;
#else
  return HostLevel::plain;
#endif
}

}  // namespace

HostLevel host_level() {
  static const HostLevel level = ask();
  return level;
}

}  // namespace heddle
