// For tests: every implemented function of an API as a record that can be called with any arguments
// (calls.gen.h, generated from spec/cuda). Tests of bad arguments and fuzzers choose them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace heddle::entry {

enum class Kind : uint8_t {
  number,       // a count, a size, flags, an ordinal
  enumeration,  // one of named values
  handle,       // to an object of the API: a pointer, or a number for textures
  out_handle,   // where a new one is written
  memory,       // of host or device: void*, CUdeviceptr
  function,     // a kernel, by what stands for it on the host
  symbol,       // a variable, likewise
  out,          // where something else is written
  in,           // what is read: structures, arrays
  text,
  callback,
  value,  // a structure by value
};

struct Parameter {
  const char* name;
  const char* type;  // of what a pointer points to; without const, struct and enum
  Kind kind;
  bool required;      // null is an error
  std::size_t bytes;  // what a pointer points to, or the structure; 0: not known
};

class Arguments {
 public:
  virtual ~Arguments() = default;
  template <class T>
  T get(const Parameter& parameter) {
    if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<T>(word(parameter));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      return static_cast<T>(word(parameter));
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(static_cast<int64_t>(word(parameter)));
    } else {
      T value{};
      fill(parameter, &value);
      return value;
    }
  }

 private:
  virtual uint64_t word(const Parameter& parameter) = 0;
  virtual void fill(const Parameter& parameter, void* value) = 0;  // parameter.bytes of it
};

struct Call {
  const char* name;
  std::span<const Parameter> parameters;
  int (*run)(Arguments&, std::span<const Parameter>);  // the API's status
};

// sizeof, or 0 of what has none here.
template <class T>
constexpr std::size_t pointee_bytes() {
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    if constexpr (std::is_void_v<Pointee> || std::is_function_v<Pointee>)
      return 0;
    else if constexpr (requires { sizeof(Pointee); })
      return sizeof(Pointee);
    else
      return 0;
  } else {
    return sizeof(T);
  }
}

}  // namespace heddle::entry
