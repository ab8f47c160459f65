// nvcc's options as clang's and the host compiler's arguments.
#pragma once

#include <string>
#include <vector>

#include "driver/nvcc/cicc.h"
#include "driver/nvcc/session.h"

namespace heddle::driver::nvcc {

// For one generation of a .cu file.
Cicc device_step(const Session& session, const Input& input, const Generation& generation);
Cicc host_step(const Session& session, const Input& input);

// The command line of the host compiler for a .c or .cpp file: up to the input.
std::vector<std::string> host_compiler_words(const Session& session, bool is_c);

// The options for the host compiler that clang does not know: .cu files are compiled without them.
std::vector<std::string> host_only_options(const Settings& settings);

// OpenMP in .cu files: clang's is there when its runtime library (libomp) is; else its directives mean
// nothing, and only the functions of omp.h are there.
bool wants_openmp(const Settings& settings);
std::string clang_openmp_library();  // empty: none

}  // namespace heddle::driver::nvcc
