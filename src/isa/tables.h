// The generated tables as isa.gen.cpp defines them. Only src/isa reads them; everybody else uses isa.h.
#pragma once

#include "isa/isa.h"
#include "isa/perfect_hash.h"

namespace heddle::isa::tables {

struct TypeRow {
  TypeInfo info;
  Type bits, wide, half, quarter;
};
struct OpcodeRow {
  std::string_view name, title;
  uint16_t first, end;  // in `forms`
};

extern const TypeRow types[];
extern const std::string_view words[];
extern const Type word_types[];
extern const PerfectHash word_hash;
extern const std::string_view slots[];
extern const OpcodeRow opcodes[];
extern const PerfectHash opcode_hash;
extern const FormInfo forms[];
extern const uint16_t first_of_form[];
extern const SpecialRegisterInfo special_registers[];
extern const PerfectHash special_register_hash;
extern const DirectiveInfo directives[];
extern const PerfectHash directive_hash;
extern const TargetInfo targets[];
extern const Version versions[];

}  // namespace heddle::isa::tables
