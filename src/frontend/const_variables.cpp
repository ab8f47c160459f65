// `const __device__ Number table[] = {...}`: nvcc leaves it in global memory, clang makes it a __constant__
// variable, of which a module may have 64 KiB (rocRAND's tables have 200). Constant memory is for those that
// say so. The linker puts this function in the place of clang's (cmake/externals.cmake).
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Sema/SemaCUDA.h"

extern "C" {

void __real__ZN5clang8SemaCUDA20MaybeAddConstantAttrEPNS_7VarDeclE(  // NOLINT: the linker's name
    clang::SemaCUDA* rules, clang::VarDecl* variable);

void __wrap__ZN5clang8SemaCUDA20MaybeAddConstantAttrEPNS_7VarDeclE(  // NOLINT: the linker's name
    clang::SemaCUDA* rules, clang::VarDecl* variable) {
  const auto* device = variable->getAttr<clang::CUDADeviceAttr>();
  if (device != nullptr && !device->isImplicit()) return;
  __real__ZN5clang8SemaCUDA20MaybeAddConstantAttrEPNS_7VarDeclE(rules, variable);
}

}  // extern "C"
