// A worker's entries for repeated accesses (exec/jit/abi/repeats.h).
#pragma once

#include <cstdint>
#include <vector>

#include "exec/jit/abi/repeats.h"
#include "exec/jit/kernel/kernel.h"
#include "exec/jit/launch/regions.h"
#include "exec/launch.h"
#include "exec/memory_map.h"

namespace heddle::exec::jit {

// Its observer is told of accesses and how often.
inline bool counts_repeats_of(const Launch& launch) {
  return launch.observer != nullptr && (launch.observer->needs() & observe::accesses) != 0 &&
         dynamic_cast<const observe::RepeatObserver*>(launch.observer) != nullptr;
}

class Repeats {
 public:
  // Of so many sites, that stand for no access; nullptr: the host has no room.
  std::byte* open(std::size_t sites) { return memory_.get(sites * sizeof(RepeatsOfSite)); }

  // The same, whose entries never count anything: each access comes.
  std::byte* open_closed(std::size_t sites) { return closed_.get(sites * sizeof(RepeatsOfSite)); }

  // An access that an entry of its site does not count.
  struct Made {
    uint32_t site = 0;
    uint64_t key = 0, base = 0;
    uint32_t warp = 0, lanes = 0;
    const uint32_t* block = nullptr;
    uint64_t* addresses = nullptr;  // nullptr: of a row
  };
  // Where what is told goes.
  struct Ear {
    observe::RepeatSink& sink;
    const CompiledKernel& kernel;
    const WindowMap& windows;
  };
  void come(Repeat& entry, const Made& made, const Ear& ear);
  bool empty() const { return used_.empty(); }
  // All that was counted since `open`; then the entries stand for none.
  void tell(const Ear& ear);

 private:
  static void tell(Repeat& entry, uint32_t site, bool is_row, const Ear& ear);
  Area memory_;  // all zeros where no entry is used
  Area closed_;  // all zeros
  struct Used {
    Repeat* entry;
    uint32_t site;
    bool is_row;
  };
  std::vector<Used> used_;
};

}  // namespace heddle::exec::jit
