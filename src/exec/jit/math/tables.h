// The interpolators' tables (approx/tables.gen.h) as constants of a module.
#pragma once

#include "approx/interpolator.h"
#include "llvm/IR/GlobalVariable.h"

namespace heddle::exec::jit {

// How many segments a table has.
unsigned segment_count(const approx::Interpolator& table);
// One column of it, i32 each: 0 value, 1 slope, 2 curve.
llvm::GlobalVariable* table_of(llvm::Module& module, const approx::Interpolator& table, unsigned column);

}  // namespace heddle::exec::jit
