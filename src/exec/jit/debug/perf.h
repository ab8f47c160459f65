// What Linux's perf reads of code that is made at run time: /tmp/perf-PID.map, which `perf report` finds by
// itself and which has symbols alone, and a dump with code and lines for `perf inject --jit`.
#pragma once

#include <string>

#include "exec/jit/debug/code_lines.h"

namespace heddle::exec::jit::debug {

// Both forms, as text and as bytes.
std::string perf_map(const CodeLines& lines);
std::string jitdump_header(uint32_t process, uint64_t time);
struct DumpStamp {  // of a record
  uint32_t process = 0, thread = 0;
  uint64_t time = 0, index = 0;
};
std::string jitdump_records(const CodeLines& lines, DumpStamp stamp);  // takes an index for each function

// Into the files of this process. What can't be written is told once and left.
void dump_for_perf(const CodeLines& lines);

}  // namespace heddle::exec::jit::debug
