#include "runtime/guest_services.h"

#include <cstring>

namespace heddle::runtime {

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
