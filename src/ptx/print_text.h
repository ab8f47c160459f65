// How constants and declarations look in canonical PTX; shared by the printer's files.
#pragma once

#include <charconv>
#include <string>

#include "ptx/ast.h"

namespace heddle::ptx {

inline void append_number(std::string& out, uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, end.ptr);
}

void append_hex(std::string& out, uint64_t value, int digits);  // upper case, at least so many digits

// A literal that reads back as the same bits and the same type, .s64 or .u64.
void append_integer(std::string& out, uint64_t value, bool is_unsigned);

// ".visible .global .align 4 .b32 name[4] = {1, 2}", without its ';'.
void append_variable(std::string& out, const Module& module, const Variable& variable);
// (a, b), or with `lines` each on its own where they are several.
void append_parameters(std::string& out, const Module& module, const std::vector<Variable>& parameters,
                       bool lines);
void append_prototype_directives(std::string& out,
                                 const Prototype& prototype);  // " .noreturn", each with its blank
std::string_view spelling(StateSpace space);
std::string_view spelling(Linkage linkage);

// The operand at `index` with its children; the index behind them.
std::size_t append_operand(std::string& out, const Module& module, std::span<const Operand> operands,
                           std::size_t index);
void append_statement(std::string& out, const Module& module, const Function& function,
                      const Statement& statement);

}  // namespace heddle::ptx
