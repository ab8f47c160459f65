// Where threads run.
#pragma once

namespace heddle {

int this_processor();  // -1: the system does not say

// The calling thread goes on on another processor, and may run everywhere it might before. False: there is
// none.
bool leave_processor();

}  // namespace heddle
