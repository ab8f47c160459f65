// A program's state on one device: its memory, modules and streams, and whether it still works. After a fault
// every later operation reports that fault, as on a device; other contexts go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "exec/guest_memory.h"
#include "model/occupancy.h"
#include "runtime/allocation.h"
#include "runtime/error.h"
#include "runtime/guest_services.h"
#include "runtime/system.h"
#include "runtime/task.h"

namespace heddle::runtime {

class Module;
class Stream;
struct StreamOptions;

struct ContextOptions {
  bool immediate_output = false;  // printf goes out as it comes, not when the host synchronises
  bool low_addresses = false;     // all memory below 4 GiB, for programs whose addresses have 32 bits
};

enum class ContextLimit : uint8_t {
  stack_bytes,
  printf_bytes,
  heap_bytes,
  sync_depth,        // of grids that may wait for their children (device_runtime.h)
  pending_launches,  // of device code
};

class Context : public std::enable_shared_from_this<Context> {
 public:
  Context(System& system, Device& device, const ContextOptions& options);  // System::create_context
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  System& system() const { return system_; }
  Device& device() const { return device_; }
  const ContextOptions& options() const { return options_; }
  uint64_t id() const { return id_; }  // never used twice in a process

  // ---- state: context.cpp
  Done check() const;  // the error that ended the context
  // What every operation begins with: check(), and what tests inject there.
  Done begin(Site site);
  void fail(Error error);  // the first one stays
  // Queued work was not done because the host has no memory for it. No fault: the next call that begins
  // something or waits returns it, once, and the context goes on.
  void miss(Error error);
  Done result();  // check(), or else what was missed
  // Kernels that run end as soon as they look. Safe in a signal handler.
  void cancel() { cancel_.store(true, std::memory_order_relaxed); }
  const std::atomic<bool>& cancelled() const { return cancel_; }
  // Everything submitted so far is done, and what kernels printed is out.
  Done synchronize();
  // Waits for running work, then ends everything: memory, modules, streams. Later operations report that.
  void destroy();
  void flush_output();
  // Across all streams, what they will be made of later too: a task behind everything that was submitted so
  // far, and a task that whatever is submitted from now on waits for. Work of a graph that is captured is
  // neither.
  Outcome<TaskRef> submit_behind_all(OperationRef operation);
  Done hold_until(TaskRef task);
  // Kept until everything submitted so far is done. Safe in callbacks of tasks.
  void keep_until_idle(std::shared_ptr<const void> object);

  Outcome<uint64_t> limit(ContextLimit limit) const;
  Done set_limit(ContextLimit limit, uint64_t value);
  // Of kernels without a preference of their own.
  std::atomic<model::CachePreference> cache_preference{};
  uint64_t stack_bytes() const { return stack_bytes_.load(std::memory_order_relaxed); }

  Done enable_peer(Context& peer);  // kernels of this context may touch what the peer owns
  Done disable_peer(Context& peer);

  // ---- memory: context_memory.cpp
  Outcome<AllocationRef> allocate(MemoryKind kind, uint64_t bytes, uint32_t flags = 0);
  Outcome<AllocationRef> allocate(MemoryRequest request);  // fills in owner, device, budget and region
  // `visible`: kernels may touch it (mapped).
  Outcome<AllocationRef> allocate_host(uint64_t bytes, bool visible, uint32_t flags = 0);
  Outcome<AllocationRef> register_host(uint64_t address, uint64_t bytes, bool visible, bool read_only,
                                       uint32_t flags = 0);
  Done unregister_host(uint64_t address);
  // The beginning of an allocation of one of `kinds`, of any context. Waits for kernels that could use it.
  Done free(uint64_t address, std::initializer_list<MemoryKind> kinds);
  Done free(const AllocationRef& allocation);
  // Of what this context owns: its pages become those of a file, once nothing runs that could use them.
  Outcome<SharedPages> share(const AllocationRef& allocation, const PhysicalMemory::Label& label);
  // Not to be found any more from now on; the memory itself goes when no kernel of this context runs.
  void bury(const AllocationRef& allocation);

  // ---- streams: context_streams.cpp
  Outcome<std::shared_ptr<Stream>> create_stream(const StreamOptions& options);
  // The stream that work goes to when none is named: it waits for the work of every blocking stream, and they
  // for its. nullptr once the context is destroyed.
  std::shared_ptr<Stream> default_stream();
  // The calling thread's own one. nullptr once the context is destroyed.
  std::shared_ptr<Stream> thread_stream();

  exec::GuestMemory& guest_memory() { return guest_memory_; }
  GuestServices& services() { return services_; }

 private:
  friend class Stream;
  friend class Module;
  friend class Grid;
  friend class GridFamily;
  void launch_begins();
  void launch_ended();
  void free_buried();
  void forget(const Stream& stream);
  // Everything that is not done yet.
  std::vector<TaskRef> open_tasks();
  std::vector<uint64_t> stream_numbers();  // Stream::last_number_ of each
  std::vector<TaskRef> open_tasks_locked();
  void append_holds(std::vector<TaskRef>& tasks);  // with order_ held
  void drain();
  Outcome<AllocationRef> owned(Outcome<AllocationRef> made);
  Done remember(const std::shared_ptr<Module>& module);
  void forget(const std::shared_ptr<Module>& module);

  System& system_;
  Device& device_;
  const uint64_t id_;
  const ContextOptions options_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> cancel_{false};
  std::atomic<bool> destroyed_{false};
  std::atomic<uint64_t> stack_bytes_;
  // As on devices (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Configuration Options").
  std::atomic<uint64_t> sync_depth_{2}, pending_launches_{2048};
  exec::GuestMemory guest_memory_;
  GuestServices services_;
  mutable std::mutex mutex_;
  std::optional<Error> failure_, missed_;
  std::atomic<bool> any_missed_{false};
  std::vector<AllocationRef> buried_;
  std::atomic<bool> any_buried_{false};

  // Touched for each launch, by whoever runs it.
  alignas(64) std::atomic<uint32_t> running_launches_{0};

  alignas(64) std::mutex order_;  // of submissions, where streams wait for each other
  std::shared_ptr<Stream> default_stream_;
  std::list<std::shared_ptr<Stream>> streams_;  // without the default one
  std::vector<TaskRef> forgotten_;  // last tasks of streams that were destroyed, and tasks of none
  std::vector<TaskRef> holds_;      // what all streams wait for
  std::vector<TaskRef> after_;      // of a submission; here for its memory
  std::unordered_map<std::thread::id, std::shared_ptr<Stream>> thread_streams_;
  std::set<std::shared_ptr<Module>> modules_;
};

}  // namespace heddle::runtime
