// Managed variables of registered programs.
#include <algorithm>
#include <cstring>
#include <string>

#include "api/cuda_state/registry.h"
#include "fatbin/fatbin.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::cuda {
namespace {

// The unit alone, to see what its variables begin with. Any architecture will do.
std::unique_ptr<module::Image> image_of_unit(std::span<const std::byte> file) {
  constexpr uint32_t any_device = 999;
  const auto entries = fatbin::read(file);
  if (!entries) return nullptr;
  const auto chosen = fatbin::choose_ptx(*entries, any_device);
  if (!chosen) return nullptr;
  const auto text = fatbin::contents(**chosen);
  if (!text) return nullptr;
  Diagnostics diagnostics;
  const ptx::Module syntax = ptx::read(std::make_shared<const SourceText>("managed.ptx", *text), diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  const ptx::Module* const inputs[] = {&syntax};
  module::LinkOptions options;
  options.allow_undefined_variables = true;
  auto image = module::link(inputs, options);
  return image ? std::move(*image) : nullptr;
}

}  // namespace

void Registry::write_first_contents(const Program& program, const Managed& managed) {
  // Units that were registered last are those that the variable comes with.
  for (auto unit = program.images.rbegin(); unit != program.images.rend(); ++unit) {
    const auto image = image_of_unit(*unit);
    if (image == nullptr) continue;
    const uint32_t index = image->symbol_index(managed.name);
    if (index == module::none || image->symbols[index].external) continue;
    const module::Symbol& symbol = image->symbols[index];
    std::memset(reinterpret_cast<void*>(managed.address), 0, managed.bytes);
    std::memcpy(reinterpret_cast<void*>(managed.address), symbol.init.data(),
                std::min<uint64_t>(symbol.init.size(), managed.bytes));
    return;
  }
}

void Registry::find_managed(Program& program) {
  for (auto& [shadow, name] : program.fresh) {
    const auto address = reinterpret_cast<uint64_t>(shadow);
    const auto section = managed_section_near(shadow);
    const bool inside =
        (section && section->holds(address)) ||
        std::ranges::any_of(managed_ranges_, [&](const AddressRange& range) { return range.holds(address); });
    if (!inside) continue;
    Managed managed{name, address, variables_[shadow].bytes, false, nullptr};
    write_first_contents(program, managed);
    program.library->placements().push_back({name, address});
    program.managed.push_back(std::move(managed));
    shadow = nullptr;
  }
  std::erase_if(program.fresh, [](const auto& entry) { return entry.first == nullptr; });
}

Status Registry::open(Program&, Managed& managed) {
  runtime::MemoryRequest request;
  request.kind = runtime::MemoryKind::managed;
  request.bytes = managed.bytes;
  request.every_context = true;
  auto memory = process_.system().memory().register_host(request, managed.address);
  if (!memory) return failure_of(memory.error());
  managed.memory = *memory;
  managed.open = true;
  return Unit{};
}

Status Registry::open_managed() {
  const std::unique_lock lock(mutex_);
  for (auto& [handle, program] : programs_)
    for (Managed& managed : program->managed)
      if (!managed.open)
        if (Status opened = open(*program, managed); !opened) return opened;
  return Unit{};
}

}  // namespace heddle::cuda
