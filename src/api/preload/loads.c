// Being told what the loader loads. glibc calls an empty function, `r_brk`, whenever its list of files has
// changed, so that a debugger can stop there (<link.h>; between RT_ADD and the new files' constructors it is
// called once with RT_CONSISTENT). A jump takes the place of that function.
#define _GNU_SOURCE
#include <link.h>
#include <string.h>

#include "redirect.h"

// The function has an instruction to return, perhaps behind endbr64, and padding: nothing is lost when it is
// overwritten. A debugger that has a breakpoint there, or another loader, has something else.
static int is_empty(const unsigned char* code) {
  static const unsigned char branch_target[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (memcmp(code, branch_target, sizeof branch_target) == 0) return code[sizeof branch_target] == 0xc3;
  if (code[0] != 0xc3) return 0;
  // Functions of the loader begin at multiples of 16 bytes.
  return (uintptr_t)code % 16 == 0;
}

int watch_loads(void (*told)(void)) {
  char* function = (char*)_r_debug.r_brk;  // NOLINT: an address
  if (function == NULL || !is_empty((const unsigned char*)function)) return 0;
  char* jump = make_jump(function, (const void*)(uintptr_t)told);
  if (jump == NULL) return 0;
  const struct Slots slots = {jump, NULL, 1};
  const struct Function told_from = {NULL, function, jump_bytes};
  return redirect(&told_from, &slots, 0);
}
