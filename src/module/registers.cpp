#include "module/registers.h"

namespace heddle::module {

uint32_t Registers::add(std::string_view name, isa::Type type, uint32_t depth) {
  const bool pair = isa::info(type).bits > 64;
  std::vector<uint32_t>& free = pair ? free_pairs_ : free_;
  uint32_t slot = slots_;
  if (free.empty()) {
    slots_ += pair ? 2 : 1;
  } else {
    slot = free.back();
    free.pop_back();
  }
  const auto index = static_cast<uint32_t>(registers_.size());
  registers_.push_back({.name = std::string(name), .type = type, .slot = slot});
  if (of_scope_.size() <= depth) of_scope_.resize(depth + 1);
  of_scope_[depth].push_back(index);
  return index;
}

void Registers::close(uint32_t depth) {
  if (depth >= of_scope_.size()) return;
  for (std::vector<uint32_t>& scope = of_scope_[depth]; !scope.empty(); scope.pop_back()) {
    const RegisterInfo& info = registers_[scope.back()];
    (isa::info(info.type).bits > 64 ? free_pairs_ : free_).push_back(info.slot);
  }
}

}  // namespace heddle::module
