// The static objects of other libraries.
#pragma once

namespace heddle {

// The static objects that the shared library which holds `address` makes from now on stay when the process
// ends. One that is made at its first use would be destroyed before anything that was registered earlier with
// atexit() runs, while threads still work with it. Objects that were made already are destroyed as before.
//
// The library's own reference to __cxa_atexit (Itanium C++ ABI 3.3.6.3) is changed; nobody else's. False when
// it has none, or when it is this very library or program, whose objects are left alone.
bool keep_static_objects(const void* address);

}  // namespace heddle
