// What the model consists of, part by part, so that each can be left out and what it is worth be told
// (docs/reference/timing-error.md).
#pragma once

#include <span>
#include <string_view>

#include "timing/machine.h"

namespace heddle::timing {

struct Mechanism {
  std::string_view name;
  std::string_view what;
  void (*leave_out)(Machine&);
};

std::span<const Mechanism> mechanisms();
// nullptr where none has the name.
const Mechanism* find_mechanism(std::string_view name);

}  // namespace heddle::timing
