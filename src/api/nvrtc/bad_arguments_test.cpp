// Every implemented function of NVRTC with each of its arguments bad in every way that its type allows.
#include "api/entry/handle_world.h"
#include "api/nvrtc/calls.gen.h"

namespace heddle::nvrtc {
namespace {

uint64_t make() {
  nvrtcProgram program = nullptr;
  EXPECT_EQ(::nvrtcCreateProgram(&program, "__global__ void k() {}", "k.cu", 0, nullptr, nullptr),
            NVRTC_SUCCESS);
  return reinterpret_cast<uint64_t>(program);
}
bool destroy(uint64_t word) {
  auto program = reinterpret_cast<nvrtcProgram>(word);
  return ::nvrtcDestroyProgram(&program) == NVRTC_SUCCESS;
}

TEST(BadArguments, AreRefusedByTheCompiler) {
  entry::Documented documented;
  documented.null = NVRTC_ERROR_INVALID_INPUT;
  documented.handle = NVRTC_ERROR_INVALID_PROGRAM;
  documented.never_returned = {NVRTC_ERROR_INTERNAL_ERROR};
  entry::Allowed allowed;
  allowed["nvrtcSetPCHHeapSize: size"] = "nothing is allocated";
  entry::HandleWorld world("nvrtcProgram", make, destroy);
  entry::expect_refusals(calls, documented, allowed, world);
}

}  // namespace
}  // namespace heddle::nvrtc
