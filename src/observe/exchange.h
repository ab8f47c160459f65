// What lanes of a warp that exchange values tell (shfl, vote, match, redux, elect with .sync): a Sync of this
// kind, a: membermask. It orders nothing (CUDA's guide promises no order of memory by it).
#pragma once

#include "observe/observer.h"

namespace heddle::observe {

inline constexpr SyncKind warp_exchange{static_cast<uint8_t>(SyncKind::copy_wait) + 1};

}  // namespace heddle::observe
