// Leads the calls of a runtime that is linked into a program, or into a library that it loads, to ours. The
// loader runs this before any other constructor (-z initfirst), and tells of every file that it maps later
// before that file's constructors; so nothing of such a runtime has been called yet, and nothing of it ever
// is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "redirect.h"

// The functions of one file that lead here; slots and names count alike. They stay until the process ends.
struct Led {
  const char* library;  // that they lead to
  char** names;
  struct Slots slots;
  uint32_t first_number;
  struct Led* next;
};
static struct Led* all_led;
static uint32_t next_number;

static void complain(const char* file, const char* what) {
  const char* slash = strrchr(file, '/');
  fprintf(stderr, "heddle: run: '%s' %s\n", slash != NULL ? slash + 1 : file, what);
}

// ---- When something is called ----

static int failed_status(void) { return 303; }  // cudaErrorSharedObjectInitFailed
static const char* failed_text(void) { return "the CUDA libraries of heddle cannot be loaded"; }

static void* failure(const char* name) {
  const int text = strcmp(name, "cudaGetErrorString") == 0 || strcmp(name, "cudaGetErrorName") == 0;
  return text ? (void*)(uintptr_t)failed_text : (void*)(uintptr_t)failed_status;
}

// Our libraries lie beside this one.
static void* open_library(const char* name) {
  Dl_info info;
  char path[4096];
  if (dladdr((const void*)&all_led, &info) == 0 || info.dli_fname == NULL ||
      realpath(info.dli_fname, path) == NULL)
    return NULL;
  char* slash = strrchr(path, '/');
  if (slash == NULL || (size_t)(slash + 1 - path) + strlen(name) >= sizeof path) return NULL;
  strcpy(slash + 1, name);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char* reason = dlerror();
    complain(name, reason != NULL ? reason : "cannot be loaded");
  }
  return library;
}

// Threads that come here at the same time do the same work; each store is one word.
void* heddle_resolve(uint64_t number) {
  const struct Led* led = __atomic_load_n(&all_led, __ATOMIC_ACQUIRE);
  while (number < led->first_number || number - led->first_number >= led->slots.count) led = led->next;
  void* library = open_library(led->library);
  for (size_t i = 0; i < led->slots.count; ++i) {
    void* target = library == NULL ? NULL : dlsym(library, led->names[i]);
    __atomic_store_n(&led->slots.targets[i], target != NULL ? target : failure(led->names[i]),
                     __ATOMIC_RELEASE);
  }
  return led->slots.targets[number - led->first_number];
}

// ---- Before anything is called ----

// Whether a list of names, one a line, has this one.
static int lists(const char* names, const char* end, const char* name) {
  const size_t length = strlen(name);
  while (names < end) {
    const char* found = memmem(names, (size_t)(end - names), name, length);
    if (found == NULL) return 0;
    if ((found == names || found[-1] == '\n') && found + length < end && found[length] == '\n') return 1;
    names = found + 1;
    while (names < end && names[-1] != '\n') ++names;
  }
  return 0;
}

static int in_11(const char* name) { return lists(heddle_names_11, heddle_names_11_end, name); }
static int in_12(const char* name) { return lists(heddle_names_12, heddle_names_12_end, name); }
static int in_13(const char* name) { return lists(heddle_names_13, heddle_names_13_end, name); }

static int defines(const struct Runtime* runtime, const char* name) {
  for (size_t i = 0; i < runtime->count; ++i)
    if (strcmp(runtime->functions[i].name, name) == 0) return 1;
  return 0;
}

static void lead_here(const char* file, struct Runtime* runtime) {
  // CUDA 11, 12 and 13 mean different functions by a few names, and each has names that the others have not
  // (docs/reference/libraries.md). Our library for 12 has what 12 took away too, so 11 is told from it by a
  // name that 12 brought and one that it took away.
  size_t known_12 = 0, known_13 = 0;
  for (size_t i = 0; i < runtime->count; ++i) {
    known_12 += in_12(runtime->functions[i].name) != 0;
    known_13 += in_13(runtime->functions[i].name) != 0;
  }
  const int is_11 = defines(runtime, "cudaBindTexture") && !defines(runtime, "cudaGetDeviceProperties_v2");
  int (*const known)(const char*) = is_11 ? in_11 : known_12 > known_13 ? in_12 : in_13;
  size_t count = 0;  // those that a library of ours has are brought to the front
  for (size_t i = 0; i < runtime->count; ++i) {
    if (!known(runtime->functions[i].name)) continue;
    const struct Function moved = runtime->functions[count];
    runtime->functions[count++] = runtime->functions[i];
    runtime->functions[i] = moved;
  }
  struct Led* led = calloc(1, sizeof *led);
  char** names = calloc(count, sizeof *names);
  if (led == NULL || names == NULL ||
      !make_slots(&led->slots, count, runtime->functions[0].address, next_number)) {
    complain(file, "has a CUDA runtime inside, and there is no memory near it to lead its calls here");
    free(names);
    free(led);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    names[i] = runtime->functions[i].name;
    runtime->functions[i].name = NULL;
  }
  led->library = known == in_11   ? "libcudart.so.11.0"
                 : known == in_12 ? "libcudart.so.12"
                                  : "libcudart.so.13";
  led->names = names;
  led->first_number = next_number;
  led->next = all_led;
  // Other threads may be looking for theirs: heddle_resolve() sees a whole one or none.
  __atomic_store_n(&all_led, led, __ATOMIC_RELEASE);
  next_number += (uint32_t)count;
  for (size_t i = 0; i < count; ++i) {
    if (!redirect(&runtime->functions[i], &led->slots, i)) {
      char text[256];
      snprintf(text, sizeof text, "has a CUDA runtime inside whose %s cannot be led here", names[i]);
      complain(file, text);
    }
  }
}

static void treat_image(const char* file, struct Image image, char* base) {
  struct Runtime runtime;
  if (find_runtime(image, base, &runtime) && !runtime.is_ours) {
    // What any runtime has, and no program would define for itself.
    if (defines(&runtime, "__cudaRegisterFatBinary") && defines(&runtime, "cudaGetDeviceCount"))
      lead_here(file, &runtime);
    else if (runtime.registers_code && !runtime.has_symbols && !runtime.imports_registering)
      complain(
          file,
          "has a CUDA runtime inside and no symbols, so its calls cannot be led here: keep its symbols (no "
          "strip, no -s), or link it with nvcc -cudart shared or with this toolkit's libcudart_static.a");
  }
  forget_runtime(&runtime);
}

static void treat_file(const char* file, char* base) {
  const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat facts;
  if (fstat(descriptor, &facts) == 0 && facts.st_size > 0) {
    const struct Image image = {mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0),
                                (size_t)facts.st_size};
    if (image.bytes != MAP_FAILED) {
      treat_image(file, image, base);
      munmap((void*)(uintptr_t)image.bytes, image.size);
    }
  }
  close(descriptor);
}

// The files that are loaded, as the loader's list has them.
struct Loaded {
  const struct link_map* entry;
  char* base;
  int there;
};
static struct Loaded* all_loaded;
static size_t loaded_count;

static int is_new(const struct link_map* entry) {
  for (size_t i = 0; i < loaded_count; ++i) {
    if (all_loaded[i].entry != entry || all_loaded[i].base != (char*)entry->l_addr) continue;
    all_loaded[i].there = 1;
    return 0;
  }
  struct Loaded* grown = realloc(all_loaded, (loaded_count + 1) * sizeof *grown);
  if (grown == NULL) return 0;
  all_loaded = grown;
  const struct Loaded loaded = {entry, (char*)entry->l_addr, 1};
  all_loaded[loaded_count++] = loaded;
  return 1;
}

static void treat_entry(const struct link_map* entry, int is_program) {
  char program[4096];
  const char* file = entry->l_name;
  if (is_program) {  // it comes first, without a name
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return;
    program[length] = '\0';
    file = program;
  }
  char path[4096];  // of a library that was named by a relative path
  if (file != NULL && file[0] != '/' && strchr(file, '/') != NULL) file = realpath(file, path);
  if (file != NULL && file[0] == '/') treat_file(file, (char*)entry->l_addr);
}

// One that was unloaded and comes back is new: what was written into its code is gone.
static void treat_loaded(void) {
  if (_r_debug.r_state != RT_CONSISTENT) return;
  for (size_t i = 0; i < loaded_count; ++i) all_loaded[i].there = 0;
  for (const struct link_map* entry = _r_debug.r_map; entry != NULL; entry = entry->l_next)
    if (is_new(entry)) treat_entry(entry, entry == _r_debug.r_map);
  size_t kept = 0;
  for (size_t i = 0; i < loaded_count; ++i)
    if (all_loaded[i].there) all_loaded[kept++] = all_loaded[i];
  loaded_count = kept;
}

__attribute__((constructor)) static void start(void) {
  treat_loaded();
  // Where it does not work, files that are loaded later stay as they are.
  watch_loads(treat_loaded);
}
