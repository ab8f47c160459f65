#include "runtime/injector.h"

#include "runtime/testing.h"

namespace heddle::runtime {
namespace {

TEST(Injector, CountsTheEventsOfItsPlace) {
  auto injector = Injector::parse("out-of-memory@allocate#2,device-lost@launch#3+");
  ASSERT_TRUE(injector.ok()) << said(injector);
  Injector& inject = **injector;
  EXPECT_FALSE(inject.at(Site::allocate));
  EXPECT_FALSE(inject.at(Site::copy));
  EXPECT_EQ(inject.at(Site::allocate)->code, ErrorCode::out_of_memory);
  EXPECT_FALSE(inject.at(Site::allocate));
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(inject.at(Site::launch));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(inject.at(Site::launch)->code, ErrorCode::device_lost);
}

TEST(Injector, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(said(Injector::parse("fire")), testing::HasSubstr("'fire': a failure is out-of-memory"));
  EXPECT_THAT(said(Injector::parse("device-lost@moon")), testing::HasSubstr("a place is"));
  EXPECT_THAT(said(Injector::parse("device-lost#0")), testing::HasSubstr("no count from 1"));
  EXPECT_TRUE(Injector::parse("").ok());
  EXPECT_TRUE(Injector::parse(",,").ok());
}

TEST(Injector, AModeSwitchEndsTheContext) {
  TestSystem test({.inject = "invalid-context@copy#2"});
  const AllocationRef memory = *test.context->allocate(MemoryKind::device, 16);
  const auto stream = test.stream();
  EXPECT_DONE(fill(*stream, memory->address, 1, 16));
  EXPECT_EQ(code(fill(*stream, memory->address, 1, 16)), ErrorCode::invalid_context);
  EXPECT_EQ(code(fill(*stream, memory->address, 1, 16)), ErrorCode::invalid_context);
  EXPECT_EQ(code(test.context->allocate(MemoryKind::device, 1)), ErrorCode::invalid_context);
  // The program makes a new context and goes on: that is the recovery that it can test.
  EXPECT_TRUE(test.make_context()->allocate(MemoryKind::device, 16).ok());
}

TEST(Injector, OutOfMemoryPasses) {
  TestSystem test({.inject = "out-of-memory@allocate"});
  EXPECT_EQ(code(test.context->allocate(MemoryKind::device, 16)), ErrorCode::out_of_memory);
  EXPECT_TRUE(test.context->allocate(MemoryKind::device, 16).ok());
}

TEST(Environment, ChoosesTheDevices) {
  std::map<std::string, const char*> values;
  const auto environment = [&](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second;
  };
  auto options = options_from_environment(environment);
  ASSERT_TRUE(options.ok());
  ASSERT_EQ(options->devices.size(), 1u);
  EXPECT_EQ(options->devices[0]->id, "h200");
  values = {{"HEDDLE_DEVICE", "k40"}, {"HEDDLE_KERNEL_TIMEOUT", "1.5"}};
  options = options_from_environment(environment);
  ASSERT_EQ(options->devices.size(), 1u);
  EXPECT_EQ(options->devices[0]->id, "k40");
  EXPECT_EQ(options->kernel_timeout, std::chrono::milliseconds(1500));
  values["HEDDLE_DEVICES"] = "h200, gtx480,h200";
  options = options_from_environment(environment);
  ASSERT_EQ(options->devices.size(), 3u);
  EXPECT_EQ(options->devices[1]->id, "gtx480");
  values = {{"HEDDLE_DEVICE", "gtx498"}};
  EXPECT_EQ(code(options_from_environment(environment)), ErrorCode::no_device);
  EXPECT_THAT(said(options_from_environment(environment)),
              testing::HasSubstr("HEDDLE_DEVICE: no device is called"));
  values = {{"HEDDLE_KERNEL_TIMEOUT", "soon"}};
  EXPECT_THAT(said(options_from_environment(environment)),
              testing::HasSubstr("'soon' is no number of seconds"));
  values = {{"HEDDLE_MEMORY", "2G"}};
  EXPECT_EQ(options_from_environment(environment)->host_memory, uint64_t{2} << 30);
  values = {{"HEDDLE_MEMORY", "much"}};
  EXPECT_EQ(said(options_from_environment(environment)),
            "HEDDLE_MEMORY: 'much' is no number of bytes, or one with K, M or G");
  values = {{"HEDDLE_BOUNDS", "pages"}};
  EXPECT_EQ(options_from_environment(environment)->bounds, Bounds::pages);
  values = {{"HEDDLE_BOUNDS", "apart"}};
  EXPECT_EQ(options_from_environment(environment)->bounds, Bounds::apart);
  values = {{"HEDDLE_QUIET", "1"}, {"CUDA_LAUNCH_BLOCKING", "1"}};
  EXPECT_TRUE(options_from_environment(environment)->quiet);
  EXPECT_TRUE(options_from_environment(environment)->launch_blocking);
  values = {{"HEDDLE_QUIET", "0"}, {"CUDA_LAUNCH_BLOCKING", "no"}};
  EXPECT_FALSE(options_from_environment(environment)->quiet);
  EXPECT_FALSE(options_from_environment(environment)->launch_blocking);
  values = {{"HEDDLE_QUIET", "yes"}};
  EXPECT_EQ(said(options_from_environment(environment)), "HEDDLE_QUIET: 'yes' is neither 0 nor 1");
  values = {{"HEDDLE_BOUNDS", "none"}};
  EXPECT_EQ(said(options_from_environment(environment)),
            "HEDDLE_BOUNDS: 'none' is neither exact nor apart nor pages");
}

TEST(Environment, ChoosesTheExecutor) {
  std::map<std::string, const char*> values;
  const auto environment = [&](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second;
  };
  values = {{"HEDDLE_EXECUTOR", "interp"}};
  auto options = options_from_environment(environment);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->executor->name(), "interp");
  values = {{"HEDDLE_EXECUTOR", "gpu"}};
  EXPECT_EQ(said(options_from_environment(environment)), "HEDDLE_EXECUTOR: 'gpu' is neither jit nor interp");
#if HEDDLE_JIT
  values = {};
  options = options_from_environment(environment);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->executor->name(), "jit");
  values = {{"HEDDLE_THREADS", "0"}};
  EXPECT_EQ(said(options_from_environment(environment)), "HEDDLE_THREADS: '0' is no number from 1 to 4096");
  values = {{"HEDDLE_JIT_TIER", "slow"}};
  EXPECT_EQ(said(options_from_environment(environment)), "HEDDLE_JIT_TIER: 'slow' is neither quick nor best");
#endif
}

}  // namespace
}  // namespace heddle::runtime
