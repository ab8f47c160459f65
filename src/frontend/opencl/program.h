// The steps between a program's LLVM module and its PTX.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/opencl.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::frontend::opencl {

// One line for each cycle of functions that call each other: those of several objects, which no source shows.
// Empty: none.
std::string recursion_of(const llvm::Module&);

// Kernels that others call get a function of their own, which both call: PTX calls no entries.
void split_called_kernels(llvm::Module&);
// LLVM 19 reads a parameter of two bytes, <2 x i8>, as four, and behind the last one there is nothing.
void pass_byte_pairs_as_words(llvm::Module&);

// The formats of printf rewritten for a device's vprintf; vectors become their elements.
void lower_printf(llvm::Module&);

// Bodies for the built-in functions that the program calls: made here, or linked from the library. The error
// names a function that has none.
// `is_1x`: for devices of compute capability 1.x, which lack some of the instructions.
std::string define_builtins(llvm::Module&, bool is_1x);

// `.samplerref` variables for the samplers that the source declares, to stand behind the header of the PTX.
std::string lower_samplers(llvm::Module&);

std::vector<OpenClKernel> describe_kernels(const llvm::Module&, bool argument_info);
std::string write_kernels(const std::vector<OpenClKernel>&);

// Parts of the library that define the functions of these names, as bitcode.
std::vector<std::string_view> library_parts(const std::vector<std::string>& names);

}  // namespace heddle::frontend::opencl
