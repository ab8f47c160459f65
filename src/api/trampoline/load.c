// The one thing that libcudart.so.12 and its like do: they find libheddle.so.0, once, at their first call. (Those of
// libraries, libcublas.so.12 and its like, find the module that is behind them, libheddle-blas.so.0.)
//
// The library lies beside them; for a program that has a static library of ours inside, its folder is named
// by HEDDLE_HOME, by the place of the headers it was compiled with, by the folder that was built or
// installed, or by the loader's own search (docs/reference/libraries.md).
//
// No lock is held while libheddle.so.0 is loaded: the loader has locks of its own, and a thread that loads a
// library whose constructor calls us holds them. Threads that come at the same time do the same work; each
// store is one word.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HEDDLE_MODULE
#define LIBRARY "libheddle-" HEDDLE_MODULE ".so.0"
#define FIND "heddle_find_library"
#else
#define LIBRARY "libheddle.so.0"
#define FIND "heddle_find"
#endif

// Of the generated assembly.
extern void* heddle_addresses[];
extern void* const heddle_failures[];
extern const char heddle_names[];  // one after another, each with its zero
extern const char heddle_library[];
extern const uint32_t heddle_count;

// In that library: the address of a name of a library, or NULL.
typedef void* (*Find)(const char* library, const char* name);

__attribute__((visibility("hidden"))) void heddle_load(void);

// What was tried, for the message.
struct Tried {
  char text[2048];
};

static void* open_library(const char* path, struct Tried* tried) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle != NULL) return handle;
  const char* reason = dlerror();
  const size_t used = strlen(tried->text);
  snprintf(tried->text + used, sizeof tried->text - used, "  %s\n", reason != NULL ? reason : path);
  return NULL;
}

static void* open_in(const char* folder, const char* below, struct Tried* tried) {
  char path[4096];
  const int length = snprintf(path, sizeof path, "%s%s/" LIBRARY, folder, below);
  return length > 0 && (size_t)length < sizeof path ? open_library(path, tried) : NULL;
}

#ifndef HEDDLE_STATIC
static void* open_beside(struct Tried* tried) {
  Dl_info info;
  if (dladdr((const void*)&heddle_addresses, &info) == 0 || info.dli_fname == NULL) return NULL;
  char folder[4096];
  // The library may have been found through a link beside which nothing else lies.
  if (realpath(info.dli_fname, folder) == NULL) return NULL;
  char* slash = strrchr(folder, '/');
  if (slash == NULL) return NULL;
  *slash = '\0';
  return open_in(folder, "", tried);
}
#endif

#ifdef HEDDLE_STATIC
// In every object that was compiled with the toolkit's headers: the path of one of them
// (include/crt/toolkit_place.h).
extern const char heddle_toolkit_place[] __attribute__((weak, visibility("hidden")));

static void* open_by_header(struct Tried* tried) {
  static const char below[] = "/include/crt/toolkit_place.h";
  const char* place = heddle_toolkit_place;
  char folder[4096];
  // A path that is not from the root was one of the compiler's folder, not of this process's.
  if (place == NULL || *place != '/') return NULL;
  const size_t length = strlen(place), tail = sizeof below - 1;
  if (length < tail || length - tail >= sizeof folder || strcmp(place + length - tail, below) != 0)
    return NULL;
  memcpy(folder, place, length - tail);
  folder[length - tail] = '\0';
  return open_in(folder, "/lib64", tried);
}
#endif

static void* open_heddle(struct Tried* tried) {
  void* handle = NULL;
  const char* home = getenv("HEDDLE_HOME");
#ifndef HEDDLE_STATIC
  handle = open_beside(tried);
#endif
  if (handle == NULL && home != NULL && *home != '\0') {
    handle = open_in(home, "/lib64", tried);
    if (handle == NULL) handle = open_in(home, "/lib", tried);
  }
#ifdef HEDDLE_STATIC
  if (handle == NULL) handle = open_by_header(tried);
#endif
#ifdef HEDDLE_LIBRARY_FOLDER
  if (handle == NULL) handle = open_in(HEDDLE_LIBRARY_FOLDER, "", tried);
#endif
  if (handle == NULL) handle = open_library(LIBRARY, tried);
  return handle;
}

static void complain(const char* what, const char* more) {
  static int told;
  if (__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED) == 0)
    fprintf(stderr,
            "heddle: %s: %s; set HEDDLE_HOME to the folder of the toolkit, the one that has lib64/" LIBRARY
            "\n%s",
            heddle_library, what, more);
}

void heddle_load(void) {
  struct Tried tried = {""};
  void* handle = open_heddle(&tried);
  Find find = NULL;
  if (handle == NULL) {
    complain(LIBRARY " cannot be loaded", tried.text);
  } else {
    void* symbol = dlsym(handle, FIND);
    memcpy(&find, &symbol, sizeof find);
    if (find == NULL) complain(LIBRARY " is of another kind: it has no " FIND, "");
  }
  const char* name = heddle_names;
  for (uint32_t i = 0; i < heddle_count; ++i) {
    void* address = find == NULL ? NULL : find(heddle_library, name);
    __atomic_store_n(&heddle_addresses[i], address != NULL ? address : heddle_failures[i], __ATOMIC_RELEASE);
    name += strlen(name) + 1;
  }
}
