// NVVM IR to PTX: LLVM modules as other compilers write them (NVVM IR Specification), with LLVM's back end.
//
// Both dialects are read: that of LLVM 7 with typed pointers, and the modern one, as text or as bitcode. LLVM
// brings old forms up to date while it reads; what NVVM IR has beside LLVM's own intrinsics is defined in
// nvvm/dialect.cpp.
#pragma once

#include <string>
#include <vector>

#include "frontend/clang.h"
#include "frontend/cuda.h"

namespace heddle::frontend {

struct NvvmModule {
  std::string name;  // in messages
  std::string bytes;
  bool lazy = false;  // a library: only what the other modules call is taken
};

struct NvvmOptions {
  Target target;
  FloatPrecision precision;
  bool flush_subnormals = false;
  bool fuse = true;  // a * b + c is one instruction
  bool optimize = true;
  enum class Debug : unsigned char { none, lines, whole } debug = Debug::none;
};

enum class NvvmStatus : unsigned char {
  ok,
  invalid_ir,
  wrong_version,  // of the IR
  failed,         // the compiler itself
};

struct NvvmResult {
  NvvmStatus status = NvvmStatus::ok;
  std::string ptx;
  std::string log;  // errors and warnings, a line each
};

// The IR versions that are read: up to these.
struct NvvmVersions {
  int major = 2, minor = 0, debug_major = 3, debug_minor = 1;
};
inline constexpr NvvmVersions nvvm_versions;
inline constexpr int nvvm_llvm_version = 19;

NvvmResult verify_nvvm(const std::vector<NvvmModule>& modules);
NvvmResult compile_nvvm(const std::vector<NvvmModule>& modules, const NvvmOptions& options);

}  // namespace heddle::frontend
