// A linked program, ready for any executor: every name resolved to a number. Made by module/link.h from one
// or more ptx::Module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/isa.h"
#include "support/source.h"

namespace heddle::module {

inline constexpr uint32_t none = 0xffffffff;

// `param` is the launch's parameter buffer and nothing else. What PTX calls .param inside a device function
// or around a call lies in the frame of an activation, like .local variables: its space here is `local`, so
// that an address has one meaning (PTX ISA 5.1.6.2: the address of a formal parameter is a .local address).
enum class Space : uint8_t { generic, global, const_, shared, local, param };

// ---- operands
enum class OperandKind : uint8_t {
  absent,     // an optional operand that was not written
  sink,       // _
  reg,        // reg: slot in the function's register file
  immediate,  // value: bits, already of the operand's type (a decimal given to .f32 is f32 bits, integers
              // truncated to the width)
  special,    // special register, component in `component` (Word::x ...); whole %tid is a vector of four
  symbol,     // the address of symbol `index` plus value
  function,   // the code handle of function `index` (mov of a function name, direct call target)
  address,    // memory: base register `reg` (or none), symbol `index` (or none), value = byte offset
  vector,     // braced: children
  list,       // parenthesised: children
  bracket,    // texture and tensor lists: children
  label,      // value: instruction index
  table,      // brx.idx targets, call targets: `index` into Function::tables
  prototype,  // of an indirect call: `index` into Function::prototypes
};

struct Operand {
  OperandKind kind = OperandKind::absent;
  bool negated = false;                  // !p or -a
  bool is_pointer64 = false;             // register base is 64 bits wide
  isa::Type type = isa::Type::none;      // resolved from the form: what the instruction reads or writes here
  isa::Type declared = isa::Type::none;  // a register's own type: wider than `type` where the form is relaxed
  isa::Word component = isa::Word::none;  // .x of %tid.x, .b0/.h1 of video operands
  Space space =
      Space::generic;  // of an address or symbol; .shared::cluster counts as shared (see SlotValues)
  isa::SpecialRegister special{};
  uint32_t reg = none;
  uint32_t index = none;
  uint64_t value = 0;
  uint32_t first_child = 0;  // in Function::operands
  uint32_t child_count = 0;
};

// Operands stand in the order of the form's rules, one for each rule: operand i of the instruction belongs to
// rule i, piped and optional ones included (absent when not written). Bracket lists are one operand with
// children in rule order.
struct Instruction {
  isa::Form form{};
  isa::Opcode opcode{};
  uint8_t operand_count = 0;
  bool guard_negated = false;
  uint32_t guard = none;       // register slot of @p
  uint32_t mnemonic = 0;       // Image::mnemonics
  uint32_t first_operand = 0;  // Function::operands
  uint32_t line = 0;           // Function::lines index of the .loc in force; 0 none
  uint32_t source_offset = 0;  // place in the PTX text of Function::unit
};

struct Mnemonic {
  std::string text;
  isa::Form form{};
  uint16_t alternative = 0;  // index into isa::forms(opcode): the rules that the operands follow
  isa::SlotValues values;
};

// ---- control flow
struct Block {
  uint32_t first = 0, end = 0;  // instructions [first, end)
  std::vector<uint32_t> successors, predecessors;
  // Places in the order in which a warp goes through the blocks: loops in one piece, topological otherwise
  // (Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993). A jump to a block whose
  // `order` is not higher goes back to the head of a loop that it is in. `latch`: of such a head, the place
  // behind the last block of its loop; none: not the head of a loop.
  uint32_t order = 0, latch = none;
};

// ---- functions
struct Parameter {
  std::string name;
  isa::Type type{};
  bool in_register = false;  // old calling style: .reg parameters
  uint32_t reg = none;
  uint32_t offset = 0;  // of an entry: in the launch's parameter buffer; else in the function's frame
  uint64_t size = 0;
  uint32_t align = 1;
  bool pointer = false;  // .ptr
  Space pointee = Space::generic;
  uint32_t pointee_align = 0;
};

// The frame of a device function begins with its parameters, at [0, param_bytes), and its results behind
// them, at [result_offset, result_offset + result_bytes). A caller copies its argument's bytes to
// parameter.offset of the callee's new frame and, after the return, the result's bytes from result.offset.
// All offsets count from the frame's beginning.
struct Signature {
  std::vector<Parameter> results, params;
  bool noreturn = false;
  bool variadic = false;
  uint64_t param_bytes = 0, result_offset = 0, result_bytes = 0;
};

struct LineEntry {  // one .loc
  uint32_t file = 0, line = 0, column = 0;
  uint32_t inlined_at = 0;        // Function::lines index of the call's place; 0: not inlined
  uint32_t inlined_function = 0;  // Image::strings index of the inlined function's name; 0: not known
};

// Registers of blocks that are never open together may share a slot; all of one slot have the same width
// (predicate, up to 32, 64 or 128 bits).
struct RegisterInfo {
  std::string name;
  isa::Type type{};
  uint32_t slot = 0;  // first 64-bit slot; b128 takes two
};

struct Limits {  // performance directives; 0: not given
  uint32_t max_threads[3] = {0, 0, 0}, required_threads[3] = {0, 0, 0};
  uint32_t min_blocks = 0, max_registers = 0;
  uint32_t required_cluster[3] = {0, 0, 0}, max_cluster_rank = 0;
  bool explicit_cluster = false, blocks_are_clusters = false, no_return = false;
};

struct Function {
  std::string name;
  uint32_t unit = 0;  // which input module it came from
  bool entry = false;
  bool defined =
      false;  // false: an external that the host must provide (vprintf, malloc, __assertfail, __nv_sinf, ...)
  bool visible = false;
  Signature signature;
  Limits limits;
  std::vector<Instruction> code;
  std::vector<Operand> operands;
  std::vector<Block> blocks;  // block of an instruction: block_of
  std::vector<uint32_t> block_of;
  std::vector<RegisterInfo> registers;
  uint32_t register_slots = 0;  // 64-bit slots of the register file, one value a lane
  uint32_t frame_bytes = 0;     // parameters, results, .local and call .param variables of one activation
  uint32_t frame_align = 1;
  std::vector<std::vector<uint32_t>>
      tables;  // brx targets (instruction indices) or call targets (function indices)
  std::vector<Signature> prototypes;
  std::vector<LineEntry> lines;  // [0] is "no line"
  std::vector<std::string> pragmas;
  bool address_taken = false;
  // Whom it may call, ascending: direct targets, .calltargets, and for an indirect call without them every
  // function whose address is taken and whose signature fits.
  std::vector<uint32_t> callees;
  bool recursive = false;  // may be active twice in one thread
  // Entry only: every .shared symbol that it or anything it can reach uses, with its offset in the block's
  // shared window. A device function sees the layout of the entry that was launched, so a shared symbol has
  // no offset of its own.
  struct SharedPlace {
    uint32_t symbol;
    uint32_t offset;
  };
  std::vector<SharedPlace> shared_layout;  // ascending by symbol; every dynamic array at the same offset
  uint32_t static_shared_bytes = 0;        // as ptxas reports it: with the gap before dynamic shared memory
  bool dynamic_shared = false;  // an `extern .shared` array is reachable; it starts at static_shared_bytes
};

// ---- symbols
struct Relocation {
  uint64_t offset;  // in the symbol's bytes
  uint32_t symbol;  // symbol index, or none when it is a function
  uint32_t function;
  uint64_t addend;
  uint8_t bytes;  // 1, 2, 4 or 8
  uint8_t shift;  // mask initialisers take byte `shift`
  bool generic;   // generic(sym): a generic address
};

enum class SymbolKind : uint8_t { memory, texture, sampler, surface };

struct Symbol {
  std::string name;
  SymbolKind kind = SymbolKind::memory;
  Space space = Space::global;
  isa::Type type{};  // of one element
  uint8_t vector = 1;
  uint8_t bank = 0;   // of .const[n]
  uint64_t size = 0;  // 0 for extern .shared arrays (dynamic shared memory)
  uint32_t align = 1;
  bool visible = false, managed = false, external = false, dynamic_shared = false;
  uint32_t unit = 0;
  uint32_t owner = none;  // function of a function-scoped variable
  // local: in the owner's frame, or without an owner in the area of Image::static_local_bytes; param: in the
  // launch's parameter buffer; shared: see Function::shared_layout
  uint64_t offset = 0;
  std::vector<std::byte> init;  // may be shorter than size: the rest is zero
  std::vector<Relocation> relocations;
  std::vector<std::pair<std::string, std::string>> fields;  // sampler and texture settings
};

struct Unit {  // an input module
  std::string name;
  std::shared_ptr<const SourceText> source;  // may be null
};

struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};
using NameIndex = std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>>;

struct Image {
  isa::Version version;
  const isa::TargetInfo* target = nullptr;
  unsigned address_bits = 64;
  bool unified_textures = true;
  bool debug = false;           // .target debug
  bool map_f64_to_f32 = false;  // .target map_f64_to_f32
  // Module-level .local variables (before PTX 3.0) lie at the bottom of a thread's local memory.
  uint32_t static_local_bytes = 0;
  std::vector<Unit> units;
  std::vector<Mnemonic> mnemonics;
  std::vector<Function> functions;
  std::vector<Symbol> symbols;
  std::vector<std::string> files;  // [0] is "no file"; modules number theirs apart, LineEntry::file is merged
  std::vector<std::string> strings;  // [0] is empty
  // What the host may ask for: entries, functions and module-level variables, aliases included; of several
  // names that are private to their modules the first.
  NameIndex function_names, symbol_names;
  const Function* find_function(std::string_view name) const;
  const Symbol* find_symbol(std::string_view name) const;
  uint32_t function_index(std::string_view name) const;  // none when absent
  uint32_t symbol_index(std::string_view name) const;
};

// The instruction as its PTX text has it, one line; empty when the source is not there.
std::string instruction_text(const Image&, const Function&, const Instruction&);

}  // namespace heddle::module
