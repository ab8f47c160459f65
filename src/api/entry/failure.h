// What a function of an API answers when it fails: the API's code, and words that say what and why.
#pragma once

#include <string>
#include <utility>

#include "support/result.h"

namespace heddle::entry {

template <class Code>
struct Failure {
  Code code;
  std::string message;
};
template <class Code>
using Status = Result<Unit, Failure<Code>>;

template <class Code>
Failure<Code> failure(Code code, std::string message) {
  return {code, std::move(message)};
}
// A pointer that must not be null is.
template <class Code>
Failure<Code> missing(Code code, const char* parameter) {
  return {code, std::string(parameter) + " is NULL"};
}

}  // namespace heddle::entry
