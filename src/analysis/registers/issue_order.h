// A function as NVIDIA's assembler issues it: small loops repeated, addresses folded, neighbouring words of
// shared memory joined, the operations of a block in the order in which they are issued.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/registers/code.h"
#include "arch/device.h"
#include "module/image.h"

namespace heddle::analysis {

struct IssueOrder {
  struct Origin {
    uint32_t instruction, copy;  // of the function; which time through a repeated loop
  };
  registers::Code code;          // its operations' instructions are numbers of `origins`
  std::vector<Origin> origins;   // by instruction of the code
  std::vector<uint32_t> copies;  // by block: how often it is repeated
  bool repeats() const;
};

// `repeated`: with loops repeated.
IssueOrder issue_order(const module::Image&, const module::Function&, const arch::Architecture&,
                       bool repeated);

}  // namespace heddle::analysis
