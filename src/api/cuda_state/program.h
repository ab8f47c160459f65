// Program images as both APIs take them (PTX text, fat binaries), and the options of their compiler.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/cuda_state/library.h"

namespace heddle::cuda {

// What a list of CUjit_option or cudaJitOption asks for, which have the same numbers. Options that steer
// NVIDIA's compiler are taken and change nothing.
class JitOptions {
 public:
  // The list of values stays where it is: sizes and times are written back to it.
  template <class Option>
  Status read(unsigned int count, const Option* options, void** values) {
    if (count != 0 && (options == nullptr || values == nullptr)) return invalid_value("the options are NULL");
    for (unsigned int i = 0; i < count; ++i)
      if (Status taken = take(static_cast<int>(options[i]), values[i]); !taken) return taken;
    return Unit{};
  }
  // Into the program's buffers, cut to their sizes.
  void write_logs(const std::string& info, const std::string& errors);
  void write_wall_time(float milliseconds);
  bool verbose() const { return verbose_; }

 private:
  struct Buffer {
    char* text = nullptr;
    unsigned int size = 0;
    void** size_value = nullptr;  // takes how much was written
  };
  Status take(int option, void*& value);
  static void write(Buffer& buffer, const std::string& log);
  Buffer info_, errors_;
  void** wall_time_ = nullptr;
  bool verbose_ = false;
};

// One image: a PTX text or a fat binary.
struct ProgramImage {
  std::string text;               // PTX
  std::vector<std::byte> binary;  // or a fat binary
  void add_to(ProgramCode& code, const std::string& name) const;
};
// As cuModuleLoadData takes it, without a length: as far as its header says, or to the zero byte of a text.
// It is copied.
Answer<ProgramImage> read_image(const void* image);
Answer<ProgramImage> read_image(const void* image, size_t bytes);
Answer<ProgramImage> read_image_file(const char* path);

// Links for the context's device, tells logs and time, loads.
Answer<std::shared_ptr<const module::Image>> link(const ContextRef& context, ProgramCode& code,
                                                  JitOptions& options);

}  // namespace heddle::cuda
