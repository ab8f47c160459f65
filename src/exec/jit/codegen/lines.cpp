#include "exec/jit/codegen/lines.h"

#include <algorithm>

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"

namespace heddle::exec::jit {

namespace {

// Of each unit's table of lines: `look` says whether it has seen enough.
template <class F>
void each_table(const std::string& object, F&& look) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernel"));
  if (!file) return llvm::consumeError(file.takeError());
  auto quiet = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  auto dwarf = llvm::DWARFContext::create(**file, llvm::DWARFContext::ProcessDebugRelocations::Process,
                                          nullptr, "", quiet, quiet);
  for (const auto& unit : dwarf->compile_units()) {
    const llvm::DWARFDebugLine::LineTable* table = dwarf->getLineTableForUnit(unit.get());
    if (table != nullptr && look(*table)) return;
  }
}

}  // namespace

Code::Place find_line(const std::string& object, uint64_t section, uint64_t offset) {
  Code::Place place;
  each_table(object, [&](const llvm::DWARFDebugLine::LineTable& table) {
    const uint32_t row = table.lookupAddress({offset, section});
    if (row == table.UnknownRowIndex) return false;
    place = {table.Rows[row].Line, table.Rows[row].Column};
    return true;
  });
  return place;
}

std::vector<std::pair<uint64_t, Code::Place>> find_lines(const std::string& object, uint64_t section) {
  std::vector<std::pair<uint64_t, Code::Place>> lines;
  each_table(object, [&](const llvm::DWARFDebugLine::LineTable& table) {
    for (const llvm::DWARFDebugLine::Row& row : table.Rows)
      if (row.Address.SectionIndex == section)
        lines.emplace_back(row.Address.Address,
                           row.EndSequence ? Code::Place{} : Code::Place{row.Line, row.Column});
    return false;
  });
  std::ranges::sort(lines, {}, in_order);
  return lines;
}

}  // namespace heddle::exec::jit
