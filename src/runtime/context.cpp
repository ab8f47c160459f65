#include "runtime/context.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/device_runtime.h"
#include "runtime/module.h"
#include "runtime/stream.h"

namespace heddle::runtime {

namespace {
std::atomic<uint64_t> next_context_id{1};
}

Context::Context(System& system, Device& device, const ContextOptions& options)
    : system_(system),
      device_(device),
      id_(next_context_id.fetch_add(1, std::memory_order_relaxed)),
      options_(options),
      stack_bytes_(device.facts.arch.launch.default_stack_bytes),
      services_(system.options().print, system.options().print_error,
                device.facts.arch.launch.default_printf_bytes, options.immediate_output,
                device.facts.arch.launch.default_heap_bytes, [this](uint64_t bytes) -> AllocationRef {
                  const auto memory = allocate(MemoryKind::heap, bytes);
                  return memory ? *memory : nullptr;
                }) {
  services_.watchers = &system_.watchers();
  system_.ranges().attach(*this, guest_memory_);
}

Context::~Context() = default;

Done Context::check() const {
  if (!failed_.load(std::memory_order_acquire)) return Unit{};
  const std::lock_guard lock(mutex_);
  return *failure_;
}

void Context::miss(Error error) {
  const std::lock_guard lock(mutex_);
  if (!missed_) missed_ = std::move(error);
  any_missed_.store(true, std::memory_order_release);
}

Done Context::result() {
  if (Done state = check(); !state) return state;
  // Work itself has nobody to tell it to.
  if (!any_missed_.load(std::memory_order_acquire) || Scheduler::current() != nullptr) return Unit{};
  const std::lock_guard lock(mutex_);
  any_missed_.store(false, std::memory_order_relaxed);
  std::optional<Error> missed = std::exchange(missed_, std::nullopt);
  if (missed) return *std::move(missed);
  return Unit{};
}

Done Context::begin(Site site) {
  if (Done state = result(); !state) return state;
  if (auto failure = system_.injector().at(site)) {
    if (ends_context(failure->code)) fail(*failure);
    return *failure;
  }
  return Unit{};
}

void Context::fail(Error error) {
  // What is told anyway: an assertion has been printed, an end was wished for.
  const bool told = error.fault == nullptr || error.fault->kind == exec::FaultKind::assertion ||
                    error.fault->kind == exec::FaultKind::cancelled;
  const std::string line = told ? std::string() : "heddle: " + error.message + "\n";
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
    failure_ = std::move(error);
    failed_.store(true, std::memory_order_release);
  }
  // Programs that look at no error code would end as if all were well.
  if (const SystemOptions& options = system_.options();
      !line.empty() && !options.quiet && options.print_error)
    options.print_error(line);
  cancel();  // nothing that still runs can have a result
}

void Context::flush_output() { services_.output.flush(); }

Done Context::synchronize() {
  if (Scheduler::current() != nullptr)
    return error(ErrorCode::not_permitted, "a host callback cannot wait for the device");
  if (destroyed_.load(std::memory_order_acquire)) return check();
  drain();
  flush_output();
  return result();
}

void Context::drain() {
  for (const TaskRef& task : open_tasks()) system_.scheduler().wait(task);
  system_.host_waited(stream_numbers());
  const auto unused = [this] { return running_launches_ == 0; };
  services_.textures.collect(unused);
  services_.samplers.collect(unused);
  services_.surfaces.collect(unused);
  services_.images.collect(unused);
}

namespace {

// Ends what runs when it lives longer than `patience`. By a thread of its own: who waits may itself run what
// has no end.
class Impatience {
 public:
  Impatience(std::chrono::nanoseconds patience, std::function<void()> end) : end_(std::move(end)) {
    try {
      timer_ = std::thread([this, patience] {
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, patience, [this] { return over_; })) return;
        lock.unlock();
        end_();
      });
    } catch (const std::system_error&) {
      end_();  // no thread, no patience
    }
  }
  ~Impatience() {
    if (!timer_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    timer_.join();
  }
  Impatience(const Impatience&) = delete;
  Impatience& operator=(const Impatience&) = delete;

 private:
  const std::function<void()> end_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread timer_;
};

}  // namespace

void Context::destroy() {
  // What a kernel leaves when its context ends is what it printed: others' memory it cannot have. A kernel
  // that has no end, or a late one, is ended.
  constexpr std::chrono::seconds patience{2};
  if (destroyed_.exchange(true)) return;
  const std::shared_ptr<Context> self = shared_from_this();
  const auto end = [this] { fail(error(ErrorCode::invalid_context, "the context was destroyed")); };
  if (!open_tasks().empty()) {
    const Impatience impatience(patience, end);
    drain();
  } else {
    drain();
  }
  flush_output();
  end();
  drain();  // what slipped in meanwhile
  std::list<std::shared_ptr<Stream>> streams;
  std::unordered_map<std::thread::id, std::shared_ptr<Stream>> thread_streams;
  std::set<std::shared_ptr<Module>> modules;
  std::shared_ptr<Stream> default_stream;
  {
    const std::lock_guard lock(order_);
    streams.swap(streams_);
    thread_streams.swap(thread_streams_);
    default_stream.swap(default_stream_);
  }
  {
    const std::lock_guard lock(mutex_);
    modules.swap(modules_);
  }
  for (const std::shared_ptr<Module>& module : modules) module->let_go();
  modules.clear();
  system_.memory().release_all(*this, id_);
  system_.ranges().detach(*this);
  system_.forget(self);
}

Done Context::remember(const std::shared_ptr<Module>& module) {
  const std::lock_guard lock(mutex_);
  // destroy() may have come in between: then nobody would end what keeps the other.
  if (destroyed_) return error(ErrorCode::invalid_context, "the context was destroyed");
  modules_.insert(module);
  return Unit{};
}

void Context::forget(const std::shared_ptr<Module>& module) {
  {
    const std::lock_guard lock(mutex_);
    modules_.erase(module);
  }
  module->let_go();
}

Outcome<uint64_t> Context::limit(ContextLimit limit) const {
  switch (limit) {
    case ContextLimit::stack_bytes: return stack_bytes();
    case ContextLimit::printf_bytes: return services_.output.capacity();
    case ContextLimit::heap_bytes: return services_.heap.limit();
    case ContextLimit::sync_depth: return sync_depth_.load(std::memory_order_relaxed);
    case ContextLimit::pending_launches: return pending_launches_.load(std::memory_order_relaxed);
  }
  return invalid("no such limit");
}

Done Context::set_limit(ContextLimit limit, uint64_t value) {
  if (Done state = begin(Site::operation); !state) return state;
  switch (limit) {
    case ContextLimit::stack_bytes: {
      const uint64_t most = device_.facts.arch.memory.local_bytes_per_thread;
      if (value > most)
        return invalid("a stack of " + std::to_string(value) + " bytes a thread, " +
                       arch::describe(device_.facts) + " allows " + std::to_string(most));
      stack_bytes_.store(value, std::memory_order_relaxed);
      return Unit{};
    }
    case ContextLimit::printf_bytes: services_.output.set_capacity(value); return Unit{};
    case ContextLimit::heap_bytes:
      if (services_.heap.set_limit(value)) return Unit{};
      return error(ErrorCode::busy, "the heap has its size since a kernel used it");
    case ContextLimit::sync_depth:
      if (value > deepest_nesting)
        return invalid("a synchronisation depth of " + std::to_string(value) + ", grids nest " +
                       std::to_string(deepest_nesting) + " deep");
      sync_depth_.store(value, std::memory_order_relaxed);
      return Unit{};
    case ContextLimit::pending_launches:
      pending_launches_.store(value, std::memory_order_relaxed);
      return Unit{};
  }
  return invalid("no such limit");
}

Done Context::enable_peer(Context& peer) {
  if (Done state = begin(Site::operation); !state) return state;
  if (&peer == this || &peer.system_ != &system_) return invalid("a context is no peer of itself");
  if (!system_.ranges().enable_peer(*this, peer))
    return error(ErrorCode::peer_enabled, "access to the peer is enabled already");
  return Unit{};
}

Done Context::disable_peer(Context& peer) {
  if (Done state = begin(Site::operation); !state) return state;
  if (!system_.ranges().disable_peer(*this, peer))
    return error(ErrorCode::peer_not_enabled, "access to the peer is not enabled");
  return Unit{};
}

}  // namespace heddle::runtime
