// What a thread has to itself, made when it first asks for it, and destroyed with it.
//
// The thread that ends the process destroys its thread_local objects first, and then runs what was to be done
// at the end: there a launch that nobody waited for may still run, on this thread. So the object is behind a
// pointer, which is good to the end, and whoever asks after the thread's end gets another one.
#pragma once

#include <utility>

namespace heddle {

template <class T, class... Arguments>
T& thread_object(Arguments&&... arguments) {
  static constinit thread_local T* own = nullptr;
  struct Ending {
    ~Ending() { delete std::exchange(own, nullptr); }
  };
  if (own == nullptr) {
    static thread_local const Ending ending;
    static_cast<void>(ending);
    own = new T(std::forward<Arguments>(arguments)...);
  }
  return *own;
}

}  // namespace heddle
