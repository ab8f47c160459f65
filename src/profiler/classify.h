// What kind of instruction an instruction is, by the table of spec/metrics/instructions.toml.
#pragma once

#include "module/image.h"
#include "profiler/tables.h"

namespace heddle::profiler {

struct Classified {
  InstructionClass kind = InstructionClass::misc;
  Operation operation = Operation::none;  // of floating point
  uint8_t bits = 0;                       // of a floating-point element: 16, 32, 64; 0: none
  uint8_t elements = 1;                   // that one instruction computes
  bool guarded_branch = false;
};

Classified classify(const module::Image& image, const module::Instruction& instruction);

// Adds one instruction that `warps` warps came to with `threads` lanes, `on` of which it was not switched off
// for.
void count_class(const Classified& what, uint64_t warps, uint64_t threads, uint64_t on,
                 std::span<uint64_t> counters);

}  // namespace heddle::profiler
