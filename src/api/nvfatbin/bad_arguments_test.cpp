// Every implemented function of nvFatbin with each of its arguments bad in every way that its type allows.
#include <string>
#include <vector>

#include "api/entry/handle_world.h"
#include "api/nvfatbin/calls.gen.h"

namespace heddle::nvfatbin {
namespace {

uint64_t make() {
  nvFatbinHandle maker = nullptr;
  EXPECT_EQ(::nvFatbinCreate(&maker, nullptr, 0), NVFATBIN_SUCCESS);
  return reinterpret_cast<uint64_t>(maker);
}
bool destroy(uint64_t word) {
  auto maker = reinterpret_cast<nvFatbinHandle>(word);
  return ::nvFatbinDestroy(&maker) == NVFATBIN_SUCCESS;
}

TEST(BadArguments, AreRefusedByNvFatbin) {
  entry::Documented documented;
  documented.null = NVFATBIN_ERROR_NULL_POINTER;
  documented.handle = NVFATBIN_ERROR_NULL_POINTER;
  documented.size = NVFATBIN_ERROR_EMPTY_INPUT;
  documented.never_returned = {NVFATBIN_ERROR_MISSING_PTX_ARCH};
  entry::Allowed allowed;
  entry::HandleWorld world("nvFatbinHandle", make, destroy);
  entry::expect_refusals(calls, documented, allowed, world);
}

}  // namespace
}  // namespace heddle::nvfatbin
