// What both CUDA APIs share in a process: the devices and every object that a handle stands for. Made by the
// first call that needs it and never destroyed, because programs call until the very end of a process, from
// destructors of static objects and from threads that still run.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "api/cuda_state/code.h"
#include "api/cuda_state/handle_table.h"
#include "runtime/system.h"

namespace heddle::runtime {
class Array;
}

namespace heddle::cuda {

class Array;
class Context;
class Device;
class Event;
class Function;
class Graph;
class GraphExec;
class GraphMemory;
class GraphNode;
class Library;
class LibraryKernel;
class ManagedRanges;
class MemoryPool;
class PhysicalMemory;
class Module;
class Pools;
class Registry;
class Stream;
class UserObject;

using ContextRef = std::shared_ptr<Context>;
using EventRef = std::shared_ptr<Event>;
using FunctionRef = std::shared_ptr<Function>;
using StreamRef = std::shared_ptr<Stream>;

struct Handles {
  HandleTable<Context, HandleKind::context> contexts;
  HandleTable<Stream, HandleKind::stream> streams;
  HandleTable<Event, HandleKind::event> events;
  HandleTable<Module, HandleKind::module_> modules;
  HandleTable<Function, HandleKind::function> functions;
  HandleTable<Library, HandleKind::library> libraries;
  HandleTable<LibraryKernel, HandleKind::kernel> kernels;
  HandleTable<Array, HandleKind::array> arrays;
  HandleTable<Array, HandleKind::mipmapped_array> mipmapped_arrays;
  HandleTable<MemoryPool, HandleKind::pool> pools;
  HandleTable<Graph, HandleKind::graph> graphs;
  HandleTable<GraphNode, HandleKind::graph_node> graph_nodes;
  HandleTable<GraphExec, HandleKind::graph_exec> graph_execs;
  HandleTable<UserObject, HandleKind::user_object> user_objects;
  HandleTable<PhysicalMemory, HandleKind::physical_memory> physical_memory;
};

class Process {
 public:
  // The process's own, made from its environment.
  static Process& get();
  // For tests: get() answers with one made of these options from now on, and ends the one before.
  static void replace(runtime::SystemOptions options);

  // Whether there are devices to work with; why not, otherwise. The first call looks for them.
  Status state();
  // Whether somebody has asked and there are some: the driver API wants cuInit, or the runtime API, to come
  // first.
  static bool started();
  // After state() was good:
  runtime::System& system() { return *system_; }
  std::deque<Device>& devices() { return devices_; }
  Answer<Device*> device(int ordinal);
  Handles& handles() { return *handles_; }
  Registry& registry() { return *registry_; }
  ManagedRanges& managed_ranges() { return *managed_ranges_; }

  // Changes whenever a function that was found may not be the right one any more.
  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  void next_epoch() { epoch_.fetch_add(1, std::memory_order_acq_rel); }

  // Tells the user on the error output, once for each text, what no error code can say: a bad variable of the
  // environment, a program without code for the device.
  void tell(std::string_view text);

 private:
  explicit Process(std::unique_ptr<runtime::SystemOptions> options);
  ~Process();
  void start();

  std::unique_ptr<runtime::SystemOptions> options_;  // nullptr: the environment's
  std::once_flag started_;
  std::atomic<bool> ready_{false};
  std::optional<Failure> failure_;
  std::unique_ptr<runtime::System> own_;  // of tests
  runtime::System* system_ = nullptr;     // its, or the process's
  std::deque<Device> devices_;
  std::unique_ptr<Handles> handles_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<ManagedRanges> managed_ranges_;
  std::atomic<uint64_t> epoch_{1};
};

}  // namespace heddle::cuda
