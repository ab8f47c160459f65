// What programs of Csmith call, for the host and for kernels: its safe_math.h and the check sum over a
// program's globals.
#pragma once

#include <float.h>
#include <limits.h>
#include <math.h>

#include <new>

#include "oracle.h"

// NOLINTBEGIN: the names are those that safe_math.h asks for.
#define STATIC static inline ORACLE_HD
#define FUNC_NAME(name) safe_##name
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#include <csmith/safe_math.h>
// NOLINTEND

namespace csmith {

// Base of what a program has become: the functions that Csmith's main calls.
struct Program {
  uint64_t sum = 0xcbf29ce484222325u;           // FNV-1a over words: Csmith's CRC would be most of the code
  static constexpr uint64_t crc32_context = 0;  // main shows it
  ORACLE_HD void platform_main_begin() {}
  ORACLE_HD void crc32_gentab() {}
  ORACLE_HD void platform_main_end(uint64_t, int) {}
  ORACLE_HD void transparent_crc(uint64_t value, const char*, int) {
    sum = (sum ^ value ^ value >> 32) * 0x100000001b3u;
  }
};

// The globals in the thread's own memory.
template <class Globals>
struct Own {
  static constexpr size_t room = 1;
  static ORACLE_HD uint64_t run(uint32_t t, uint32_t, uint8_t*) {
    Globals globals;
    globals.change(t);
    globals.run();
    return globals.sum;
  }
};

// The globals in the device's memory.
template <class Globals>
struct Device {
  static constexpr size_t room = (sizeof(Globals) + 15) / 16 * 16;
  static ORACLE_HD uint64_t run(uint32_t t, uint32_t, uint8_t* memory) {
    Globals* globals = new (memory) Globals;
    globals->change(t);
    globals->run();
    return globals->sum;
  }
};

}  // namespace csmith
