#include "observe/time.h"

#include "observe/several.h"

namespace heddle::observe {

bool tells_time(Observer* observer) {
  if (dynamic_cast<TimeObserver*>(observer) != nullptr) return true;
  return dynamic_cast<Several*>(observer) != nullptr && time_sink(&observer->sink()) != nullptr;
}

}  // namespace heddle::observe
