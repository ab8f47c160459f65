// Random PTX programs that are right: they parse and verify without a diagnostic, run without a fault, and
// what they leave in their output buffer is laid down by the ISA, so that two executors can be compared bit
// for bit. What they are made of comes from the instruction tables; where the randomness comes from is the
// caller's matter.
//
// Threads may wait for one another (random_waits.h) and go along rows of their own (random_rows.h): how
// often, `choose_parts` in random_program.cpp says.
//
// A program is one kernel `k(.param .u64 in, .param .u64 out)` and a few device functions. `in` points to
// random_program_input bytes of anything, `out` to `output_bytes` of zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::ptx::testing {

inline constexpr uint32_t random_program_input = 4096;

// A function that the host defines: `returns` is f32, f64, s32 or nothing; of `takes`, those and * for a
// place of up to eight bytes in memory.
struct ExternalFunction {
  std::string name, returns;
  std::vector<std::string> takes;
};

struct RandomProgramOptions {
  bool approximate = true;   // .approx and .full: only as exact as the ISA asks for
  bool open_results = true;  // division by zero, sparse metadata that means nothing: defined by each executor
  bool memory = true;
  bool control_flow = true;
  bool warp_operations = true;  // votes, shuffles, reductions, matrices; barriers
  bool waits = true;            // threads may wait for what others write
  bool waiting_lanes = false;   // lanes may wait for others of their warp: devices that let them part
  bool together = false;        // a program may want all of its blocks at once
  unsigned most_statements = 24;
  unsigned most_threads = 128;
  std::string_view target;  // "sm_90": all programs are for it. Empty: any target
  bool small =
      false;  // fewer registers, at most one function: where a program is compiled, that is what takes time
  std::vector<ExternalFunction> externals{};  // a program calls a few of them
};

struct RandomProgram {
  std::string text;
  uint32_t blocks = 1, block_x = 32, block_y = 1;
  std::size_t output_bytes = 0;
  bool together = false;  // all blocks at once: a cooperative launch
};

// `choose(n)` gives a number below n.
RandomProgram random_program(const std::function<uint32_t(uint32_t)>& choose,
                             const RandomProgramOptions& options = {});

// From a seed, or from a fuzzer's bytes: the first eight are the seed of what the others do not decide.
RandomProgram random_program(uint64_t seed, const RandomProgramOptions& options = {});
RandomProgram random_program(const uint8_t* data, std::size_t size, const RandomProgramOptions& options = {});

}  // namespace heddle::ptx::testing
