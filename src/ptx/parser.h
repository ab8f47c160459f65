// The parser's own class; users include ptx/parse.h. Its parts stand in files of their own: parser.cpp
// (module level and recovery), parse_variable.cpp, parse_function.cpp, parse_body.cpp, parse_operand.cpp,
// parse_debug.cpp.
//
// Every read_x returns false after it complained; the loop that called it then skips to where the next thing
// can begin.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ptx/ast.h"
#include "ptx/mnemonic.h"
#include "ptx/reader.h"

namespace heddle::ptx {

// Limits of this parser that the PTX ISA does not name. Each is far beyond what compilers write.
inline constexpr uint32_t max_block_depth = 256;       // nested { } of a body
inline constexpr uint32_t max_initializer_depth = 16;  // nested { } of an initialiser
inline constexpr uint64_t max_range = 1u << 20;        // %r<range>
inline constexpr uint64_t max_elements = 1ull << 40;   // of an array
inline constexpr std::size_t max_operands = 0xffff;    // of a statement, counted with their parts

class Parser {
 public:
  Parser(std::shared_ptr<const SourceText> source, Diagnostics& diagnostics);
  Module run();

 private:
  // ---- module level: parser.cpp
  void read_header();
  bool read_version();
  bool read_target();
  bool read_address_size();
  bool read_top_level();
  bool read_linked(Linkage linkage);
  bool read_alias();
  bool read_pragma(std::vector<uint32_t>& out);  // strings up to the ';'
  std::size_t open_braces(uint32_t begin, bool& function);
  void skip_top_level();
  void add(TopLevel::Kind kind, std::size_t index);
  isa::Directive directive() const;  // at hand; none when it is no directive that stands alone
  bool at_suffix() const;            // .x, .b0, .unified: not a directive that begins something

  // ---- declarations: parse_variable.cpp
  enum class Where : uint8_t { module, body, parameter };
  struct Attributes {
    bool managed = false;
    std::vector<uint64_t> unified;
  };
  bool read_attributes(Attributes& out);
  bool read_declaration(Linkage linkage, Where where, std::vector<Variable>& out);  // up to and with the ';'
  bool read_specifiers(Variable& variable, Where where);                            // up to the name
  bool read_alignment(uint32_t& out);
  bool read_pointer(Variable& variable);
  bool read_name_and_shape(Variable& variable, Where where);
  bool read_initializer(Variable& variable);
  bool read_initializer_value(std::vector<Initializer>& out);
  bool read_initializer_symbol(Initializer& out);
  bool read_fields(Variable& variable);
  bool read_parameter(Variable& out);
  bool read_parameters(std::vector<Variable>& out);  // from the '('

  // ---- functions: parse_function.cpp
  bool read_function(Linkage linkage, bool entry);
  bool read_function_directives(Function& function);
  bool read_performance(isa::Directive what, Function& function);
  bool read_prototype_directive(isa::Directive what, Prototype& prototype);

  // ---- bodies: parse_body.cpp
  bool read_body(Function& function);
  bool read_statement(Function& function);
  bool read_body_directive(Function& function);
  bool read_named(Function& function);
  bool read_instruction(NameId guard, bool guard_negated);
  bool read_call_prototype(Function& function, const Token& label);
  bool read_target_list(StatementKind kind, const Token& label);
  void skip_statement(uint32_t begin);
  void finish_body(Function& function);
  bool begins_line(uint32_t offset) const;

  // ---- operands: parse_operand.cpp. They go to operands_.
  bool read_operand(bool lists);
  bool read_sequence(OperandKind kind, Tok close);
  bool read_name_operand();
  bool read_constant_operand();
  bool read_address();
  bool read_component(Operand& operand);
  bool read_subscript(Operand& operand);
  bool push(const Operand& operand);

  // ---- debug information: parse_debug.cpp
  bool read_file();
  bool read_location(Function& function);
  bool read_section();
  bool read_section_value(Section& section, unsigned bits);
  bool read_old_debug();  // @@DWARF
  bool read_plain_integer(uint64_t& out, std::string_view what, uint64_t limit);

  NameId intern(const Token& token) { return names_.add(in_.text(token)); }
  // Takes a name token, or complains that `what` is missing.
  std::optional<Token> read_name(std::string_view what, std::string_view rule);

  std::shared_ptr<const SourceText> source_;
  Module module_;
  Interner& names_;
  Diagnostics& diagnostics_;
  Reader in_;
  MnemonicTable mnemonics_;
  // Statements and operands of the function at hand, copied in their exact number when it ends.
  std::vector<Statement> statements_;
  std::vector<Operand> operands_;
  bool inside_body_ = false;
  uint32_t statement_begin_ = 0;
  std::size_t first_operand_ = 0;  // of the statement at hand
};

}  // namespace heddle::ptx
