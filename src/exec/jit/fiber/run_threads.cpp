#include "exec/jit/fiber/threads.h"

namespace heddle::exec::jit {

Threads& worker_threads() {
  static thread_local Threads threads(
      {heddle_jit_step, heddle_jit_fault, heddle_jit_begin_host, heddle_jit_end_host});
  return threads;
}

extern "C" void heddle_jit_run_threads(Context* context, uint64_t first, uint64_t count, ThreadEntry entry,
                                       const ThreadKernel* kernel) {
  worker_threads().run(*context, first, count, entry, *kernel);
}

}  // namespace heddle::exec::jit
