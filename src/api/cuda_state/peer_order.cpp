#include "api/cuda_state/peer_order.h"

#include "api/cuda_state/stream.h"

namespace heddle::cuda {
namespace {

// Whatever is given to `later` from now on runs behind all that `earlier` has been given.
Status order(Context& earlier, Context& later) {
  auto mark = earlier.runtime()->submit_behind_all(nullptr);
  if (!mark) return failure_of(mark.error());
  return status_of(later.runtime()->hold_until(*mark));
}

}  // namespace

Status serialized(const ContextRef& current, const std::vector<ContextRef>& others,
                  const std::function<Status()>& copy) {
  if (Status good = order(*current, *current); !good) return good;
  for (const ContextRef& other : others)
    if (other != nullptr && other != current)
      if (Status good = order(*other, *current); !good) return good;
  if (Status good = copy(); !good) return good;
  for (const ContextRef& other : others)
    if (other != nullptr && other != current)
      if (Status good = order(*current, *other); !good) return good;
  return order(*current, *current);
}

}  // namespace heddle::cuda
