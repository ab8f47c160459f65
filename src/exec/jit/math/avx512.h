// The operations of math.h on 16 floats or 8 doubles at a time, with what AVX-512 has for them: embedded
// rounding, permutes as tables, dot products of bytes. Other numbers of lanes are cut up and filled up.
#pragma once

#include "exec/jit/abi/host.h"
#include "exec/jit/ir/math.h"
#include "exec/jit/math/lanes.h"

namespace heddle::exec::jit::avx512 {

struct Features {
  bool rounding = false;  // AVX512F: directions of rounding, vfixupimm
  bool tables = false;    // VBMI and VNNI besides
};
Features features_of(const Host& host);

// nullptr: not with these features.
llvm::Value* approximate(llvm::IRBuilderBase& ir, const Features& features, Approximation function, bool ftz,
                         llvm::ArrayRef<llvm::Value*> sources);
llvm::Value* rounded(llvm::IRBuilderBase& ir, const Features& features, Arithmetic operation,
                     Direction direction, llvm::ArrayRef<llvm::Value*> sources);
llvm::Value* first_nan(llvm::IRBuilderBase& ir, const Features& features, llvm::Value* result,
                       llvm::Value* source);

}  // namespace heddle::exec::jit::avx512
