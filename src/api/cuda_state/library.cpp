#include "api/cuda_state/library.h"

#include <utility>

#include "fatbin/fatbin.h"
#include "fatbin/register_limit.h"
#include "runtime/load.h"
#include "runtime/register_limit.h"

namespace heddle::cuda {
namespace {

// A program text that cannot be read, as CUDA tells apart.
Failure bad_program(const runtime::Error& error, const std::string& log) {
  Failure failed = failure_of(error);
  if (!log.empty()) failed.message += ":\n" + log;
  return failed;
}

// Something may be missing because of what was left out.
Failure with_left_out(Failure failed, const std::string& why) {
  if (why.empty()) return failed;
  if (failed.code == Code::not_found || failed.code == Code::invalid_symbol)
    failed.code = Code::no_binary_for_device;
  failed.message += "; part of the program was left out: " + why;
  return failed;
}

}  // namespace

void ProgramCode::add_fat_binary(std::span<const std::byte> file) { units_.push_back({{}, {}, file, {}}); }

void ProgramCode::add_fat_binary_copy(std::span<const std::byte> file) {
  Unit& unit = units_.emplace_back();
  unit.own.assign(file.begin(), file.end());
  unit.fat_binary = unit.own;  // stays when the unit moves
}

void ProgramCode::add_ptx(std::string name, std::string text) {
  units_.push_back({std::move(name), std::move(text), {}, {}});
}

Answer<std::vector<runtime::ProgramText>> ProgramCode::programs_for(const arch::Device& device,
                                                                    std::string& left_out) const {
  std::vector<runtime::ProgramText> programs;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const Unit& unit = units_[i];
    const std::string name = unit.name.empty() ? "unit" + std::to_string(i) + ".ptx" : unit.name;
    if (unit.fat_binary.empty()) {
      programs.push_back({name, unit.text});
      continue;
    }
    const auto entries = fatbin::read(unit.fat_binary);
    if (!entries) return failure(Code::invalid_image, entries.error().message);
    const auto chosen = fatbin::choose_ptx(*entries, device.capability().number());
    if (!chosen) {
      left_out += (left_out.empty() ? "" : "; ") + chosen.error().message;
      continue;
    }
    // Compilers make one text for an architecture; what cuLinkComplete made has all that were linked.
    for (const fatbin::Entry& entry : *entries) {
      if (entry.kind != fatbin::Kind::ptx || entry.arch != (*chosen)->arch) continue;
      auto text = fatbin::contents(entry);
      if (!text) return failure(Code::invalid_image, text.error().message);
      runtime::limit_registers(*text, fatbin::register_limit(entry.options));
      programs.push_back({name, std::move(*text)});
    }
  }
  if (programs.empty() && !left_out.empty())
    return failure(Code::no_binary_for_device, "the program's code for the device: " + left_out);
  return programs;
}

Answer<std::vector<std::string>> ProgramCode::texts_for(const arch::Device& device) const {
  std::string left_out;
  auto programs = programs_for(device, left_out);
  if (!programs) return programs.error();
  std::vector<std::string> texts;
  for (runtime::ProgramText& program : *programs) texts.push_back(std::move(program.text));
  return texts;
}

Answer<std::shared_ptr<const module::Image>> ProgramCode::image_for(const arch::Device& device) {
  auto& [image, left_out] = images_[device.capability().number()];
  if (image != nullptr) return image;
  left_out.clear();
  auto programs = programs_for(device, left_out);
  if (!programs) return programs.error();
  log_.clear();
  auto built = runtime::build_image(*programs, log_);
  if (!left_out.empty()) log_ += "part of the program was left out: " + left_out + '\n';
  if (!built) return bad_program(built.error(), log_);
  image = *built;
  return image;
}

std::string ProgramCode::left_out(const arch::Device& device) const {
  const auto made = images_.find(device.capability().number());
  return made == images_.end() ? std::string() : made->second.left_out;
}

Failure Library::absent(const Context& context, Failure failed) {
  const std::lock_guard lock(loading_);
  return with_left_out(std::move(failed), code_.left_out(context.device().facts()));
}

Answer<std::shared_ptr<Module>> Library::load(const ContextRef& context) {
  auto image = code_.image_for(context->device().facts());
  if (!image) return image.error();
  auto module = Module::load(context, *image, placements_);
  if (!module) return with_left_out(module.error(), code_.left_out(context->device().facts()));
  return module;
}

void Library::unload() {
  process_.next_epoch();
  for (const ContextRef& context : process_.handles().contexts.all()) context->forget(*this);
  const std::lock_guard lock(mutex_);
  for (auto& [name, kernel] : kernels_) process_.handles().kernels.remove(kernel->handle());
  kernels_.clear();
  process_.handles().libraries.remove(handle_);
}

Answer<std::vector<std::string>> Library::kernel_names(const arch::Device& device) {
  const std::lock_guard lock(loading_);
  auto image = code_.image_for(device);
  if (!image) return image.error();
  std::vector<std::string> names;
  for (const module::Function& function : (*image)->functions)
    if (function.entry && function.defined) names.push_back(function.name);
  return names;
}

std::shared_ptr<LibraryKernel> Library::kernel(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(name);
  if (found != kernels_.end()) return found->second;
  auto made = std::make_shared<LibraryKernel>(weak_from_this(), std::string(name));
  kernels_.emplace(name, made);
  return made;
}

uint64_t Library::handle() {
  const std::lock_guard lock(mutex_);
  if (handle_ == 0) handle_ = process_.handles().libraries.add(shared_from_this());
  return handle_;
}

uint64_t LibraryKernel::handle() {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Library> owner = library();
  if (handle_ == 0 && owner != nullptr) handle_ = owner->process().handles().kernels.add(shared_from_this());
  return handle_;
}

Answer<FunctionRef> LibraryKernel::in(const ContextRef& context) const {
  const std::shared_ptr<Library> owner = library();
  if (owner == nullptr) return failure(Code::invalid_handle, "the library of '" + name_ + "' was unloaded");
  auto module = context->module_of(*owner);
  if (!module) return module.error();
  auto function = (*module)->function(name_);
  if (!function) return owner->absent(*context, function.error());
  return function;
}

}  // namespace heddle::cuda
