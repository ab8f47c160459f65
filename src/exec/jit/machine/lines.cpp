#include "exec/jit/machine/loader.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"

namespace heddle::exec::jit {

Code::Place find_line(const std::string& object, uint64_t section, uint64_t offset) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernel"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  auto quiet = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  auto dwarf = llvm::DWARFContext::create(**file, llvm::DWARFContext::ProcessDebugRelocations::Process,
                                          nullptr, "", quiet, quiet);
  for (const auto& unit : dwarf->compile_units()) {
    const llvm::DWARFDebugLine::LineTable* table = dwarf->getLineTableForUnit(unit.get());
    if (!table) continue;
    const uint32_t row = table->lookupAddress({offset, section});
    if (row != table->UnknownRowIndex) return {table->Rows[row].Line, table->Rows[row].Column};
  }
  return {};
}

}  // namespace heddle::exec::jit
