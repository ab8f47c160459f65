#include "module/names.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "module/layout.h"

namespace heddle::module {

namespace {

using ptx::Linkage;

// clang keeps variables alive with this list of them; it has no meaning of its own.
constexpr std::string_view ignored_variable = "__clang_gpu_used_external";

// A name within one module: all its declarations, and the definition if there is one.
struct Local {
  NameId name = no_name;
  bool function = false;
  Linkage linkage = Linkage::none;  // none: the module's own
  bool defined = false;
  NameId alias_of = no_name;
  uint32_t index = 0;   // the definition, else the first declaration
  uint32_t offset = 0;  // its place in the text
  uint32_t align = 1;
  std::vector<uint32_t> declarations;  // the others
  uint32_t entity = none;
};

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string_view spelling(ptx::StateSpace space) {
  switch (space) {
    case ptx::StateSpace::global: return ".global";
    case ptx::StateSpace::const_: return ".const";
    case ptx::StateSpace::shared: return ".shared";
    case ptx::StateSpace::local: return ".local";
    case ptx::StateSpace::param: return ".param";
    case ptx::StateSpace::tex: return ".tex";
    case ptx::StateSpace::reg: return ".reg";
    case ptx::StateSpace::sreg: return ".sreg";
  }
  return "";
}

bool open_ended(const ptx::Variable& variable) {
  return std::find(variable.dims.begin(), variable.dims.end(), 0u) != variable.dims.end();
}

std::string describe(const ptx::Variable& variable) {
  std::string text(spelling(variable.space));
  text += " of ";
  const auto size = size_of(variable);
  return text + (open_ended(variable) ? "unknown size" : std::to_string(size.value_or(0)) + " bytes");
}

uint64_t parameter_bytes(const ptx::Variable& variable) {
  return size_of(variable).value_or(max_variable_bytes);
}

std::string describe(const ptx::Function& function) {
  const auto list = [](const std::vector<ptx::Variable>& variables) {
    std::string text = "(";
    for (const ptx::Variable& v : variables)
      text += (text.size() > 1 ? ", " : "") + std::to_string(parameter_bytes(v)) + " bytes";
    return text + ")";
  };
  return std::string(function.entry ? ".entry" : ".func") + " with results " +
         list(function.signature.results) + " and parameters " + list(function.signature.params);
}

bool same(const std::vector<ptx::Variable>& a, const std::vector<ptx::Variable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ptx::Variable& x, const ptx::Variable& y) {
                      return parameter_bytes(x) == parameter_bytes(y) &&
                             (x.space == ptx::StateSpace::reg) == (y.space == ptx::StateSpace::reg);
                    });
}

class Resolver {
 public:
  Resolver(std::span<const ptx::Module* const> modules, Messages& messages)
      : modules_(modules), messages_(messages), locals_(modules.size()) {}

  Names run() {
    for (uint32_t unit = 0; unit < modules_.size(); ++unit) {
      names_.of_name.emplace_back(modules_[unit]->names->size(), none);  // first: index into locals_[unit]
      collect(unit);
    }
    for (uint32_t unit = 0; unit < modules_.size(); ++unit)
      for (uint32_t i = 0; i < locals_[unit].size(); ++i) meet(unit, i);
    for (Group& group : groups_) settle(group);
    for (uint32_t unit = 0; unit < modules_.size(); ++unit) aliases(unit);
    for (uint32_t unit = 0; unit < modules_.size(); ++unit)
      for (uint32_t& entry : names_.of_name[unit])
        if (entry != none) entry = locals_[unit][entry].entity;
    return std::move(names_);
  }

 private:
  struct Reference {
    uint32_t unit, local;
  };
  struct Group {  // the modules that share a name
    std::vector<Reference> members;
  };

  Local& local(Reference r) { return locals_[r.unit][r.local]; }
  const ptx::Variable& variable(uint32_t unit, uint32_t index) const {
    return modules_[unit]->variables[index];
  }
  const ptx::Function& function(uint32_t unit, uint32_t index) const {
    return modules_[unit]->functions[index];
  }

  // ---- one module
  // ------------------------------------------------------------------------------------------
  void collect(uint32_t unit) {
    const ptx::Module& module = *modules_[unit];
    for (uint32_t i = 0; i < module.variables.size(); ++i) {
      const ptx::Variable& v = module.variables[i];
      if (v.space == ptx::StateSpace::reg || v.space == ptx::StateSpace::sreg) continue;
      if (module.text(v.name) == ignored_variable) continue;
      add(unit, v.name, false, v.linkage, v.linkage != Linkage::extern_, i, v.offset, align_of(v));
    }
    for (uint32_t i = 0; i < module.functions.size(); ++i) {
      const ptx::Function& f = module.functions[i];
      add(unit, f.name, true, f.linkage, f.has_body, i, f.offset, 1);
    }
    for (const ptx::Alias& alias : module.aliases) {
      const uint32_t known = names_.of_name[unit][alias.name];
      if (known == none) {
        messages_.error(unit, alias.offset,
                        "alias " + quoted(module.text(alias.name)) + " is not declared as a function");
        continue;
      }
      Local& l = locals_[unit][known];
      if (l.defined)
        messages_.error(unit, alias.offset,
                        quoted(module.text(alias.name)) + " has a body and is an alias as well");
      l.alias_of = alias.aliasee;
      l.defined = true;
    }
    // A prototype that nothing in this module defines is another module's, whatever it says.
    for (Local& l : locals_[unit])
      if (!l.defined) l.linkage = Linkage::extern_;
  }

  void add(uint32_t unit, NameId name, bool is_function, Linkage linkage, bool defined, uint32_t index,
           uint32_t offset, uint32_t align) {
    uint32_t& known = names_.of_name[unit][name];
    if (known == none) {
      known = static_cast<uint32_t>(locals_[unit].size());
      locals_[unit].push_back({.name = name,
                               .function = is_function,
                               .linkage = linkage,
                               .defined = defined,
                               .index = index,
                               .offset = offset,
                               .align = align,
                               .declarations = {}});
      return;
    }
    Local& l = locals_[unit][known];
    const std::string text = quoted(modules_[unit]->text(name));
    if (l.function != is_function)
      return messages_.error(
          unit, offset,
          text + " is a variable and a function; the other one is at " + messages_.place(unit, l.offset));
    if (defined && l.defined)
      return messages_.error(
          unit, offset,
          text + " is defined twice; the first definition is at " + messages_.place(unit, l.offset));
    l.align = std::max(l.align, align);
    l.declarations.push_back(defined ? l.index : index);
    // .visible f(); and f() {...} together are a .visible f. An .extern beside a definition makes it known
    // too.
    const Linkage other = defined ? l.linkage : linkage;
    if (defined) l.index = index, l.offset = offset, l.linkage = linkage, l.defined = true;
    if (l.defined && l.linkage == Linkage::none && other != Linkage::none)
      l.linkage = other == Linkage::extern_ ? Linkage::visible : other;
  }

  // ---- all modules
  // -----------------------------------------------------------------------------------------
  void meet(uint32_t unit, uint32_t index) {
    Local& l = locals_[unit][index];
    if (l.linkage == Linkage::none) {
      groups_.push_back({{{unit, index}}});
      return;
    }
    const auto [at, fresh] =
        shared_.try_emplace(modules_[unit]->text(l.name), static_cast<uint32_t>(groups_.size()));
    if (fresh) groups_.emplace_back();
    groups_[at->second].members.push_back({unit, index});
  }

  void settle(Group& group) {
    const Reference chosen = choose(group);
    const Local& winner = local(chosen);
    Entity entity;
    entity.name = modules_[chosen.unit]->text(winner.name);
    entity.function = winner.function;
    entity.unit = chosen.unit;
    entity.index = winner.index;
    entity.kind = winner.defined ? Entity::Kind::defined : undefined_kind(chosen);
    for (Reference r : group.members) {
      Local& l = local(r);
      entity.visible |= l.linkage != Linkage::none && l.linkage != Linkage::extern_;
      entity.align = std::max(entity.align, l.align);
      l.entity = static_cast<uint32_t>(names_.entities.size());
      check(chosen, r);
    }
    names_.entities.push_back(entity);
  }

  Reference choose(const Group& group) {
    std::optional<Reference> strong, common, weak;
    for (Reference r : group.members) {
      const Local& l = local(r);
      if (!l.defined) continue;
      if (l.linkage == Linkage::weak) {
        if (!weak) weak = r;
      } else if (l.linkage == Linkage::common) {
        if (!common || outweighs(r, *common)) common = r;
      } else if (!strong) {
        strong = r;
      } else {
        messages_.error(r.unit, l.offset,
                        quoted(modules_[r.unit]->text(l.name)) +
                            " is defined twice; the first definition is at " +
                            messages_.place(strong->unit, local(*strong).offset));
      }
    }
    return strong ? *strong : common ? *common : weak ? *weak : group.members.front();
  }

  // PTX ISA 11.6.4: the largest .common variable is taken; only that one may have initial values.
  bool outweighs(Reference a, Reference b) {
    const ptx::Variable& x = variable(a.unit, local(a).index);
    const ptx::Variable& y = variable(b.unit, local(b).index);
    if (!x.init.empty() && !y.init.empty())
      messages_.error(a.unit, x.offset,
                      "common variable " + quoted(modules_[a.unit]->text(x.name)) +
                          " has initial values in two modules; the others are at " +
                          messages_.place(b.unit, y.offset));
    const auto weight = [](const ptx::Variable& v) {
      return std::pair(size_of(v).value_or(0), !v.init.empty());
    };
    return weight(x) > weight(y);
  }

  Entity::Kind undefined_kind(Reference r) const {
    const Local& l = locals_[r.unit][r.local];
    if (l.function) return Entity::Kind::undefined;
    const ptx::Variable& v = variable(r.unit, l.index);
    if (!open_ended(v))
      return v.space == ptx::StateSpace::shared ? Entity::Kind::defined : Entity::Kind::undefined;
    if (v.space == ptx::StateSpace::shared) return Entity::Kind::dynamic_shared;
    if (v.space == ptx::StateSpace::const_ && modules_[r.unit]->version < isa::Version{2, 2})
      return Entity::Kind::constant_bank;
    return Entity::Kind::undefined;
  }

  // ---- do the declarations agree with what was chosen
  // --------------------------------------------------------
  void check(Reference chosen, Reference r) {
    const Local& l = local(r);
    const Local& winner = local(chosen);
    const std::string name = quoted(modules_[r.unit]->text(l.name));
    const std::string there = messages_.place(chosen.unit, winner.offset);
    if (l.function != winner.function)
      return messages_.error(r.unit, l.offset,
                             name + " is a " + (l.function ? "function" : "variable") + " here and a " +
                                 (winner.function ? "function" : "variable") + " at " + there);
    const auto check_one = [&](uint32_t index) {
      if (r.unit == chosen.unit && index == winner.index) return;
      if (l.function)
        check_function(r.unit, function(r.unit, index), function(chosen.unit, winner.index), name, there);
      else
        check_variable(r.unit, variable(r.unit, index), variable(chosen.unit, winner.index), name, there);
    };
    check_one(l.index);
    for (uint32_t index : l.declarations) check_one(index);
  }

  void check_function(uint32_t unit, const ptx::Function& f, const ptx::Function& winner,
                      const std::string& name, const std::string& there) {
    if (f.entry == winner.entry && same(f.signature.params, winner.signature.params) &&
        same(f.signature.results, winner.signature.results))
      return;
    messages_.error(unit, f.offset,
                    name + " is " + describe(f) + " here and " + describe(winner) + " at " + there);
  }

  void check_variable(uint32_t unit, const ptx::Variable& v, const ptx::Variable& winner,
                      const std::string& name, const std::string& there) {
    const bool sizes_agree = size_of(v) == size_of(winner) || open_ended(v) || open_ended(winner) ||
                             (v.linkage == Linkage::common && winner.linkage == Linkage::common);
    const bool opaque = isa::info(v.type).kind == isa::TypeKind::opaque;
    if (v.space == winner.space && sizes_agree && (!opaque || v.type == winner.type)) return;
    messages_.error(unit, v.offset,
                    name + " is " + describe(v) + " here and " + describe(winner) + " at " + there);
  }

  // ---- aliases
  // ----------------------------------------------------------------------------------------------- The name
  // of an alias stands for the entity of its aliasee.
  void aliases(uint32_t unit) {
    for (Local& l : locals_[unit]) {
      if (l.alias_of == no_name) continue;
      const uint32_t target = names_.of_name[unit][l.alias_of];
      const std::string name = quoted(modules_[unit]->text(l.alias_of));
      if (target == none || !locals_[unit][target].function || !locals_[unit][target].defined ||
          locals_[unit][target].alias_of != no_name) {
        messages_.error(unit, l.offset,
                        quoted(modules_[unit]->text(l.name)) + " is an alias of " + name +
                            ", which is no function defined in this module");
        continue;
      }
      Entity& alias = names_.entities[l.entity];
      const Local& aliasee = locals_[unit][target];
      if (alias.unit == unit && alias.index == l.index) names_.alias.push_back({l.entity, aliasee.entity});
    }
  }

  std::span<const ptx::Module* const> modules_;
  Messages& messages_;
  std::vector<std::vector<Local>> locals_;
  std::vector<Group> groups_;
  std::unordered_map<std::string_view, uint32_t> shared_;  // name -> group
  Names names_;
};

}  // namespace

Names resolve_names(std::span<const ptx::Module* const> modules, Messages& messages) {
  return Resolver(modules, messages).run();
}

}  // namespace heddle::module
