#include "observe/values_of.h"

#include "observe/several.h"

namespace heddle::observe {

uint8_t value_kinds_of(Observer* observer) {
  const bool several = dynamic_cast<Several*>(observer) != nullptr;
  return value_kinds_of(observer, several ? &observer->sink() : nullptr);
}

uint8_t value_kinds_of(const Observer* observer, const Sink* sink) {
  const auto* several = dynamic_cast<const ValueKindsSink*>(sink);
  return several != nullptr ? several->values() : values_of(observer);
}

}  // namespace heddle::observe
