// What an operation may be besides: one that does no more than change memory, so that it can be done as often
// as somebody likes. Nobody is told of it, and if it fails, that stays with who asked for it. For who tries
// other orders of work, and puts back in between what it may have written.
#pragma once

#include <cstdint>
#include <optional>

#include "exec/launch.h"

namespace heddle::runtime {

class Context;

class Rehearsal {
 public:
  virtual ~Rehearsal() = default;
  // A kernel: its launch, without observer and deadline. It holds as long as the operation does. Nothing for
  // everything else, and where nobody knows what it would do besides: it launches others.
  virtual std::optional<exec::Launch> launch(Context&) const { return std::nullopt; }
  virtual bool is_kernel() const { return false; }
  // Of what is no kernel: from the first byte that it may write to behind the last; and to do it. False: it
  // fails.
  struct Range {
    uint64_t address = 0, bytes = 0;
  };
  virtual Range written() const { return {}; }
  virtual bool rehearse() const { return true; }
};

}  // namespace heddle::runtime
