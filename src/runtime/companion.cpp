#include "runtime/companion.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "exec/memory_map.h"

namespace heddle::runtime {

namespace {

// The texts that an image was linked from, and one more behind them.
Outcome<std::shared_ptr<const module::Image>> linked_again(const module::Image& image,
                                                           const ProgramText& text) {
  std::vector<ProgramText> texts;
  for (const module::Unit& unit : image.units) {
    if (unit.source == nullptr) return error(ErrorCode::not_supported, "the program's text is not there");
    texts.push_back({unit.name, std::string(unit.source->text())});
  }
  texts.push_back(text);
  std::string log;
  auto linked = build_image(texts, log);
  if (!linked && !log.empty()) {
    Error failed = linked.error();
    failed.message += ":\n" + log;
    return failed;
  }
  return linked;
}

// Every variable where it is. A name of two, which are private to their units, says nothing.
Outcome<std::vector<Placement>> places_of(const Module& module) {
  std::vector<Placement> places;
  const auto& symbols = module.image().symbols;
  for (uint32_t i = 0; i < symbols.size(); ++i) {
    const module::Symbol& symbol = symbols[i];
    if (symbol.kind != module::SymbolKind::memory || symbol.size == 0 || symbol.external ||
        (symbol.space != module::Space::global && symbol.space != module::Space::const_))
      continue;
    if (module.image().symbol_index(symbol.name) != i)
      return error(ErrorCode::not_supported,
                   "several variables of the program are called '" + symbol.name + "'");
    const auto variable = module.variable(symbol.name);
    if (!variable) return variable.error();
    places.push_back({symbol.name, variable->address});
  }
  return places;
}

}  // namespace

Outcome<std::shared_ptr<Module>> load_companion(std::span<const std::shared_ptr<Module>> programs,
                                                uint64_t function_pointer, const ProgramText& text,
                                                std::string_view kernel) {
  const auto none = invalid("no program has a function of pointer " + std::to_string(function_pointer) +
                            " that '" + std::string(kernel) + "' could call");
  if (!exec::is_code_handle(function_pointer)) return none;
  const uint32_t index = exec::function_of_handle(function_pointer);
  std::shared_ptr<Module> found;
  std::shared_ptr<const module::Image> linked;
  for (const std::shared_ptr<Module>& module : programs) {
    const auto& functions = module->image().functions;
    if (index >= functions.size() || functions[index].entry || !functions[index].defined ||
        !functions[index].address_taken)
      continue;
    auto with_text = linked_again(module->image(), text);
    if (!with_text) return with_text.error();
    // Functions keep their numbers: those of the text stand behind them.
    const module::Function* caller = (*with_text)->find_function(kernel);
    if (caller == nullptr || !std::ranges::binary_search(caller->callees, index)) continue;
    if (found != nullptr)
      return error(ErrorCode::not_supported, "functions of several programs have the pointer " +
                                                 std::to_string(function_pointer) + ": '" +
                                                 found->image().functions[index].name + "' and '" +
                                                 functions[index].name + "'");
    found = module;
    linked = std::move(*with_text);
  }
  if (found == nullptr) return none;
  const auto places = places_of(*found);
  if (!places) return places.error();
  return Module::load(found->context(), std::move(linked), *places);
}

}  // namespace heddle::runtime
