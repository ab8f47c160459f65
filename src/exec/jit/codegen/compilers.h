// What LLVM alone can do. In libheddle.so.0 it is another library's, loaded when it is first asked for
// (docs/reference/libraries.md): a process whose kernels are all kept starts without LLVM.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exec/jit/abi/code.h"
#include "exec/jit/executor.h"
#include "support/result.h"

namespace heddle::exec::jit {

class KernelMaker;  // compiler/maker.h

struct Compilers {
  // An error when this host cannot run what the options ask for.
  Result<std::unique_ptr<KernelMaker>, std::string> (*make_maker)(const Options& options);
  // Line and column at an offset in a section of an object, from its DWARF line table.
  Code::Place (*find_line)(const std::string& object, uint64_t section, uint64_t offset);
  // All rows of that table in a section, ascending: offset, and place from there on.
  std::vector<std::pair<uint64_t, Code::Place>> (*find_lines)(const std::string& object, uint64_t section);
};

}  // namespace heddle::exec::jit

// nullptr: they cannot be loaded, `why` says why. Beside this one's definition (compiler/compiler.cpp), which
// needs LLVM, libheddle.so.0 has one that loads it (cmake/libraries.cmake).
extern "C" const heddle::exec::jit::Compilers* heddle_compilers(std::string& why);
