// Who is told of each call of NVTX's functions, as the program made it. For CUPTI's callbacks; what the marks
// mean is told by marks.h.
#pragma once

#include <string_view>

namespace heddle::ranges {

// `parameters`: a structure of the function's parameters. `result`: what it returns; nullptr: nothing.
using CallHook = void (*)(const char* function, const void* parameters, void* result);
void tell_calls_to(CallHook hook);  // nullptr: nobody
// Whether calls of a function are told: not of those that have nothing behind them.
bool tells_calls_of(std::string_view function);

}  // namespace heddle::ranges
