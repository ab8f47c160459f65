// Every implemented function of nvJitLink with each of its arguments bad in every way that its type allows.
#include "api/entry/bad_arguments.h"

#include <string>
#include <vector>

#include "api/nvjitlink/calls.gen.h"

namespace heddle::nvjitlink {
namespace {

class LinkerWorld : public entry::World {
 public:
  void renew() override { made_ = 0; }
  uint64_t good(std::string_view type) override {
    if (type == "nvJitLinkHandle" && made_ == 0) made_ = make();
    return type == "nvJitLinkHandle" ? made_ : 0;
  }
  uint64_t freed(std::string_view) override {
    auto program = reinterpret_cast<nvJitLinkHandle>(make());
    const uint64_t word = reinterpret_cast<uint64_t>(program);
    return ::nvJitLinkDestroy(&program) == NVJITLINK_SUCCESS ? word : 0;
  }
  uint64_t foreign(std::string_view) override { return make(); }
  uint64_t memory() override { return 0; }
  uint64_t freed_memory() override { return 0; }
  uint64_t foreign_memory() override { return 0; }
  uint64_t function() override { return 0; }
  uint64_t symbol() override { return 0; }
  uint64_t callback(std::string_view) override { return 0; }

 private:
  static uint64_t make() {
    nvJitLinkHandle linker = nullptr;
    const char* options[] = {"-arch=sm_80"};
    EXPECT_EQ(::nvJitLinkCreate(&linker, 1, options), NVJITLINK_SUCCESS);
    return reinterpret_cast<uint64_t>(linker);
  }
  uint64_t made_ = 0;
};

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
  LinkerWorld world;
  entry::expect_refusals(calls, documented, allowed, world);
}

}  // namespace
}  // namespace heddle::nvjitlink
