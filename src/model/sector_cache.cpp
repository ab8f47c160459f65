#include "model/sector_cache.h"

namespace heddle::model {

bool SectorCache::find(uint64_t sector) {
  if (const auto found = places_.find(sector); found != places_.end()) {
    used_.splice(used_.begin(), used_, found->second);
    return true;
  }
  if (most_ == 0) return false;
  if (places_.size() == most_) {
    places_.erase(used_.back());
    used_.pop_back();
  }
  used_.push_front(sector);
  places_.emplace(sector, used_.begin());
  return false;
}

void SectorCache::clear() {
  used_.clear();
  places_.clear();
}

}  // namespace heddle::model
