// A kernel's machine code as the debuggers and profilers of the host see it: its functions, and which line of
// which file an address comes from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "exec/jit/abi/code.h"
#include "exec/jit/abi/site.h"
#include "exec/source_line.h"

namespace heddle::exec::jit::debug {

struct CodeLines {
  struct Function {
    std::string name;  // as the linker knows it
    uintptr_t begin = 0;
    uint64_t bytes = 0;
  };
  struct Row {  // up to the next row, or the code's end
    uintptr_t begin = 0;
    uint32_t file = 0, line = 0;  // an index into `files`; line 0: not known
  };
  uintptr_t begin = 0, end = 0;
  std::vector<Function> functions;  // ascending
  std::vector<std::string> files;
  std::vector<Row> rows;  // ascending
};

// The innermost line of the program's own that led to this site, through the calls that were lowered in
// place.
SourceLine line_of(const module::Image& image, std::span<const Site> sites, uint32_t site);

// What the machine code does not know of itself.
struct CodeNames {
  std::string kernel;               // mangled
  std::vector<SourceLine> of_site;  // by site
};
CodeNames names_of(const module::Image& image, const std::string& kernel, std::span<const Site> sites);

CodeLines lines_of(const Code& code, const CodeNames& names);

}  // namespace heddle::exec::jit::debug
