// The DWARF line table of an object of ours (codegen/compilers.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exec/jit/abi/code.h"

namespace heddle::exec::jit {

// The end of what came before comes before what begins there.
inline std::pair<uint64_t, bool> in_order(const std::pair<uint64_t, Code::Place>& row) {
  return {row.first, row.second.line != 0};
}

// These need LLVM.
Code::Place find_line(const std::string& object, uint64_t section, uint64_t offset);
std::vector<std::pair<uint64_t, Code::Place>> find_lines(const std::string& object, uint64_t section);

}  // namespace heddle::exec::jit
