#include "module/lower.h"

#include <algorithm>

namespace heddle::module {

UnitLowering::UnitLowering(Program& program, uint32_t unit)
    : program_(program),
      module_(*program.modules[unit]),
      unit_(unit),
      scopes_(module_, program.names.of_name[unit]),
      operands_(program, unit, scopes_),
      files_(module_, program.image),
      lines_(files_),
      forms_(module_.mnemonics.size()) {}

void UnitLowering::lower(uint32_t place, const ptx::Function& source) {
  function_ = &program_.image.functions[place];
  frame_ = Frame();
  if (!function_->entry) make_signature(module_, source.signature, false, frame_);
  line_ = 0;
  block_ = 0;
  marks_.clear();
  lines_.begin();
  scopes_.begin_function();
  if (function_->entry)
    for (const ptx::Variable& v : module_.variables)
      if (v.space == ptx::StateSpace::reg) scopes_.declare_register(v);
  declare_parameters(source.signature, place);
  place_locals(source);
  survey(source);
  for (uint32_t pragma : source.pragmas) function_->pragmas.push_back(module_.strings[pragma]);
  enter_block();

  for (const ptx::Statement& statement : source.body) {
    switch (statement.kind) {
      case ptx::StatementKind::instruction: instruction(source, statement); break;
      case ptx::StatementKind::open:
        scopes_.open();
        marks_.push_back(frame_.mark());
        ++block_;
        enter_block();
        break;
      case ptx::StatementKind::close:
        if (marks_.empty()) break;
        scopes_.close();
        frame_.release(marks_.back());
        marks_.pop_back();
        break;
      case ptx::StatementKind::declaration:
        declare(source.declarations[statement.index], statement.index, place);
        break;
      case ptx::StatementKind::location: line_ = lines_.add(source.locations[statement.index]); break;
      case ptx::StatementKind::pragma: function_->pragmas.push_back(module_.strings[statement.index]); break;
      case ptx::StatementKind::branch_targets:
      case ptx::StatementKind::call_targets: table(source, statement); break;
      case ptx::StatementKind::label:
      case ptx::StatementKind::call_prototype: break;
    }
  }
  close_with_return();

  function_->registers = scopes_.registers().take();
  function_->register_slots = scopes_.registers().slots();
  function_->lines = lines_.take();
  function_->frame_align = frame_.align();
  if (frame_.bytes() > 0xffffffff) {
    program_.messages.error(unit_, source.offset,
                            "local variables of '" + function_->name + "' take " +
                                std::to_string(frame_.bytes()) + " bytes; the limit is 4294967295");
  }
  function_->frame_bytes = static_cast<uint32_t>(frame_.bytes());
}

// Labels, tables and prototypes are known in all of their block, before and after their place.
void UnitLowering::survey(const ptx::Function& source) {
  named_.clear();
  next_named_ = 0;
  std::vector<uint32_t> open{0};
  uint32_t blocks = 0, instructions = 0;
  label_at_end_ = false;
  const auto name = [&](const ptx::Statement& statement, Binding::Kind kind, std::size_t index) {
    Binding binding;
    binding.kind = kind;
    binding.index = static_cast<uint32_t>(index);
    named_.push_back({open.back(), statement.name, binding});
  };
  for (const ptx::Statement& statement : source.body) {
    switch (statement.kind) {
      case ptx::StatementKind::instruction:
        ++instructions;
        label_at_end_ = false;
        break;
      case ptx::StatementKind::open: open.push_back(++blocks); break;
      case ptx::StatementKind::close:
        if (open.size() > 1) open.pop_back();
        break;
      case ptx::StatementKind::label:
        name(statement, Binding::Kind::label, instructions);
        label_at_end_ = true;
        break;
      case ptx::StatementKind::branch_targets:
      case ptx::StatementKind::call_targets:
        name(statement,
             statement.kind == ptx::StatementKind::branch_targets ? Binding::Kind::branch_table
                                                                  : Binding::Kind::call_table,
             function_->tables.size());
        function_->tables.emplace_back();
        break;
      case ptx::StatementKind::call_prototype: {
        name(statement, Binding::Kind::prototype, function_->prototypes.size());
        Frame frame;
        function_->prototypes.push_back(
            make_signature(module_, source.prototypes[statement.index], false, frame));
        break;
      }
      default: break;
    }
  }
  function_->code.reserve(instructions + 1);
  std::sort(named_.begin(), named_.end(), [](const Named& a, const Named& b) {
    return std::pair(a.block, a.name) < std::pair(b.block, b.name);
  });
}

void UnitLowering::enter_block() {
  for (; next_named_ < named_.size() && named_[next_named_].block == block_; ++next_named_)
    scopes_.declare(named_[next_named_].name, named_[next_named_].binding);
}

void UnitLowering::declare_parameters(const ptx::Prototype& signature, uint32_t place) {
  const auto declare_list = [&](const std::vector<ptx::Variable>& variables,
                                std::vector<Parameter>& parameters) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      Parameter& parameter = parameters[i];
      if (variables[i].name == no_name) continue;
      if (parameter.in_register) {
        scopes_.declare_register(variables[i]);
        const Binding& binding = scopes_.find(variables[i].name);
        if (binding.kind == Binding::Kind::reg)
          parameter.reg = scopes_.registers().info(binding.index).slot;
        else
          program_.messages.error(unit_, variables[i].offset,
                                  "'" + parameter.name + "' is no single register");
        continue;
      }
      Symbol symbol = program_.make_symbol(unit_, variables[i], place);
      if (function_->entry) symbol.space = Space::param;
      symbol.offset = parameter.offset;
      Binding binding;
      binding.kind = Binding::Kind::symbol;
      binding.index = program_.add_symbol(std::move(symbol));
      scopes_.declare(variables[i].name, binding);
    }
  };
  declare_list(signature.params, function_->signature.params);
  declare_list(signature.results, function_->signature.results);
}

// .local variables keep their place in the whole function, whatever their block: their addresses may have
// been stored. The .param variables of calls, added as their blocks open, share what lies behind.
void UnitLowering::place_locals(const ptx::Function& source) {
  local_places_.assign(source.declarations.size(), 0);
  for (std::size_t i = 0; i < source.declarations.size(); ++i) {
    const ptx::Variable& v = source.declarations[i];
    if (v.space == ptx::StateSpace::local) local_places_[i] = frame_.add(size_of(v).value_or(0), align_of(v));
  }
}

void UnitLowering::declare(const ptx::Variable& variable, uint32_t index, uint32_t place) {
  if (variable.space == ptx::StateSpace::reg) return scopes_.declare_register(variable);
  if (variable.space == ptx::StateSpace::sreg) return;
  Symbol symbol = program_.make_symbol(unit_, variable, place);
  if (variable.space == ptx::StateSpace::local) symbol.offset = local_places_[index];
  if (variable.space == ptx::StateSpace::param) symbol.offset = frame_.add(symbol.size, symbol.align);
  symbol.dynamic_shared =
      symbol.space == Space::shared && variable.linkage == ptx::Linkage::extern_ && symbol.size == 0;
  Binding binding;
  binding.kind = Binding::Kind::symbol;
  binding.index = program_.add_symbol(std::move(symbol));
  scopes_.declare(variable.name, binding);
  program_.initialise(binding.index, unit_, variable, [&](NameId name) -> std::optional<Referent> {
    const Binding& found = operands_.find(name);
    if (found.kind == Binding::Kind::symbol) return Referent{.symbol = found.index};
    if (found.kind == Binding::Kind::function) return Referent{.function = found.index};
    return program_.referent(unit_, name, variable.offset);
  });
}

const ResolvedForm& UnitLowering::form_of(uint32_t mnemonic, uint8_t candidate, uint32_t& image_mnemonic) {
  const ptx::Mnemonic& source = module_.mnemonics[mnemonic];
  std::vector<Candidate>& candidates = forms_[mnemonic];
  if (candidates.empty()) candidates.resize(source.candidates.size());
  Candidate& known = candidates[candidate];
  if (known.form == nullptr) {
    const ptx::Mnemonic::Candidate& chosen = source.candidates[candidate];
    known.mnemonic = program_.mnemonic(source, candidate);
    known.form = std::make_unique<ResolvedForm>(isa::forms(source.opcode)[chosen.alternative], chosen.values,
                                                program_.image.address_bits);
  }
  image_mnemonic = known.mnemonic;
  return *known.form;
}

void UnitLowering::instruction(const ptx::Function& source, const ptx::Statement& statement) {
  const ptx::Mnemonic& mnemonic = module_.mnemonics[statement.mnemonic];
  Instruction result;
  result.line = line_;
  result.source_offset = statement.offset;
  if (statement.candidate >= mnemonic.candidates.size()) {
    program_.messages.error(unit_, statement.offset,
                            "'" + mnemonic.text + "' has operands that fit none of its forms");
    // Something must stand here, or labels behind it would move.
    if (!mnemonic.candidates.empty()) form_of(statement.mnemonic, 0, result.mnemonic);
    function_->code.push_back(result);
    return;
  }
  const ResolvedForm& form = form_of(statement.mnemonic, statement.candidate, result.mnemonic);
  result.form = form.form->form;
  result.opcode = form.form->opcode;
  result.operand_count = static_cast<uint8_t>(form.rules.size());
  if (statement.name != no_name) {
    result.guard = operands_.predicate(statement.name, statement.offset);
    result.guard_negated = statement.guard_negated;
  }
  result.first_operand = static_cast<uint32_t>(function_->operands.size());
  operands_.read(form, std::span(source.operands).subspan(statement.index, statement.operand_count),
                 *function_);
  function_->code.push_back(result);
}

void UnitLowering::table(const ptx::Function& source, const ptx::Statement& statement) {
  const Binding named = scopes_.find(statement.name);
  const bool branches = statement.kind == ptx::StatementKind::branch_targets;
  if (named.kind != (branches ? Binding::Kind::branch_table : Binding::Kind::call_table)) return;
  std::vector<uint32_t> targets;
  for (const ptx::Operand& target :
       std::span(source.operands).subspan(statement.index, statement.operand_count)) {
    const Binding& binding = operands_.find(target.name);
    if (binding.kind == (branches ? Binding::Kind::label : Binding::Kind::function)) {
      targets.push_back(binding.index);
      continue;
    }
    program_.messages.error(unit_, target.offset,
                            "'" + std::string(module_.text(target.name)) + "' is no " +
                                (branches ? "label of this block" : "function"));
  }
  function_->tables[named.index] = std::move(targets);
}

// A body may end without ret, and a label may stand behind its last instruction.
void UnitLowering::close_with_return() {
  if (!label_at_end_ && !function_->code.empty()) {
    const Instruction& last = function_->code.back();
    if (last.mnemonic < program_.flows.size() && ends_block(program_.flows[last.mnemonic]) &&
        last.guard == none)
      return;
  }
  Instruction result;
  result.mnemonic = program_.return_mnemonic();
  result.form = program_.image.mnemonics[result.mnemonic].form;
  result.opcode = isa::info(result.form).opcode;
  result.line = line_;
  result.first_operand = static_cast<uint32_t>(function_->operands.size());
  function_->code.push_back(result);
}

}  // namespace heddle::module
