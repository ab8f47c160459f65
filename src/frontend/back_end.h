// What LLVM 19's back end for PTX gets wrong, written so that it gets it right. Last of all passes.
//
// - Of each load of sixteen bytes as a vector it makes ld.v4.u32, whatever its alignment, and an address must
// be
//   a multiple of the size of the whole access (PTX ISA, ld). Two loads of eight bytes are split as needed.
// - Comparisons whose result is extended to <2 x i16> it cannot select where both operands come from memory
//   (OpenCL C: short2 == short2). A choice between -1 and 0 is the same and works.
// - Wide vectors of floating-point numbers in memory that are extended it loads into the wider registers
// without a
//   conversion: from <16 x half>, and <8 x float> to double. Up to four elements are right.
// - <2 x i8> that a function takes or gives is a parameter of two bytes, of which it writes and reads four. A
//   number of sixteen bits is passed in its place.
// - A volatile access of a variable of the stack it makes by a generic address, which hides whose memory it
// is and which
//   devices of compute capability 1.x do not have. Such accesses name local memory.
// - The initial value of a variable that is a half or a bfloat it writes as a double, which no .b16 can hold.
//   Such a variable is a number of sixteen bits.
// - Memory of a size known at run time it aligns at 0 bytes, which NVIDIA's compilers refuse, unless it has a
//   larger alignment than the stack. It gets the 16 that theirs writes.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

class BackEndPass : public llvm::PassInfoMixin<BackEndPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // without optimisation too
};

}  // namespace heddle::frontend
