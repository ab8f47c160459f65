// GDB's interface for code that is made at run time ("JIT Compilation Interface" of its manual).
#pragma once

#include <memory>
#include <string>

namespace heddle::exec::jit::debug {

// Known until what comes back is gone.
std::shared_ptr<void> register_with_gdb(std::string symbol_file);

}  // namespace heddle::exec::jit::debug
