#include "runtime/load.h"

#include <optional>
#include <utility>
#include <vector>

#include "module/link.h"
#include "module/unknown.h"
#include "ptx/parse.h"
#include "ptx/unknown.h"
#include "runtime/register_limit.h"

namespace heddle::runtime {

namespace {

// A text again, where instructions that are not known are all that is wrong with it.
std::optional<ptx::Module> read_without_unknown(const SourceText& source) {
  auto text = ptx::set_unknown_aside(source);
  if (!text) return {};
  Diagnostics diagnostics;
  ptx::Module module =
      ptx::read(std::make_shared<const SourceText>(source.name(), std::move(*text)), diagnostics);
  if (diagnostics.has_errors()) return {};
  return module;
}

}  // namespace

Outcome<std::shared_ptr<const module::Image>> build_image(std::span<const ProgramText> texts,
                                                          std::string& log) {
  std::vector<ptx::Module> modules;
  modules.reserve(texts.size());
  bool bad = false, newer = false, unknown = false;
  for (const ProgramText& text : texts) {
    const auto source = std::make_shared<const SourceText>(text.name, text.text);
    Diagnostics diagnostics;
    modules.push_back(ptx::read(source, diagnostics));
    log += diagnostics.render(*source);
    newer = newer || modules.back().is_newer;
    if (!diagnostics.has_errors()) continue;
    // What nobody calls harms nobody: packages bring one text for devices of all kinds.
    auto rest = read_without_unknown(*source);
    if (rest) modules.back() = std::move(*rest);
    bad = bad || !rest;
    unknown = true;
  }
  if (newer) return error(ErrorCode::newer_ptx, "the program is of a newer version of PTX than is known");
  if (bad) return error(ErrorCode::invalid_image, "the program text has errors");
  std::vector<const ptx::Module*> inputs;
  for (const ptx::Module& module : modules) inputs.push_back(&module);
  auto image = module::link(inputs);
  if (!image) {
    for (const std::string& message : image.error().messages) log += message + '\n';
    return error(ErrorCode::invalid_image, "the program cannot be linked");
  }
  if (unknown && module::all_kernels_unknown(**image))
    return error(ErrorCode::invalid_image, "the program text has errors");
  for (module::Function& function : (*image)->functions) {
    uint32_t& own = function.limits.max_registers;
    const uint32_t told = register_limit(texts[function.unit].text);
    if (told != 0 && (own == 0 || told < own)) own = told;
  }
  return std::shared_ptr<const module::Image>(std::move(*image));
}

Outcome<std::shared_ptr<Module>> load_module(Context& context, std::span<const ProgramText> texts,
                                             std::string& log) {
  auto image = build_image(texts, log);
  if (!image) return image.error();
  auto module = Module::load(context, *image);
  if (!module) log += module.error().message + '\n';
  return module;
}

}  // namespace heddle::runtime
