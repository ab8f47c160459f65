// NVVM IR Specification, "Intrinsic Functions": those that LLVM has under other names or in another form.
// Each gets a body of LLVM's own intrinsics, which is inlined. A mode that is no constant yet becomes one by
// that.
#include <array>
#include <string_view>

#include "frontend/nvvm/program.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

namespace heddle::frontend::nvvm {

namespace {

struct Body {
  std::string_view name;  // behind "llvm.nvvm."
  std::string_view text;  // defines @body
};

constexpr std::array bodies{
    // Modes: 0 idx, 1 up, 2 down, 3 bfly.
    Body{"shfl.sync.i32", R"(
declare {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32, i32, i32, i32)
define internal {i32, i1} @body(i32 %mask, i32 %mode, i32 %a, i32 %b, i32 %c) #0 {
  switch i32 %mode, label %idx [i32 1, label %up
                                i32 2, label %down
                                i32 3, label %bfly]
idx:
  %r0 = call {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret {i32, i1} %r0
up:
  %r1 = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret {i32, i1} %r1
down:
  %r2 = call {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret {i32, i1} %r2
bfly:
  %r3 = call {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret {i32, i1} %r3
}
attributes #0 = { alwaysinline convergent nounwind })"},
    // Modes: 0 all, 1 any, 2 eq, 3 ballot. Of the two results, the one that the mode has not is 0.
    Body{"vote.sync", R"(
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
define internal {i32, i1} @body(i32 %mask, i32 %mode, i1 %predicate) #0 {
  switch i32 %mode, label %all [i32 1, label %any
                                i32 2, label %uni
                                i32 3, label %ballot]
all:
  %r0 = call i1 @llvm.nvvm.vote.all.sync(i32 %mask, i1 %predicate)
  %p0 = insertvalue {i32, i1} zeroinitializer, i1 %r0, 1
  ret {i32, i1} %p0
any:
  %r1 = call i1 @llvm.nvvm.vote.any.sync(i32 %mask, i1 %predicate)
  %p1 = insertvalue {i32, i1} zeroinitializer, i1 %r1, 1
  ret {i32, i1} %p1
uni:
  %r2 = call i1 @llvm.nvvm.vote.uni.sync(i32 %mask, i1 %predicate)
  %p2 = insertvalue {i32, i1} zeroinitializer, i1 %r2, 1
  ret {i32, i1} %p2
ballot:
  %r3 = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %predicate)
  %p3 = insertvalue {i32, i1} zeroinitializer, i32 %r3, 0
  ret {i32, i1} %p3
}
attributes #0 = { alwaysinline convergent nounwind })"},
    Body{"match.all.sync.i32", R"(
declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)
define internal {i32, i1} @body(i32 %mask, i32 %value) #0 {
  %r = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 %mask, i32 %value)
  ret {i32, i1} %r
}
attributes #0 = { alwaysinline convergent nounwind })"},
    Body{"match.all.sync.i64", R"(
declare {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32, i64)
define internal {i32, i1} @body(i32 %mask, i64 %value) #0 {
  %r = call {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32 %mask, i64 %value)
  ret {i32, i1} %r
}
attributes #0 = { alwaysinline convergent nounwind })"},
    Body{"barrier", R"(
declare void @llvm.nvvm.barrier(i32, i32)
define internal void @body(i32 %id, i32 %count) #0 {
  call void @llvm.nvvm.barrier(i32 %id, i32 %count)
  ret void
}
attributes #0 = { alwaysinline convergent nounwind })"},
};

const Body* find(llvm::StringRef name) {
  for (const Body& body : bodies)
    if (name == llvm::StringRef(body.name)) return &body;
  return nullptr;
}

}  // namespace

std::string define_intrinsics(llvm::Module& module) {
  std::vector<llvm::Function*> unknown;
  for (llvm::Function& function : module)
    if (function.getName().starts_with("llvm.") &&
        function.getIntrinsicID() == llvm::Intrinsic::not_intrinsic)
      unknown.push_back(&function);
  for (llvm::Function* function : unknown) {
    if (function->use_empty()) {
      function->eraseFromParent();
      continue;
    }
    llvm::StringRef name = function->getName();
    const Body* body = name.consume_front("llvm.nvvm.") ? find(name) : nullptr;
    if (body == nullptr) return "there is no intrinsic '" + function->getName().str() + "'";
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> defined =
        llvm::parseAssemblyString(llvm::StringRef(body->text), problem, module.getContext());
    if (!defined) return "intrinsic '" + function->getName().str() + "': " + problem.getMessage().str();
    llvm::Function* definition = defined->getFunction("body");
    if (definition->getFunctionType() != function->getFunctionType())
      return "'" + function->getName().str() + "' is declared with other types than it has";
    const std::string own = "__heddle_" + name.str();
    definition->setName(own);
    definition->setLinkage(llvm::GlobalValue::ExternalLinkage);  // internal ones would be renamed
    defined->setDataLayout(module.getDataLayout());
    defined->setTargetTriple(module.getTargetTriple());
    if (llvm::Linker::linkModules(module, std::move(defined))) return "'" + own + "' cannot be linked";
    llvm::Function* linked = module.getFunction(own);
    linked->setLinkage(llvm::GlobalValue::InternalLinkage);
    // Calls carry attributes of the declaration, which says nothing of convergence.
    function->replaceAllUsesWith(linked);
    function->eraseFromParent();
  }
  return {};
}

}  // namespace heddle::frontend::nvvm
