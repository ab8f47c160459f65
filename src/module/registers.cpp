#include "module/registers.h"

namespace heddle::module {

namespace {

std::size_t width_of(isa::Type type) {
  const unsigned bits = isa::info(type).bits;
  return bits == 1 ? 0 : bits <= 32 ? 1 : bits <= 64 ? 2 : 3;
}

}  // namespace

uint32_t Registers::add(std::string_view name, isa::Type type, uint32_t depth) {
  const std::size_t width = width_of(type);
  uint32_t slot = none;
  // What a scope around has was left before the scope at `depth` opened.
  for (std::size_t around = 0; around < depth && around < free_.size() && slot == none; ++around) {
    std::vector<uint32_t>& free = free_[around][width];
    if (free.empty()) continue;
    slot = free.back();
    free.pop_back();
  }
  if (slot == none) {
    slot = slots_;
    slots_ += width == 3 ? 2 : 1;
  }
  const auto index = static_cast<uint32_t>(registers_.size());
  registers_.push_back({.name = std::string(name), .type = type, .slot = slot});
  if (of_scope_.size() <= depth) of_scope_.resize(depth + 1);
  of_scope_[depth].push_back(index);
  return index;
}

void Registers::close(uint32_t depth) {
  if (depth == 0) return;
  if (free_.size() <= depth) free_.resize(depth + 1);
  if (depth < of_scope_.size())
    for (std::vector<uint32_t>& scope = of_scope_[depth]; !scope.empty(); scope.pop_back()) {
      const RegisterInfo& info = registers_[scope.back()];
      free_[depth - 1][width_of(info.type)].push_back(info.slot);
    }
  for (std::size_t width = 0; width < free_[depth].size(); ++width) {
    std::vector<uint32_t>& inner = free_[depth][width];
    std::vector<uint32_t>& outer = free_[depth - 1][width];
    outer.insert(outer.end(), inner.begin(), inner.end());
    inner.clear();
  }
}

}  // namespace heddle::module
