// A kernel as machine code, and what it was made for.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exec/fault.h"
#include "exec/jit/abi/code.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/abi/lanes.h"
#include "exec/jit/abi/processor.h"
#include "exec/jit/abi/site.h"
#include "exec/jit/kernel/slow_code.h"
#include "exec/jit/matrix/form.h"
#include "exec/jit/texture/form.h"

namespace heddle::exec::jit {

// What one version of a kernel is specialised on.
struct Shape {
  Dim3 block;
  // log2 of the alignment of each 8-byte word of the parameter buffer that is a pointer, at most 4: so most
  // accesses are known to be aligned when compiled. 0 where nothing is known. A launch with greater
  // alignments may use the same code.
  std::vector<uint8_t> word_alignment;
  // A bit for each %envreg that the launch sets to 0: offsets of ranges, upper halves of their sizes.
  uint32_t zero_environment = 0;
  // Rows of many blocks of few threads: several may run as one (transform/merge_blocks.h).
  bool merges = false;
  Dim3 cluster{1, 1, 1};  // blocks that are there at once, and reach one another's shared memory
  bool operator==(const Shape&) const = default;
};

enum class Tier : uint8_t { quick, best };

struct CompiledKernel {
  KernelEntry entry = nullptr;
  std::shared_ptr<SlowCode> slow;  // nullptr: it is part of the kernel's code
  std::vector<Site> sites;
  std::vector<AccessLanes> lanes;  // which the places of its machine code name
  texture::Forms textures;         // among the steps
  matrix::Forms matrices;          // the same
  uint64_t slot_bytes = 0;         // of one block, in Context::slots
  uint64_t local_bytes = 0;        // of one thread
  unsigned merged_blocks = 1;      // that run as one: `first thread` and lanes count those of all
  unsigned local_granule = 0;      // not 0: bytes of a lane beside those of the next (transform/local_rows.h)
  bool uses_shared = false, uses_steps = false;
  bool flush_mode = false;              // runs in the host's mode without subnormals (ir/program.h)
  bool recursive = false;               // threads take as much local memory as the launch lets them have
  VectorLevel level = VectorLevel::v2;  // of the host that it was made for
  bool by_threads = false;              // threads with stacks of their own (fiber/), not vectors
  bool by_warps = false;                // vectors, but warps with stacks of their own (fiber/warps.h)
  bool blocks_wait = false;             // vectors, but whole blocks take turns (fiber/blocks.h)
  bool watches = false;                 // blocks may wait for blocks before them (Needs::watches)
  uint64_t vector_instructions = 0;     // of the vector code that the best tier would make of these threads
  // Whether its blocks can wait for others that begin later.
  bool may_wait() const { return by_threads || by_warps || blocks_wait; }
  // The machine code; says where an address in it stands. None for a function that is no machine code of
  // ours (tests).
  std::shared_ptr<const Code> code;
  std::shared_ptr<void> announced;  // to debuggers, as long as it lives (debug/announce.h)
  // Of the kernel or of its slow code, what has this address; nullptr: neither.
  const Code* code_at(uintptr_t address) const {
    if (code != nullptr && code->has(address)) return code.get();
    const Code* of_slow = slow != nullptr ? slow->code() : nullptr;
    return of_slow != nullptr && of_slow->has(address) ? of_slow : nullptr;
  }
};

}  // namespace heddle::exec::jit
