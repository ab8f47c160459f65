// Every implemented function of NVVM with each of its arguments bad in every way that its type allows.
#include "api/entry/bad_arguments.h"

#include "api/nvvm/calls.gen.h"

namespace heddle::nvvm {
namespace {

class CompilerWorld : public entry::World {
 public:
  void renew() override { made_ = 0; }
  uint64_t good(std::string_view type) override {
    if (type == "nvvmProgram" && made_ == 0) made_ = make();
    return type == "nvvmProgram" ? made_ : 0;
  }
  uint64_t freed(std::string_view) override {
    auto program = reinterpret_cast<nvvmProgram>(make());
    const uint64_t word = reinterpret_cast<uint64_t>(program);
    return ::nvvmDestroyProgram(&program) == NVVM_SUCCESS ? word : 0;
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
    nvvmProgram program = nullptr;
    EXPECT_EQ(::nvvmCreateProgram(&program), NVVM_SUCCESS);
    return reinterpret_cast<uint64_t>(program);
  }
  uint64_t made_ = 0;
};

TEST(BadArguments, AreRefusedByNvvm) {
  entry::Documented documented;
  documented.null = NVVM_ERROR_INVALID_INPUT;
  documented.handle = NVVM_ERROR_INVALID_PROGRAM;
  documented.never_returned = {NVVM_ERROR_CANCELLED};
  entry::Allowed allowed;
  allowed["nvvmAddModuleToProgram: size"] = "of the text, which ends at a zero";
  allowed["nvvmLazyAddModuleToProgram: size"] = "of the text, which ends at a zero";
  CompilerWorld world;
  entry::expect_refusals(calls, documented, allowed, world);
}

}  // namespace
}  // namespace heddle::nvvm
