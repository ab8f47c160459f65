// For tests: a system that remembers what was printed, and an executor whose kernels are written in C++.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "exec/interp/executor.h"
#include "runtime/copy.h"
#include "runtime/event.h"
#include "runtime/launch.h"
#include "runtime/load.h"
#include "runtime/system.h"

namespace heddle::runtime {

#define ASSERT_DONE(expression)                                              \
  do {                                                                       \
    const Done done_ = (expression);                                         \
    ASSERT_TRUE(done_.ok()) << #expression << ": " << done_.error().message; \
  } while (false)
#define EXPECT_DONE(expression)                                              \
  do {                                                                       \
    const Done done_ = (expression);                                         \
    EXPECT_TRUE(done_.ok()) << #expression << ": " << done_.error().message; \
  } while (false)

// "ok", or the message.
template <class T>
std::string said(const Outcome<T>& outcome) {
  return outcome ? "ok" : outcome.error().message;
}
template <class T>
ErrorCode code(const Outcome<T>& outcome) {
  return outcome.error().code;
}

// A door that tests open: kernels and callbacks wait before it.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  // False when nobody opened it in time: the test has failed then, but ends.
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [this] { return open_; });
  }
  bool is_open() {
    const std::lock_guard lock(mutex_);
    return open_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// The order in which things happened.
class Journal {
 public:
  void add(std::string what) {
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(what));
  }
  std::vector<std::string> entries() const {
    const std::lock_guard lock(mutex_);
    return entries_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> entries_;
};

using Report = Result<exec::LaunchReport, exec::Fault>;

// Kernels by name; one that is not there does nothing.
class ScriptedExecutor final : public exec::Executor {
 public:
  using Body = std::function<Report(const exec::Launch&)>;
  using Bodies = std::map<std::string, Body, std::less<>>;
  explicit ScriptedExecutor(std::shared_ptr<Bodies> bodies) : bodies_(std::move(bodies)) {}
  std::string_view name() const override { return "scripted"; }
  bool provides(std::string_view) const override { return true; }
  Report run(const exec::Launch& launch) override {
    const auto found = bodies_->find(launch.module->image->functions[launch.function].name);
    return found == bodies_->end() ? Report(exec::LaunchReport{}) : found->second(launch);
  }

 private:
  const std::shared_ptr<Bodies> bodies_;
};

// `.entry` without a body for each name, one 64-bit parameter.
inline std::string empty_kernels(std::initializer_list<std::string_view> names,
                                 std::string_view target = "sm_50") {
  std::string text = ".version " + std::string(target < "sm_20" ? "1.4" : "8.0") + "\n.target " +
                     std::string(target) + "\n.address_size 64\n";
  for (const std::string_view name : names)
    text += ".visible .entry " + std::string(name) + "(.param .u64 p) { ret; }\n";
  return text;
}

struct TestSetup {
  std::vector<std::string> devices = {"h200"};
  bool scripted = false;
  bool reference = false;  // kernels run on the reference executor
  std::string inject = {};
  std::optional<std::chrono::nanoseconds> kernel_timeout = {};
  std::optional<uint64_t> host_memory = {};
  bool quiet = false;
  Bounds bounds = Bounds::exact;
};

class TestSystem {
 public:
  explicit TestSystem(const TestSetup& setup = {}) {
    SystemOptions options;
    for (const std::string& name : setup.devices) options.devices.push_back(*arch::find_device(name));
    if (setup.scripted) options.executor = std::make_unique<ScriptedExecutor>(kernels);
    if (setup.reference) options.executor = exec::interp::make_executor();
    options.print = [this](std::string_view text) {
      const std::lock_guard lock(output_mutex_);
      printed_ += text;
    };
    options.print_error = [this](std::string_view text) {
      const std::lock_guard lock(output_mutex_);
      errors_ += text;
    };
    options.inject = setup.inject;
    options.kernel_timeout = setup.kernel_timeout;
    options.host_memory = setup.host_memory;
    options.quiet = setup.quiet;
    options.bounds = setup.bounds;
    auto made = System::create(std::move(options));
    EXPECT_TRUE(made.ok()) << said(made);
    system = std::move(*made);
    context = make_context();
  }
  std::shared_ptr<Context> make_context(uint32_t device = 0, const ContextOptions& options = {}) {
    auto made = system->create_context(device, options);
    EXPECT_TRUE(made.ok()) << said(made);
    return *made;
  }
  std::shared_ptr<Module> load(const std::string& text, Context* where = nullptr) {
    const ProgramText program{"test.ptx", text};
    std::string log;
    auto module = load_module(where == nullptr ? *context : *where, std::span(&program, 1), log);
    EXPECT_TRUE(module.ok()) << log;
    return module ? *module : nullptr;
  }
  std::shared_ptr<Stream> stream(const StreamOptions& options = {}) {
    return *context->create_stream(options);
  }
  std::string printed() const {
    const std::lock_guard lock(output_mutex_);
    return printed_;
  }
  std::string errors() const {
    const std::lock_guard lock(output_mutex_);
    return errors_;
  }

  std::shared_ptr<ScriptedExecutor::Bodies> kernels = std::make_shared<ScriptedExecutor::Bodies>();

 private:
  mutable std::mutex output_mutex_;
  std::string printed_, errors_;

 public:
  std::unique_ptr<System> system;
  std::shared_ptr<Context> context;
};

// A launch of a kernel whose parameters are 64-bit values.
inline Done start(Stream& stream, Module& module, std::string_view name, exec::Dim3 grid = {},
                  exec::Dim3 block = {}, std::vector<uint64_t> arguments = {0}) {
  auto kernel = module.kernel(name);
  if (!kernel) return kernel.error();
  LaunchRequest request;
  request.kernel = *kernel;
  request.grid = grid;
  request.block = block;
  request.params = std::as_bytes(std::span(arguments));
  return launch(stream, request);
}

template <class T>
T* pointer(uint64_t address) {
  return reinterpret_cast<T*>(address);
}
inline uint64_t address_of(const void* host) { return reinterpret_cast<uint64_t>(host); }

}  // namespace heddle::runtime
