// Which matrix instructions an observer of accesses is told of: the reference executor does those.
#pragma once

#include "exec/jit/matrix/form.h"

namespace heddle::exec::jit::matrix {

inline bool touches_memory(const Form& form) {
  switch (form.kind) {
    case Kind::load:
    case Kind::store:
    case Kind::rows_in:
    case Kind::rows_out: return true;
    case Kind::product:
    case Kind::quads:
    case Kind::turn: return false;
  }
  return true;
}

}  // namespace heddle::exec::jit::matrix
