#include "libs/fft/scratch.h"

#include <utility>

namespace heddle::fft {
namespace {

constexpr std::size_t kept_most = std::size_t{4} << 20;
constexpr std::align_val_t alignment{64};

struct Kept {
  ~Kept() { operator delete(memory, alignment); }
  void* memory = nullptr;
  std::size_t bytes = 0;
};
thread_local Kept kept;

}  // namespace

Scratch::Scratch(std::size_t bytes) : memory_(nullptr), bytes_(bytes) {
  if (kept.bytes >= bytes && kept.memory) {
    memory_ = std::exchange(kept.memory, nullptr);
    bytes_ = kept.bytes;
  } else {
    memory_ = operator new(bytes, alignment);
  }
}

Scratch::~Scratch() {
  if (bytes_ > kept_most || (kept.memory && kept.bytes >= bytes_)) {
    operator delete(memory_, alignment);
    return;
  }
  operator delete(kept.memory, alignment);
  kept.memory = memory_;
  kept.bytes = bytes_;
}

}  // namespace heddle::fft
