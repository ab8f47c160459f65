// Memory of a thread for the time of a transform, aligned for vectors.
#pragma once

#include <cstddef>
#include <new>

namespace heddle::fft {

// Kept for the thread's next transform unless it is large.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_;
  std::size_t bytes_;
};

}  // namespace heddle::fft
