// Overwrites a function's first instruction with a jump. x86-64: E9 and a distance of 32 bits reach a slot
// nearby; the slot's FF /4 jumps through memory, which reaches anything.
#define _GNU_SOURCE
#include "redirect.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { slot_bytes = 32, farthest = 1 << 30, step = 1 << 20 };

static size_t whole_pages(size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) / page * page;
}

static char* memory_near(const char* address, size_t size) {
  const uintptr_t middle = (uintptr_t)address / step * step;
  for (uintptr_t away = step; away < farthest - 2 * step; away += step) {
    for (int below = 0; below < 2; ++below) {
      if (below && middle <= away) continue;
      void* wish = (void*)(below ? middle - away : middle + away);
      char* memory =
          mmap(wish, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (memory == MAP_FAILED) continue;
      if (memory == wish) return memory;
      munmap(memory, size);  // an older kernel, which takes the address for a hint
    }
  }
  return NULL;
}

static char* put(char* place, const void* bytes, size_t count) {
  memcpy(place, bytes, count);
  return place + count;
}

// A jump through the memory at `pointer`.
static char* put_jump(char* place, const void* pointer) {
  static const unsigned char opcode[] = {0xff, 0x25};
  const int32_t distance = (int32_t)((const char*)pointer - (place + sizeof opcode + sizeof distance));
  return put(put(place, opcode, sizeof opcode), &distance, sizeof distance);
}

// A slot: jump to its target, which at first is the slot's own second half: push its number, jump to
// heddle_first_call.
int make_slots(struct Slots* slots, size_t count, const char* address, uint32_t first_number) {
  const size_t code_bytes = whole_pages(count * slot_bytes);
  const size_t data_bytes = whole_pages((count + 1) * sizeof(void*));
  char* memory = memory_near(address, code_bytes + data_bytes);
  if (memory == NULL) return 0;
  slots->code = memory;
  slots->targets = (void**)(memory + code_bytes);
  slots->count = count;
  void** first_call = &slots->targets[count];
  *first_call = (void*)(uintptr_t)heddle_first_call;
  for (size_t i = 0; i < count; ++i) {
    char* second = put_jump(memory + i * slot_bytes, &slots->targets[i]);
    slots->targets[i] = second;
    static const unsigned char push = 0x68;
    const uint32_t number = first_number + (uint32_t)i;
    put_jump(put(put(second, &push, 1), &number, sizeof number), first_call);
  }
  return mprotect(memory, code_bytes, PROT_READ | PROT_EXEC) == 0;
}

char* make_jump(const char* address, const void* target) {
  const size_t bytes = whole_pages(slot_bytes);
  char* memory = memory_near(address, bytes);
  if (memory == NULL) return NULL;
  const void** pointer = (const void**)(memory + slot_bytes / 2);
  *pointer = target;
  put_jump(memory, pointer);
  return mprotect(memory, bytes, PROT_READ | PROT_EXEC) == 0 ? memory : NULL;
}

int redirect(const struct Function* function, const struct Slots* slots, size_t slot) {
  if (function->room < jump_bytes) return 0;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t first = (uintptr_t)function->address / page * page;
  const size_t bytes = whole_pages((uintptr_t)function->address + jump_bytes - first);
  if (mprotect((void*)first, bytes, PROT_READ | PROT_WRITE) != 0) return 0;
  const int32_t distance = (int32_t)(slots->code + slot * slot_bytes - (function->address + jump_bytes));
  function->address[0] = (char)0xe9;
  memcpy(function->address + 1, &distance, sizeof distance);
  return mprotect((void*)first, bytes, PROT_READ | PROT_EXEC) == 0;
}
