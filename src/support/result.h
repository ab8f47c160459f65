// A value, or the error that took its place. Libraries return these; they never exit, abort or print.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace heddle {

struct Error {
  std::string message;  // what failed, the value and the limit
};

template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}
  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const E& error() const { return std::get<1>(state_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, E> state_;
};

struct Unit {};
template <class E = Error>
using Status = Result<Unit, E>;

}  // namespace heddle
