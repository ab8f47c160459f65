// Heddle as a contender: kernels.ptx through the runtime, with the executor that the environment names.
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>

#include "clock/forecast.h"
#include "contender.h"
#include "observe/observer.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/launch.h"
#include "runtime/load.h"
#include "runtime/watcher.h"
#include "runtime/watchers.h"

namespace heddle::bench {

namespace {

using runtime::Done;

template <class T>
std::string wrong(const runtime::Outcome<T>& outcome) {
  return outcome ? std::string() : outcome.error().message;
}

// What bench/observe_cost measures: every launch has an observer, which makes as little as can be of what it
// is told.
class Watch final : public runtime::Watcher {
 public:
  // `what`: counts, addresses, hash.
  explicit Watch(std::string_view what)
      : needs_(what == "counts" ? observe::counts : observe::accesses), hashes_(what == "hash") {}

  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override {
    return std::make_unique<OneLaunch>(*this);
  }

 private:
  struct Hash final : observe::Sink {
    void access(const observe::Access& access) override {
      uint64_t sum = hash;
      for (observe::Mask lanes = access.lanes; lanes != 0; lanes &= lanes - 1)
        sum = (sum ^ access.addresses[std::countr_zero(lanes)]) * 0x9e3779b97f4a7c15;
      hash = sum;
    }
    uint64_t hash = 0;
  };
  struct OneLaunch final : runtime::LaunchWatch, observe::Observer {
    explicit OneLaunch(const Watch& watch) : watch(watch) {}
    observe::Observer* observer() override { return this; }
    observe::Needs needs() const override { return watch.needs_; }
    observe::Sink& sink() override {
      const std::lock_guard lock(mutex);
      if (watch.hashes_)
        sinks.push_back(std::make_unique<Hash>());
      else
        sinks.push_back(std::make_unique<observe::Sink>());
      return *sinks.back();
    }
    const Watch& watch;
    std::mutex mutex;
    std::vector<std::unique_ptr<observe::Sink>> sinks;
  };

  const observe::Needs needs_;
  const bool hashes_;
};

class Heddle final : public Contender {
 public:
  // What went wrong.
  std::string start(const char* ptx, std::string_view watched) {
    std::ifstream file(ptx);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) return std::string("cannot read ") + ptx;
    auto options = runtime::options_from_environment([](const char* name) { return std::getenv(name); });
    if (!options) return options.error().message;
    auto system = runtime::System::create(std::move(*options));
    if (!system) return system.error().message;
    system_ = std::move(*system);
    if (watched == "simulated" || watched == "instant") {
      // What bench/predict_cost measures: HEDDLE_PREDICT says for which devices, and where the times go.
      const char* setting = std::getenv(clock::forecast_variable);
      auto forecast =
          clock::Forecast::create(setting == nullptr ? "" : setting, watched == "instant" ? "instant" : "");
      if (!forecast) return forecast.error().message;
      system_->watchers().add(*forecast);
    } else if (!watched.empty()) {
      system_->watchers().add(std::make_shared<Watch>(watched));
    }
    auto context = system_->create_context(0, {});
    if (!context) return context.error().message;
    context_ = *context;
    const runtime::ProgramText program{ptx, text.str()};
    std::string log;
    auto module = runtime::load_module(*context_, std::span(&program, 1), log);
    if (!module) return module.error().message + ": " + log;
    module_ = *module;
    stream_ = context_->default_stream();
    return {};
  }
  std::string description() const {
    return std::string(system_->executor().name()) + " as " + arch::describe(context_->device().facts);
  }

  std::string open(std::string_view, Problem& problem) override {
    close();
    problem_ = &problem;
    for (Array& array : problem.arrays) {
      auto memory = context_->allocate(runtime::MemoryKind::device, array.bytes());
      if (!memory) return memory.error().message;
      memory_.push_back(*memory);
      std::memcpy(place(memory_.size() - 1), array.data(), array.bytes());
    }
    for (const Step& step : problem.steps) {
      Prepared prepared;
      if (const auto* launch = std::get_if<Launch>(&step)) {
        auto kernel = module_->kernel(launch->kernel);
        if (!kernel) return kernel.error().message;
        prepared.request.kernel = *kernel;
        prepared.request.grid = {launch->blocks.x, launch->blocks.y, launch->blocks.z};
        prepared.request.block = {launch->threads.x, launch->threads.y, launch->threads.z};
        prepared.request.dynamic_shared = launch->shared_bytes;
        for (const Argument& argument : launch->arguments) {
          prepared.values.push_back(argument.kind == Argument::Kind::array ? memory_[argument.bits]->address
                                                                           : argument.bits);
        }
      }
      steps_.push_back(std::move(prepared));
    }
    return {};
  }

  std::string run() override {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = problem_->steps[i];
      Done done = Unit{};
      if (const auto* copy = std::get_if<Copy>(&step)) {
        done = runtime::copy(*stream_, memory_[copy->to]->address, memory_[copy->from]->address,
                             problem_->arrays[copy->to].bytes());
      } else if (const auto* clear = std::get_if<Clear>(&step)) {
        done = runtime::fill(*stream_, memory_[clear->array]->address, 0,
                             problem_->arrays[clear->array].bytes());
      } else {
        done = launch(steps_[i]);
      }
      if (!done) return done.error().message;
    }
    return wrong(stream_->synchronize());
  }

  std::string fetch() override {
    for (const uint32_t i : problem_->results)
      std::memcpy(problem_->arrays[i].data(), place(i), problem_->arrays[i].bytes());
    return {};
  }
  std::string give() override {
    for (const uint32_t i : problem_->results)
      std::memcpy(place(i), problem_->arrays[i].data(), problem_->arrays[i].bytes());
    return {};
  }
  void close() override {
    for (const runtime::AllocationRef& memory : memory_) static_cast<void>(context_->free(memory));
    memory_.clear();
    steps_.clear();
  }

 private:
  struct Prepared {
    runtime::LaunchRequest request;
    std::vector<uint64_t> values;
  };

  // As a launch of an API goes: pointers to the values, laid out each time.
  Done launch(Prepared& prepared) {
    pointers_.clear();
    for (const uint64_t& value : prepared.values) pointers_.push_back(&value);
    auto bytes = runtime::pack_parameters(*prepared.request.kernel, pointers_.data());
    if (!bytes) return bytes.error();
    prepared.request.params = *bytes;
    return runtime::launch(*stream_, prepared.request);
  }
  std::byte* place(std::size_t i) const { return reinterpret_cast<std::byte*>(memory_[i]->address); }

  std::unique_ptr<runtime::System> system_;
  std::shared_ptr<runtime::Context> context_;
  std::shared_ptr<runtime::Module> module_;
  std::shared_ptr<runtime::Stream> stream_;
  Problem* problem_ = nullptr;
  std::vector<runtime::AllocationRef> memory_;
  std::vector<Prepared> steps_;
  std::vector<const void*> pointers_;
};

}  // namespace

}  // namespace heddle::bench

int main(int count, char** arguments) {
  using namespace heddle::bench;
  const std::string_view watched = count == 3 ? arguments[2] : "";
  if ((count != 2 && count != 3) || (count == 3 && watched != "counts" && watched != "addresses" &&
                                     watched != "hash" && watched != "simulated" && watched != "instant"))
    return absent("usage: bench_heddle KERNELS.ptx [counts|addresses|hash|simulated|instant]");
  Heddle heddle;
  if (const std::string why = heddle.start(arguments[1], watched); !why.empty()) return absent(why);
  return serve(heddle, heddle.description());
}
