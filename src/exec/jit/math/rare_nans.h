// f64 arithmetic as if there were no NaNs, and again with them where one comes out.
//
// Which NaN a result is, devices say: operations `first_nan` stand behind every operation of f64
// (lower/instructions/float.cpp), and take as long as the arithmetic itself. But sums, products, quotients
// and roots of a NaN are NaNs: where none comes out at the end of a straight piece of such code, none was in
// it, and none of these operations did anything. So a piece is there without them, then asks once whether
// there is a NaN among its results, and if so computes all of them again, with them.
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// Before expand_math(), which makes code of first_nan.
void expect_few_nans(llvm::Function& function);

}  // namespace heddle::exec::jit
