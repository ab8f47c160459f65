// libheddle-keep.so.0, which libheddle-compilers.so.0 needs for this alone: the loader runs the constructor of a library marked
// "initfirst" before those of all that are loaded with it. LLVM's static objects must be kept from the first one on: a thread of ours
// may be about to load it when the process ends, whose end would take down what LLVM has just made.
void heddle_keep_compilers(void);

__attribute__((constructor)) static void begin(void) {
  heddle_keep_compilers();
}
