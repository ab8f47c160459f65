// Every implemented function of nvJitLink with each of its arguments bad in every way that its type allows.
#include <string>
#include <vector>

#include "api/entry/handle_world.h"
#include "api/nvjitlink/calls.gen.h"

namespace heddle::nvjitlink {
namespace {

uint64_t make() {
  nvJitLinkHandle linker = nullptr;
  const char* options[] = {"-arch=sm_80"};
  EXPECT_EQ(::nvJitLinkCreate(&linker, 1, options), NVJITLINK_SUCCESS);
  return reinterpret_cast<uint64_t>(linker);
}
bool destroy(uint64_t word) {
  auto program = reinterpret_cast<nvJitLinkHandle>(word);
  return ::nvJitLinkDestroy(&program) == NVJITLINK_SUCCESS;
}

TEST(BadArguments, AreRefusedByNvJitLink) {
  entry::Documented documented;
  documented.null = NVJITLINK_ERROR_NULL_INPUT;
  documented.handle = NVJITLINK_ERROR_INVALID_INPUT;
  documented.enumeration = NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
  documented.size = NVJITLINK_ERROR_INVALID_INPUT;
  // There is no other kind here, so it is none.
  std::vector<std::string> none;
  for (const entry::Call& call : calls)
    for (const entry::Parameter& parameter : call.parameters)
      if (std::string_view(parameter.type) == "nvJitLinkHandle" && parameter.kind == entry::Kind::handle)
        none.push_back(std::string(call.name) + ": " + parameter.name + " is of other kind");
  for (const std::string& place : none) documented.places[place] = NVJITLINK_ERROR_NULL_INPUT;
  documented.never_returned = {NVJITLINK_ERROR_THREADPOOL};
  entry::Allowed allowed;
  entry::HandleWorld world("nvJitLinkHandle", make, destroy);
  entry::expect_refusals(calls, documented, allowed, world);
}

}  // namespace
}  // namespace heddle::nvjitlink
