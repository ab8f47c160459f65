// A relocatable ELF object of x86-64 as code in memory. Our own, because code from the disk cache must start
// without LLVM: reading the object back is bounds checks and a few kinds of relocation.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "exec/jit/codegen/machine.h"

namespace heddle::exec::jit {

// Pages are never writable and executable at once. `find`: the address of an undefined symbol or nullptr,
// which makes loading fail.
Result<std::shared_ptr<Code>, std::string> load_object(
    std::string bytes, const std::function<const void*(std::string_view)>& find);

// Line and column at an offset in a section of the object, from its DWARF line table.
Code::Place find_line(const std::string& object, uint64_t section, uint64_t offset);
// The end of what came before comes before what begins there.
inline std::pair<uint64_t, bool> in_order(const std::pair<uint64_t, Code::Place>& row) {
  return {row.first, row.second.line != 0};
}
// All rows of that table in a section, ascending: offset, and place from there on.
std::vector<std::pair<uint64_t, Code::Place>> find_lines(const std::string& object, uint64_t section);

}  // namespace heddle::exec::jit
