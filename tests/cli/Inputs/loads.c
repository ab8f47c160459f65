/* Loads each library that is named, calls its run_it(), and unloads it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    void* library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    /* C++'s name of int run_it(int, char**) */
    int (*run)(int, char**) = library == NULL ? NULL : (int (*)(int, char**))dlsym(library, "_Z6run_itiPPc");
    if (run == NULL) return printf("%s\n", dlerror()), 80;
    char* words[] = {argv[i], NULL};
    const int result = run(1, words);
    if (result != 0) return result;
    if (dlclose(library) != 0) return 81;
  }
  return 0;
}
