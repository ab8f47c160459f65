// Puts the checkers that HEDDLE_CHECK names over the process's machine.
#pragma once

namespace heddle::checker {

// Before anybody asks for the system; nothing happens when the process is not checked.
void attach();

}  // namespace heddle::checker
