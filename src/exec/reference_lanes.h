// One instruction at a time from the reference executor, for another executor that has no code of its own
// for it. The other one keeps the warps, their divergence and their registers; it copies the instruction's
// sources into `registers`, calls, and copies the destinations back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "exec/fault.h"
#include "exec/launch.h"
#include "exec/unstarted_clusters.h"

namespace heddle::exec {

// The lanes of one block at a time. One thread uses it at a time; a pool has one a thread.
class ReferenceLanes {
 public:
  virtual ~ReferenceLanes() = default;
  // A block that runs, and its memory, which stays the caller's.
  struct Place {
    Dim3 block;
    uint32_t number = 0;          // of its cluster, among those that are there at once
    uint32_t rank = 0;            // of it in the cluster
    std::byte* shared = nullptr;  // where address 0 of the window lies, for all blocks of the cluster
    uint32_t shared_bytes = 0;    // of each
    std::byte* local = nullptr;   // of thread 0
    uint64_t local_stride = 0;    // from a thread's to the next one's
  };
  // The block whose instructions come next.
  virtual void enter(const Place& place) = 0;
  // [slot][lane] of 64-bit slots: Function::register_slots of any function of the image.
  virtual uint64_t* registers() = 0;
  // The instruction for these lanes of a warp; the lanes are all that will come (no waiting for members).
  // `frame`: where the frame of this activation begins in the lanes' local memory. `carry`: condition codes
  // of the lanes, read and written. False: it faulted, `take_fault` says how.
  virtual bool execute(uint32_t function, uint32_t instruction, uint32_t warp, uint32_t lanes, uint64_t frame,
                       uint32_t& carry) = 0;
  virtual Fault take_fault() = 0;
};

// Gives reference lanes for a launch; implemented by exec/interp, handed to other executors by the runtime.
class ReferenceLanesFactory {
 public:
  virtual ~ReferenceLanesFactory() = default;
  // `sink`: of the caller's thread, for what the launch's observer is told; nullptr without one. `unstarted`:
  // what the caller has not begun; nullptr: nothing is left.
  virtual std::unique_ptr<ReferenceLanes> make(const Launch& launch, observe::Sink* sink,
                                               UnstartedClusters* unstarted) = 0;
};

}  // namespace heddle::exec
