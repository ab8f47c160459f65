// What a process is to be checked for: from HEDDLE_CHECK, which `heddle check` sets for the program that it
// starts. Words with semicolons between: `pipe=7;tool=racecheck;tool=memcheck;...`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::checker {

inline constexpr const char* settings_variable = "HEDDLE_CHECK";

struct Settings {
  int pipe = -1;
  bool memcheck = false, racecheck = false, initcheck = false, synccheck = false, fpcheck = false;
  bool intcheck = false;
  bool leaks = false;
  bool launches_fail = false;             // memcheck: what stray kernels end with, as NVIDIA's tool ends them
  bool contexts_stay = false;             // of kernels that only the tool would end
  bool hazards = false, analysis = true;  // what racecheck tells: each hazard, pairs of lines
  bool api_errors = true;
  bool use_before_alloc = false, use_after_free = false;  // memcheck, of memory in the order of streams
  bool shared_init = false, local_init = false, global_init = true;  // where initcheck looks
  uint64_t shadow_bytes = uint64_t{4} << 30;                         // most of each tool
  unsigned float_kinds = 7;  // what fpcheck looks for: bits of Birth (float_events.h)
  // A kernel is checked if one of the names is its, or it has one of the parts; exclude_*: it is not. Both
  // empty: all are.
  std::vector<std::string> kernel_names, kernel_parts, exclude_names, exclude_parts;
  uint64_t launch_skip = 0, launch_count = 0;  // of the checked ones; count 0: all
  uint64_t time_limit = 0;                     // seconds; 0: none
  // Other orders of each launch that are tried, from this seed on. Without any, but with a seed, kernels run
  // in the order of that seed.
  uint64_t schedules = 0, seed = 0;
  bool seeded = false;
  uint64_t schedule_bytes = uint64_t{2} << 30;  // most memory that is kept for it
  uint64_t schedule_seconds = 60;               // most time for one kernel
  uint64_t error_texts = 0;                     // of so many errors the text is printed; 0: of all

  std::string text() const;
  static Result<Settings, std::string> from(std::string_view text);
  bool wants(const std::string& kernel) const;  // by its mangled name
};

}  // namespace heddle::checker
