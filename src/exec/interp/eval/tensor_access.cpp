#include "exec/interp/eval/tensor_access.h"

#include <string>

#include "exec/interp/block.h"
#include "exec/interp/cluster.h"
#include "exec/memory_map.h"

namespace heddle::exec::interp {

BlockGroup block_group(Step& s, int lane) {
  Block& own = s.block();
  if (s.word(isa::Slot::cta_group) != isa::Word::cta_group_2) return {{&own, nullptr}, 1};
  const auto blocks = own.cluster().blocks();
  const uint32_t even = own.rank() & ~1U;
  if (even + 1 >= blocks.size()) {
    s.fault(FaultKind::illegal_instruction, lane,
            "a pair of blocks in a cluster of " + std::to_string(blocks.size()) + ", where block " +
                std::to_string(own.rank()) + " has no other");
    return {};
  }
  return {{blocks[even].get(), blocks[even + 1].get()}, 2};
}

uint32_t* tensor_word(Step& s, int lane, TensorMemory& memory, uint32_t tensor_lane, uint32_t column) {
  uint32_t* word = memory.find(tensor_lane, column);
  if (word == nullptr)
    s.fault(FaultKind::illegal_address, lane,
            tensor_lane >= TensorMemory::lanes
                ? "lane " + std::to_string(tensor_lane) + " of tensor memory, which has " +
                      std::to_string(TensorMemory::lanes)
                : "column " + std::to_string(column) + " of tensor memory is not allocated");
  return word;
}

std::optional<SharedMatrix> shared_matrix(Step& s, int lane, const Block& block, uint64_t descriptor) {
  auto matrix = SharedMatrix::of_tensor(descriptor);
  if (!matrix) {
    s.fault(FaultKind::illegal_instruction, lane,
            "swizzle " + std::to_string(descriptor >> 61) +
                " of a matrix in shared memory, allowed are 0, 1, 2, 4 and 6");
    return std::nullopt;
  }
  matrix->start |= static_cast<uint32_t>(shared_address(block.rank(), 0));
  return matrix;
}

}  // namespace heddle::exec::interp
