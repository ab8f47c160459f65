// libheddle.so.0 stays loaded, and its threads are at work until the process is no more: what they use of
// static objects is never destroyed. The linker leads the library's references to __cxa_atexit (Itanium C++
// ABI 3.3.6.3) here (-Wl,--wrap); a handler that must run is registered with on_exit.
extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*);  // NOLINT(bugprone-reserved-identifier)

extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*) { return 0; }
