#include "exec/jit/fiber/threads.h"
#include "support/thread_object.h"

namespace heddle::exec::jit {

ThreadHooks worker_hooks() {
  return {heddle_jit_step,
          heddle_jit_fault,
          heddle_jit_begin_host,
          heddle_jit_end_host,
          {heddle_jit_begin_another, heddle_jit_another_ended, heddle_jit_all_wait},
          heddle_jit_matrix};
}

Threads& worker_threads() { return thread_object<Threads>(worker_hooks()); }

extern "C" void heddle_jit_run_threads(Context* context, uint64_t first, uint64_t count, ThreadEntry entry,
                                       const ThreadKernel* kernel) {
  worker_threads().run(*context, first, count, entry, *kernel);
}

}  // namespace heddle::exec::jit
