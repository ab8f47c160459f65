// What machine code may call without having asked: functions that LLVM's code generator calls by itself where
// the host has no instruction. Nothing else of the process is found by name.
#pragma once

#include <string_view>

namespace heddle::exec::jit {

// nullptr: no such function.
const void* find_runtime_function(std::string_view name);

}  // namespace heddle::exec::jit
