// The memory operand of one x86-64 instruction: where did it look when it faulted? Knows the encodings that
// compilers use for accesses to memory, not all there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace heddle::exec::jit {

struct MemoryOperand {
  uint64_t address = 0;
  uint8_t mask = 0;        // mask register of AVX-512; 0: none
  bool broadcast = false;  // one element for all lanes
  uint8_t mask_unit = 0;   // bytes of memory that one bit of the mask stands for; 0: not known
};

// `registers` by their number in instructions (rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 ..). Nothing: not
// an instruction with a memory operand, or one that is not known, or relative to the instruction's own place,
// where constants lie. At most 15 bytes of code are read. Instructions without a ModR/M byte give nonsense:
// the caller compares with the address that the host reports.
std::optional<MemoryOperand> memory_operand(std::span<const std::byte> code, const uint64_t (&registers)[16]);

}  // namespace heddle::exec::jit
