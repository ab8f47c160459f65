#include "module/link.h"

#include <algorithm>

#include "module/calls.h"
#include "module/layout.h"
#include "module/lower.h"
#include "module/program.h"

namespace heddle::module {

namespace {

bool has_option(const ptx::Module& module, std::string_view option) {
  return std::find(module.target_options.begin(), module.target_options.end(), option) !=
         module.target_options.end();
}

// Whether a module's texturing mode matters: it declares or uses textures, samplers or surfaces.
bool uses_textures(const ptx::Module& module) {
  using isa::OperandShape;
  for (const ptx::Variable& v : module.variables)
    if (v.space == ptx::StateSpace::tex || isa::info(v.type).kind == isa::TypeKind::opaque) return true;
  for (const ptx::Mnemonic& mnemonic : module.mnemonics)
    for (const ptx::Mnemonic::Candidate& candidate : mnemonic.candidates)
      for (const isa::OperandRule& rule : isa::forms(mnemonic.opcode)[candidate.alternative].operands)
        if (rule.shape == OperandShape::texture || rule.shape == OperandShape::surface) return true;
  return false;
}

class Linker {
 public:
  Linker(std::span<const ptx::Module* const> modules, const LinkOptions& options)
      : program_(modules, options) {}

  Result<std::unique_ptr<Image>, LinkError> run() {
    if (program_.modules.empty()) return LinkError{{"error: nothing to link: no module was given"}};
    header();
    program_.names = resolve_names(program_.modules, program_.messages);
    if (!program_.messages.empty()) return LinkError{program_.messages.take()};
    add_functions();
    add_variables();
    lower();
    program_.undefined_errors();
    if (!program_.messages.empty()) return LinkError{program_.messages.take()};
    for (Function& function : image().functions)
      if (function.defined) build_blocks(function, program_.flows);
    build_call_graph(image(), program_.flows);
    lay_out_shared(image(), dynamic_align());
    index_names();
    return std::make_unique<Image>(std::move(program_.image));
  }

 private:
  Image& image() { return program_.image; }

  // ---- what all modules must agree on
  // ----------------------------------------------------------------------
  void header() {
    const auto modules = program_.modules;
    const ptx::Module& first = *modules[0];
    image().address_bits = first.address_bits;
    std::optional<uint32_t> textures_from;
    for (uint32_t unit = 0; unit < modules.size(); ++unit) {
      const ptx::Module& module = *modules[unit];
      image().units.push_back({program_.messages.unit_name(unit), module.source});
      image().version = std::max(image().version, module.version);
      image().debug |= has_option(module, "debug");
      image().map_f64_to_f32 |= has_option(module, "map_f64_to_f32");
      if (module.address_bits != first.address_bits) {
        program_.messages.error(unit, 0,
                                ".address_size " + std::to_string(module.address_bits) +
                                    " cannot be linked with " + std::to_string(first.address_bits) + " of " +
                                    program_.messages.unit_name(0));
      }
      merge_target(unit);
      const bool unified = !has_option(module, "texmode_independent");
      if (unit == 0) image().unified_textures = unified;
      if (!uses_textures(module)) continue;
      if (textures_from && unified != image().unified_textures) {
        program_.messages.error(unit, 0,
                                "texturing mode differs from that of " +
                                    program_.messages.unit_name(*textures_from) +
                                    ": texmode_unified and texmode_independent cannot be linked");
      }
      image().unified_textures = unified;
      textures_from = unit;
    }
  }

  // A program needs a device for each of its modules: the highest target, and no other than the one of an
  // architecture-specific target (PTX ISA 11.1.2).
  void merge_target(uint32_t unit) {
    using Suffix = isa::TargetNeed::Suffix;
    const isa::TargetInfo* target = program_.modules[unit]->target;
    if (target == nullptr) return;
    const isa::TargetInfo*& all = image().target;
    if (all == nullptr) {
      all = target;
      target_from_ = unit;
      return;
    }
    const bool specific = all->suffix != Suffix::none || target->suffix != Suffix::none;
    const isa::TargetInfo* high =
        target->sm > all->sm || (target->sm == all->sm && target->suffix != Suffix::none) ? target : all;
    const isa::TargetInfo* low = high == target ? all : target;
    if (specific && !isa::meets(*high, isa::TargetNeed{low->sm, low->suffix})) {
      program_.messages.error(unit, 0,
                              ".target " + std::string(target->name) + " cannot be linked with " +
                                  std::string(all->name) + " of " +
                                  program_.messages.unit_name(target_from_) + ": no device runs both");
      return;
    }
    if (high == target) target_from_ = unit;
    all = high;
  }

  // ---- symbols
  // -----------------------------------------------------------------------------------------------
  void add_functions() {
    std::vector<Entity>& entities = program_.names.entities;
    std::vector<bool> is_alias(entities.size());
    for (const Names::Alias& alias : program_.names.alias) is_alias[alias.entity] = true;
    // One place for each entity at most: functions stay where they are from here on.
    image().functions.reserve(entities.size());
    for (uint32_t i = 0; i < entities.size(); ++i) {
      Entity& entity = entities[i];
      if (!entity.function || is_alias[i] || entity.kind != Entity::Kind::defined) continue;
      const ptx::Module& module = *program_.modules[entity.unit];
      const ptx::Function& source = module.functions[entity.index];
      Function function;
      function.name = entity.name;
      function.unit = entity.unit;
      function.entry = source.entry;
      function.defined = true;
      function.visible = entity.visible;
      Frame frame;
      function.signature = make_signature(module, source.signature, source.entry, frame);
      function.limits = make_limits(source);
      const uint64_t bytes = std::max(function.signature.param_bytes, frame.bytes());
      if (bytes > 0xffffffff) {
        program_.messages.error(entity.unit, source.offset,
                                "parameters of '" + function.name + "' take " + std::to_string(bytes) +
                                    " bytes; the limit is 4294967295");
      }
      entity.place = static_cast<uint32_t>(image().functions.size());
      image().functions.push_back(std::move(function));
    }
    for (const Names::Alias& alias : program_.names.alias)
      entities[alias.entity].place = program_.function_of(alias.aliasee);
  }

  void add_variables() {
    std::vector<Entity>& entities = program_.names.entities;
    Frame local;
    for (Entity& entity : entities) {
      if (entity.function || entity.kind != Entity::Kind::defined) continue;
      Symbol symbol = program_.make_symbol(entity.unit, variable(entity), none);
      symbol.align = entity.align;
      symbol.visible = entity.visible;
      if (symbol.space == Space::local) symbol.offset = local.add(symbol.size, symbol.align);
      entity.place = program_.add_symbol(std::move(symbol));
    }
    if (local.bytes() > 0xffffffff) {
      program_.messages.error("error: local variables of the modules take " + std::to_string(local.bytes()) +
                              " bytes; the limit is 4294967295");
    }
    image().static_local_bytes = static_cast<uint32_t>(local.bytes());
    for (std::size_t i = 0; i < entities.size(); ++i) {
      const Entity entity = entities[i];
      if (entity.function || entity.kind != Entity::Kind::defined) continue;
      const ptx::Variable& v = variable(entity);
      program_.initialise(entity.place, entity.unit, v,
                          [&](NameId name) { return program_.referent(entity.unit, name, v.offset); });
    }
  }

  std::vector<uint32_t> dynamic_align() const {
    std::vector<uint32_t> result(program_.modules.size());
    for (uint32_t unit = 0; unit < result.size(); ++unit)
      for (const ptx::Variable& v : program_.modules[unit]->variables)
        if (v.space == ptx::StateSpace::shared && v.linkage == ptx::Linkage::extern_ && !v.dims.empty() &&
            v.dims[0] == 0)
          result[unit] = std::max({result[unit], align_of(v), 16u});
    return result;
  }

  const ptx::Variable& variable(const Entity& entity) const {
    return program_.modules[entity.unit]->variables[entity.index];
  }

  void lower() {
    std::vector<std::vector<const Entity*>> of_unit(program_.modules.size());
    for (const Entity& entity : program_.names.entities)
      if (entity.function && entity.kind == Entity::Kind::defined) of_unit[entity.unit].push_back(&entity);
    for (uint32_t unit = 0; unit < program_.modules.size(); ++unit) {
      UnitLowering lowering(program_, unit);
      for (const Entity* entity : of_unit[unit]) {
        const Function& function = image().functions[entity->place];
        if (function.name != entity->name) continue;  // an alias
        lowering.lower(entity->place, program_.modules[unit]->functions[entity->index]);
      }
    }
  }

  void index_names() {
    // Visible ones first; entries are the host's to launch whether .visible or not.
    for (const bool visible : {true, false}) {
      for (const Entity& entity : program_.names.entities) {
        if (entity.place == none || entity.visible != visible) continue;
        NameIndex& index = entity.function ? image().function_names : image().symbol_names;
        index.try_emplace(std::string(entity.name), entity.place);
      }
    }
  }

  Program program_;
  uint32_t target_from_ = 0;
};

}  // namespace

Result<std::unique_ptr<Image>, LinkError> link(std::span<const ptx::Module* const> modules,
                                               const LinkOptions& options) {
  return Linker(modules, options).run();
}

}  // namespace heddle::module
