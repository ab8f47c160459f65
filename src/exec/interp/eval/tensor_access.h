// What the instructions on tensor memory share (PTX ISA 9.7.16): blocks of a pair, and checked places.
#pragma once

#include <array>
#include <cstdint>

#include "exec/interp/matrix/shared_operand.h"
#include "exec/interp/matrix/tensor_memory.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {

// The block, or with .cta_group::2 the pair whose ranks differ in their last bit, the even one first.
struct BlockGroup {
  std::array<Block*, 2> blocks{};
  int count = 0;  // 0 after a fault: there is no pair
};
BlockGroup block_group(Step& s, int lane);

// nullptr after a fault, which says which lane or column there is not.
uint32_t* tensor_word(Step& s, int lane, TensorMemory& memory, uint32_t tensor_lane, uint32_t column);

// The descriptor of a matrix in that block's shared memory; nothing after a fault.
std::optional<SharedMatrix> shared_matrix(Step& s, int lane, const Block& block, uint64_t descriptor);

}  // namespace heddle::exec::interp
