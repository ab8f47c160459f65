#include "runtime/guest_services.h"

#include <cstring>

#include "runtime/tell_each.h"

namespace heddle::runtime {

uint64_t GuestServices::allocate(uint64_t bytes) {
  const uint64_t address = heap.allocate(bytes);
  if (address != 0) tell_heap(watchers, [&](HeapWatcher& one) { one.heap_allocated(address, bytes); });
  return address;
}

bool GuestServices::release(uint64_t address) {
  tell_heap(watchers, [&](HeapWatcher& one) { one.heap_released(address); });
  return heap.release(address);
}

uint64_t GuestServices::device_text(const std::string& text) {
  const std::lock_guard lock(texts_mutex_);
  const auto [found, fresh] = texts_.try_emplace(text, 0);
  if (fresh) found->second = launch_buffers.allocate(text.size() + 1);
  if (fresh && found->second != 0)
    std::memcpy(reinterpret_cast<char*>(static_cast<uintptr_t>(found->second)), text.c_str(),
                text.size() + 1);
  return found->second;
}

}  // namespace heddle::runtime
