// What a built program has of CUDA inside, as far as `heddle run` must know it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fatbin/fatbin.h"
#include "support/result.h"

namespace heddle::cli {

struct Program {
  enum class Runtime : unsigned char {
    none,    // it calls no CUDA runtime, or another library does
    shared,  // libcudart.so
    ours,    // our libcudart_static.a
    inside,  // another static runtime, with symbols: its functions can be led here
    hidden,  // another static runtime in a program without symbols
  };
  bool elf = false;  // otherwise a script, say: what it starts is looked at then
  Runtime runtime = Runtime::none;
  std::vector<std::string> libraries;  // libcudart.so.13, libcuda.so.1, libnvrtc.so.12: those that it names
  std::vector<std::string> ptx, machine_code;  // compute_75, sm_75; each once
  bool machine_code_only() const { return ptx.empty() && !machine_code.empty(); }
};

// The error names the file and what of it is bad.
Result<Program> inspect_program(const std::string& path, std::string_view bytes);

}  // namespace heddle::cli
