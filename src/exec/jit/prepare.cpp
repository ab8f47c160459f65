#include "exec/jit/prepare.h"

#include "exec/jit/canonical/canonical.h"
#include "exec/jit/thread/needs.h"
#include "exec/jit/warp/local_rows.h"
#include "exec/jit/warp/short_sides.h"
#include "exec/jit/warp/weave.h"

namespace heddle::exec::jit {

void prepare_thread(ThreadProgram& program, const Shape& shape) {
  if (program.needs.reference) return;
  specialise(program, shape);
  canonicalise(program);
  count_barriers(program, shape.block);
}

void prepare_vectors(ThreadProgram& program, const Shape& shape) {
  // An observer is told of addresses as the program has them.
  if (program.observed == observe::nothing) lay_local_memory_by_lanes(program, shape.block);
  choose_short_sides(*program.entry);
}

}  // namespace heddle::exec::jit
