#include "api/cuda_state/limits.h"

#include <algorithm>
#include <string>

#include "api/cuda_state/device.h"

namespace heddle::cuda {
namespace {

// As both APIs number them. Those behind are of graphics and of processes that share a device.
enum Number : int {
  stack,
  printf_buffer,
  heap,
  synchronize_depth,
  pending_launches,
  fetch_granularity,
  persisting_l2,
  shared_memory,
  number_of_limits = 10
};

// Hints that are told again: "purely a performance hint and it can be ignored or clamped" (cuCtxSetLimit).
// Beyond `largest` it is no hint any more: an H200 refuses it.
struct Hint {
  uint64_t usual, most, largest;
};
Answer<Hint> hint(Context& context, int number) {
  const uint64_t persisting = context.device().facts().dram.persisting_l2_bytes;
  if (number == fetch_granularity) return Hint{64, 128, 128};
  if (number == persisting_l2 && persisting != 0)
    return Hint{0, persisting, std::max<uint64_t>(persisting, context.device().facts().dram.l2_bytes)};
  if (number >= 0 && number < number_of_limits)
    return failure(Code::unsupported_limit, "limit " + std::to_string(number) + " is not one of this device");
  return invalid_value("no limit has the number " + std::to_string(number));
}

}  // namespace

std::optional<runtime::ContextLimit> enforced_limit(int number) {
  switch (number) {
    case stack: return runtime::ContextLimit::stack_bytes;
    case printf_buffer: return runtime::ContextLimit::printf_bytes;
    case heap: return runtime::ContextLimit::heap_bytes;
    case synchronize_depth: return runtime::ContextLimit::sync_depth;
    case pending_launches: return runtime::ContextLimit::pending_launches;
    default: return std::nullopt;
  }
}

Answer<uint64_t> limit_of(Context& context, int number) {
  if (const auto own = enforced_limit(number)) {
    auto value = context.runtime()->limit(*own);
    if (!value) return failure_of(value.error());
    return *value;
  }
  if (number == shared_memory) {
    const auto& shared = context.device().facts().arch.shared;
    return std::max<uint64_t>(shared.per_block, shared.per_block_opt_in);
  }
  auto known = hint(context, number);
  if (!known) return known.error();
  return context.advice_limit(number, known->usual);
}

Status set_limit(Context& context, int number, uint64_t value) {
  if (const auto own = enforced_limit(number)) return status_of(context.runtime()->set_limit(*own, value));
  if (number == shared_memory)
    return failure(Code::not_permitted, "the limit of shared memory is the device's");
  auto known = hint(context, number);
  if (!known) return known.error();
  if (value > known->largest)
    return invalid_value("limit " + std::to_string(number) + " may be at most " +
                         std::to_string(known->largest) + ", is " + std::to_string(value));
  context.set_advice_limit(number, std::min(value, known->most));
  return Unit{};
}

}  // namespace heddle::cuda
