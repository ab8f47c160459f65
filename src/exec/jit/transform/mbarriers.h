// mbarriers that are barriers of the block: all of its threads arrive at them, each once in a phase, and wait
// for its end at once, as cuda::barrier::arrive_and_wait() does where the block is the barrier's.
#pragma once

#include "exec/jit/ir/program.h"

namespace heddle::exec::jit {

// What lowering says of a call: a store that is mbarrier.init, a load that is a test of a phase, a step that
// is an arrival which the object does not take.
inline constexpr char mbarrier_begins[] = "mbarrier-begins";
inline constexpr char mbarrier_tests[] = "mbarrier-tests";
inline constexpr char mbarrier_refuses[] = "mbarrier-refuses";

// Makes those arrivals and waits operations `barrier`. True: the program is another one.
bool make_block_barriers(ThreadProgram& program, const Dim3& block);

// How long the waits took nobody asks any more.
void drop_unused_clocks(llvm::Function& thread);

// Threads wait for one another at mbarriers, still.
bool has_mbarrier_tests(const ThreadProgram& program);

}  // namespace heddle::exec::jit
