#include "support/version.h"

#include "support/version.gen.h"

namespace heddle {

std::string_view version() { return HEDDLE_VERSION_STRING; }

}  // namespace heddle
