// Symbols and lines of machine code in memory as an ELF file with DWARF, which debuggers read.
#pragma once

#include <string>

#include "exec/jit/debug/code_lines.h"

namespace heddle::exec::jit::debug {

std::string symbol_file(const CodeLines& lines);

}  // namespace heddle::exec::jit::debug
