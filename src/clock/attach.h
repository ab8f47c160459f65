#pragma once

namespace heddle::clock {

// Offers the process's system the clock and the forecast, where the environment asks for them.
void attach();

}  // namespace heddle::clock
