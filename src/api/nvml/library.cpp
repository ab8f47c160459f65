#include "api/nvml/library.h"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>

#include "machine/driver_version.h"

namespace heddle::nvml {

namespace {

// Tells handles from what a program hands over by mistake.
constexpr uintptr_t first_handle = 0x6E766D6C0000;

struct Library {
  std::mutex mutex;
  unsigned begun = 0;
  std::vector<machine::Card> cards;
  std::optional<Failure> failure;  // of the first look at the host
  bool looked = false;
};

Library& library() {
  static auto& own = *new Library;
  return own;
}

}  // namespace

Status begin(bool devices_needed) {
  Library& own = library();
  const std::lock_guard lock(own.mutex);
  if (!own.looked) {
    own.looked = true;
    auto cards = machine::cards_of_host();
    const auto driver = machine::driver_version();
    if (cards && driver)
      own.cards = std::move(*cards);
    else
      own.failure = failure(NVML_ERROR_DRIVER_NOT_LOADED, (cards ? driver.error() : cards.error()).message);
    if (own.failure) std::fprintf(stderr, "heddle: %s\n", own.failure->message.c_str());
  }
  if (own.failure && devices_needed) return *own.failure;
  ++own.begun;
  return Unit{};
}

Status end() {
  Library& own = library();
  const std::lock_guard lock(own.mutex);
  if (own.begun == 0) return failure(NVML_ERROR_UNINITIALIZED, "nvmlInit was not called");
  --own.begun;
  return Unit{};
}

bool begun() {
  Library& own = library();
  const std::lock_guard lock(own.mutex);
  return own.begun != 0;
}

const std::vector<machine::Card>& cards() { return library().cards; }

nvmlDevice_t handle_of(const machine::Card& card) {
  return reinterpret_cast<nvmlDevice_t>(first_handle + card.number());
}

Answer<const machine::Card*> card_of(nvmlDevice_t device) {
  const uintptr_t number = reinterpret_cast<uintptr_t>(device) - first_handle;
  if (number >= cards().size()) return invalid_argument("the handle is of no device");
  return &cards()[number];
}

Status put_text(std::string_view text, char* to, unsigned int length) {
  if (length <= text.size())
    return failure(NVML_ERROR_INSUFFICIENT_SIZE,
                   std::to_string(length) + " characters, it takes " + std::to_string(text.size() + 1));
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = '\0';
  return Unit{};
}

}  // namespace heddle::nvml
