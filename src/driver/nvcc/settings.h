// What a command line of nvcc asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/architecture.h"
#include "driver/options.gen.h"
#include "support/result.h"

namespace heddle::driver::nvcc {

enum class Phase : unsigned char {
  link,
  compile,
  ptx,
  cubin,
  fatbin,
  preprocess,
  dependencies,
  device_link,
  library,
  run,
};

// One file of all inputs, whose objects lie in between.
inline bool is_linking(Phase phase) {
  return phase == Phase::link || phase == Phase::run || phase == Phase::library ||
         phase == Phase::device_link;
}

enum class InputKind : unsigned char { cuda, cpp, c, object, archive, shared_library, ptx, cubin, fatbin };

struct Input {
  std::string path;
  InputKind kind;
};

// One compilation for devices, and what is kept of it.
struct Generation {
  ArchName from;  // virtual
  std::vector<ArchName> kept;
  bool operator==(const Generation&) const = default;
};

struct Settings {
  CommandLine line;
  std::vector<std::string> words;  // the line itself, with files of options expanded
  Phase phase = Phase::link;
  std::optional<Phase> linked_as;  // -dlink with -cubin or -fatbin: what it makes in the place of an object
  std::vector<Input> inputs;
  std::vector<Generation> generations;
  bool relocatable = false;
  std::vector<std::string> host_options;    // for the host compiler, and those that clang knows for clang
  std::vector<std::string> linker_options;  // as written on the host linker's command line
  std::string host_compiler;                // for C++ and linking: "g++"

  std::vector<std::string> ptxas_options, fatbinary_options, clang_options;
  bool has(Opt option) const { return line.has(option); }
};

// The error is what follows "nvcc fatal   : ".
Result<Settings> settle(std::vector<std::string> words);

// The output of a phase that makes one file for each input: "v.ptx" for "dir/v.cu".
std::string output_for(const Settings& settings, const Input& input, std::string_view suffix);
std::string stem_of(const std::string& path);  // "v"
// The value of __CUDA_ARCH_LIST__: "520,800".
std::string arch_list(const Settings& settings);
// Macros that nvcc defines for every compilation of its: -D...
std::vector<std::string> version_macros();

}  // namespace heddle::driver::nvcc
