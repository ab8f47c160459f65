#include "api/cuda_state/process.h"

#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "api/cuda_state/array.h"
#include "api/cuda_state/context.h"
#include "api/cuda_state/device.h"
#include "api/cuda_state/device_runtime.h"
#include "api/cuda_state/driver_version.h"
#include "api/cuda_state/event.h"
#include "api/cuda_state/graph.h"
#include "api/cuda_state/graph_exec.h"
#include "api/cuda_state/in_process.h"
#include "api/cuda_state/library.h"
#include "api/cuda_state/managed_ranges.h"
#include "api/cuda_state/memory_pool.h"
#include "api/cuda_state/registry.h"
#include "api/cuda_state/stream.h"
#include "api/cuda_state/user_object.h"
#include "api/entry/forked.h"
#include "runtime/process_system.h"

namespace heddle::cuda {
namespace {

std::atomic<Process*> the_process{nullptr};
std::mutex making;

void write_to(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

}  // namespace

Process& Process::get() {
  if (Process* there = the_process.load(std::memory_order_acquire)) return *there;
  const std::lock_guard lock(making);
  if (Process* there = the_process.load(std::memory_order_acquire)) return *there;
  auto* made = new Process(nullptr);
  the_process.store(made, std::memory_order_release);
  return *made;
}

void Process::replace(runtime::SystemOptions options) {
  const std::lock_guard lock(making);
  auto* made = new Process(std::make_unique<runtime::SystemOptions>(std::move(options)));
  delete the_process.exchange(made, std::memory_order_acq_rel);
}

Process::Process(std::unique_ptr<runtime::SystemOptions> options)
    : options_(std::move(options)),
      handles_(std::make_unique<Handles>()),
      registry_(std::make_unique<Registry>(*this)),
      managed_ranges_(std::make_unique<ManagedRanges>()) {}

Process::~Process() {
  // Graphs take their nodes and objects out of tables that must be there still.
  for (const auto& exec : handles_->graph_execs.all()) (void)exec->destroy();
  for (const auto& graph : handles_->graphs.all()) (void)graph->destroy();
  for (const ContextRef& context : handles_->contexts.all()) context->destroy();
  // What goes takes the handles of its parts back, from tables that must still be there.
  handles_->graph_execs.clear();
  handles_->graphs.clear();
}

void Process::start() {
  const auto started = [this]() -> runtime::Outcome<runtime::System*> {
    if (auto version = driver_version(); !version)
      return runtime::error(runtime::ErrorCode::not_supported, version.error().message);
    if (options_ == nullptr) return runtime::process_system();
    auto own = runtime::System::create(std::move(*options_));
    if (!own) return own.error();
    own_ = std::move(*own);
    return own_.get();
  };
  if (const auto system = started(); !system) {
    failure_ = failure_of(system.error());
  } else {
    system_ = *system;
    system_->set_device_runtime(device_runtime_api());
    for (runtime::Device& device : system_->devices()) devices_.emplace_back(*this, device);
    entry::in_use();
    ready_.store(true, std::memory_order_release);
    return;
  }
  tell(failure_->message);
  switch (failure_->code) {
    case Code::out_of_memory: break;
    case Code::invalid_device: failure_->code = Code::no_device; break;
    case Code::invalid_handle: failure_->code = Code::invalid_device; break;  // it was named twice
    default: failure_->code = Code::not_initialized;
  }
}

Status Process::state() {
  std::call_once(started_, [this] { start(); });
  if (failure_) return *failure_;
  return Unit{};
}

Status in_process(entry::Body<Status> body) noexcept {
  if (entry::forked()) [[unlikely]]
    return guarded<Status>([]() -> Status {
      return failure(Code::not_initialized, "the process was forked from one that had used CUDA");
    });
  return guarded<Status>(body);
}

bool Process::started() {
  const Process* there = the_process.load(std::memory_order_acquire);
  return there != nullptr && there->ready_.load(std::memory_order_acquire);
}

Answer<Device*> Process::device(int ordinal) {
  if (Status ready = state(); !ready) return ready.error();
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= devices_.size())
    return failure(Code::invalid_device,
                   "device " + std::to_string(ordinal) + " of " + std::to_string(devices_.size()));
  return &devices_[static_cast<std::size_t>(ordinal)];
}

void Process::tell(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> told;
  const std::lock_guard lock(mutex);
  if (!told.emplace(text).second) return;
  write_to(stderr, "heddle: " + std::string(text) + '\n');
}

}  // namespace heddle::cuda
