// What the tables show of a kernel, a launch or a line, the same in each report.
#pragma once

#include "profiler/profile.h"

namespace heddle::profiler {

struct Ratio {
  double part = 0, whole = 0;
};

struct Columns {
  explicit Columns(const Counts& counts);
  double loads = 0, stores = 0, atomics = 0, local = 0;  // requests
  Ratio load_transactions, store_transactions;           // of each request
  Ratio load_bytes, store_bytes;                         // asked for, of those moved
  double shared = 0, conflicts = 0;  // times that the banks are asked, and how many too often
  double instructions = 0, branches = 0, divergent = 0;
  Ratio threads;  // of each instruction
};

}  // namespace heddle::profiler
