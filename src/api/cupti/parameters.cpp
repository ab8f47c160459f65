#include "api/cupti/parameters.h"

#include <cstring>

namespace heddle::cupti {

namespace {

std::size_t aligned(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

std::vector<std::byte> parameter_block(CallNumber call, entry::ArgumentList arguments) {
  const std::span<const ParameterSize> sizes = calls_of(call.domain)[call.id].sizes;
  if (sizes.size() != arguments.size()) return {};
  std::vector<std::byte> block;
  const auto* size = sizes.data();
  for (const entry::Argument& argument : arguments) {
    const std::size_t at = aligned(block.size(), size->alignment);
    block.resize(at + size->bytes);
    using Kind = entry::Argument::Kind;
    const auto single = static_cast<float>(argument.number);
    const void* value = &argument.bits;
    if (argument.kind == Kind::aggregate)
      value = reinterpret_cast<const void*>(argument.bits);
    else if (argument.kind == Kind::floating)
      value = size->bytes == sizeof single ? static_cast<const void*>(&single) : &argument.number;
    std::memcpy(block.data() + at, value, size->bytes);
    ++size;
  }
  block.resize(aligned(block.size(), sizeof(void*)));
  return block;
}

}  // namespace heddle::cupti
