// What every exported function of an API has around it: telling who was called with what (HEDDLE_TRACE=api),
// and which function is only a stub (HEDDLE_TRACE=stubs, or api). Generated entries use it;
// docs/how-to/api-function.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace heddle::entry {

// A function as its entry knows it.
struct Record {
  const char* name;
  // Names with commas between. Before a name, '*': a pointer that is written through; '"': a string.
  const char* parameters;
};

// An argument's value, whatever its type.
struct Argument {
  enum class Kind : uint8_t { signed_integer, unsigned_integer, floating, pointer, aggregate };
  Kind kind = Kind::aggregate;
  uint8_t bytes = 0;  // of what a pointer points to; 0: not a single value
  Kind pointee = Kind::aggregate;
  uint64_t bits = 0;  // of an aggregate: where it lies, for the time of the call
  double number = 0;
};

template <class T>
constexpr Argument::Kind kind_of() {
  if constexpr (std::is_pointer_v<T>)
    return Argument::Kind::pointer;
  else if constexpr (std::is_enum_v<T>)
    return Argument::Kind::signed_integer;
  else if constexpr (std::is_integral_v<T>)
    return std::is_signed_v<T> ? Argument::Kind::signed_integer : Argument::Kind::unsigned_integer;
  else if constexpr (std::is_floating_point_v<T>)
    return Argument::Kind::floating;
  else
    return Argument::Kind::aggregate;
}

template <class T>
Argument argument(const T& value) {
  Argument result;
  result.kind = kind_of<T>();
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
    result.bits = reinterpret_cast<uint64_t>(value);
    if constexpr (!std::is_void_v<Pointee> && !std::is_function_v<Pointee>) {
      result.pointee = kind_of<Pointee>();
      if constexpr (kind_of<Pointee>() != Argument::Kind::aggregate) result.bytes = sizeof(Pointee);
    }
  } else if constexpr (std::is_floating_point_v<T>) {
    result.number = value;
  } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    result.bits = static_cast<uint64_t>(value);
  } else {
    result.bits = reinterpret_cast<uint64_t>(&value);
  }
  return result;
}

using ArgumentList = std::initializer_list<Argument>;

// Read from the environment once.
bool tracing();
// One line about a call that has returned. `outcome`: its status in words. What it wrote is shown if it
// `succeeded`.
void trace(const Record& record, std::string_view outcome, bool succeeded, ArgumentList arguments);
// A call of something that is not implemented; each name once.
void trace_stub(const Record& record);

// A value that a function returned.
std::string value_text(const Argument& value);

// The line, without the words before it and the newline.
std::string call_text(const Record& record, std::string_view outcome, bool succeeded, ArgumentList arguments);

}  // namespace heddle::entry
