// What a name means at a place in a function: nested blocks, the function's parameters, the module's names,
// special registers (PTX ISA 4.4, 5.4).
#pragma once

#include <cstdint>
#include <vector>

#include "module/image.h"
#include "module/registers.h"
#include "ptx/ast.h"

namespace heddle::module {

struct Binding {
  enum class Kind : uint8_t {
    unknown,
    reg,           // index: of Registers; vector > 1: that many, one after the other
    declared_reg,  // not used yet: no slot
    symbol,        // Image::symbols
    function,      // Image::functions
    entity,        // Names::entities, not in the image yet
    label,         // index: instruction
    branch_table,  // Function::tables
    call_table,    // Function::tables
    prototype,     // Function::prototypes
    special,       // index: isa::SpecialRegister
    warp_size,     // WARP_SZ
  };
  Kind kind = Kind::unknown;
  uint8_t vector = 1;
  isa::Type type{};  // of a register
  uint32_t index = none;
  uint32_t depth = 0;  // of the scope that declares it: 0 module, 1 function
};

class Scopes {
 public:
  // `entity_of_name` is Names::of_name of the module.
  Scopes(const ptx::Module& module, const std::vector<uint32_t>& entity_of_name);

  void begin_function();  // scope 1
  void open();
  void close();
  uint32_t depth() const { return static_cast<uint32_t>(marks_.size()); }

  void declare(NameId name, Binding binding);  // in the current scope
  void declare_register(const ptx::Variable& variable);
  // The meaning of a name here. A register gets its slot now; an entity that found its place may be written
  // back as a symbol or function.
  Binding& find(NameId name);
  Registers& registers() { return registers_; }

 private:
  struct Range {  // .reg .b32 %r<10>
    isa::Type type{};
    uint8_t vector = 1;
    uint32_t count = 0;
    uint32_t depth = 0;
    uint32_t outer = none;            // the range of the same name in an outer scope
    std::vector<uint32_t> registers;  // by member; grows to the highest that was named
  };
  struct Cached {
    uint32_t epoch = 0;
    Binding binding;
  };
  struct Undo {
    NameId name;
    bool range;
    Binding binding;  // what `name` was before
    uint32_t range_index;
  };

  Binding look_up(NameId name);
  Binding member(NameId name);
  Binding materialise(NameId name, Binding binding);
  uint32_t add_register(std::string_view name, isa::Type type, uint8_t vector, uint32_t depth);

  const ptx::Module& module_;
  const std::vector<uint32_t>& entity_of_name_;
  std::vector<Binding> direct_;     // by name; depth > 0
  std::vector<uint32_t> range_of_;  // by name: inmost range called that, or none
  std::vector<Cached> cache_;       // by name; what find() gave, good while its epoch is the current one
  uint32_t epoch_ = 1;              // changes when a range appears or goes: what its members mean changes
  std::vector<Range> ranges_;
  std::vector<Undo> undo_;
  struct Mark {
    std::size_t undo;
    std::size_t ranges;
  };
  std::vector<Mark> marks_;
  Registers registers_;
};

}  // namespace heddle::module
