#include "runtime/multimem_services.h"

#include "runtime/multicast.h"
#include "runtime/virtual_range.h"

namespace heddle::runtime {

std::string MultimemOfMemory::multimem(uint64_t address, uint32_t bytes, bool write, const Use& use) {
  const auto nothing = [&] { return "no multicast object is mapped at " + hex(address); };
  const AllocationRef found = memory_.find(address);
  if (found == nullptr || found->range == nullptr) return nothing();
  const auto piece = found->range->piece_at(address);
  if (!piece || piece->end() - address < bytes) return nothing();
  const std::shared_ptr<Multicast> multicast = Multicast::of(*piece->memory);
  if (multicast == nullptr) return nothing();
  const Access access = piece->of(static_cast<int>(device_));
  if (access == Access::none || (write && access == Access::read))
    return "a multicast object is mapped at " + hex(address) + ", and the device has no right to " +
           (write ? "write" : "read") + " there";
  return multicast->reach(address - piece->begin, bytes, use);
}

}  // namespace heddle::runtime
