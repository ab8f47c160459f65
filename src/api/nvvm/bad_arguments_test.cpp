// Every implemented function of NVVM with each of its arguments bad in every way that its type allows.
#include "api/entry/handle_world.h"
#include "api/nvvm/calls.gen.h"

namespace heddle::nvvm {
namespace {

uint64_t make() {
  nvvmProgram program = nullptr;
  EXPECT_EQ(::nvvmCreateProgram(&program), NVVM_SUCCESS);
  return reinterpret_cast<uint64_t>(program);
}
bool destroy(uint64_t word) {
  auto program = reinterpret_cast<nvvmProgram>(word);
  return ::nvvmDestroyProgram(&program) == NVVM_SUCCESS;
}

TEST(BadArguments, AreRefusedByNvvm) {
  entry::Documented documented;
  documented.null = NVVM_ERROR_INVALID_INPUT;
  documented.handle = NVVM_ERROR_INVALID_PROGRAM;
  documented.never_returned = {NVVM_ERROR_CANCELLED};
  entry::Allowed allowed;
  allowed["nvvmAddModuleToProgram: size"] = "of the text, which ends at a zero";
  allowed["nvvmLazyAddModuleToProgram: size"] = "of the text, which ends at a zero";
  entry::HandleWorld world("nvvmProgram", make, destroy);
  entry::expect_refusals(calls, documented, allowed, world);
}

}  // namespace
}  // namespace heddle::nvvm
