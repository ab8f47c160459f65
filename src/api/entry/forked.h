// A child of fork() has its parent's memory but none of its threads: what the parent began to use is no use
// there.
#pragma once

namespace heddle::entry {

// From now on children of this process are told apart.
void in_use();
// Whether this process is the child of one that was in use.
bool forked();

}  // namespace heddle::entry
