// Put before a program: a system that refuses. UNWILLING is "threads", or "threads N": none can be made (after N), as with
// `ulimit -u`, which means nothing to root; or "disk": nothing can be written to a file.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* wish(void) {
  const char* text = getenv("UNWILLING");
  return text != NULL ? text : "";
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  static int made;
  int most = 0;
  if (strncmp(wish(), "threads", 7) == 0) {
    sscanf(wish(), "threads %d", &most);
    if (__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED) >= most) return EAGAIN;
  }
  int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = dlsym(RTLD_NEXT, "pthread_create");
  return real(thread, attributes, start, argument);
}

static int full(int descriptor) {
  struct stat file;
  if (strcmp(wish(), "disk") != 0 || fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode)) return 0;
  errno = ENOSPC;
  return 1;
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  ssize_t (*real)(int, const void*, size_t) = dlsym(RTLD_NEXT, "write");
  return full(descriptor) ? -1 : real(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t at) {
  ssize_t (*real)(int, const void*, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");
  return full(descriptor) ? -1 : real(descriptor, bytes, count, at);
}
