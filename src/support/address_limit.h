// How many addresses the process may use (ulimit -v).
#pragma once

namespace heddle {

// Whether there is a limit: then what is mapped counts, used or not.
bool addresses_are_limited();

}  // namespace heddle
