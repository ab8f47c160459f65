// Where the clGet*Info functions write: a value of some bytes, the room that the program has, and the size
// that it may want to know.
#pragma once

#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>

#include "api/opencl/code.h"

namespace heddle::opencl {

class InfoOut {
 public:
  InfoOut(size_t room, void* value, size_t* size) : room_(room), value_(value), size_(size) {}

  Status bytes(const void* from, size_t count) const {
    if (value_ != nullptr && room_ < count)
      return invalid_value("the value has " + std::to_string(count) + " bytes, param_value_size is " +
                           std::to_string(room_));
    if (value_ != nullptr && count != 0) std::memcpy(value_, from, count);
    if (size_ != nullptr) *size_ = count;
    return Unit{};
  }
  // Each takes what it writes, or the failure that took its place.
  template <class T, class V>
  Status value(const V& v) const {
    if constexpr (requires { v.error(); }) {
      if (!v) return v.error();
      return value<T>(*v);
    } else {
      const T exact = static_cast<T>(v);
      return bytes(&exact, sizeof exact);
    }
  }
  template <class V>
  Status text(const V& v) const {  // with its zero
    if constexpr (requires { v.error(); }) {
      if (!v) return v.error();
      return text(*v);
    } else {
      const std::string ended(v);
      return bytes(ended.c_str(), ended.size() + 1);
    }
  }
  template <class V>
  Status list(const V& v) const {
    if constexpr (requires { v.error(); }) {
      if (!v) return v.error();
      return list(*v);
    } else {
      return bytes(std::data(v), std::size(v) * sizeof *std::data(v));
    }
  }

  size_t room() const { return room_; }
  void* value() const { return value_; }
  size_t* size() const { return size_; }

 private:
  size_t room_;
  void* value_;
  size_t* size_;
};

inline Status unknown_query(cl_uint name) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", name);
  return invalid_value("there is no query " + std::string(text));
}

}  // namespace heddle::opencl
