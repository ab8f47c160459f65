// What a name means at a place of a module: nested scopes, register ranges, special registers (PTX
// ISA 4.4, 5.1, 5.4.6).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/isa.h"
#include "ptx/ast.h"

namespace heddle::ptx {

struct Meaning {
  enum class Kind : uint8_t {
    unknown,
    register_,
    variable,
    parameter,
    function,
    label,
    special,
    prototype,
    call_targets,
    branch_targets,
    warp_size
  };
  Kind kind = Kind::unknown;
  const Variable* variable = nullptr;  // register_, variable, parameter
  const Function* function = nullptr;  // the definition when there is one
  const Prototype* prototype = nullptr;
  isa::SpecialRegister special{};
  uint32_t offset = 0;  // where it was declared
  uint32_t depth = 0;   // 0: the module
};
std::string_view name(Meaning::Kind);  // "a register"

class NameTable {
 public:
  explicit NameTable(const Module& module);

  void open();
  void close();
  // False when the name is taken in this very scope; `earlier` is what has it.
  bool declare(NameId name, Meaning meaning, Meaning* earlier = nullptr);
  // Good until the next open, close or declare.
  const Meaning& find(NameId name) const;
  uint32_t depth() const { return static_cast<uint32_t>(marks_.size()); }

 private:
  struct Undo {
    NameId name;
    bool range;
    Meaning before;
  };
  Meaning derive(NameId name) const;
  Meaning member_of_range(NameId name) const;  // %r12 of `.reg .b32 %r<20>`
  const Meaning* outer_range(NameId prefix, uint64_t number) const;
  const Module& module_;
  std::vector<Meaning> meaning_;  // by NameId
  std::vector<Meaning> ranges_;   // the same of `%r<20>`, by the NameId of %r
  // derive() of a name, while the ranges are those of epoch `seen_`.
  mutable std::vector<Meaning> derived_;
  mutable std::vector<uint32_t> seen_;
  uint32_t epoch_ = 1;
  bool split_digits_ = false;  // some range has a name that ends in a digit
  std::vector<Undo> undo_;
  std::vector<std::size_t> marks_;
};

}  // namespace heddle::ptx
