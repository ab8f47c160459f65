// The parts of libheddle_run.so, which `heddle run` puts before a program (docs/reference/heddle-run.md). It
// is C without a library of ours, because it enters every process that the program starts, and works before
// any constructor has run, libc's own among them: nothing may be loaded then, so functions are led to slots,
// and the first call of any of them loads what they lead to.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Of a jump to a slot, which takes the place of a function's beginning.
enum { jump_bytes = 5 };

// A function of a program or library that was loaded: its name as the file's symbol table has it, and where
// it lies.
struct Function {
  char* name;  // malloc'ed
  char* address;
  uint64_t room;  // bytes that are its own, padding included
};

// An ELF file as it lies on disk: section headers and symbols are not among what the loader loads.
struct Image {
  const char* bytes;
  size_t size;
};

// What there is of NVIDIA's runtime inside a loaded file.
struct Runtime {
  struct Function* functions;  // cuda* and __cuda*, malloc'ed
  size_t count;
  int is_ours;              // it is our own static runtime, or one of our libraries
  int registers_code;       // it has device code to register (.nvFatBinSegment)
  int has_symbols;          // the file has a symbol table at all
  int imports_registering;  // it takes __cudaRegisterFatBinary from another library
};

// `base` is where the file was loaded. 0: it is no file of ours to read.
int find_runtime(struct Image image, char* base, struct Runtime* found);
void forget_runtime(struct Runtime* runtime);

// Slots in memory near a program, one a function. A slot jumps to its target; a target that is not known yet
// is `heddle_first_call`.
struct Slots {
  char* code;
  void** targets;
  size_t count;
};
// 0: there is no room near `address`.
int make_slots(struct Slots* slots, size_t count, const char* address, uint32_t first_number);
// Every call of the function goes to the slot from now on. 0: it could not be changed; nothing was.
int redirect(const struct Function* function, const struct Slots* slots, size_t slot);
// A jump to `target` in memory of its own near `address`; NULL: there is no room.
char* make_jump(const char* address, const void* target);

// From now on `told` runs whenever the loader has mapped or unmapped files: after they were mapped and before
// any of their constructors, in the thread that loads, which holds the loader's lock. 0: this loader's way of
// telling is not known, and nothing was changed.
int watch_loads(void (*told)(void));

// In first_call.s: keeps the arguments, calls heddle_resolve() with the number of the slot, and jumps to what
// that returns.
void heddle_first_call(void);
void* heddle_resolve(uint64_t number);

// The names that our libraries export, one a line.
extern const char heddle_names_11[], heddle_names_12[], heddle_names_13[];
extern const char heddle_names_11_end[], heddle_names_12_end[], heddle_names_13_end[];
