#include "checker/warp_partners.h"

#include <bit>

namespace heddle::checker {

std::optional<WarpPartners::Apart> WarpPartners::exit(observe::Mask lanes) {
  alive_ &= ~lanes;
  return queues_ == nullptr ? std::nullopt : meet();
}

std::optional<WarpPartners::Apart> WarpPartners::come(observe::Mask lanes, const Operation& operation) {
  if (lost_ || (queues_ == nullptr && (operation.members & alive_ & ~lanes) == 0)) return std::nullopt;
  if (queues_ == nullptr) queues_ = std::make_unique<Queues>();
  constexpr std::size_t most = 1024;
  for (observe::Mask rest = lanes; rest != 0; rest &= rest - 1) {
    std::deque<Operation>& queue = (*queues_)[static_cast<std::size_t>(std::countr_zero(rest))];
    queue.push_back(operation);
    lost_ |= queue.size() > most;
  }
  if (lost_) {
    queues_.reset();
    return std::nullopt;
  }
  return meet();
}

// Does what can be done.
std::optional<WarpPartners::Apart> WarpPartners::meet() {
  Queues& queues = *queues_;
  const auto lane_of = [](observe::Mask mask) { return static_cast<unsigned>(std::countr_zero(mask)); };
  bool any = true;
  for (bool progress = true; progress && any;) {
    progress = any = false;
    for (unsigned lane = 0; lane < observe::warp_lanes; ++lane) {
      if (queues[lane].empty()) continue;
      any = true;
      const Operation operation = queues[lane].front();
      observe::Mask here = 0, awaited = 0;
      for (observe::Mask rest = operation.members; rest != 0; rest &= rest - 1) {
        const unsigned other = lane_of(rest);
        const observe::Mask bit = observe::Mask{1} << other;
        if (queues[other].empty()) {
          if ((alive_ & bit) != 0) awaited |= bit;
          continue;
        }
        const Operation& theirs = queues[other].front();
        if (theirs.same(operation)) {
          here |= bit;
        } else if ((theirs.members >> lane & 1) != 0) {
          lost_ = true;
          const Apart apart{lane, other, operation, theirs};
          queues_.reset();
          return apart;
        } else {
          awaited |= bit;
        }
      }
      if (awaited != 0) continue;
      progress = true;
      for (observe::Mask rest = here; rest != 0; rest &= rest - 1) queues[lane_of(rest)].pop_front();
    }
  }
  if (!any) queues_.reset();
  return std::nullopt;
}

}  // namespace heddle::checker
