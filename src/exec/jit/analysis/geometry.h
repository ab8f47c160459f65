// How the threads of a block lie in vectors, warps and groups.
//
// Threads are numbered x fastest. A vector is `lanes` neighbours, a warp 32 of them (`warp_vectors` vectors),
// a group `vectors` vectors: what one instruction of fast code works on. Groups never split a warp.
#pragma once

#include <cstdint>

#include "exec/fault.h"
#include "exec/jit/kernel/kernel.h"

namespace heddle::exec::jit {

struct Geometry {
  Dim3 block;
  unsigned lanes = 16;
  unsigned vectors = 2;

  unsigned threads() const { return static_cast<unsigned>(block.count()); }
  unsigned warp_vectors() const { return 32 / lanes; }
  unsigned group_threads() const { return lanes * vectors; }
  unsigned group_warps() const { return vectors / warp_vectors(); }
  unsigned groups() const { return (threads() + group_threads() - 1) / group_threads(); }
  unsigned full_groups() const { return threads() / group_threads(); }
  // A bit for each warp of a group.
  uint32_t all_warps() const { return group_warps() >= 32 ? 0xffffffffu : (1u << group_warps()) - 1; }
  bool has_tail() const { return threads() % group_threads() != 0; }
  bool has_one_warp() const { return threads() <= 32; }
};

}  // namespace heddle::exec::jit
