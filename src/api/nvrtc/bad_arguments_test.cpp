// Every implemented function of NVRTC with each of its arguments bad in every way that its type allows.
#include "api/entry/bad_arguments.h"

#include "api/nvrtc/calls.gen.h"

namespace heddle::nvrtc {
namespace {

class CompilerWorld : public entry::World {
 public:
  void renew() override { made_ = 0; }
  uint64_t good(std::string_view type) override {
    if (type == "nvrtcProgram" && made_ == 0) made_ = make();
    return type == "nvrtcProgram" ? made_ : 0;
  }
  uint64_t freed(std::string_view) override {
    auto program = reinterpret_cast<nvrtcProgram>(make());
    const uint64_t word = reinterpret_cast<uint64_t>(program);
    return ::nvrtcDestroyProgram(&program) == NVRTC_SUCCESS ? word : 0;
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
    nvrtcProgram program = nullptr;
    EXPECT_EQ(::nvrtcCreateProgram(&program, "__global__ void k() {}", "k.cu", 0, nullptr, nullptr),
              NVRTC_SUCCESS);
    return reinterpret_cast<uint64_t>(program);
  }
  uint64_t made_ = 0;
};

TEST(BadArguments, AreRefusedByTheCompiler) {
  entry::Documented documented;
  documented.null = NVRTC_ERROR_INVALID_INPUT;
  documented.handle = NVRTC_ERROR_INVALID_PROGRAM;
  documented.never_returned = {NVRTC_ERROR_INTERNAL_ERROR};
  entry::Allowed allowed;
  allowed["nvrtcSetPCHHeapSize: size"] = "nothing is allocated";
  CompilerWorld world;
  entry::expect_refusals(calls, documented, allowed, world);
}

}  // namespace
}  // namespace heddle::nvrtc
