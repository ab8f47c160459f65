// What a function of an API does, without its type: all entries share one frame around it, which is compiled
// once and not once an entry.
#pragma once

namespace heddle::entry {

// Borrows what it is made of, for one call.
template <class Result>
class Body {
 public:
  template <class Callable>
  Body(const Callable& callable)
      : callable_(&callable),
        call_([](const void* called) -> Result { return (*static_cast<const Callable*>(called))(); }) {}

  Result operator()() const { return call_(callable_); }

 private:
  const void* callable_;
  Result (*call_)(const void*);
};

}  // namespace heddle::entry
