// For tests of the run: a PTX text whose kernels are written in C++, so that no compiler is needed.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exec/jit/compiler/compiler.h"
#include "exec/jit/executor.h"
#include "module/link.h"
#include "ptx/parse.h"
#include "support/process_end.h"

namespace heddle::exec::jit::testing {

struct NativeKernel {
  KernelEntry entry = nullptr;
  uint64_t slot_bytes = 0, local_bytes = 0;
  bool uses_steps = false, watches = false;
  std::vector<Site> sites{};
  std::vector<AccessLanes> lanes{};
  Place place{};                     // of every instruction of the function
  KernelEntry best_entry = nullptr;  // of the best tier, where it is another
  uint64_t best_slot_bytes = 0;
};

// Says that all instructions near the beginning of a function stand at one place.
class OnePlace final : public Code {
 public:
  OnePlace(KernelEntry entry, Place place) : begin_(reinterpret_cast<uintptr_t>(entry)), place_(place) {}
  void* find(std::string_view) const override { return reinterpret_cast<void*>(begin_); }
  uintptr_t begin() const override { return begin_; }
  uintptr_t end() const override { return begin_ + 4096; }
  Place place(uintptr_t) const override { return place_; }

 private:
  uintptr_t begin_;
  Place place_;
};

class TestCompiler final : public KernelCompiler {
 public:
  explicit TestCompiler(std::map<std::string, NativeKernel> kernels) : kernels_(std::move(kernels)) {}
  Result<std::shared_ptr<const CompiledKernel>, Refusal> compile(const CompileRequest& request) override {
    {
      const std::lock_guard lock(mutex_);
      requests.push_back(request);
    }
    std::this_thread::sleep_for(takes);
    while (endless && request.tier == Tier::best) LibraryWork::rest();
    const auto found = kernels_.find(request.image->functions[request.function].name);
    if (found == kernels_.end()) return Refusal{"the test has no code for it"};
    const NativeKernel& native = found->second;
    auto kernel = std::make_shared<CompiledKernel>();
    kernel->entry = native.entry;
    kernel->sites = native.sites;
    kernel->lanes = native.lanes;
    kernel->slot_bytes = native.slot_bytes;
    kernel->watches = native.watches;
    kernel->local_bytes = native.local_bytes;
    kernel->uses_steps = native.uses_steps;
    if (request.tier == Tier::best && native.best_entry != nullptr) {
      kernel->entry = native.best_entry;
      kernel->slot_bytes = native.best_slot_bytes;
    }
    kernel->code = std::make_shared<OnePlace>(kernel->entry, native.place);
    return std::shared_ptr<const CompiledKernel>(std::move(kernel));
  }
  std::shared_ptr<const CompiledKernel> kept(const CompileRequest& request) override {
    if (!keeps) return nullptr;
    auto kernel = compile(request);
    return kernel ? *kernel : nullptr;
  }
  bool keeps = false;    // as if an earlier process had asked for the same
  bool endless = false;  // the best tier is never done
  std::chrono::milliseconds takes{0};
  Experience experience(const CompileRequest& request) override {
    EXPECT_EQ(request.tier, Tier::best);
    return earlier;
  }
  void note(const CompileRequest& request, const Experience& more) override {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(request.tier, Tier::best);
    notes_.push_back(more);
  }
  std::vector<Experience> notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }
  Experience earlier;  // of processes before this one
  std::vector<CompileRequest> asked() {
    const std::lock_guard lock(mutex_);
    return requests;
  }

 private:
  std::vector<CompileRequest> requests;
  std::vector<Experience> notes_;
  std::map<std::string, NativeKernel> kernels_;
  std::mutex mutex_;
};

class TestReference final : public Executor {
 public:
  TestReference(std::atomic<int>& runs, const std::atomic<int>& milliseconds)
      : runs_(runs), milliseconds_(milliseconds) {}
  std::string_view name() const override { return "reference"; }
  bool provides(std::string_view) const override { return true; }
  Result<LaunchReport, Fault> run(const Launch&) override {
    ++runs_;
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_.load()));
    return LaunchReport{};
  }

 private:
  std::atomic<int>& runs_;
  const std::atomic<int>& milliseconds_;
};

// Lanes that add 1 to register slot 0 of each lane, and fault at warp 7.
class TestLanes final : public ReferenceLanes {
 public:
  void enter(const Place& place) override { block_ = place.block; }
  uint64_t* registers() override { return registers_; }
  bool execute(uint32_t, uint32_t, uint32_t warp, uint32_t lanes, uint64_t, uint32_t&) override {
    for (uint32_t lane = 0; lane < 32; ++lane)
      if ((lanes >> lane & 1) != 0) registers_[lane] += 1 + block_.x;
    return warp != 7;
  }
  Fault take_fault() override {
    Fault fault;
    fault.kind = FaultKind::trap;
    fault.detail = "step";
    fault.block = block_;
    return fault;
  }

 private:
  uint64_t registers_[32] = {};
  Dim3 block_;
};
class TestLanesFactory final : public ReferenceLanesFactory {
 public:
  std::unique_ptr<ReferenceLanes> make(const Launch&, observe::Sink*, UnstartedClusters*) override {
    return std::make_unique<TestLanes>();
  }
};

class World {
 public:
  World(std::string_view ptx, std::map<std::string, NativeKernel> kernels, Options options = {}) {
    auto source = std::make_shared<SourceText>("test.ptx", std::string(ptx));
    Diagnostics diagnostics;
    const ptx::Module syntax = ptx::read(source, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.render(*source);
    const ptx::Module* const modules[] = {&syntax};
    auto linked = module::link(modules);
    if (!linked.ok()) {
      for (const std::string& message : linked.error().messages) ADD_FAILURE() << message;
      return;
    }
    loaded.image = std::move(linked.value());
    loaded.symbol_address.resize(loaded.image->symbols.size());
    loaded.symbol_handle.resize(loaded.image->symbols.size());
    auto made = std::make_unique<TestCompiler>(std::move(kernels));
    compiler = made.get();
    if (!options.trace)
      options.trace = [this](const std::string& line) {
        const std::lock_guard lock(trace_mutex);
        trace.push_back(line);
      };
    executor = make_executor(options, std::move(made),
                             std::make_unique<TestReference>(reference_runs, reference_milliseconds),
                             std::make_unique<TestLanesFactory>());
  }
  ~World() {
    for (const auto& [data, bytes] : pieces_) munmap(data, bytes);
  }

  // Pages that the guest may use, with one behind them that nobody may.
  std::byte* pages(std::size_t count) {
    const std::size_t bytes = (count + 1) * 4096;
    auto* data = static_cast<std::byte*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(data + count * 4096, 4096, PROT_NONE);
    pieces_.emplace_back(data, bytes);
    memory.add(reinterpret_cast<uintptr_t>(data), count * 4096, true);
    return data;
  }

  Launch launch(std::string_view kernel, LaunchShape shape, std::span<const uint64_t> params = {}) {
    Launch launch;
    launch.module = &loaded;
    launch.function = loaded.image->function_index(kernel);
    launch.shape = shape;
    launch.params = std::as_bytes(params);
    launch.device = &arch::default_device();
    launch.memory = &memory;
    return launch;
  }
  Result<LaunchReport, Fault> run(std::string_view kernel, LaunchShape shape,
                                  std::vector<uint64_t> params = {}) {
    return executor->run(launch(kernel, shape, params));
  }
  Fault fault(std::string_view kernel, LaunchShape shape, std::vector<uint64_t> params = {}) {
    auto result = run(kernel, shape, std::move(params));
    EXPECT_FALSE(result.ok()) << "the kernel did not fault";
    return result.ok() ? Fault{} : result.error();
  }

  LoadedModule loaded;
  GuestMemory memory;
  TestCompiler* compiler = nullptr;
  std::atomic<int> reference_runs{0};
  std::atomic<int> reference_milliseconds{0};  // that each takes
  std::mutex trace_mutex;
  std::vector<std::string> trace;
  std::unique_ptr<Executor> executor;

 private:
  std::vector<std::pair<void*, std::size_t>> pieces_;
};

// The first parameter of a running kernel.
template <class T>
T* argument(const Context* context, std::size_t index = 0) {
  uint64_t value = 0;
  std::memcpy(&value, context->parameters + 8 * index, sizeof value);
  return reinterpret_cast<T*>(value);
}
inline void set_block(Context* context, uint64_t block) {
  context->block[0] = static_cast<uint32_t>(block % context->grid[0]);
  context->block[1] = static_cast<uint32_t>(block / context->grid[0] % context->grid[1]);
  context->block[2] = static_cast<uint32_t>(block / context->grid[0] / context->grid[1]);
}

}  // namespace heddle::exec::jit::testing
