// A thread's program, whole, with how its values vary over the threads of a unit.
#pragma once

#include "exec/jit/analysis/pattern.h"

namespace heddle::exec::jit {

struct Reading {
  // As fast code of a group sees it, where what it tests at run time holds; as slow code does of a warp.
  enum As : uint8_t { fast, slow };

  // `row`: as row_of says, where rows are of interest.
  Reading(llvm::Function& thread, const Shape& shape, unsigned lanes, unsigned vectors, As as,
          unsigned row = 0)
      : flow(thread), geometry{shape.block, lanes, vectors}, patterns(flow, context(shape, as, row)) {}

  Flow flow;
  const Geometry geometry;
  const Patterns patterns;

 private:
  PatternContext context(const Shape& shape, As as, unsigned row) const {
    PatternContext context;
    context.geometry = &geometry;
    context.vectors = geometry.vectors;
    context.word_alignment = &shape.word_alignment;
    context.assume_no_wrap = as == fast;
    context.row = row;
    return context;
  }
};

}  // namespace heddle::exec::jit
