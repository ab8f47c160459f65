#include "problem.h"

#include <sys/mman.h>

#include <bit>
#include <cstring>
#include <new>

namespace heddle::bench {

Array::Array(std::size_t bytes) : bytes_(bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(pages);
  clear();  // no run pays for the first touch
}

Array::~Array() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

void Array::clear() { std::memset(data_, 0, bytes_); }

Argument array(uint32_t index) { return {Argument::Kind::array, index}; }
Argument value(uint32_t number) { return {Argument::Kind::u32, number}; }
Argument value(float number) { return {Argument::Kind::f32, std::bit_cast<uint32_t>(number)}; }

uint32_t Random::bits() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return static_cast<uint32_t>(state_ >> 32);
}

}  // namespace heddle::bench
