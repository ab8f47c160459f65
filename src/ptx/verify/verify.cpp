#include "ptx/parse.h"
#include "ptx/verify/verifier.h"

namespace heddle::ptx {

void verify(const Module& module, Diagnostics& diagnostics) { Verifier(module, diagnostics).run(); }

Module read(std::shared_ptr<const SourceText> source, Diagnostics& diagnostics) {
  Module module = parse(std::move(source), diagnostics);
  if (!diagnostics.has_errors()) verify(module, diagnostics);
  return module;
}

Verifier::Verifier(const Module& module, Diagnostics& diagnostics)
    : module_(module), diagnostics_(diagnostics), names_(module), needs_checked_(module.mnemonics.size()) {}

Diagnostic& Verifier::complain(uint32_t offset, std::string_view name, std::string message,
                               std::string_view section) {
  const auto length = static_cast<uint32_t>(name.empty() ? 1 : name.size());
  return diagnostics_.error({offset, offset + length}, std::move(message),
                            section.empty() ? std::string() : "PTX ISA " + std::string(section));
}

Diagnostic& Verifier::complain(const Operand& operand, std::string message, std::string_view section) {
  return complain(operand.offset, operand.name == no_name ? std::string_view() : text(operand.name),
                  std::move(message), section);
}

void Verifier::note_declaration(Diagnostic& diagnostic, const Meaning& meaning, std::string_view name) {
  if (meaning.kind == Meaning::Kind::special || meaning.offset == 0) return;
  Diagnostics::note(diagnostic, {meaning.offset, meaning.offset + static_cast<uint32_t>(name.size())},
                    "'" + std::string(name) + "' is declared here");
}

void Verifier::run() {
  if (module_.target == nullptr) return;  // said by the parser
  check_header();
  declare_module();
  for (const Variable& variable : module_.variables) check_variable(variable, false);
  check_functions();
}

void Verifier::declare(NameId name, const Meaning& meaning) {
  Meaning earlier;
  if (names_.declare(name, meaning, &earlier)) return;
  Diagnostic& d =
      complain(meaning.offset, text(name), quoted(name) + " is declared twice in this scope", "5.4");
  note_declaration(d, earlier, text(name));
}

void Verifier::declare_module() {
  for (const Variable& variable : module_.variables) {
    Meaning meaning{.kind = variable.space == StateSpace::reg ? Meaning::Kind::register_
                                                              : Meaning::Kind::variable};
    meaning.variable = &variable;
    meaning.offset = variable.offset;
    Meaning earlier;
    if (names_.declare(variable.name, meaning, &earlier)) continue;
    // A declaration with .extern may come before or after the definition, and .common and .weak ones may
    // repeat.
    const bool repeatable =
        earlier.variable != nullptr &&
        (variable.linkage == Linkage::extern_ || earlier.variable->linkage == Linkage::extern_ ||
         variable.linkage == Linkage::common || variable.linkage == Linkage::weak);
    if (repeatable) continue;
    Diagnostic& d =
        complain(variable.offset, text(variable.name), quoted(variable.name) + " is declared twice", "5.4");
    note_declaration(d, earlier, text(variable.name));
  }
  for (const Function& function : module_.functions) {
    Meaning meaning{.kind = Meaning::Kind::function};
    meaning.function = &function;
    meaning.offset = function.offset;
    Meaning earlier;
    if (names_.declare(function.name, meaning, &earlier)) continue;
    if (earlier.kind != Meaning::Kind::function) {
      Diagnostic& d = complain(
          function.offset, text(function.name),
          quoted(function.name) + " is declared twice, first as " + std::string(name(earlier.kind)), "5.4");
      note_declaration(d, earlier, text(function.name));
    } else if (earlier.function->has_body && function.has_body) {
      Diagnostic& d = complain(function.offset, text(function.name),
                               "function " + quoted(function.name) + " is defined twice", "11.3");
      note_declaration(d, earlier, text(function.name));
    }
  }
  for (const Alias& alias : module_.aliases) {
    const Meaning& meaning = names_.find(alias.aliasee);
    if (meaning.kind != Meaning::Kind::function)
      complain(
          alias.offset, text(alias.name),
          "the alias " + quoted(alias.name) + " names " + quoted(alias.aliasee) + ", which is " +
              (meaning.kind == Meaning::Kind::unknown ? "not declared" : std::string(name(meaning.kind))),
          "11.6.1");
    else if (meaning.function->entry)
      complain(alias.offset, text(alias.name),
               "the alias " + quoted(alias.name) + " names the kernel " + quoted(alias.aliasee) +
                   "; functions only have aliases",
               "11.6.1");
    if (names_.find(alias.name).kind == Meaning::Kind::unknown)
      complain(alias.offset, text(alias.name), "the alias " + quoted(alias.name) + " is not declared",
               "11.6.1");
    Meaning again = meaning;
    again.offset = alias.offset;
    names_.declare(alias.name, again);
  }
}

void Verifier::check_functions() {
  for (const Function& function : module_.functions) {
    if (diagnostics_.full()) return;
    function_ = &function;
    check_signature(function);
    check_directives(function);
    if (function.has_body) check_body(function);
  }
}

void Verifier::declare_parameters(const Prototype& signature, uint32_t offset) {
  for (const std::vector<Variable>* list : {&signature.results, &signature.params}) {
    for (const Variable& parameter : *list) {
      if (parameter.name == no_name) continue;
      Meaning meaning{.kind = parameter.space == StateSpace::reg ? Meaning::Kind::register_
                                                                 : Meaning::Kind::parameter};
      meaning.variable = &parameter;
      meaning.offset = parameter.offset != 0 ? parameter.offset : offset;
      declare(parameter.name, meaning);
    }
  }
}

// Labels and tables may be used before they stand in the text: those of a block are declared when it opens.
void Verifier::declare_labels(const Function& function, std::size_t first) {
  int depth = 0;
  for (std::size_t i = first; i < function.body.size() && depth >= 0; ++i) {
    const Statement& statement = function.body[i];
    Meaning meaning;
    switch (statement.kind) {
      case StatementKind::open: ++depth; continue;
      case StatementKind::close: --depth; continue;
      case StatementKind::label: meaning.kind = Meaning::Kind::label; break;
      case StatementKind::branch_targets: meaning.kind = Meaning::Kind::branch_targets; break;
      case StatementKind::call_targets: meaning.kind = Meaning::Kind::call_targets; break;
      case StatementKind::call_prototype:
        meaning.kind = Meaning::Kind::prototype;
        meaning.prototype = &function.prototypes[statement.index];
        break;
      default: continue;
    }
    if (depth != 0) continue;
    meaning.offset = statement.offset;
    declare(statement.name, meaning);
  }
}

void Verifier::check_body(const Function& function) {
  names_.open();
  declare_parameters(function.signature, function.offset);
  declare_labels(function, 0);
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    if (diagnostics_.full()) break;
    const Statement& statement = function.body[i];
    switch (statement.kind) {
      case StatementKind::open:
        names_.open();
        declare_labels(function, i + 1);
        break;
      case StatementKind::close:
        if (names_.depth() > 1) names_.close();
        break;
      case StatementKind::declaration: {
        const Variable& variable = function.declarations[statement.index];
        Meaning meaning{.kind = variable.space == StateSpace::reg ? Meaning::Kind::register_
                                                                  : Meaning::Kind::variable};
        meaning.variable = &variable;
        meaning.offset = variable.offset;
        declare(variable.name, meaning);
        check_variable(variable, true);
        break;
      }
      case StatementKind::instruction: check_instruction(function, statement); break;
      case StatementKind::location:
        check_location(function.locations[statement.index], statement.offset);
        break;
      case StatementKind::branch_targets:
      case StatementKind::call_targets: {
        const auto wanted =
            statement.kind == StatementKind::branch_targets ? Meaning::Kind::label : Meaning::Kind::function;
        for (uint32_t k = 0; k < statement.operand_count; ++k) {
          const Operand& target = function.operands[statement.index + k];
          const Meaning& meaning = names_.find(target.name);
          if (meaning.kind != wanted)
            complain(target,
                     quoted(target.name) + " is " +
                         (meaning.kind == Meaning::Kind::unknown ? "not declared"
                                                                 : std::string(name(meaning.kind))) +
                         "; the list takes " + (wanted == Meaning::Kind::label ? "labels" : "functions"),
                     "11.3");
        }
        break;
      }
      default: break;
    }
  }
  while (names_.depth() > 0) names_.close();
}

}  // namespace heddle::ptx
