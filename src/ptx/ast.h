// PTX syntax as data: what the text says, nothing resolved across names. Flat arrays and ids, so that files
// of many megabytes stay cheap; parse(print(x)) == x (operator== ignores source places).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/isa.h"
#include "support/interner.h"
#include "support/source.h"

namespace heddle::ptx {

// ---- operands
enum class OperandKind : uint8_t {
  name,     // register, special register, variable, label or function: which, only scopes tell;
            // value: the byte offset of `variable+4`, the index of `variable[2]` (see subscript)
  integer,  // value: two's complement bits; is_unsigned when the constant expression is of type .u64
  float32,  // 0fXXXXXXXX: value holds the 32 bits
  float64,  // 0d... or a decimal: value holds the 64 bits
  address,  // [name+offset], [offset]: name (or no_name) and value = offset; with child_count > 0 a bracket
            // list: [a, b, {c,d}], all of it in the children
  vector,   // {a, b, ...}: children follow
  list,     // (a, b, ...): a call's results or arguments: children follow
  sink,     // _
};

struct Operand {
  OperandKind kind = OperandKind::name;
  bool negated : 1 = false;      // !p
  bool minus : 1 = false;        // -a before a name (video mad); constants are folded
  bool piped : 1 = false;        // the next operand stands after a bar: d|p
  bool is_unsigned : 1 = false;  // of an integer
  bool subscript : 1 = false;  // name[value] outside brackets: value counts elements of the array, not bytes;
                               // with a child, name[child+value]: the child is a register
  uint16_t child_count = 0;    // operands that follow inside this one, nested ones included
  isa::Word component = isa::Word::none;  // .x .y .z .w .r .g .b .a, .b0 .. .b3, .h0 .h1, masks of SIMD video
                                          // (.b3210), [a].unified
  NameId name = no_name;
  uint32_t offset = 0;  // place in the source
  uint64_t value = 0;
};

// ---- instructions
// A mnemonic is
// kept once a module, however often it is used: `ld.global.v4.f32` with its possible forms.
struct Mnemonic {
  std::string text;  // canonical spelling with all dots
  isa::Opcode opcode = isa::Opcode::none;
  std::vector<isa::Word> words;
  struct Candidate {
    isa::Form form;
    uint16_t alternative;  // index into isa::forms(opcode)
    isa::SlotValues values;
  };
  std::vector<Candidate> candidates;  // forms that these words fit
};

enum class StatementKind : uint8_t {
  instruction,
  label,  // name
  open,
  close,           // { }
  declaration,     // index into Function::declarations
  location,        // .loc: index into Function::locations
  pragma,          // index into Module::strings
  branch_targets,  // name: .branchtargets a, b;   operands: names
  call_targets,    // name: .calltargets f, g;     operands: names
  call_prototype,  // name: .callprototype ...;    index into Function::prototypes
};

struct Statement {
  StatementKind kind;
  bool guard_negated = false;
  uint8_t candidate = no_candidate;  // which of the mnemonic's forms the operands fit; set by the parser
  uint16_t operand_count = 0;        // in Function::operands, children included
  uint32_t mnemonic = 0;             // index into Module::mnemonics
  uint32_t index = 0;                // first operand, or the index that `kind` names
  NameId name = no_name;             // label name, or the guard predicate of an instruction
  uint32_t offset = 0;               // place in the source
  static constexpr uint8_t no_candidate = 255;
};

// ---- declarations
enum class StateSpace : uint8_t { reg, sreg, const_, global, local, param, shared, tex };
enum class Linkage : uint8_t { none, extern_, visible, weak, common };

// One piece of an initialiser, flattened in order; `depth` braces are kept for printing.
struct Initializer {
  enum class Kind : uint8_t {
    integer,
    float32,
    float64,
    symbol,          // sym+value
    generic_symbol,  // generic(sym)+value
    open,
    close
  } kind = Kind::integer;
  bool is_unsigned = false;  // of an integer, as in Operand
  NameId symbol = no_name;
  uint64_t value = 0;  // constant bits, symbol offset
  uint64_t mask = 0;   // 0xFF00(sym), 0xFF00(generic(sym)): the bits of the address that are taken; 0: all
  uint32_t offset = 0;
};

struct Variable {
  Linkage linkage = Linkage::none;
  StateSpace space = StateSpace::reg;
  isa::Type type{};
  uint8_t vector = 1;      // .v2 .v4
  uint8_t bank = no_bank;  // .const[3]
  uint32_t align = 0;      // 0: natural
  NameId name = no_name;
  uint32_t range = 0;          // %r<range>; 0: a single name
  std::vector<uint64_t> dims;  // [4][2]; empty dim [] is 0
  std::vector<Initializer> init;
  bool managed = false;           // .attribute(.managed)
  std::vector<uint64_t> unified;  // .attribute(.unified(a, b))
  // .param .u64 .ptr .global .align 16
  bool pointer = false;
  StateSpace pointee = StateSpace::reg;  // reg: none given
  uint32_t pointee_align = 0;
  // .samplerref / .texref initialisers: { addr_mode_0 = wrap, ... }
  std::vector<std::pair<std::string, std::string>> fields;
  uint32_t offset = 0;
  static constexpr uint8_t no_bank = 255;
};

struct Location {  // .loc file line column [, function_name label + off, inlined_at file line column]
  uint32_t file = 0, line = 0, column = 0;
  NameId function_name = no_name;
  uint64_t function_offset = 0;
  bool inlined = false;
  uint32_t at_file = 0, at_line = 0, at_column = 0;
};

struct Prototype {  // .callprototype (ret) _ (params) and a function's own signature
  std::vector<Variable> results;
  std::vector<Variable> params;
  bool noreturn = false;
  bool variadic = false;  // the last parameter is an array without a size: .param .align 8 .b8 name[]
  uint32_t abi_preserve = 0, abi_preserve_control = 0;
};

// .maxntid 256, 1, 1   .minnctapersm 2   .reqnctapercluster ...: words of directives.toml with their numbers
struct PerformanceDirective {
  isa::Directive directive;
  std::vector<uint64_t> values;
  bool operator==(const PerformanceDirective&) const = default;
};

struct Function {
  Linkage linkage = Linkage::none;
  bool entry = false;
  bool has_body = false;
  NameId name = no_name;
  Prototype signature;
  std::vector<PerformanceDirective> directives;
  std::vector<uint32_t> pragmas;  // between parameters and body: indices into Module::strings
  std::vector<uint64_t> unified;  // .attribute(.unified(a, b))
  std::vector<Statement> body;    // in text order; blocks as open/close
  std::vector<Operand> operands;
  std::vector<Variable> declarations;
  std::vector<Location> locations;
  std::vector<Prototype> prototypes;
  uint32_t offset = 0;
};

struct FileEntry {
  uint32_t index = 0;
  std::string path;
  uint64_t timestamp = 0, size = 0;
  bool operator==(const FileEntry&) const = default;
};
struct Alias {
  NameId name = no_name, aliasee = no_name;
  uint32_t offset = 0;
};

// .section .debug_info { .b8 1,2 ...; label: .b32 sym+4 }: DWARF as nvcc and clang emit it
struct SectionValue {  // number, symbol + number, or symbol - minus
  uint64_t number = 0;
  NameId symbol = no_name;  // a label, or another section: ".debug_str"
  NameId minus = no_name;
};
struct SectionItem {
  enum class Kind : uint8_t { b8, b16, b32, b64, label } kind = Kind::label;
  NameId label = no_name;
  uint32_t first = 0, count = 0;  // in Section::values
};
struct Section {
  std::string name;        // ".debug_info"
  std::string attributes;  // what follows the name in the old style: "\"\", @progbits"
  bool old_style = false;  // written as lines of @@DWARF (before PTX 2.0)
  std::vector<SectionItem> items;
  std::vector<SectionValue> values;
};

// The order of things at module level, for printing.
struct TopLevel {
  enum class Kind : uint8_t { variable, function, file, section, alias, pragma } kind;
  uint32_t index;
};

struct Module {
  std::shared_ptr<const SourceText> source;  // names are views into it
  std::shared_ptr<Interner> names;
  isa::Version version;
  bool is_newer = false;  // than any version that is known: what reads it is too old, the text may be right
  const isa::TargetInfo* target = nullptr;
  std::vector<std::string> target_options;  // debug, texmode_independent, texmode_unified, map_f64_to_f32
  unsigned address_bits = 32;               // .address_size; where it is missing 32, or see address_size.h
  bool has_address_size = false;
  std::vector<Mnemonic> mnemonics;
  std::vector<Variable> variables;
  std::vector<Function> functions;  // declarations and definitions, in order
  std::vector<FileEntry> files;
  std::vector<Section> sections;
  std::vector<Alias> aliases;
  std::vector<std::string> strings;  // pragma texts
  std::vector<TopLevel> order;
  std::string_view text(NameId id) const { return names->text(id); }
};

// The same modules letter for letter: source places and the numbers of names do not count.
bool equal(const Module&, const Module&);

}  // namespace heddle::ptx
