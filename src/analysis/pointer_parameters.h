// Which parameters of a kernel are addresses: what its code reads or writes at a place that comes from a
// parameter, told from the text alone, before anything runs.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "module/image.h"

namespace heddle::analysis {

struct PointerParameter {
  uint32_t parameter = 0;  // its number in the signature
  uint32_t offset = 0;     // of the 8 bytes, in the launch's parameter buffer
  // Something besides accesses, and sums that lead to them, depends on the value: it is compared, stored or
  // handed to a function. Otherwise another value changes nothing but where the accesses go.
  bool observed = false;
};

// Words of 64 bits at known places of the buffer that are, or may be, the base of an access of global or
// generic memory, in the order of their offsets. The order of instructions is not looked at, so a register
// with two uses may count for both. Addresses that are found in memory are not among them; where a place of
// the buffer is computed, all that it may be are. `entry`: a function of the image; none for 32-bit programs.
std::vector<PointerParameter> pointer_parameters(const module::Image& image, uint32_t entry);

// A word of 64 bits in memory that is, or may be, the base of an access: how to find it from what is known at
// the launch, one step away. (What is two steps away lies behind such a word.)
struct FoundPointer {
  bool by_symbol = false;  // else by a parameter
  uint32_t from = 0;       // the parameter's offset in the buffer, or the variable's index in Image::symbols
  int64_t distance = 0;    // from the address that the parameter holds, or the variable's
  // Else it is one of a table, or the like: that which lies first.
  bool exact = true;
  auto operator<=>(const FoundPointer&) const = default;
};
// As above, in no order.
std::vector<FoundPointer> found_pointers(const module::Image& image, uint32_t entry);

}  // namespace heddle::analysis
