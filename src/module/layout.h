// Sizes, alignments and offsets of variables and parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "module/image.h"
#include "ptx/ast.h"

namespace heddle::module {

inline constexpr uint64_t max_variable_bytes = uint64_t{1}
                                               << 47;  // what a 48-bit host address space can hold

inline constexpr uint64_t align_up(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

uint32_t element_bytes(isa::Type type);  // of one register or array element: 1 for pred, 8 for texref
uint32_t align_of(const ptx::Variable& variable);  // declared, else that of its element or vector
// Whole variable; an empty first dimension counts 0. nullopt: more than max_variable_bytes.
std::optional<uint64_t> size_of(const ptx::Variable& variable);

// A variable's place in a stack of variables that end with their scope.
class Frame {
 public:
  explicit Frame(uint64_t begin = 0) : next_(begin), end_(begin) {}
  uint64_t add(uint64_t size, uint32_t align);
  uint64_t mark() const { return next_; }
  void release(uint64_t mark) { next_ = mark; }  // what was added since may be laid over
  uint64_t bytes() const { return end_; }
  uint32_t align() const { return align_; }

 private:
  uint64_t next_, end_;
  uint32_t align_ = 1;
};

// An entry's parameters lie one after the other, each at its alignment, from 0 on (PTX ISA 5.1.6.1 and the
// driver's launch buffer); those of a function begin its frame, the results follow. The frame holds them
// after.
Signature make_signature(const ptx::Module& module, const ptx::Prototype& prototype, bool entry,
                         Frame& frame);
bool same_shape(const Signature& a, const Signature& b);  // may a call with signature a reach b

Limits make_limits(const ptx::Function& function);

}  // namespace heddle::module
