#include "api/cuda_state/library_callers.h"

#include <utility>
#include <vector>

#include "api/cuda_state/process.h"
#include "api/cuda_state/program.h"
#include "api/cuda_state/registry.h"
#include "api/cuda_state/stream.h"
#include "api/cuda_state/thread.h"
#include "api/cuda_state/work.h"
#include "runtime/companion.h"

namespace heddle::cuda {
namespace {

libs::Failure told(const Failure& failed) { return {static_cast<int>(failed.code), failed.message}; }

class LibraryCaller final : public libs::Caller {
 public:
  explicit LibraryCaller(FunctionRef function) : function_(std::move(function)) {}
  libs::Failure launch(void* stream_handle, libs::Blocks blocks, const void* parameters,
                       uint64_t bytes) override {
    auto context = runtime_context();
    if (!context) return told(context.error());
    auto stream = find_stream(*context, stream_handle);
    if (!stream) return told(stream.error());
    if (&(*stream)->context() != &function_->module().context())
      return told(failure(Code::invalid_context, "a function of another context"));
    runtime::LaunchRequest request;
    request.kernel = &function_->kernel();
    request.grid.x = blocks.count;
    request.block.x = blocks.threads;
    request.dynamic_shared = blocks.shared_bytes;
    request.params = {static_cast<const std::byte*>(parameters), bytes};
    const Status launched = cuda::launch(**stream, *function_, request);
    return launched ? libs::Failure{} : told(launched.error());
  }

 private:
  const FunctionRef function_;
};

Answer<FunctionRef> caller_of(uint64_t function_pointer, const char* name, const std::string& text) {
  auto context = runtime_context();
  if (!context) return context.error();
  const runtime::ProgramText program{name + std::string(".ptx"), text};
  // Those of the program that cannot be loaded have no functions.
  std::vector<std::shared_ptr<runtime::Module>> modules;
  for (const std::shared_ptr<Library>& library : Process::get().registry().libraries())
    if (auto module = (*context)->module_of(*library))
      modules.push_back((*module)->runtime().shared_from_this());
  auto loaded = runtime::load_companion(modules, function_pointer, program, name);
  if (!loaded) return failure_of(loaded.error());
  return std::make_shared<Module>(*context, std::move(*loaded))->function(name);
}

Answer<FunctionRef> linked_caller(const void* program, uint64_t bytes, const char* name,
                                  const std::string& text) {
  auto context = runtime_context();
  if (!context) return context.error();
  const auto image = read_image(program, bytes);
  if (!image) return image.error();
  ProgramCode code;
  image->add_to(code, "callback");
  code.add_ptx(name + std::string(".ptx"), text);
  JitOptions options;
  auto linked = cuda::link(*context, code, options);
  if (!linked) return linked.error();
  auto loaded = Module::load(*context, std::move(*linked));
  if (!loaded) return loaded.error();
  return (*loaded)->function(name);
}

class LibraryCallers final : public libs::Callers {
 public:
  std::shared_ptr<libs::Caller> find(uint64_t function_pointer, const char* name, const std::string& text,
                                     libs::Failure& failure) override {
    return caller(caller_of(function_pointer, name, text), failure);
  }
  std::shared_ptr<libs::Caller> link(const void* program, uint64_t bytes, const char* name,
                                     const std::string& text, libs::Failure& failure) override {
    return caller(linked_caller(program, bytes, name, text), failure);
  }

 private:
  static std::shared_ptr<libs::Caller> caller(Answer<FunctionRef> function, libs::Failure& failure) {
    if (function) return std::make_shared<LibraryCaller>(std::move(*function));
    failure = told(function.error());
    return nullptr;
  }
};

}  // namespace

libs::Callers& library_callers() {
  static auto* const callers = new LibraryCallers;  // for the process's whole life
  return *callers;
}

}  // namespace heddle::cuda
