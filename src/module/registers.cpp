#include "module/registers.h"

namespace heddle::module {

namespace {

std::size_t width_of(isa::Type type) {
  const unsigned bits = isa::info(type).bits;
  return bits == 1 ? 0 : bits <= 32 ? 1 : bits <= 64 ? 2 : 3;
}

}  // namespace

uint32_t Registers::add(std::string_view name, isa::Type type, uint32_t depth) {
  std::vector<uint32_t>& free = free_[width_of(type)];
  uint32_t slot = slots_;
  if (free.empty()) {
    slots_ += width_of(type) == 3 ? 2 : 1;
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
    free_[width_of(info.type)].push_back(info.slot);
  }
}

}  // namespace heddle::module
