// Kernels that a library brings to a program: they call functions of the program, which are known by their
// pointers.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "runtime/load.h"

namespace heddle::runtime {

// The one of these programs that has the function, once more, with `text` linked to it: it sees the program's
// variables where they are. `kernel`, of the text, calls the function; the text has no variables but in
// shared memory. The value of a pointer does not tell whose it is: refused when functions of several programs
// fit.
Outcome<std::shared_ptr<Module>> load_companion(std::span<const std::shared_ptr<Module>> programs,
                                                uint64_t function_pointer, const ProgramText& text,
                                                std::string_view kernel);

}  // namespace heddle::runtime
