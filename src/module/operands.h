// Operands of the text as operands of the image: names looked up, constants made bits of their type, one
// image operand for each rule of the form.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/isa.h"
#include "module/image.h"
#include "module/program.h"
#include "module/resolved_form.h"
#include "module/scopes.h"
#include "ptx/ast.h"

namespace heddle::module {

class OperandReader {
 public:
  OperandReader(Program& program, uint32_t unit, Scopes& scopes)
      : program_(program), module_(*program.modules[unit]), unit_(unit), scopes_(scopes) {}

  // Appends to function.operands: first one for each rule, then the children. `written` are the statement's
  // operands, children included. Complaints go to the program, with the statement's place for what has none.
  void read(const ResolvedForm& form, std::span<const ptx::Operand> written, Function& function);
  uint32_t predicate(NameId name, uint32_t offset);  // slot of a guard; none after a complaint
  Binding& find(NameId name);                        // an entity has become a symbol or a function

 private:
  using Rule = ResolvedForm::Rule;
  using Written = std::span<const ptx::Operand>;  // one operand and its children
  void read_all(std::span<const Rule> rules, std::span<const uint16_t> places, Written written,
                uint32_t first);
  Operand convert(const Rule& rule, Written written);
  Operand convert_name(const Rule& rule, const ptx::Operand& name);
  Operand convert_register(const Rule& rule, const ptx::Operand& name, const Binding& binding);
  Operand convert_special(const Rule& rule, const ptx::Operand& name, const Binding& binding);
  Operand convert_symbol(const Rule& rule, const ptx::Operand& name, const Binding& binding);
  Operand convert_constant(const Rule& rule, const ptx::Operand& constant);
  Operand convert_address(const Rule& rule, const ptx::Operand& address);
  Operand convert_bracket(const Rule& rule, Written written);
  Operand convert_children(OperandKind kind, const Rule& rule, Written written);
  Operand register_operand(const Rule& rule, uint32_t reg) const;
  uint32_t reserve(std::size_t count);
  const Signature* signature_of_call(const ResolvedForm& form, std::span<const uint16_t> places,
                                     Written written);
  void complain(const ptx::Operand& operand, const std::string& message);
  std::string quoted(NameId name) const { return "'" + std::string(module_.text(name)) + "'"; }

  Program& program_;
  const ptx::Module& module_;
  uint32_t unit_;
  Scopes& scopes_;
  Function* function_ = nullptr;
  const Signature* call_ = nullptr;  // of the call being read
};

}  // namespace heddle::module
