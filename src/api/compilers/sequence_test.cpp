// Random sequences of calls over the runtime API, the driver API and NVRTC, in one thread and in several:
// nothing crashes, leaks, races or waits for ever. HEDDLE_SEQUENCE_SECONDS says how long (a short time when
// it is not set), HEDDLE_SEQUENCE_SEED where to begin; HEDDLE_TRACE=api shows the calls.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "api/compilers/sequences.h"
#include "api/cuda/calls.gen.h"
#include "api/cudart/calls.gen.h"
#include "api/cudart/testing.h"
#include "api/nvrtc/calls.gen.h"

#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

namespace heddle::compilers {
namespace {

// Whether all that a sequence made is gone, or can still be reached.
bool nothing_leaked() {
#if __has_feature(address_sanitizer)
  return __lsan_do_recoverable_leak_check() == 0;
#else
  return true;
#endif
}

constexpr uint64_t usual_seconds = 2;
constexpr unsigned calls_of_a_sequence = 400;

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// These wait for what nobody does: for a value that is never written.
bool waits_for_others(std::string_view name) {
  return name.starts_with("cuStreamWaitValue") || name.starts_with("cuStreamBatchMemOp") ||
         name.find("BatchMemOp") != std::string_view::npos;
}

std::vector<entry::Call> chosen(std::span<const entry::Call> all) {
  std::vector<entry::Call> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [](const entry::Call& call) { return !waits_for_others(call.name); });
  return found;
}

struct Apis {
  std::vector<entry::Call> runtime = chosen(cudart::calls), driver = chosen(cu::calls),
                           compiler = chosen(nvrtc::calls);
  const entry::Call& any(Random& random) const {
    const uint64_t which = below(random, 40);
    // Compiling takes long.
    const std::vector<entry::Call>& of = which == 0 ? compiler : which < 20 ? driver : runtime;
    const entry::Call& call = of[below(random, of.size())];
    if (std::string_view(call.name) == "nvrtcCompileProgram" && !one_in(random, 20)) return driver[0];
    return call;
  }
};

class Sequence : public cudart::RuntimeApi {
 public:
  void TestBody() override {}
  explicit Sequence(uint64_t seed) : random_(seed) {
    program_.stubs = {&add_stub, &fault_stub};
    program_.shadows = {&counter_shadow, &factors_shadow};
    program_.text = cudart::test_program;
    program_.of_memory = [](uint64_t address) {
      return cuda::Process::get().system().memory().find(address) != nullptr;
    };
  }

  void run(const Apis& apis) {
    begin();
    const unsigned threads = one_in(random_, 2) ? 1 : 3;
    std::vector<std::thread> all;
    for (unsigned i = 0; i < threads; ++i)
      all.emplace_back([&, i, seed = random_()] {
        run_thread(apis, seed, calls_of_a_sequence / threads, host_memory(i));
      });
    for (std::thread& thread : all) thread.join();
  }

 private:
  template <class T, class Create>
  void add(const char* kind, Create create) {
    T made{};
    if (static_cast<int>(create(&made)) == 0) objects_.add(kind, word(made), random_);
  }
  template <class T>
  static uint64_t word(T value) {
    if constexpr (std::is_pointer_v<T>)
      return reinterpret_cast<uint64_t>(value);
    else
      return value;
  }
  // Something to begin with, of both devices.
  void begin() {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    for (int device = 1; device >= 0; --device) {
      cudaSetDevice(device);
      add<cudaStream_t>("stream", [](auto* made) { return cudaStreamCreate(made); });
      add<cudaStream_t>("stream",
                        [](auto* made) { return cudaStreamCreateWithFlags(made, cudaStreamNonBlocking); });
      add<cudaEvent_t>("event", [](auto* made) { return cudaEventCreate(made); });
      add<cudaEvent_t>("event", [](auto* made) { return cudaEventCreate(made); });
      for (const char* kind : {"memory", "memory", "integers"})
        add<void*>(kind, [](auto* made) { return cudaMalloc(made, 4096); });
      add<void*>("memory", [](auto* made) { return cudaMallocHost(made, 4096); });
      add<void*>("memory", [](auto* made) { return cudaMallocManaged(made, 4096, cudaMemAttachGlobal); });
      add<CUmodule>("module", [](auto* made) { return cuModuleLoadData(made, cudart::test_program); });
      add<CUcontext>("context", [](auto* made) { return cuCtxGetCurrent(made); });
      const CUDA_ARRAY_DESCRIPTOR shape = {16, 16, CU_AD_FORMAT_FLOAT, 1};
      add<CUarray>("array", [&](auto* made) { return cuArrayCreate_v2(made, &shape); });
      const auto module_ = reinterpret_cast<CUmodule>(objects_.any("module", random_));
      add<CUfunction>("function", [&](auto* made) { return cuModuleGetFunction(made, module_, "add"); });
    }
  }
  // Stays: nobody says when the last call is done with it.
  static std::span<std::byte> host_memory(unsigned thread) {
    static const auto all = std::make_unique<std::byte[]>(3 * AnyArguments::host_bytes);
    return {all.get() + thread * AnyArguments::host_bytes, AnyArguments::host_bytes};
  }
  void run_thread(const Apis& apis, uint64_t seed, unsigned count, std::span<std::byte> host) {
    Random random(seed);
    AnyArguments arguments(objects_, program_, random, host);
    for (int i = 0; i < 2; ++i)
      if (cudaGraph_t graph = nullptr; cudaGraphCreate(&graph, 0) == cudaSuccess)
        arguments.add("graph", word(graph));
    for (unsigned i = 0; i < count; ++i) {
      const entry::Call& call = apis.any(random);
      arguments.begin(call);
      const int code = call.run(arguments, call.parameters);
      if (code == 0) arguments.keep_outputs();
      EXPECT_NE(code, static_cast<int>(cudaErrorUnknown)) << call.name;
      // A context that a fault ended has nothing more to tell.
      if (cuda::ends_context(static_cast<cuda::Code>(code)) && one_in(random, 4)) cudaDeviceReset();
    }
    // What still captures would keep what it captures from.
    for (int device = 0; device < 2; ++device) {
      cudaSetDevice(device);
      cudaDeviceReset();
    }
  }

  Random random_;
  Objects objects_;
  Program program_;
};

TEST(Sequences, OfCallsAreSurvived) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(::testing::TempDir());  // some calls write files
  const Apis apis;
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::seconds(from_environment("HEDDLE_SEQUENCE_SECONDS", usual_seconds));
  const uint64_t first = from_environment("HEDDLE_SEQUENCE_SEED", 1);
  const bool telling = std::getenv("HEDDLE_TRACE") != nullptr;
  uint64_t seed = first;
  do {
    SCOPED_TRACE("seed " + std::to_string(seed));
    if (telling) std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed));
    Sequence(seed).run(apis);
    EXPECT_TRUE(nothing_leaked());
    ++seed;
  } while (std::chrono::steady_clock::now() < end && !HasFailure());
  RecordProperty("sequences", std::to_string(seed - first));
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace heddle::compilers
