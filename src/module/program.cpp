#include "module/program.h"

#include <algorithm>

#include "module/layout.h"
#include "module/math_function.h"

namespace heddle::module {

namespace {

// PTX ISA 5.1.3, before 2.2: eleven banks of 64 KB; all arrays without a size in a bank begin at its start.
constexpr uint64_t constant_bank_bytes = 65536;

SymbolKind kind_of(const ptx::Variable& variable) {
  if (variable.space == ptx::StateSpace::tex) return SymbolKind::texture;
  switch (variable.type) {
    case isa::Type::texref: return SymbolKind::texture;
    case isa::Type::samplerref: return SymbolKind::sampler;
    case isa::Type::surfref: return SymbolKind::surface;
    default: return SymbolKind::memory;
  }
}

Space space_of(const ptx::Variable& variable) {
  switch (variable.space) {
    case ptx::StateSpace::const_: return Space::const_;
    case ptx::StateSpace::shared: return Space::shared;
    case ptx::StateSpace::local:
    case ptx::StateSpace::param: return Space::local;
    default: return Space::global;
  }
}

}  // namespace

Program::Program(std::span<const ptx::Module* const> m, const LinkOptions& o)
    : modules(m), options(o), messages(m), constant_banks_(256, none) {}

uint32_t Program::function_of(uint32_t index) {
  Entity& entity = names.entities[index];
  if (entity.place == none) add_undefined(entity);
  return entity.place;
}

uint32_t Program::symbol_of(uint32_t index) {
  Entity& entity = names.entities[index];
  if (entity.place == none) add_undefined(entity);
  return entity.place;
}

void Program::add_undefined(Entity& entity) {
  const ptx::Module& module = *modules[entity.unit];
  if (entity.function) {
    Function function;
    function.name = entity.name;
    function.unit = entity.unit;
    function.visible = true;
    Frame frame;
    const ptx::Function& declaration = module.functions[entity.index];
    function.entry = declaration.entry;
    function.signature = make_signature(module, declaration.signature, declaration.entry, frame);
    if (!function.entry) {
      const std::string problem = math_problem(function, image.address_bits);
      if (!problem.empty()) messages.error(entity.unit, declaration.offset, problem);
    }
    entity.place = static_cast<uint32_t>(image.functions.size());
    image.functions.push_back(std::move(function));
    return;
  }
  const ptx::Variable& variable = module.variables[entity.index];
  const bool bank = entity.kind == Entity::Kind::constant_bank;
  if (bank && constant_banks_[variable.bank] != none) {
    entity.place = constant_banks_[variable.bank];
    image.symbol_names.try_emplace(std::string(entity.name), entity.place);
    return;
  }
  Symbol symbol = make_symbol(entity.unit, variable, none);
  symbol.align = entity.align;
  symbol.visible = true;
  symbol.external = entity.kind == Entity::Kind::undefined;
  symbol.dynamic_shared = entity.kind == Entity::Kind::dynamic_shared;
  if (bank) symbol.size = constant_bank_bytes;
  entity.place = add_symbol(std::move(symbol));
  if (bank) constant_banks_[variable.bank] = entity.place;
}

std::optional<Referent> Program::referent(uint32_t unit, NameId name, uint32_t offset) {
  const uint32_t entity = names.of_name[unit][name];
  if (entity == none) {
    messages.error(unit, offset,
                   "'" + std::string(modules[unit]->text(name)) + "' is not declared in this module");
    return std::nullopt;
  }
  if (names.entities[entity].function) return Referent{.function = function_of(entity)};
  return Referent{.symbol = symbol_of(entity)};
}

uint32_t Program::mnemonic(const ptx::Mnemonic& mnemonic, std::size_t index) {
  const ptx::Mnemonic::Candidate& candidate = mnemonic.candidates[index];
  std::string key = mnemonic.text;
  key += '\0';
  key += std::to_string(static_cast<unsigned>(candidate.form)) + "/" + std::to_string(candidate.alternative);
  const auto [known, fresh] =
      known_mnemonics_.try_emplace(std::move(key), static_cast<uint32_t>(image.mnemonics.size()));
  if (fresh) {
    image.mnemonics.push_back({mnemonic.text, candidate.form, candidate.alternative, candidate.values});
    flows.push_back(flow_of(isa::forms(mnemonic.opcode)[candidate.alternative]));
  }
  return known->second;
}

uint32_t Program::return_mnemonic() {
  ptx::Mnemonic plain;
  plain.text = isa::name(isa::Opcode::ret);
  plain.opcode = isa::Opcode::ret;
  plain.candidates.push_back({isa::forms(isa::Opcode::ret)[0].form, 0, {}});
  return mnemonic(plain, 0);
}

Symbol Program::make_symbol(uint32_t unit, const ptx::Variable& variable, uint32_t owner) {
  Symbol symbol;
  symbol.name = modules[unit]->text(variable.name);
  symbol.kind = kind_of(variable);
  symbol.space = space_of(variable);
  symbol.type = variable.type;
  symbol.vector = variable.vector;
  symbol.bank = variable.bank == ptx::Variable::no_bank ? 0 : variable.bank;
  symbol.align = align_of(variable);
  symbol.managed = variable.managed;
  symbol.unit = unit;
  symbol.owner = owner;
  symbol.fields = variable.fields;
  if (const auto size = size_of(variable)) {
    symbol.size = *size;
  } else {
    messages.error(unit, variable.offset,
                   "'" + symbol.name + "' is larger than " + std::to_string(max_variable_bytes) +
                       " bytes, the limit of a variable");
  }
  if (symbol.kind != SymbolKind::memory) symbol.size = std::max<uint64_t>(symbol.size, 8);
  return symbol;
}

uint32_t Program::add_symbol(Symbol symbol) {
  image.symbols.push_back(std::move(symbol));
  return static_cast<uint32_t>(image.symbols.size() - 1);
}

void Program::initialise(uint32_t index, uint32_t unit, const ptx::Variable& variable,
                         const FindReferent& find) {
  if (variable.init.empty()) return;
  const Complain complain = [&](uint32_t offset, const std::string& message) {
    messages.error(unit, offset != 0 ? offset : variable.offset, message);
  };
  InitialValue value = initial_value(*modules[unit], variable, image.address_bits, find, complain);
  for (const Relocation& relocation : value.relocations) {
    if (relocation.symbol == none) {
      image.functions[relocation.function].address_taken = true;
    } else if (const Symbol& target = image.symbols[relocation.symbol];
               target.space == Space::shared || target.space == Space::local) {
      messages.error(
          unit, variable.offset,
          "the initial value of '" + image.symbols[index].name + "' names '" + target.name +
              "', whose address is known only inside a kernel; .global and .const variables are allowed");
    }
  }
  Symbol& symbol = image.symbols[index];
  symbol.init = std::move(value.bytes);
  symbol.relocations = std::move(value.relocations);
  symbol.size = value.size;
}

void Program::undefined_errors() {
  for (const Entity& entity : names.entities) {
    if (entity.kind != Entity::Kind::undefined || entity.place == none) continue;
    if (entity.function ? options.allow_undefined_functions : options.allow_undefined_variables) continue;
    if (entity.function && math_function(image.functions[entity.place]) != nullptr) continue;
    const ptx::Module& module = *modules[entity.unit];
    const uint32_t offset =
        entity.function ? module.functions[entity.index].offset : module.variables[entity.index].offset;
    messages.error(entity.unit, offset,
                   std::string("undefined ") + (entity.function ? "function" : "variable") + " '" +
                       std::string(entity.name) + "': declared here, defined in none of the " +
                       std::to_string(modules.size()) + (modules.size() == 1 ? " module" : " modules"));
  }
}

}  // namespace heddle::module
