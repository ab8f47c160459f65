// Memory that asynchronous instructions name: their destinations, and the mbarriers that hear of the end.
#pragma once

#include "exec/interp/eval/mbarrier_access.h"
#include "exec/interp/step.h"
#include "exec/memory_map.h"

namespace heddle::exec::interp {

struct Site {
  uint64_t address;
  module::Space space;  // never generic
};

inline Site site_of(Step& s, int i, int lane) {
  const module::Operand& o = s.operand(i);
  const uint64_t address = s.address_of(o, lane);
  if (o.space != module::Space::generic) return {address, o.space};
  const module::Space space = s.space_of(address);
  return {s.from_generic(address, space), space};
}

// The same offset in the shared memory of the block with that rank in the cluster.
inline Site in_block(Site site, unsigned rank) {
  return {shared_address(rank, shared_offset(site.address)), site.space};
}

// The mbarrier hears of so many bytes.
inline void complete(Step& s, int lane, Site mbar, uint32_t bytes) {
  const Step::Place place = s.place(mbar.address, mbar.space, lane, 8, true);
  if (place.host != nullptr) change_at(place.host, [&](Mbarrier& b) { b.complete(bytes); });
}

}  // namespace heddle::exec::interp
