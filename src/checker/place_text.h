// Places, threads and calls in the words of NVIDIA's tools.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exec/launch.h"
#include "module/image.h"
#include "observe/observer.h"

namespace heddle::checker {

// As its author wrote it: "sum(int *, int *)".
std::string function_text(const std::string& name);

struct PlaceText {
  std::string function;
  uint64_t offset = 0;  // of the instruction in its function, as an H200 counts: 16 bytes each
  std::string file;     // without folders; empty: not known
  std::string path;     // with them
  uint32_t line = 0;
  std::string instruction;    // of PTX
  std::string text() const;   // "sum(int *)+0x40 in sum.cu:12"
  std::string place() const;  // without the offset: equal where the line is
};
PlaceText place_text(const module::Image& image, observe::Place place);
// The same with calls that were inlined: the innermost function of the program's own, and "\n        Device
// Frame: " for each that called it.
struct CallText {
  std::string at, frames;
};
CallText call_text(const module::Image& image, observe::Place place);

// Told where a program has no lines.
inline constexpr const char* how_to_see_lines = "\n    compile with -lineinfo to see lines";
std::string triple(const std::array<uint32_t, 3>& v);
std::array<uint32_t, 3> thread_index(const exec::Dim3& block, uint32_t thread);
std::string hex(uint64_t value);
std::string with_commas(uint64_t value);  // 1,024

struct HostFrame {
  std::string function;  // empty: not known
  uint64_t offset = 0;   // in its file
  std::string module;    // with folders
};
std::vector<HostFrame> host_frames(const std::vector<const void*>& stack);
// "    Saved host backtrace up to driver entry point at ..." and its frames, up to main.
std::string host_frames(const std::vector<const void*>& stack, const char* title);

}  // namespace heddle::checker
