#include "runtime/device_runtime.h"

#include <cstring>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "exec/memory_map.h"
#include "runtime/launch.h"
#include "runtime/module.h"
#include "runtime/system.h"
#include "runtime/tell_each.h"

namespace heddle::runtime {

namespace {

// Streams that have names in device code (driver_types.h).
enum : uint64_t {
  null_stream = 0,
  legacy_stream = 1,
  thread_stream = 2,
  tail_stream = 3,
  fire_and_forget = 4
};
constexpr uint32_t non_blocking_stream = 1, event_without_timing = 2;

template <class T>
bool write_value(exec::DeviceCall& call, uint64_t address, T value) {
  return call.write(address, std::as_bytes(std::span(&value, 1)));
}

exec::Dim3 dim3_argument(exec::DeviceCall& call, std::size_t index) {
  uint32_t values[3]{};
  call.argument(index, std::as_writable_bytes(std::span(values)));
  return {values[0], values[1], values[2]};
}

}  // namespace

Kernel* find_kernel(Module& module, uint64_t handle) {
  return exec::is_code_handle(handle) ? module.kernel(exec::function_of_handle(handle)) : nullptr;
}

// ---- the family

Done GridFamily::run(const Grid& grid, const Submission* submission) {
  auto first = std::make_unique<FamilyGrid>(*this, grid.module(), 0, false);
  first->origin_.submission = submission;
  context_.launch_begins();  // what the host frees stays until all have ended
  Done done = grid.run(context_, *first, deadline_, first->origin_);
  if (done) done = finish(std::move(first));
  context_.launch_ended();
  return done;
}

Done GridFamily::finish(std::unique_ptr<FamilyGrid> grid) {
  std::vector<std::unique_ptr<FamilyGrid>> open;
  open.push_back(std::move(grid));
  while (!open.empty()) {
    FamilyGrid& parent = *open.back();
    const Origin parent_origin = parent.origin_;
    uint32_t depth = parent.depth_ + 1;
    std::optional<Work> work = parent.take(parent.children_);
    if (!work) {
      work = parent.take(parent.tail_);
      depth = parent.depth_;
      if (!work || parent.tail_.empty()) open.pop_back();
    }
    if (!work) continue;
    if (work->operation) {
      if (Done done = work->operation(); !done) return done;
      continue;
    }
    auto child = std::make_unique<FamilyGrid>(*this, work->grid->module(), depth, true);
    child->origin_ = {
        .submission = parent_origin.submission, .parent = parent_origin.grid_id, .asked = work->asked};
    if (Done done = work->grid->run(context_, *child, deadline_, child->origin_); !done) return done;
    open.push_back(std::move(child));
  }
  return Unit{};
}

// ---- one grid

FamilyGrid::FamilyGrid(GridFamily& family, Module& module, uint32_t depth, bool counted)
    : family_(family),
      context_(family.context_),
      host_(context_.services()),
      module_(module),
      depth_(depth),
      counted_(counted) {}

FamilyGrid::~FamilyGrid() {
  for (const auto& [address, prepared] : buffers_) host_.launch_buffers.release(address);
  uint64_t launches = buffers_.size() + (counted_ ? 1 : 0);
  for (const auto* queue : {&children_, &tail_})
    for (const GridFamily::Work& work : *queue) launches += work.grid != nullptr ? 1 : 0;
  family_.outstanding_.fetch_sub(launches, std::memory_order_relaxed);
}

std::optional<GridFamily::Work> FamilyGrid::take(std::deque<GridFamily::Work>& from) {
  const std::lock_guard lock(mutex_);
  if (from.empty()) return std::nullopt;
  GridFamily::Work work = std::move(from.front());
  from.pop_front();
  return work;
}

std::optional<uint64_t> FamilyGrid::device_call(exec::DeviceCall& asked) {
  const DeviceRuntimeApi* api = context_.system().device_runtime();
  if (api == nullptr) return std::nullopt;
  switch (asked.function()) {
    case Function::get_parameter_buffer:
    case Function::get_parameter_buffer_v2: return parameter_buffer(asked);
    case Function::get_last_error: return last_error(asked, true);
    case Function::peek_at_last_error: return last_error(asked, false);
    case Function::get_error_name: return text(api->error_name(static_cast<int>(asked.argument(0))));
    case Function::get_error_string: return text(api->error_text(static_cast<int>(asked.argument(0))));
    default: break;
  }
  const Done done =
      exec::answered_by_api(asked.function()) ? api->answer(asked, context_, module_) : call(asked);
  if (done) return 0;
  remember(asked, done.error());
  return static_cast<uint64_t>(api->code(done.error()));
}

Done FamilyGrid::call(exec::DeviceCall& asked) {
  switch (asked.function()) {
    case Function::launch_device:
    case Function::launch_device_v2: return launch(asked);
    case Function::device_synchronize:
    case Function::device_synchronize_deprecation_avoidance: return synchronize(asked);
    case Function::stream_create_with_flags: return create(asked, streams_, non_blocking_stream);
    case Function::event_create_with_flags: return create(asked, events_, event_without_timing);
    case Function::stream_destroy: return destroy(asked.argument(0), streams_);
    case Function::event_destroy: return destroy(asked.argument(0), events_);
    case Function::event_record:
    case Function::event_record_with_flags:
    case Function::stream_wait_event: {
      // Everything runs in the order of the program, so whatever was recorded has been reached.
      const bool waits = asked.function() == Function::stream_wait_event;
      if (auto order = order_of(asked.argument(waits ? 0 : 1), false); !order) return order.error();
      const std::lock_guard lock(mutex_);
      if (events_.contains(asked.argument(waits ? 1 : 0))) return Unit{};
      return error(ErrorCode::invalid_handle, "no event of this grid");
    }
    case Function::malloc: return allocate(asked);
    case Function::free: {
      const uint64_t address = asked.argument(0);
      if (address == 0 || host_.release(address)) return Unit{};
      return invalid("cudaFree in device code of an address that it did not allocate");
    }
    case Function::memcpy_async:
    case Function::memcpy2d_async: return copy(asked);
    case Function::memset_async:
    case Function::memset2d_async: return set(asked);
    default: return error(ErrorCode::not_supported, "this function of the device runtime");
  }
}

// ---- launches

uint64_t FamilyGrid::parameter_buffer(exec::DeviceCall& asked) {
  const bool second = asked.function() == Function::get_parameter_buffer_v2;
  Prepared prepared;
  uint64_t bytes = asked.argument(1);
  const auto refused = [&](const Error& why) {
    remember(asked, why);
    return uint64_t{0};
  };
  if (second) {
    prepared.kernel = find_kernel(module_, asked.argument(0));
    if (prepared.kernel == nullptr)
      return refused(error(ErrorCode::invalid_kernel, "no kernel of the program"));
    prepared.grid = dim3_argument(asked, 1);
    prepared.block = dim3_argument(asked, 2);
    prepared.shared = static_cast<uint32_t>(asked.argument(3));
    bytes = parameter_bytes(prepared.kernel->function());
  }
  const uint64_t limit = *context_.limit(ContextLimit::pending_launches);
  if (family_.outstanding_.fetch_add(1, std::memory_order_relaxed) >= limit) {
    family_.outstanding_.fetch_sub(1, std::memory_order_relaxed);
    return refused(error(ErrorCode::pending_launches,
                         "more than " + std::to_string(limit) + " launches of device code are outstanding"));
  }
  const uint64_t address = host_.launch_buffers.allocate(bytes);
  if (address == 0) {
    family_.outstanding_.fetch_sub(1, std::memory_order_relaxed);
    return refused(error(ErrorCode::out_of_memory, "no memory for the arguments of a launch"));
  }
  tell_heap(host_.watchers, [&](HeapWatcher& one) { one.launch_buffer_given(address, bytes); });
  const std::lock_guard lock(mutex_);
  buffers_[address] = prepared;
  return address;
}

Done FamilyGrid::launch(exec::DeviceCall& asked) {
  const bool second = asked.function() == Function::launch_device_v2;
  const uint64_t buffer = asked.argument(second ? 0 : 1), stream = asked.argument(second ? 1 : 5);
  Prepared prepared;
  {
    const std::lock_guard lock(mutex_);
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end()) return invalid("a launch with something that is no parameter buffer");
    prepared = found->second;
    buffers_.erase(found);
  }
  if (!second) {
    prepared = {find_kernel(module_, asked.argument(0)), dim3_argument(asked, 2), dim3_argument(asked, 3),
                static_cast<uint32_t>(asked.argument(4))};
  }
  const auto order = order_of(stream, true);
  const Done done =
      order ? submit(prepared, buffer, *order, tell_launch(asked, *order)) : Done(order.error());
  host_.launch_buffers.release(buffer);
  if (!done) family_.outstanding_.fetch_sub(1, std::memory_order_relaxed);
  return done;
}

// Its number, for those who watch.
uint64_t FamilyGrid::tell_launch(const exec::DeviceCall& asked, Order order) {
  if (host_.watchers == nullptr || !host_.watchers->any()) return 0;
  static std::atomic<uint64_t> next{1};
  const uint64_t number = next.fetch_add(1, std::memory_order_relaxed);
  tell_family(host_.watchers, [&](FamilyWatcher& one) {
    one.launched({origin_.grid_id, asked.block(), asked.thread()}, number, order == Order::tail);
  });
  return number;
}

Done FamilyGrid::submit(const Prepared& launch, uint64_t buffer, Order order, uint64_t asked) {
  if (launch.kernel == nullptr) return error(ErrorCode::invalid_kernel, "no kernel of the program");
  if (order == Order::in_order && depth_ >= deepest_nesting)
    return error(ErrorCode::launch_depth, "a launch at depth " + std::to_string(depth_ + 1) +
                                              ", the limit is " + std::to_string(deepest_nesting));
  LaunchRequest request;
  request.kernel = launch.kernel;
  request.grid = launch.grid;
  request.block = launch.block;
  request.dynamic_shared = launch.shared;
  request.params = {reinterpret_cast<const std::byte*>(static_cast<uintptr_t>(buffer)),
                    parameter_bytes(launch.kernel->function())};
  auto grid = make_grid(request);
  if (!grid) return grid.error();
  const std::lock_guard lock(mutex_);
  (order == Order::tail ? tail_ : children_).push_back({std::move(*grid), nullptr, asked});
  return Unit{};
}

Outcome<FamilyGrid::Order> FamilyGrid::order_of(uint64_t stream, bool launch) {
  if (stream == tail_stream && launch) return Order::tail;
  if (stream == null_stream || stream == legacy_stream || stream == thread_stream) return Order::in_order;
  if (stream == fire_and_forget && launch) return Order::in_order;
  const std::lock_guard lock(mutex_);
  if (streams_.contains(stream)) return Order::in_order;
  return error(ErrorCode::invalid_handle, "no stream of this grid");
}

Done FamilyGrid::synchronize(const exec::DeviceCall& asked) {
  const uint64_t limit = *context_.limit(ContextLimit::sync_depth);
  if (depth_ >= limit)
    return error(ErrorCode::sync_depth, "cudaDeviceSynchronize at depth " + std::to_string(depth_) +
                                            ", the limit is " + std::to_string(limit));
  const std::lock_guard one_at_a_time(draining_);
  Done done = Unit{};
  const ThreadOfGrid who{origin_.grid_id, asked.block(), asked.thread()};
  tell_family(host_.watchers, [&](FamilyWatcher& one) { one.waits(who); });
  // What the executor keeps of its threads must not meet itself: the children run on another.
  std::thread runs;
  const auto run_children = [&] {
    while (done) {
      auto work = take(children_);
      if (!work) return;
      if (work->operation) {
        done = work->operation();
        continue;
      }
      auto child = std::make_unique<FamilyGrid>(family_, work->grid->module(), depth_ + 1, true);
      child->origin_ = {.submission = origin_.submission, .parent = origin_.grid_id, .asked = work->asked};
      done = work->grid->run(context_, *child, family_.deadline_, child->origin_);
      if (done) done = family_.finish(std::move(child));
    }
  };
  try {
    runs = std::thread(run_children);
  } catch (const std::system_error&) {
    return error(ErrorCode::out_of_memory, "cudaDeviceSynchronize: the system has no more threads");
  }
  runs.join();
  if (done) tell_family(host_.watchers, [&](FamilyWatcher& one) { one.waited(who); });
  return done;
}

// ---- streams and events

Done FamilyGrid::create(exec::DeviceCall& asked, std::unordered_set<uint64_t>& objects, uint32_t only_flags) {
  if (asked.argument(1) != only_flags)
    return invalid("flags " + std::to_string(asked.argument(1)) + ", device code can only have " +
                   std::to_string(only_flags));
  uint64_t object = 0;
  {
    const std::lock_guard lock(mutex_);
    object = next_object_++;
    objects.insert(object);
  }
  write_value(asked, asked.argument(0), object);
  return Unit{};
}

Done FamilyGrid::destroy(uint64_t object, std::unordered_set<uint64_t>& objects) {
  const std::lock_guard lock(mutex_);
  if (objects.erase(object) != 0) return Unit{};
  return error(ErrorCode::invalid_handle, "no stream or event of this grid");
}

// ---- memory

Done FamilyGrid::allocate(exec::DeviceCall& asked) {
  const uint64_t bytes = asked.argument(1);
  const uint64_t address = bytes == 0 ? 0 : host_.allocate(bytes);
  if (bytes != 0 && address == 0)
    return error(ErrorCode::out_of_memory, "the device's heap has no " + std::to_string(bytes) + " bytes");
  write_value(asked, asked.argument(0), address);
  return Unit{};
}

Done FamilyGrid::submit(std::function<Done()> operation, uint64_t stream) {
  if (auto order = order_of(stream, false); !order) return order.error();
  const std::lock_guard lock(mutex_);
  children_.push_back({nullptr, std::move(operation)});
  return Unit{};
}

namespace {

// Rows of bytes in global memory; what a copy or a fill of device code touches.
struct Rows {
  uint64_t address, pitch, width, height;
  uint64_t row(uint64_t index) const { return address + index * pitch; }
};

Done check(Context& context, const Rows& rows, bool write, const char* what) {
  for (uint64_t i = 0; i < rows.height; ++i) {
    if (context.guest_memory().accessible(rows.row(i), rows.width, write)) continue;
    exec::Fault fault;
    fault.kind = exec::FaultKind::illegal_address;
    fault.kernel = fault.function = what;
    fault.address = rows.row(i);
    fault.write = write;
    fault.space = module::Space::global;
    fault.detail = context.system().memory().describe(fault.address);
    Error failure = fault_error(std::move(fault));
    context.fail(failure);
    return failure;
  }
  return Unit{};
}

// "Pointers to local or shared memory may not be passed."
Done check_window(const Context& context, const Rows& rows) {
  const uint64_t first_window = exec::windows(64).shared_base;
  if (!context.options().low_addresses && rows.address >= first_window)
    return invalid("a copy in device code of memory that is not global");
  if (rows.pitch < rows.width && rows.height > 1)
    return invalid("a pitch of " + std::to_string(rows.pitch) + " bytes for rows of " +
                   std::to_string(rows.width));
  return Unit{};
}

std::byte* host_pointer(uint64_t address) {
  return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(address));
}

// Tells who watches, when it has been done.
void tell_copied(Context& context, const Rows& to, const Rows* from, int64_t began) {
  const auto place = [](const Rows& rows) { return TouchedPlace{rows.address, rows.pitch, 0, {}}; };
  const TouchedPlace source = from != nullptr ? place(*from) : TouchedPlace();
  const CopyFacts facts{.context = context,
                        .to = place(to),
                        .from = from != nullptr ? &source : nullptr,
                        .row_bytes = to.width,
                        .rows = to.height,
                        .time = {began, context.system().scheduler().now()}};
  context.system().watchers().tell([&](Watcher& watcher) { watcher.copied(facts); });
}

constexpr uint64_t copy_on_device = 3, copy_by_address = 4;  // cudaMemcpyKind

}  // namespace

Done FamilyGrid::copy(exec::DeviceCall& asked) {
  const bool flat = asked.function() == Function::memcpy_async;
  const uint64_t width = asked.argument(flat ? 2 : 4), height = flat ? 1 : asked.argument(5);
  const Rows to{asked.argument(0), flat ? width : asked.argument(1), width, height};
  const Rows from{asked.argument(flat ? 1 : 2), flat ? width : asked.argument(3), width, height};
  const uint64_t kind = asked.argument(flat ? 3 : 6), stream = asked.argument(flat ? 4 : 7);
  if (kind != copy_on_device && kind != copy_by_address)
    return invalid("a copy in device code of another kind than from device to device");
  for (const Rows& rows : {to, from})
    if (Done good = check_window(context_, rows); !good) return good;
  return submit(
      [&context = context_, to, from]() -> Done {
        const auto began = context.system().scheduler().now();
        if (Done good = check(context, from, false, "cudaMemcpyAsync"); !good) return good;
        if (Done good = check(context, to, true, "cudaMemcpyAsync"); !good) return good;
        for (uint64_t i = 0; i < to.height; ++i)
          std::memmove(host_pointer(to.row(i)), host_pointer(from.row(i)), to.width);
        if (context.system().watchers().any()) [[unlikely]]
          tell_copied(context, to, &from, began);
        return Unit{};
      },
      stream);
}

Done FamilyGrid::set(exec::DeviceCall& asked) {
  const bool flat = asked.function() == Function::memset_async;
  const uint64_t width = asked.argument(flat ? 2 : 3), height = flat ? 1 : asked.argument(4);
  const Rows to{asked.argument(0), flat ? width : asked.argument(1), width, height};
  const auto value = static_cast<int>(asked.argument(flat ? 1 : 2));
  if (Done good = check_window(context_, to); !good) return good;
  return submit(
      [&context = context_, to, value]() -> Done {
        const auto began = context.system().scheduler().now();
        if (Done good = check(context, to, true, "cudaMemsetAsync"); !good) return good;
        for (uint64_t i = 0; i < to.height; ++i) std::memset(host_pointer(to.row(i)), value, to.width);
        if (context.system().watchers().any()) [[unlikely]]
          tell_copied(context, to, nullptr, began);
        return Unit{};
      },
      asked.argument(flat ? 3 : 5));
}

// ---- errors

namespace {

uint64_t thread_key(const exec::DeviceCall& call) {
  const exec::Dim3 block = call.block();
  return (uint64_t{block.x} << 10 | call.thread()) ^ uint64_t { block.y } << 41 ^ uint64_t { block.z } << 53;
}

}  // namespace

void FamilyGrid::remember(exec::DeviceCall& asked, const Error& why) {
  const int code = context_.system().device_runtime()->code(why);
  const std::lock_guard lock(mutex_);
  errors_[thread_key(asked)] = code;
}

uint64_t FamilyGrid::last_error(exec::DeviceCall& asked, bool forget) {
  const std::lock_guard lock(mutex_);
  const auto found = errors_.find(thread_key(asked));
  if (found == errors_.end()) return 0;
  const int code = found->second;
  if (forget) errors_.erase(found);
  return static_cast<uint64_t>(code);
}

// In memory that the kernel can read; each text once in a context.
uint64_t FamilyGrid::text(const std::string& text) { return host_.device_text(text); }

}  // namespace heddle::runtime
