// Loops that a compiler unrolled, whose threads leave at different times, make one turn at a time again.
//
// Compilers of CUDA unroll loops whose number of turns they do not know, and put a loop of single turns
// before for what is left over: n % 4 of them, then n / 4 times four. Where each thread has a number of its
// own, both loops end somewhere else for each thread. Threads that go one after another (serial.h) mispredict
// two branches instead of one, and a warp under masks makes as many turns as the thread with the most of
// each.
#pragma once

#include "exec/jit/ir/program.h"
#include "exec/jit/kernel/kernel.h"
#include "module/image.h"

namespace heddle::exec::jit {

// How many loops were rolled up. `lanes`: of a vector.
unsigned roll_loops(ThreadProgram& program, const module::Image& image, const Shape& shape, unsigned lanes);

}  // namespace heddle::exec::jit
