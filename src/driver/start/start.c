// bin/nvcc, bin/heddle and the others: what they do is in libheddle-compilers.so.0, which has clang inside and uses LLVM, so
// that a toolkit has both once, or in libheddle.so.0. Both lie in lib64/ of the tree that this program is in.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "/lib64/" HEDDLE_LIBRARY
#define ENTRY "heddle_main_" HEDDLE_PROGRAM

typedef int (*Entry)(int argc, char** argv);

// The folder above bin/, also where this is started through a link.
static int find_tree(char* path, size_t size) {
  const ssize_t length = readlink("/proc/self/exe", path, size);
  if (length < 0 || (size_t)length >= size) return 0;
  path[length] = '\0';
  for (int up = 0; up < 2; ++up) {
    char* slash = strrchr(path, '/');
    if (slash == NULL) return 0;
    *slash = '\0';
  }
  return 1;
}

static int fail(const char* what, const char* why) {
  fprintf(stderr, HEDDLE_PROGRAM ": error: %s: %s\n", what, why);
  return 1;
}

int main(int argc, char** argv) {
  char path[PATH_MAX + sizeof LIBRARY];
  if (!find_tree(path, PATH_MAX)) return fail("the toolkit is not found", "/proc/self/exe tells no path");
  strcat(path, LIBRARY);
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) return fail("its library cannot be loaded; this program must lie in the toolkit's bin/", dlerror());
  void* symbol = dlsym(library, ENTRY);
  if (symbol == NULL) return fail("its library is of another version", dlerror());
  Entry entry = NULL;
  memcpy(&entry, &symbol, sizeof entry);
  return entry(argc, argv);
}
