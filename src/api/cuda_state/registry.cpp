#include "api/cuda_state/registry.h"

#include <cstring>
#include <tuple>

#include "api/cuda_state/thread.h"

namespace heddle::cuda {
namespace {

FoundFunction& found_before(const void* stub) {
  static_assert(std::tuple_size_v<decltype(ThreadState::functions)> == 64);
  const auto hash = reinterpret_cast<uint64_t>(stub) * 0x9e37'79b9'7f4a'7c15;
  return thread().functions[hash >> 58];
}

}  // namespace

Registry::Program* Registry::program_of(void** handle) {
  const auto found = programs_.find(handle);
  return found == programs_.end() ? nullptr : found->second.get();
}

void** Registry::adopt(std::unique_ptr<Program> program) {
  program->library = std::make_shared<Library>(process_);
  void** handle = &program->handle_target;
  programs_.emplace(handle, std::move(program));
  return handle;
}

bool Registry::add_images(Program& program, const void* wrapper) {
  if (wrapper == nullptr || fatbin::form_of(wrapper) != fatbin::Form::wrapper) return false;
  const auto images = fatbin::images_of(*static_cast<const fatbin::Wrapper*>(wrapper));
  if (!images) {
    process_.tell(images.error().message);
    return false;
  }
  for (const auto image : *images) {
    program.images.push_back(image);
    program.library->code().add_fat_binary(image);
  }
  return true;
}

void** Registry::add_program(const void* wrapper) {
  const std::unique_lock lock(mutex_);
  void** handle = adopt(std::make_unique<Program>());
  // What is no fat binary fails when something of it is asked for, as CUDA does.
  add_images(*program_of(handle), wrapper);
  return handle;
}

void Registry::add_kernel(void** handle, const void* stub, const char* name) {
  const std::unique_lock lock(mutex_);
  Program* program = program_of(handle);
  if (program == nullptr || name == nullptr) return;
  program->stubs.push_back(stub);
  kernels_[stub] = program->library->kernel(name);
}

void Registry::add_variable(void** handle, const void* shadow, const char* name, uint64_t bytes) {
  const std::unique_lock lock(mutex_);
  Program* program = program_of(handle);
  if (program == nullptr || name == nullptr) return;
  program->shadows.push_back(shadow);
  variables_[shadow] = {program->library, name, bytes};
  program->fresh.emplace_back(shadow, name);
}

void Registry::add_managed_pointer(void** handle, void** pointer, const char* name, uint64_t bytes) {
  const std::unique_lock lock(mutex_);
  Program* program = program_of(handle);
  if (program == nullptr || name == nullptr || pointer == nullptr || bytes == 0) return;
  runtime::MemoryRequest request;
  request.kind = runtime::MemoryKind::managed;
  request.bytes = bytes;
  request.every_context = true;
  if (!process_.state()) return;
  auto memory = process_.system().memory().allocate(request);
  if (!memory) {
    process_.tell("managed variable '" + std::string(name) + "': " + memory.error().message);
    return;
  }
  Managed managed{name, (*memory)->address, bytes, true, *memory};
  std::memset(reinterpret_cast<void*>(managed.address), 0, bytes);
  write_first_contents(*program, managed);
  *pointer = reinterpret_cast<void*>(managed.address);
  program->library->placements().push_back({managed.name, managed.address});
  program->managed.push_back(std::move(managed));
  program->shadows.push_back(pointer);
  variables_[pointer] = {program->library, name, bytes};
}

void Registry::add_managed_range(const void* begin, const void* end) {
  const std::unique_lock lock(mutex_);
  managed_ranges_.push_back({reinterpret_cast<uint64_t>(begin), reinterpret_cast<uint64_t>(end)});
  for (auto& [handle, program] : programs_)
    if (program->complete) find_managed(*program);
}

void Registry::add_reference(void** handle, const void* reference, const char* name, bool surface,
                             bool normalized) {
  const std::unique_lock lock(mutex_);
  Program* program = program_of(handle);
  if (program == nullptr || name == nullptr) return;
  program->references.push_back(reference);
  references_[reference] = {program->library, name, surface, normalized};
}

void Registry::complete(void** handle) {
  const std::unique_lock lock(mutex_);
  Program* program = program_of(handle);
  if (program == nullptr) return;
  program->complete = true;
  find_managed(*program);
}

void Registry::remove(void** handle) {
  const std::unique_lock lock(mutex_);
  const auto found = programs_.find(handle);
  if (found == programs_.end()) return;
  const std::unique_ptr<Program> program = std::move(found->second);
  programs_.erase(found);
  for (const void* stub : program->stubs) kernels_.erase(stub);
  for (const void* shadow : program->shadows) variables_.erase(shadow);
  for (const void* reference : program->references) references_.erase(reference);
  for (Managed& managed : program->managed)
    if (managed.memory != nullptr) process_.system().memory().release(managed.memory);
  program->library->unload();
}

Answer<std::shared_ptr<LibraryKernel>> Registry::kernel(const void* stub) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = kernels_.find(stub); found != kernels_.end()) return found->second;
  }
  if (auto kernel = process_.handles().kernels.find(stub)) return kernel;
  return failure(Code::invalid_device_function, "no kernel was registered for this function");
}

Answer<Function*> Registry::function(const ContextRef& context, const void* stub) {
  FoundFunction& before = found_before(stub);
  const uint64_t epoch = process_.epoch();
  if (before.stub == stub && before.context == context->id() && before.epoch == epoch)
    return before.function.get();
  FunctionRef function = process_.handles().functions.find(stub);
  if (function == nullptr) {
    const auto known = kernel(stub);
    if (!known) return known.error();
    auto in_context = (*known)->in(context);
    if (!in_context) {
      Failure failed = in_context.error();
      process_.tell("kernel '" + (*known)->name() + "': " + failed.message);
      if (failed.code == Code::not_found) failed.code = Code::invalid_device_function;
      return failed;
    }
    function = std::move(*in_context);
  }
  if (!function->module().usable() || &function->module().context() != context.get())
    return failure(Code::invalid_handle, "the kernel belongs to another context, or was unloaded");
  before = {stub, context->id(), epoch, std::move(function)};
  return before.function.get();
}

Answer<runtime::Variable> Registry::variable(const ContextRef& context, const void* shadow) {
  Symbol symbol;
  {
    const std::shared_lock lock(mutex_);
    const auto found = variables_.find(shadow);
    if (found == variables_.end())
      return failure(Code::invalid_symbol, "no variable was registered for this symbol");
    symbol = found->second;
  }
  auto module = context->module_of(*symbol.library);
  if (!module) {
    process_.tell("variable '" + symbol.name + "': " + module.error().message);
    return module.error();
  }
  auto variable = (*module)->variable(symbol.name);
  if (!variable)
    return symbol.library->absent(*context, failure(Code::invalid_symbol, variable.error().message));
  return variable;
}

Answer<Reference> Registry::reference(const void* reference) {
  const std::shared_lock lock(mutex_);
  const auto found = references_.find(reference);
  if (found == references_.end())
    return failure(Code::invalid_texture, "no texture or surface reference was registered here");
  return found->second;
}

std::vector<std::shared_ptr<Library>> Registry::libraries() {
  std::vector<std::shared_ptr<Library>> found;
  const std::shared_lock lock(mutex_);
  for (auto& [handle, program] : programs_)
    if (!program->stubs.empty() || !program->shadows.empty()) found.push_back(program->library);
  return found;
}

Status Registry::load_all(const ContextRef& context) {
  for (const auto& library : libraries())
    if (auto module = context->module_of(*library); !module) return module.error();
  return Unit{};
}

}  // namespace heddle::cuda
