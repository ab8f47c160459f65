// clEnqueueNDRangeKernel: a range of work-items as launches of blocks.
#include "runtime/launch.h"

#include <algorithm>

#include "api/opencl/functions.gen.h"
#include "api/opencl/group.h"
#include "api/opencl/kernel.h"
#include "api/opencl/transfer.h"
#include "frontend/opencl.h"
#include "runtime/kernel_registers.h"

namespace heddle::opencl {

namespace {

using Three = std::array<size_t, 3>;

struct Range {
  cl_uint dimensions = 1;
  Three offset{}, global{1, 1, 1}, local{1, 1, 1};
};

std::string text(const Three& sizes) {
  return "(" + std::to_string(sizes[0]) + "," + std::to_string(sizes[1]) + "," + std::to_string(sizes[2]) +
         ")";
}

Status check_group(const Kernel& kernel, const Kernel::OnDevice& on, const Range& range) {
  const Three limits = on.device->max_items();
  for (size_t i = 0; i < 3; ++i) {
    if (range.local[i] == 0) return failure(CL_INVALID_WORK_GROUP_SIZE, "a work-group of no work-items");
    if (range.local[i] > limits[i])
      return failure(CL_INVALID_WORK_ITEM_SIZE, "a work-group of " + text(range.local) + ", " +
                                                    arch::describe(on.device->facts()) + " allows " +
                                                    text(limits));
  }
  const size_t items = range.local[0] * range.local[1] * range.local[2];
  // That its registers are too many is told by the launch: CL_OUT_OF_RESOURCES.
  const size_t most = runtime::promised_threads(*on.kernel);
  if (items > most)
    return failure(CL_INVALID_WORK_GROUP_SIZE,
                   "a work-group of " + std::to_string(items) + " work-items, '" + kernel.name() + "' on " +
                       arch::describe(on.device->facts()) + " allows " + std::to_string(most));
  const Three required = kernel.required_group(*on.device);
  if (required[0] != 0 && range.local != required)
    return failure(CL_INVALID_WORK_GROUP_SIZE, "a work-group of " + text(range.local) + ", '" +
                                                   kernel.name() + "' is compiled for " + text(required));
  for (size_t i = 0; i < 3; ++i)
    if (range.global[i] % range.local[i] != 0 && !on.non_uniform_groups)
      return failure(
          CL_INVALID_WORK_GROUP_SIZE,
          "a range of " + text(range.global) + " is no whole number of work-groups of " + text(range.local));
  return Unit{};
}

// Sizes may be all that a size_t holds.
size_t groups_of(const Range& range, size_t dimension) {
  const size_t global = range.global[dimension], local = range.local[dimension];
  return global / local + (global % local != 0 ? 1 : 0);
}

// As many groups as get_group_id counts, in as many launches as can be kept.
Status check_count(const Kernel::OnDevice& on, const Range& range) {
  constexpr size_t most_launches = 65536;
  const auto& most = on.device->arch().launch.max_grid;
  size_t launches = 1;
  for (size_t i = 0; i < 3; ++i) {
    const size_t groups = groups_of(range, i);
    if (groups > UINT32_MAX)
      return failure(CL_INVALID_GLOBAL_WORK_SIZE,
                     "more work-groups than 32 bits count: " + text(range.global));
    launches *= groups / most[i] + 2;  // below 2^33 each time, so this does not wrap
    if (launches > 8 * most_launches)
      return failure(CL_INVALID_GLOBAL_WORK_SIZE, "a range of " + text(range.global) + " takes more than " +
                                                      std::to_string(most_launches) + " launches");
  }
  return Unit{};
}

// Groups [first, first + count) of one dimension, all of one size.
struct Part {
  size_t first, count, local;
};

// Whole groups, as many at a time as a grid takes, then the smaller one at the end.
std::vector<Part> parts_of(size_t global, size_t local, size_t most_groups) {
  std::vector<Part> parts;
  const size_t whole = global / local;
  for (size_t first = 0; first < whole; first += most_groups)
    parts.push_back({first, std::min(most_groups, whole - first), local});
  if (global % local != 0) parts.push_back({whole, 1, global % local});
  return parts;
}

using Environment = std::array<uint32_t, 32>;

void set(Environment& environment, frontend::OpenClEnvironment first, size_t dimension, uint64_t value) {
  environment[static_cast<size_t>(first) + dimension] = static_cast<uint32_t>(value);
}
void set_wide(Environment& environment, frontend::OpenClEnvironment low, frontend::OpenClEnvironment high,
              size_t dimension, uint64_t value) {
  set(environment, low, dimension, value);
  set(environment, high, dimension, value >> 32);
}

Environment environment_of(const Range& range, const std::array<Part, 3>& parts) {
  using enum frontend::OpenClEnvironment;
  Environment environment{};
  environment[static_cast<size_t>(dimensions)] = range.dimensions;
  for (size_t i = 0; i < 3; ++i) {
    set_wide(environment, first_item, first_item_high, i, range.offset[i] + parts[i].first * range.local[i]);
    set_wide(environment, offset, offset_high, i, range.offset[i]);
    set_wide(environment, global_size, global_size_high, i,
             range.global[i] - parts[i].count * parts[i].local);
    set(environment, group_count, i, groups_of(range, i) - parts[i].count);
    set(environment, enqueued_local, i, range.local[i] - parts[i].local);
    set(environment, first_group, i, parts[i].first);
  }
  return environment;
}

exec::Dim3 dim(size_t x, size_t y, size_t z) {
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
}

runtime::LaunchRequest request_of(const Kernel::OnDevice& on) {
  runtime::LaunchRequest request;
  request.kernel = on.kernel;
  request.dynamic_shared = on.dynamic_shared;
  request.params = on.params;
  return request;
}

runtime::Outcome<runtime::OperationRef> launch_of(runtime::LaunchRequest& request, const Range& range,
                                                  const std::array<Part, 3>& parts) {
  const Environment environment = environment_of(range, parts);
  request.environment = environment;
  request.grid = dim(parts[0].count, parts[1].count, parts[2].count);
  request.block = dim(parts[0].local, parts[1].local, parts[2].local);
  return runtime::make_launch(request);
}

// Most ranges are one launch: whole groups, no more than a grid takes.
bool is_one_launch(const Kernel::OnDevice& on, const Range& range) {
  const auto& most = on.device->arch().launch.max_grid;
  for (size_t i = 0; i < 3; ++i)
    if (range.global[i] % range.local[i] != 0 || range.global[i] / range.local[i] > most[i]) return false;
  return true;
}

Answer<std::vector<runtime::OperationRef>> launches_of(Queue& queue, const Kernel::OnDevice& on,
                                                       const Range& range) {
  const auto& most = on.device->arch().launch.max_grid;
  std::array<std::vector<Part>, 3> split;
  for (size_t i = 0; i < 3; ++i) split[i] = parts_of(range.global[i], range.local[i], most[i]);
  std::vector<runtime::OperationRef> launches;
  runtime::LaunchRequest request = request_of(on);
  for (const Part& z : split[2])
    for (const Part& y : split[1])
      for (const Part& x : split[0]) {
        auto launch = launch_of(request, range, {x, y, z});
        if (!launch) return queue.context()->failed(launch.error());
        launches.push_back(std::move(*launch));
      }
  return launches;
}

Status read_range(const Device& device, cl_uint work_dim, const size_t* offset, const size_t* global,
                  Range& range) {
  if (work_dim < 1 || work_dim > 3)
    return failure(CL_INVALID_WORK_DIMENSION, "work_dim is " + std::to_string(work_dim));
  // OpenCL 3.0, clEnqueueNDRangeKernel: a range without sizes, or with one of 0, has no work-items.
  const bool may_be_empty = device.version() >= CL_MAKE_VERSION(2, 1, 0);
  range.dimensions = work_dim;
  if (global == nullptr) {
    if (!may_be_empty) return failure(CL_INVALID_GLOBAL_WORK_SIZE, "global_work_size is NULL");
    range.global[0] = 0;
    return Unit{};
  }
  for (cl_uint i = 0; i < work_dim; ++i) {
    if (global[i] == 0 && !may_be_empty)
      return failure(CL_INVALID_GLOBAL_WORK_SIZE, "a range of no work-items");
    range.global[i] = global[i];
    if (offset == nullptr) continue;
    if (device.version() < CL_MAKE_VERSION(1, 1, 0))
      return failure(CL_INVALID_GLOBAL_OFFSET, "OpenCL 1.0 has no offsets");
    if (global[i] > SIZE_MAX - offset[i])
      return failure(CL_INVALID_GLOBAL_OFFSET, "offset and size of the range wrap around");
    range.offset[i] = offset[i];
  }
  return Unit{};
}

// What the kernel is on the queue's device; it must be able to run there.
Answer<const Kernel::OnDevice*> kernel_on(const Queue& queue, const Kernel& kernel) {
  if (kernel.program()->context() != queue.context())
    return failure(CL_INVALID_CONTEXT, "the kernel belongs to another context than the command queue");
  const Kernel::OnDevice* on = kernel.on(*queue.device());
  if (on == nullptr)
    return failure(CL_INVALID_PROGRAM_EXECUTABLE,
                   "'" + kernel.name() + "' is not built for the queue's device");
  if (!kernel.arguments_set())
    return failure(CL_INVALID_KERNEL_ARGS, "an argument of '" + kernel.name() + "' is not set");
  return on;
}

// The work-groups of a range for which the program names none.
Three suggested_group(const Kernel& kernel, const Kernel::OnDevice& on, const Range& range) {
  const Three required = kernel.required_group(*on.device);
  if (required[0] != 0) return required;
  const GroupQuestion question{.global = range.global,
                               .limits = on.device->max_items(),
                               .most = on.kernel->max_threads(),
                               .may_be_non_uniform = on.non_uniform_groups};
  // Programs ask the same again and again, and finding divisors may take longer than a launch.
  thread_local GroupQuestion last;
  thread_local Three answer{1, 1, 1};
  if (last != question) {
    answer = chosen_group(question);
    last = question;
  }
  return answer;
}

Status enqueue_range(const QueueRef& queue, const KernelRef& kernel, cl_command_type type, cl_uint work_dim,
                     const size_t* offset, const size_t* global, const size_t* local, const WaitList& waits,
                     cl_event* event) {
  const auto found = kernel_on(*queue, *kernel);
  if (!found) return found.error();
  const Kernel::OnDevice* on = *found;
  Range range;
  if (Status good = read_range(*queue->device(), work_dim, offset, global, range); !good) return good;
  if (range.global[0] == 0 || range.global[1] == 0 || range.global[2] == 0)
    return queue->enqueue(type, nullptr, waits, event);
  if (local != nullptr)
    std::copy_n(local, work_dim, range.local.begin());
  else
    range.local = suggested_group(*kernel, *on, range);
  if (Status good = check_group(*kernel, *on, range); !good) return good;
  if (Status good = check_count(*on, range); !good) return good;
  if (const auto good = queue->state().begin(runtime::Site::launch); !good)
    return queue->context()->failed(good.error());
  queue->state().flush_output();
  if (is_one_launch(*on, range)) {
    runtime::LaunchRequest request = request_of(*on);
    const auto& [x, y, z] = range.local;
    auto launch = launch_of(
        request, range,
        {Part{0, range.global[0] / x, x}, {0, range.global[1] / y, y}, {0, range.global[2] / z, z}});
    if (!launch) return queue->context()->failed(launch.error());
    return queue->enqueue(type, std::move(*launch), waits, event);
  }
  auto launches = launches_of(*queue, *on, range);
  if (!launches) return launches.error();
  return queue->enqueue_all(type, std::move(*launches), waits, event);
}

}  // namespace

Status clEnqueueNDRangeKernel(const QueueRef& command_queue, const KernelRef& kernel, cl_uint work_dim,
                              const size_t* global_work_offset, const size_t* global_work_size,
                              const size_t* local_work_size, const WaitList& waits, cl_event* event) {
  return enqueue_range(command_queue, kernel, CL_COMMAND_NDRANGE_KERNEL, work_dim, global_work_offset,
                       global_work_size, local_work_size, waits, event);
}

// cl_khr_suggested_local_work_size: what clEnqueueNDRangeKernel would take.
Status clGetKernelSuggestedLocalWorkSizeKHR(const QueueRef& command_queue, const KernelRef& kernel,
                                            cl_uint work_dim, const size_t* global_work_offset,
                                            const size_t* global_work_size,
                                            size_t* suggested_local_work_size) {
  const auto on = kernel_on(*command_queue, *kernel);
  if (!on) return on.error();
  Range range;
  if (Status good =
          read_range(*command_queue->device(), work_dim, global_work_offset, global_work_size, range);
      !good)
    return good;
  if (range.global[0] == 0 || range.global[1] == 0 || range.global[2] == 0)
    return failure(CL_INVALID_GLOBAL_WORK_SIZE, "a range of no work-items");
  if (suggested_local_work_size == nullptr) return invalid_value("suggested_local_work_size is NULL");
  const Three local = suggested_group(*kernel, **on, range);
  std::copy_n(local.begin(), work_dim, suggested_local_work_size);
  return Unit{};
}

Status clEnqueueTask(const QueueRef& command_queue, const KernelRef& kernel, const WaitList& waits,
                     cl_event* event) {
  const size_t one = 1;
  return enqueue_range(command_queue, kernel, CL_COMMAND_TASK, 1, nullptr, &one, &one, waits, event);
}

// The function gets its arguments with the memory objects in them replaced by their addresses.
Status clEnqueueNativeKernel(const QueueRef& command_queue, void(CL_CALLBACK* user_func)(void*), void* args,
                             size_t cb_args, cl_uint num_mem_objects, const cl_mem* mem_list,
                             const void** args_mem_loc, const WaitList& waits, cl_event* event) {
  if (user_func == nullptr) return invalid_value("user_func is NULL");
  if ((args == nullptr) != (cb_args == 0)) return invalid_value("args and cb_args do not fit together");
  if (args == nullptr && num_mem_objects != 0) return invalid_value("there are memory objects, and no args");
  if ((num_mem_objects == 0) != (mem_list == nullptr) || (num_mem_objects == 0) != (args_mem_loc == nullptr))
    return invalid_value("num_mem_objects, mem_list and args_mem_loc do not fit together");
  std::vector<std::byte> copy(cb_args);
  if (args != nullptr) std::copy_n(static_cast<const std::byte*>(args), cb_args, copy.begin());
  for (cl_uint i = 0; i < num_mem_objects; ++i) {
    const MemoryRef memory = find(mem_list[i]);
    if (memory == nullptr) return no_such("a memory object", mem_list[i]);
    if (!memory->is_buffer()) return failure(CL_INVALID_MEM_OBJECT, "a memory object is no buffer");
    if (Status good = check_same_context(*command_queue->context(), *memory); !good) return good;
    const auto place = static_cast<size_t>(static_cast<const std::byte*>(args_mem_loc[i]) -
                                           static_cast<const std::byte*>(args));
    if (place > cb_args || cb_args - place < sizeof(void*))
      return invalid_value("a pointer of args_mem_loc lies outside of args");
    void* data = memory->data();
    std::memcpy(copy.data() + place, &data, sizeof data);
  }
  return enqueue_call(
      *command_queue, CL_COMMAND_NATIVE_KERNEL,
      [user_func, copy = std::move(copy), has = args != nullptr]() mutable {
        user_func(has ? copy.data() : nullptr);
      },
      waits, event, false);
}

}  // namespace heddle::opencl
