// The shape of the PTX instruction tables. The tables themselves are generated from spec/isa (see its
// README).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/isa.gen.h"  // enum class Opcode, Word, Slot, Form, Type, SpecialRegister, Directive; the counts

namespace heddle::isa {

// ---- fundamental types (types.toml) ----------------------------------------------------------------------
enum class TypeKind : uint8_t { none, untyped, unsigned_, signed_, floating, predicate, opaque };

struct TypeInfo {
  std::string_view name;  // "u32", "f16x2", "bf16", "pred", "texref"
  TypeKind kind;
  uint8_t bits;      // of the whole value: f16x2 is 32, pred is 1
  uint8_t elements;  // 2 for f16x2, otherwise 1
};
const TypeInfo& info(Type);
Type type_of(Word);  // Type::none when the word is no type

// ---- words and slots --------------------------------------------------------------------------------------
std::string_view spelling(Word);            // without the dot: "shared::cta"
Word find_word(std::string_view spelling);  // Word::none when unknown
std::string_view name(Slot);
std::string_view name(Opcode);
Opcode find_opcode(std::string_view name);  // Opcode::none when unknown; perfect hash

// The words of one instruction by slot: what a mnemonic says, once resolved to a form.
struct SlotValues {
  std::array<Word, slot_count> words{};
  Word operator[](Slot s) const { return words[static_cast<std::size_t>(s)]; }
  Word& operator[](Slot s) { return words[static_cast<std::size_t>(s)]; }
  bool has(Slot s) const { return (*this)[s] != Word::none; }
  bool is(Slot s, Word w) const { return (*this)[s] == w; }
  Type type(Slot s = Slot::type) const { return type_of((*this)[s]); }
};

// ---- versions and targets
struct Version {
  uint8_t major = 1, minor = 0;
  auto operator<=>(const Version&) const = default;
};
// sm_90 and later; with a, this architecture alone (sm_90a); with f, its family from it on (sm_100f).
struct TargetNeed {
  enum class Suffix : uint8_t { none, a, f };
  uint16_t sm = 10;
  Suffix suffix = Suffix::none;
  uint16_t family = 1;
};
struct Needs {  // what a form or a word asks for
  Version ptx;
  TargetNeed target;
  Version last_ptx{255, 255};  // gone where all the limits given here are passed: see removed()
  uint16_t last_sm = 65535;
  std::span<const TargetNeed> other_targets = {};  // or one of these
};
struct WordNeeds {
  Slot slot;
  Word word;  // Word::none: what leaving the slot empty asks for
  Needs needs;
};
struct OperandNeeds {
  uint8_t operand;
  Word suffix;  // what the operand asks for with this suffix; Word::none: by being there
  Needs needs;
};

// ---- forms
struct SlotWord {
  Slot slot;
  Word word;
};
struct SlotRule {
  Slot slot;
  bool optional;
  std::span<const Word> words;  // what may stand there
};

enum class OperandShape : uint8_t {
  value,      // register or immediate
  register_,  // register only
  immediate,  // immediate only
  vector,     // braced, `count` elements, or by the `vec` slot when count is 0
  fragment,   // braced, length by the form's fragment rule; `bare`: braces may be missing around one element
  address,    // [a]
  texture,    // tex[...]
  surface,    // surf[...]
  tensor,     // tensor[...]
  label,
  function,
  prototype,
  targets,
  call_list,
  sink,  // nothing but `_`
};
enum class Access : uint8_t { read, write, read_write };

// How an operand's type follows from the mnemonic.
struct TypeRule {
  enum class Kind : uint8_t { fixed, of_slot, bits_of, wide_of, half_of, quarter_of, pointer, any, one_of };
  Kind kind = Kind::any;
  Slot slot{};
  Type type{};                    // fixed
  std::span<const Type> choices;  // one_of
};

struct ImmediateRange {  // both ends belong to it
  int32_t first, last;
};

struct OperandRule {
  std::string_view name;  // as the manual calls it: d, a, b, c, p
  OperandShape shape;
  Access access;
  TypeRule type;
  uint8_t count = 0;                   // vector: exact number of elements
  uint8_t optional_group = 0;          // 0: always there; n: present only when the n-th optional part is
  uint8_t optional_parent = 0;         // the group that group n stands in: present only when that is
  bool piped = false;                  // stands after a bar: d|p; optional when it has a group
  bool may_sink = false;               // `_` allowed
  bool may_negate = false;             // !p or -a
  Word space = Word::none;             // address in a fixed space
  Type coordinates{};                  // texture/surface/tensor: coordinate type when fixed (else slot ctype)
  std::span<const OperandRule> inner;  // the parts of a bracket list
  std::span<const Word> suffixes;      // words that may follow it: a.b0, [a].unified
  std::span<const ImmediateRange> allowed;  // the values that an immediate may have; empty: any
  bool bare = false;                        // a fragment of one element needs no braces
  bool tied = false;                        // optional, but there exactly when slot `tied_to` has a word
  Slot tied_to{};
};

// The length of a fragment operand: the count of the first rule whose words all stand in the mnemonic.
struct WordCondition {
  Slot slot{};
  bool any_slot = false;
  Word word{};
};
struct FragmentRule {
  uint8_t operand;  // its place in FormInfo::operands; the bracket list's for a fragment inside one
  uint8_t count;
  uint8_t other;  // this many registers are good too; 0: none
  std::span<const WordCondition> when;
};

enum class Status : uint8_t { executed, refused };

struct FormInfo {
  Form form;
  Opcode opcode;
  std::string_view id;       // "add_int"
  std::string_view syntax;   // as written in the record, for messages and docs
  std::string_view section;  // of the PTX ISA manual: "9.7.1.1", or ""
  std::span<const SlotRule> slots;
  std::span<const OperandRule> operands;
  Needs needs;
  std::span<const WordNeeds> word_needs;
  std::span<const OperandNeeds> operand_needs;
  std::span<const SlotWord> implied;  // what the spelling leaves out: match() fills it in
  std::span<const FragmentRule> fragments;
  Status status;
  bool relaxed;
  bool special;            // a source may be a special register: mov, cvt
  bool symbol;             // a source may be the address of a variable or a function: mov, cvta, mapa
  bool leaves;             // a lane that executes it does not go on in this function: ret, exit, trap
  std::string_view check;  // extra verifier rule, or ""
};
const FormInfo& info(Form);               // its first syntax
std::span<const FormInfo> forms(Opcode);  // in order of the records; one entry a syntax alternative
std::span<const FormInfo> all_forms();
std::string_view title(Opcode);

// Resolves the type of an operand. `address_bits` is the module's address size. Type::none where the mnemonic
// does not say: `any` and `one_of`.
Type resolve(const TypeRule&, const SlotValues&, unsigned address_bits);

// Matches the words of a mnemonic (without the opcode) against one form. False when they do not fit.
bool match(const FormInfo&, std::span<const Word> words, SlotValues& out);
// The same with the words in any order, as assemblers take them (`add.f32.rn`, `min.s16x2.relu`); types
// stay in their order. To be asked when match() finds no form.
bool match_reordered(const FormInfo&, std::span<const Word> words, SlotValues& out);

// The number of registers in fragment operand `operand`; 0 when no rule fits: the operand may not stand
// there.
unsigned fragment_count(const FormInfo&, std::size_t operand, const SlotValues&);
// May fragment operand `operand` have this many? (A few may have one of two lengths.)
bool fragment_fits(const FormInfo&, std::size_t operand, const SlotValues&, std::size_t count);

// ---- special registers (special_registers.toml)
struct SpecialRegisterInfo {
  std::string_view name;  // "%tid"
  Type type;              // of one component
  uint8_t components;     // 4 for %tid (x y z w), 1 for scalars
  uint8_t least_bits;     // the narrowest read: 16 for %tid, which PTX 1.x had as .v4.u16
  Needs needs;
};
const SpecialRegisterInfo& info(SpecialRegister);
SpecialRegister find_special_register(std::string_view name);  // "%tid"; SpecialRegister::none when unknown

// ---- directives (directives.toml)
enum DirectivePlace : uint16_t {  // where it may stand; bits
  place_module = 1,
  place_linkage = 2,
  place_space = 4,
  place_variable = 8,
  place_attribute = 16,
  place_entry = 32,
  place_func = 64,
  place_prototype = 128,
  place_body = 256,
};
struct DirectiveInfo {
  std::string_view name;  // "maxntid"
  uint16_t places;
  uint8_t min_values, max_values;  // numbers that follow it
  Needs needs;
};
const DirectiveInfo& info(Directive);
Directive find_directive(std::string_view name);  // Directive::none when unknown

// ---- targets (targets.toml)
struct TargetInfo {
  std::string_view name;  // "sm_90a"
  uint16_t sm;
  TargetNeed::Suffix suffix;
  uint16_t family;
  Version ptx;  // first version that knows it
};
std::span<const TargetInfo> targets();
const TargetInfo* find_target(std::string_view name);  // "compute_90" is sm_90
bool meets(const TargetInfo&, const TargetNeed&);
bool meets(const TargetInfo&, const Needs&);  // target or one of other_targets
bool meets(const Version&, const Needs&);     // ptx
// Whether the language dropped it: vote without .sync is gone from PTX 6.4 on for sm_70 and later, both.
bool removed(const Needs&, const Version&, const TargetInfo&);
std::span<const Version> versions();  // every PTX version, ascending

}  // namespace heddle::isa
