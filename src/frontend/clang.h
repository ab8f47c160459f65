// clang in process: one compilation, from arguments as clang++ takes them to an output in memory or on disk.
//
// Thread safe: every run has its own compiler, on a thread of its own with a large stack. Nothing of what
// clang is given can end the process: its fatal errors, and even its crashes, come back as failures.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::frontend {

// Seen by the compiler at its path, before anything that lies there on disk.
struct MemoryFile {
  std::string path;
  std::string content;
};

// What the device's code may use where the source has / and sqrt of float (nvcc's -prec-div, -prec-sqrt).
// clang knows this only as a flag of the process or together with all of -ffast-math, so a pass of ours does
// it.
struct FloatPrecision {
  enum class Division : unsigned char { rounded, full_range, approximate };
  Division division = Division::rounded;
  bool approximate_root = false;
  bool flush_subnormals = false;  // of the instructions that take their place
  bool is_default() const { return division == Division::rounded && !approximate_root; }
};

struct Job {
  std::vector<std::string> arguments;  // as clang++'s, without its name
  std::vector<MemoryFile> files;
  std::string directory;  // relative paths start there; empty: the process's own
  FloatPrecision precision;
  // For devices of compute capability 1.x: they have no stack, so that kernels call nothing but device math
  // functions, and no fused multiplication.
  bool is_1x = false;
  bool has_doubles = true;          // before 1.3 they are numbers of single precision: demotion.h
  bool keeps_shared_order = false;  // shared_order.h
  bool to_memory = true;            // the output; otherwise it goes where -o says
  // Of the same arguments but for -D, -U, -I and -include: taken instead of clang's own headers. Outlives
  // the call.
  const struct Beginning* beginning = nullptr;
};

// What programs begin with, parsed once: the headers that clang puts before all of CUDA, and `lines` behind
// them.
struct Beginning {
  struct Header {
    std::string name, path;  // as it is written where it is included, and where it was found
  };
  std::string lines;
  std::shared_ptr<const void> memory;  // of what was parsed: some megabytes
  std::string_view parsed;
  std::vector<Header> headers;  // all that were included, each once
};

struct Product {
  bool ok = false;
  std::string output;
  // As clang prints them: file:line:column, the line, a caret, and notes. One text for each error and
  // warning.
  std::vector<std::string> diagnostics;
  std::string log;      // what else the compiler said: its -v, say
  std::string failure;  // of the compiler itself, not of its input: a crash, missing headers
  // The job's beginning is another compiler's, or a header that it was made of has changed: make it anew.
  bool stale_beginning = false;
};

Product compile(const Job& job);

// The job has no input file. Nothing where it cannot be parsed.
std::optional<Beginning> precompile(const Job& job, const std::string& lines);

// The cc1 command line that precompile() runs, but for the folder where: all that a beginning depends on
// beside the headers' text.
Result<std::vector<std::string>> beginning_command(const Job& job);

// Whether clang knows the option; host compilers know others.
bool knows_option(std::string_view argument);

// The folder with clang's own headers (include/stddef.h): the toolkit's; else where distributions put it.
// HEDDLE_CLANG_RESOURCES names another.
Result<std::string> resource_directory();

// The like with clang's omp.h, two folders below its libomp.so, which no toolkit has; empty: none.
std::string openmp_directory();

}  // namespace heddle::frontend
