// A kernel's way to machine code as text, made by the passes that compile it: what `heddle ptx jit` prints
// and the tests check. No LLVM here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "exec/fault.h"
#include "exec/jit/passes/passes.h"
#include "module/image.h"
#include "support/result.h"

namespace heddle::exec::jit {

enum class StagePlan : uint8_t { given, quick, best };  // as for a tier's code, or the vectors given

struct StageRequest {
  const module::Image& image;
  uint32_t entry;
  const arch::Device& device;
  Dim3 block{256, 1, 1};
  unsigned lanes = 16, vectors = 2;
  StagePlan plan = StagePlan::given;
  bool threads = false;  // on stacks of their own, whatever the kernel is
  PassSet disabled{};
};

// A name for what is printed behind a pass.
struct Stage {
  std::string_view name, title;
  Pass after;
};
std::span<const Stage> stages();  // in their order

// Of the passes named, "; NAME of KERNEL" and the code behind it, a stage's name or a pass's
// (`find_printed`).
struct Printed {
  std::string_view name;
  Pass after;
};
Result<Printed, std::string> find_printed(std::string_view name);
// What stands behind each of them, in the order asked for. The error: this host can not make machine code for
// the lanes asked for.
Result<std::vector<std::string>, std::string> print_stages(const StageRequest& request,
                                                           std::span<const Printed> wanted);

// Processor time by pass of all the way to machine code, of the host's own vectors; text for people.
class PassTimer {
 public:
  PassTimer();
  ~PassTimer();
  // What went wrong, or nothing.
  std::string add(const StageRequest& request);
  std::string text() const;

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace heddle::exec::jit
