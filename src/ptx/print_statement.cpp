// Operands and statements as text.
#include "ptx/parse.h"
#include "ptx/print_text.h"

namespace heddle::ptx {

namespace {

// Behind a name: +4, +-4, nothing for 0.
void append_offset(std::string& out, uint64_t value) {
  if (value == 0) return;
  out += '+';
  append_integer(out, value, false);
}

// `count` operands and more behind them up to `end`, with commas and bars between them.
void append_list(std::string& out, const Module& module, std::span<const Operand> operands, std::size_t index,
                 std::size_t end) {
  while (index < end) {
    const bool piped = operands[index].piped;
    index = append_operand(out, module, operands, index);
    if (index < end) out += piped ? "|" : ", ";
  }
}

void append_name(std::string& out, const Module& module, std::span<const Operand> operands,
                 std::size_t index) {
  const Operand& operand = operands[index];
  if (operand.negated) out += '!';
  if (operand.minus) out += '-';
  out += module.text(operand.name);
  if (operand.component != isa::Word::none) {
    out += '.';
    out += isa::spelling(operand.component);
  }
  if (!operand.subscript) {
    append_offset(out, operand.value);
    return;
  }
  out += '[';
  if (operand.child_count != 0) {
    append_name(out, module, operands, index + 1);
    append_offset(out, operand.value);
  } else {
    append_integer(out, operand.value, false);
  }
  out += ']';
}

void append_location(std::string& out, const Module& module, const Location& location) {
  out += ".loc ";
  append_number(out, location.file);
  out += ' ';
  append_number(out, location.line);
  out += ' ';
  append_number(out, location.column);
  if (!location.inlined) return;
  out += ", function_name ";
  out += module.text(location.function_name);
  append_offset(out, location.function_offset);
  out += ", inlined_at ";
  append_number(out, location.at_file);
  out += ' ';
  append_number(out, location.at_line);
  out += ' ';
  append_number(out, location.at_column);
}

void append_prototype(std::string& out, const Module& module, const Prototype& prototype) {
  out += ".callprototype ";
  if (!prototype.results.empty()) {
    append_parameters(out, module, prototype.results, false);
    out += ' ';
  }
  out += "_ ";
  append_parameters(out, module, prototype.params, false);
  append_prototype_directives(out, prototype);
}

}  // namespace

std::size_t append_operand(std::string& out, const Module& module, std::span<const Operand> operands,
                           std::size_t index) {
  const Operand& operand = operands[index];
  const std::size_t end = index + 1 + operand.child_count;
  switch (operand.kind) {
    case OperandKind::name: append_name(out, module, operands, index); break;
    case OperandKind::integer: append_integer(out, operand.value, operand.is_unsigned); break;
    case OperandKind::float32:
      out += "0f";
      append_hex(out, operand.value, 8);
      break;
    case OperandKind::float64:
      out += "0d";
      append_hex(out, operand.value, 16);
      break;
    case OperandKind::address:
      out += '[';
      if (operand.child_count != 0) {
        append_list(out, module, operands, index + 1, end);
      } else if (operand.name != no_name) {
        out += module.text(operand.name);
        append_offset(out, operand.value);
      } else {
        append_integer(out, operand.value, false);
      }
      out += ']';
      if (operand.component != isa::Word::none) {
        out += '.';
        out += isa::spelling(operand.component);
      }
      break;
    case OperandKind::vector:
      out += '{';
      append_list(out, module, operands, index + 1, end);
      out += '}';
      break;
    case OperandKind::list:
      out += '(';
      append_list(out, module, operands, index + 1, end);
      out += ')';
      break;
    case OperandKind::sink: out += '_'; break;
  }
  return end;
}

void append_statement(std::string& out, const Module& module, const Function& function,
                      const Statement& statement) {
  const std::span<const Operand> operands(function.operands);
  switch (statement.kind) {
    case StatementKind::instruction:
      if (statement.name != no_name) {
        out += statement.guard_negated ? "@!" : "@";
        out += module.text(statement.name);
        out += ' ';
      }
      out += module.mnemonics[statement.mnemonic].text;
      if (statement.operand_count != 0) out += ' ';
      append_list(out, module, operands, statement.index, statement.index + statement.operand_count);
      break;
    case StatementKind::label:
      out += module.text(statement.name);
      out += ':';
      return;
    case StatementKind::open: out += '{'; return;
    case StatementKind::close: out += '}'; return;
    case StatementKind::declaration:
      append_variable(out, module, function.declarations[statement.index]);
      break;
    case StatementKind::location: append_location(out, module, function.locations[statement.index]); return;
    case StatementKind::pragma:
      out += ".pragma \"";
      out += module.strings[statement.index];
      out += '"';
      break;
    case StatementKind::branch_targets:
    case StatementKind::call_targets:
      out += module.text(statement.name);
      out += statement.kind == StatementKind::branch_targets ? ": .branchtargets " : ": .calltargets ";
      append_list(out, module, operands, statement.index, statement.index + statement.operand_count);
      break;
    case StatementKind::call_prototype:
      out += module.text(statement.name);
      out += ": ";
      append_prototype(out, module, function.prototypes[statement.index]);
      break;
  }
  out += ';';
}

std::string print(const Module& module, const Function& function, const Statement& statement) {
  std::string out;
  append_statement(out, module, function, statement);
  return out;
}

}  // namespace heddle::ptx
