#include "cli/cache_warm.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "arch/device.h"
#include "exec/jit/compiler/compiler.h"
#include "exec/readable_name.h"
#include "module/link.h"
#include "ptx/parse.h"
#include "runtime/fast_executor.h"
#include "support/setting.h"
#include "support/source.h"

namespace heddle::cli {

namespace {

using exec::jit::KernelCompiler, exec::jit::Waiting;

std::shared_ptr<const module::Image> link(const Waiting& kernel) {
  std::vector<ptx::Module> modules;
  for (const std::string& text : kernel.texts) {
    Diagnostics diagnostics;
    modules.push_back(ptx::read(std::make_shared<const SourceText>("kept.ptx", text), diagnostics));
    if (diagnostics.has_errors()) return nullptr;
  }
  std::vector<const ptx::Module*> pointers;
  for (const ptx::Module& module : modules) pointers.push_back(&module);
  auto image = module::link(pointers);
  if (!image) return nullptr;
  return std::move(*image);
}

enum class Made { yes, refused, elsewhere };

Made make(KernelCompiler& compiler, const Waiting& kernel, std::string& name) {
  const auto device = arch::find_device(kernel.device);
  const auto image = device ? link(kernel) : nullptr;
  if (image == nullptr || kernel.function >= image->functions.size()) return Made::elsewhere;
  name = exec::readable_name(image->functions[kernel.function].name);
  const exec::jit::CompileRequest request{image, kernel.function, *device, kernel.shape,
                                          exec::jit::Tier::best};
  // Another processor, another build of Heddle, a device of a file that is not named here: its code is not
  // ours.
  if (compiler.key(request) != kernel.key) return Made::elsewhere;
  const auto made = compiler.compile(request);
  if (!made) return Made::refused;
  if ((*made)->slow != nullptr) (void)(*made)->slow->make();
  return Made::yes;
}

std::string count(std::size_t number) {
  return std::to_string(number) + (number == 1 ? " kernel" : " kernels");
}

}  // namespace

Exit warm_cache(Console& console) {
  const auto options = runtime::fast_options([](const char* name) { return setting(name); });
  if (!options) {
    complain(console, options.error().message);
    return Exit::usage;
  }
  auto compiler = exec::jit::make_kernel_compiler(*options);
  if (!compiler) {
    complain(console, compiler.error());
    return Exit::failed;
  }
  std::vector<Waiting> waiting = (*compiler)->waiting();
  // What took most comes first, so that it pays to stop in the middle.
  std::sort(waiting.begin(), waiting.end(),
            [](const Waiting& a, const Waiting& b) { return a.experience.ran > b.experience.ran; });
  const auto start = std::chrono::steady_clock::now();
  std::size_t at = 0, made = 0, elsewhere = 0;
  for (const Waiting& kernel : waiting) {
    std::string name = "a kernel";
    const Made result = make(**compiler, kernel, name);
    ++at;
    if (result == Made::yes) ++made;
    if (result == Made::elsewhere) ++elsewhere;
    if (result == Made::refused) complain(console, name + " has no better code");
    if (console.err_is_terminal)
      console.err << "\r\x1b[K" << at << " of " << waiting.size() << ": " << name << std::flush;
  }
  if (console.err_is_terminal && !waiting.empty()) console.err << "\r\x1b[K";
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f s", took.count());
  console.out << count(made) << " compiled again in " << seconds;
  if (elsewhere != 0) console.out << ", " << elsewhere << " of another processor, device or build left out";
  console.out << '\n';
  return made + elsewhere == waiting.size() ? Exit::ok : Exit::failed;
}

}  // namespace heddle::cli
