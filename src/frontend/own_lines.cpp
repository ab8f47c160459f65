#include "frontend/own_lines.h"

#include <filesystem>

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "support/toolkit_header.h"

namespace heddle::frontend {

void use_own_lines(llvm::Module& module) {
  llvm::DenseMap<const llvm::DIFile*, bool> known;
  const auto is_own = [&](const llvm::DILocation& place) {
    const llvm::DIFile* file = place.getFile();
    const auto [found, fresh] = known.try_emplace(file, true);
    if (fresh && file != nullptr)
      found->second = !is_toolkit_header(
          (std::filesystem::path(file->getDirectory().str()) / file->getFilename().str()).string());
    return found->second;
  };
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const llvm::DILocation* place = instruction.getDebugLoc().get();
      if (place == nullptr || place->getInlinedAt() == nullptr) continue;
      while (place != nullptr && !is_own(*place)) place = place->getInlinedAt();
      if (place != nullptr) instruction.setDebugLoc(place);
    }
}

}  // namespace heddle::frontend
