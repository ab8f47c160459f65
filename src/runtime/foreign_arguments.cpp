#include "runtime/foreign_arguments.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace heddle::runtime {

namespace {

// Linux gives nobody the first pages (vm.mmap_min_addr), and no process the upper half.
constexpr uint64_t first_address = 65536, end_of_addresses = uint64_t{1} << 47;
constexpr uint64_t displacement = ~(end_of_addresses - 1);

// A base may lie outside of what it is the base of (an array that counts from 1). So close to memory that the
// kernel may touch, it is not the base alone that tells.
constexpr uint64_t near = uint64_t{64} << 20;

std::string ordinal(uint32_t number) {
  const bool teen = number / 10 % 10 == 1;
  const char* ending = teen               ? "th"
                       : number % 10 == 1 ? "st"
                       : number % 10 == 2 ? "nd"
                       : number % 10 == 3 ? "rd"
                                          : "th";
  return std::to_string(number) + ending;
}

bool is_foreign(Context& context, uint64_t value) {
  if (value < first_address || value >= end_of_addresses ||
      context.guest_memory().accessible(value, 1, false))
    return false;
  // Of the reserved addresses, what nobody has is inaccessible.
  return context.system().space().contains(value) ? context.system().memory().find(value) != nullptr
                                                  : is_mapped(value, 1);
}

// Whether the word is such an address now; what it is when the kernel loads it, it alone will see.
bool leads_away(Context& context, const exec::LoadedModule& module, const analysis::FoundPointer& pointer,
                std::span<const std::byte> params) {
  uint64_t place = 0;
  if (pointer.by_symbol)
    place = module.symbol_address[pointer.from];
  else if (pointer.from + sizeof place <= params.size())
    std::memcpy(&place, params.data() + pointer.from, sizeof place);
  if (place == 0) return false;
  place += static_cast<uint64_t>(pointer.distance);
  if (place % sizeof place != 0 || !context.guest_memory().accessible(place, sizeof place, false))
    return false;
  const uint64_t value = std::atomic_ref(*reinterpret_cast<uint64_t*>(place)).load(std::memory_order_relaxed);
  return is_foreign(context, value);
}

}  // namespace

ForeignArguments::ForeignArguments(Context& context, const Kernel& kernel, const exec::LoadedModule& module,
                                   std::span<const std::byte> params) {
  for (const analysis::PointerParameter& pointer : kernel.pointers()) {
    uint64_t value = 0;
    if (pointer.offset + sizeof value > params.size()) continue;
    std::memcpy(&value, params.data() + pointer.offset, sizeof value);
    if (!is_foreign(context, value)) continue;
    const module::Parameter& parameter = kernel.function().signature.params[pointer.parameter];
    list_.push_back({pointer.parameter, pointer.offset, pointer.offset - parameter.offset, value});
    needs_reference_ |= pointer.observed || context.system().memory().any_within(value, near);
  }
  for (const analysis::FoundPointer& pointer : kernel.found_pointers())
    if (!needs_reference_) needs_reference_ = leads_away(context, module, pointer, params);
}

std::span<const std::byte> ForeignArguments::displaced(std::span<const std::byte> params) {
  copy_.resize((params.size() + sizeof(Words) - 1) / sizeof(Words));
  std::memcpy(copy_.data(), params.data(), params.size());
  std::byte* bytes = copy_.front().bytes;
  for (const Argument& argument : list_) {
    const uint64_t value = argument.value | displacement;
    std::memcpy(bytes + argument.offset, &value, sizeof value);
  }
  return {bytes, params.size()};
}

uint64_t ForeignArguments::meant(uint64_t address) {
  return address >= displacement ? address & ~displacement : address;
}

std::string ForeignArguments::name_for(uint64_t address) const {
  const auto distance = [&](const Argument& argument) {
    return address >= argument.value ? address - argument.value : argument.value - address;
  };
  const auto nearest = std::ranges::min_element(list_, {}, distance);
  if (nearest == list_.end() || distance(*nearest) > uint64_t{1} << 40) return {};
  std::string text = "the " + ordinal(nearest->parameter + 1) + " argument of the launch ";
  if (nearest->within != 0)
    text += "has at byte " + std::to_string(nearest->within) + " ";
  else
    text += "is ";
  return text + hex(nearest->value);
}

}  // namespace heddle::runtime
