// Every implemented function of the compiler of PTX with each of its arguments bad in every way that its type
// allows.
#include "api/entry/handle_world.h"
#include "api/nvptxcompiler/calls.gen.h"

namespace heddle::nvptxcompiler {
namespace {

uint64_t make() {
  nvPTXCompilerHandle compiler = nullptr;
  EXPECT_EQ(::nvPTXCompilerCreate(&compiler, 4, "text"), NVPTXCOMPILE_SUCCESS);
  return reinterpret_cast<uint64_t>(compiler);
}
bool destroy(uint64_t word) {
  auto compiler = reinterpret_cast<nvPTXCompilerHandle>(word);
  return ::nvPTXCompilerDestroy(&compiler) == NVPTXCOMPILE_SUCCESS;
}

TEST(BadArguments, AreRefusedByThePtxCompiler) {
  entry::Documented documented;
  documented.null = NVPTXCOMPILE_ERROR_INVALID_INPUT;
  documented.handle = NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
  documented.size = NVPTXCOMPILE_ERROR_INVALID_INPUT;
  documented.never_returned = {NVPTXCOMPILE_ERROR_INTERNAL};
  entry::Allowed allowed;
  allowed["nvPTXCompilerCreate: ptxCodeLen"] = "of the text, which ends at a zero";
  entry::HandleWorld world("nvPTXCompilerHandle", make, destroy);
  entry::expect_refusals(calls, documented, allowed, world);
}

}  // namespace
}  // namespace heddle::nvptxcompiler
