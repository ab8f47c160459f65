#pragma once

namespace heddle {

// From here on the end of the process is awaited (support/process_end.h). To be called, once the library is
// loaded, by the thread that makes the threads that will work in it: one of those may begin its first work
// when the process already ends, and it is too late then to ask to be told.
void watch_for_end();
// The same behind the loading of a library whose static objects must stay as long: they go before what was
// registered earlier.
void watch_for_end_again();

}  // namespace heddle
