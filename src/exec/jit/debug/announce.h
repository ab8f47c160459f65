// Tells debuggers and profilers of the host about machine code: which function and source line an address of
// a kernel comes from (docs/how-to/host-debuggers.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "exec/jit/debug/code_lines.h"
#include "support/result.h"

namespace heddle::exec::jit::debug {

struct Listeners {
  bool gdb = false;   // what speaks GDB's JIT interface: GDB, LLDB
  bool perf = false;  // a map of symbols and a dump of code for Linux's perf
  bool any() const { return gdb || perf; }
};
// HEDDLE_JIT_DEBUG: gdb and perf with commas between, or none. Without it: gdb where a debugger is there.
Result<Listeners, std::string> read_listeners(std::string_view text);

// The code is known to them as long as what comes back lives.
std::shared_ptr<void> announce(const Listeners& listeners, const Code& code, const CodeNames& names);

}  // namespace heddle::exec::jit::debug
