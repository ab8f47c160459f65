// The verifier's pieces. Each check_* complains through complain(); none depends on another having run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.h"
#include "ptx/fit.h"
#include "ptx/parse.h"
#include "ptx/verify/names.h"
#include "support/diagnostic.h"

namespace heddle::ptx {

class Verifier {
 public:
  Verifier(const Module& module, Diagnostics& diagnostics);
  void run();
  static bool knows_check(std::string_view name);

 private:
  struct Known;  // of one candidate of one mnemonic: what its form asks for, looked at once

  // verify.cpp
  void declare_module();
  void check_functions();
  void check_body(const Function& function);
  void declare_parameters(const Prototype& signature, uint32_t offset);
  void declare(NameId name, const Meaning& meaning);
  void declare_labels(const Function& function, std::size_t first);

  // verify_header.cpp
  void check_header();
  void check_files();
  bool has_option(std::string_view option) const;
  void check_location(const Location& location, uint32_t offset);

  // verify_variable.cpp
  void check_variable(const Variable& variable, bool in_function);
  void check_parameter(const Variable& parameter, bool entry);
  void check_signature(const Function& function);
  void check_directives(const Function& function);
  void check_opaque(const Variable& variable, bool in_function);
  void check_initializer(const Variable& variable);

  // verify_instruction.cpp
  void check_instruction(const Function& function, const Statement& statement);
  void check_needs(const Statement& statement, const Mnemonic& mnemonic, const isa::FormInfo& form,
                   const isa::SlotValues& words);
  bool check_need(const isa::Needs& needs, uint32_t offset, const std::string& what,
                  std::string_view section);
  void check_guard(const Statement& statement);

  // verify_operand.cpp
  struct Use {  // one operand as a form uses it
    const isa::FormInfo* form;
    const isa::SlotValues* words;
    const Mnemonic* mnemonic;
    const isa::OperandRule* rule;
    isa::Type type;
  };
  void check_operand(const Use& use, std::span<const Operand> written);
  void check_name(const Use& use, const Operand& operand);
  void check_register(const Use& use, const Operand& operand, const Meaning& meaning);
  void check_constant(const Use& use, const Operand& operand);
  void check_address(const Use& use, const Operand& operand);
  void check_vector(const Use& use, std::span<const Operand> written);
  void check_bracket(const Use& use, std::span<const Operand> written);
  void check_target(const Use& use, const Operand& operand);
  bool fits_type(const Use& use, isa::Type declared) const;
  void check_special(const Use& use, const Operand& operand, isa::SpecialRegister special);
  void check_symbol(const Use& use, const Operand& operand, const Meaning& meaning);
  void check_opaque_use(const Use& use, const Operand& operand, const Meaning& meaning);
  void complain_vector_register(const Use& use, const Operand& operand, const Meaning& meaning);
  void check_fragment_length(const Use& use, std::size_t index, const Operand& part);
  void check_elements(const Use& use, std::span<const Operand> written);

  // verify_check.cpp
  struct Subject {  // one instruction, fitted to its form
    const Statement* statement;
    const Mnemonic* mnemonic;
    const isa::FormInfo* form;
    const isa::SlotValues* words;
    std::span<const Operand> operands;
    const OperandPlaces* places;
    const Operand* operand(std::string_view name) const;             // null when it is not there
    std::span<const Operand> parts(std::string_view operand) const;  // its children
  };
  struct NamedCheck;
  static std::span<const NamedCheck> named_checks();
  void check_named(const Subject& subject);
  void check_memory_words(const Subject& subject);
  void check_written(const Subject& subject, const Operand& address);
  void verify_load_store(const Subject& subject);
  void verify_atomic(const Subject& subject);
  void verify_cp_async(const Subject& subject);
  void verify_texture(const Subject& subject);
  void verify_barrier(const Subject& subject);
  void verify_vmad(const Subject& subject);
  void verify_mma_block_scale(const Subject& subject);
  void verify_setmaxnreg(const Subject& subject);
  static unsigned integer_coordinates(const isa::SlotValues& words);
  void verify_sampler_query(const Subject& subject);
  void check_sampler(const Subject& subject, const Operand& operand, bool sampler);
  Diagnostic& complain(const Subject& subject, std::string message);

  // verify_call.cpp
  void check_call(const Function& function, const Statement& statement, const isa::FormInfo& form,
                  const isa::SlotValues& words, std::span<const Operand> operands);
  void check_list(std::string_view what, const std::vector<Variable>& wanted, std::span<const Operand> list,
                  const Operand& call, bool results);
  void check_argument(std::string_view what, const Operand& operand, const Meaning& meaning,
                      const Variable& wanted, const Operand& callee);

  Diagnostic& complain(uint32_t offset, std::string_view name, std::string message,
                       std::string_view section = {});
  Diagnostic& complain(const Operand& operand, std::string message, std::string_view section = {});
  void note_declaration(Diagnostic& diagnostic, const Meaning& meaning, std::string_view name);
  std::string_view text(NameId id) const { return module_.text(id); }
  std::string quoted(NameId id) const { return "'" + std::string(text(id)) + "'"; }

  const Module& module_;
  Diagnostics& diagnostics_;
  NameTable names_;
  const Function* function_ = nullptr;
  std::vector<std::vector<bool>> needs_checked_;  // by mnemonic and candidate
  std::vector<uint32_t> files_;                   // of .file, ascending
  bool independent_textures_ = false;             // .target texmode_independent
  bool singles_for_doubles_ = false;              // .target map_f64_to_f32
};

}  // namespace heddle::ptx
