// Faults of the process's own code that are expected: code made at run time that does what its program must
// not, and copies from or to where a program's pointer leads. One set of handlers for the process, which asks
// those who said that they know what to do, and passes on what is nobody's.
//
// Programs set handlers of their own, before and after (Python's faulthandler, a Java machine), and theirs
// may call what stood there before. So each time that we find ourselves replaced another of our functions
// goes on top, and knows whose place it took: a handler that passes on to ours from before finds the one
// below that, and never itself.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>

namespace heddle {

inline constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// Our handlers run without changing the mask of signals, so that a long jump out of them need not restore it;
// ThreadSanitizer has handlers of its own around them, which block everything.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_HANDLERS_CHANGE_THE_MASK
#endif
#endif
#if defined(HEDDLE_HANDLERS_CHANGE_THE_MASK)
inline constexpr bool handlers_change_the_mask = true;
#else
inline constexpr bool handlers_change_the_mask = false;
#endif
#undef HEDDLE_HANDLERS_CHANGE_THE_MASK

// In the thread that faulted. True: the instruction is to be made again. May leave by a long jump.
using FaultTaker = bool (*)(int number, siginfo_t* info, void* state);
// From now on it is asked, the latest first. At most eight; each once.
void take_faults(FaultTaker taker);

// To be called before code that may fault, by whoever calls it: puts the handlers back on top where a program
// has set others. A system call: 0.1 to 0.2 us.
void keep_fault_handlers();

// Passes a signal on to whoever handled it before any of ours; for a handler of another signal, too.
void pass_signal_on(const struct sigaction& to, int number, siginfo_t* info, void* state);

// The following see that the memory is not there, or not to be read (written), and say false. Nothing is to
// be undone then: what was copied before it is.
bool copy_if_mapped(void* to, const void* from, std::size_t bytes);  // may overlap; keeps no handlers
bool can_be_read(const void* from, std::size_t bytes);
// Each page is written with what it has. Safe beside others that write there.
bool can_be_written(void* to, std::size_t bytes);

}  // namespace heddle
