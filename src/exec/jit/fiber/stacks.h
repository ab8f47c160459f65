// Stacks of threads, kept for the next block and the next launch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::exec::jit {

// For vector code, with everything that it spills. Pages are taken when they are touched, so that many such
// stacks cost addresses alone.
inline constexpr size_t vector_stack_bytes = size_t{2} << 20;
// Of which what is called from there has the rest.
inline constexpr size_t most_of_vector_stack = vector_stack_bytes - (size_t{256} << 10);

class Stacks {
 public:
  Stacks() = default;
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  // `count` stacks of at least `bytes`; false: the system has no room. Earlier ones are invalid. `before`: so
  // many others there are beside these.
  bool reserve(size_t count, size_t bytes, size_t before = 0);
  // The end of a stack, where it begins to grow down. Stacks begin at different cache lines' sets.
  std::byte* top(size_t index) const;
  // Whether the address is in the page below a stack, which may not be touched: the stack was too small.
  bool is_guard(uintptr_t address) const;

 private:
  void release();

  std::byte* map_ = nullptr;
  size_t count_ = 0, stride_ = 0;
};

}  // namespace heddle::exec::jit
