// What ran on devices: kernels, copies, fills, streams.
#include <unistd.h>

#include <cstring>
#include <string>
#include <string_view>

#include "api/cupti/device_record.h"
#include "api/cupti/session.h"
#include "api/cupti/watch.h"
#include "profiler/launch_facts.h"
#include "runtime/context.h"
#include "runtime/module.h"
#include "runtime/scheduler.h"
#include "runtime/stream.h"

namespace heddle::cupti {

namespace {

uint32_t id_of(uint64_t id) { return static_cast<uint32_t>(id); }

uint32_t correlation_of(const runtime::Submission* submission) {
  return submission == nullptr ? 0 : id_of(submission->call);
}

uint64_t number_of(const runtime::Submission* submission) {
  return submission == nullptr ? 0 : submission->number;
}

// Whether a command's function returns before the command is done.
bool is_asynchronous(const runtime::Submission& submission) {
  const std::string_view function = submission.function == nullptr ? "" : submission.function;
  return function.find("Async") != function.npos || function.find("GraphLaunch") != function.npos;
}

CUpti_ActivityMemoryKind memory_kind(const runtime::TouchedPlace& place) {
  if (place.memory == nullptr) return CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  switch (place.memory->kind) {
    case runtime::MemoryKind::pinned:
    case runtime::MemoryKind::registered: return CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
    case runtime::MemoryKind::array: return CUPTI_ACTIVITY_MEMORY_KIND_ARRAY;
    case runtime::MemoryKind::managed: return CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
    case runtime::MemoryKind::variable: return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC;
    default: return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  }
}

char side(CUpti_ActivityMemoryKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED: return 'H';
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY: return 'A';
    default: return 'D';
  }
}

CUpti_ActivityMemcpyKind copy_kind(char from, char to) {
  struct Direction {
    char from, to;
    CUpti_ActivityMemcpyKind kind;
  };
  static constexpr Direction directions[] = {
      {'H', 'D', CUPTI_ACTIVITY_MEMCPY_KIND_HTOD}, {'D', 'H', CUPTI_ACTIVITY_MEMCPY_KIND_DTOH},
      {'H', 'A', CUPTI_ACTIVITY_MEMCPY_KIND_HTOA}, {'A', 'H', CUPTI_ACTIVITY_MEMCPY_KIND_ATOH},
      {'A', 'A', CUPTI_ACTIVITY_MEMCPY_KIND_ATOA}, {'A', 'D', CUPTI_ACTIVITY_MEMCPY_KIND_ATOD},
      {'D', 'A', CUPTI_ACTIVITY_MEMCPY_KIND_DTOA}, {'D', 'D', CUPTI_ACTIVITY_MEMCPY_KIND_DTOD},
      {'H', 'H', CUPTI_ACTIVITY_MEMCPY_KIND_HTOH}};
  for (const Direction& one : directions)
    if (one.from == from && one.to == to) return one.kind;
  return CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN;
}

// What a fill stored, as its call was given it: the bytes are there, and the call's name says how many of
// them are one value.
uint32_t filled_value(const runtime::CopyFacts& facts) {
  const std::string_view function = facts.submission->function == nullptr ? "" : facts.submission->function;
  const std::size_t bytes = function.find("D32") != function.npos   ? 4
                            : function.find("D16") != function.npos ? 2
                                                                    : 1;
  if (facts.bytes() < bytes || facts.to.memory == nullptr ||
      facts.to.memory->kind == runtime::MemoryKind::array)
    return 0;
  uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(facts.to.address), bytes);
  return value;
}

// A launch of a graph is one call, and what it does has the graph's number.
uint32_t graph_of(const runtime::Submission* submission) {
  if (submission == nullptr || submission->function == nullptr) return 0;
  const std::string_view function = submission->function;
  return function.find("GraphLaunch") == function.npos ? 0 : launched_graph(submission->call);
}

void set_place(auto& record, const runtime::Context& context, const runtime::Submission* submission) {
  record.deviceId = context.device().index;
  record.contextId = id_of(context.id());
  record.streamId = submission == nullptr ? 0 : id_of(submission->stream);
  record.correlationId = correlation_of(submission);
  record.graphId = graph_of(submission);
}

void set_times(auto& record, const runtime::Span& time) {
  record.start = static_cast<uint64_t>(time.began);
  record.end = static_cast<uint64_t>(time.ended);
}

CUpti_ActivityStream stream_record(const runtime::Stream& stream) {
  CUpti_ActivityStream record{};
  record.kind = CUPTI_ACTIVITY_KIND_STREAM;
  record.contextId = id_of(stream.context()->id());
  record.streamId = id_of(stream.id());
  record.priority = static_cast<uint32_t>(stream.options().priority);
  record.flag = stream.is_default()         ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL
                : stream.options().blocking ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT
                                            : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING;
  record.correlationId = id_of(host_call.number);
  return record;
}

CUpti_ActivityContext4 context_record(const runtime::Context& context, uint64_t null_stream) {
  CUpti_ActivityContext4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  record.contextId = id_of(context.id());
  record.deviceId = context.device().index;
  record.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
  record.nullStreamId = static_cast<uint16_t>(null_stream);
  record.numMultiprocessors = static_cast<uint16_t>(context.device().facts.board.multiprocessors);
  record.processId = static_cast<uint64_t>(getpid());
  return record;
}

}  // namespace

class Watch::Launch final : public runtime::LaunchWatch {
 public:
  Launch(Watch& watch, CUpti_ActivityKind kind, const runtime::LaunchFacts& facts)
      : watch_(watch), submission_(number_of(facts.submission)) {
    const exec::LaunchShape& shape = facts.launch.shape;
    const profiler::Facts known = profiler::launch_facts(facts.kernel, facts.launch);
    const auto fact = [&known](profiler::Fact which) { return static_cast<uint32_t>(at(known, which)); };
    record_.kind = kind;
    record_.cacheConfig.config.requested = fact(profiler::Fact::cache_requested) & 0xF;
    record_.cacheConfig.config.executed = fact(profiler::Fact::cache_executed) & 0xF;
    record_.sharedMemoryConfig = fact(profiler::Fact::bank_bytes) == 8 ? 2 : 1;
    record_.registersPerThread = static_cast<uint16_t>(fact(profiler::Fact::registers));
    set_place(record_, facts.context, facts.submission);
    record_.gridX = static_cast<int32_t>(shape.grid.x);
    record_.gridY = static_cast<int32_t>(shape.grid.y);
    record_.gridZ = static_cast<int32_t>(shape.grid.z);
    record_.blockX = static_cast<int32_t>(shape.block.x);
    record_.blockY = static_cast<int32_t>(shape.block.y);
    record_.blockZ = static_cast<int32_t>(shape.block.z);
    record_.staticSharedMemory = static_cast<int32_t>(fact(profiler::Fact::static_shared));
    record_.dynamicSharedMemory = static_cast<int32_t>(shape.dynamic_shared);
    record_.localMemoryPerThread = fact(profiler::Fact::local_bytes);
    // For all threads that the device holds at a time.
    record_.localMemoryTotal_v2 = uint64_t{record_.localMemoryPerThread} *
                                  fact(profiler::Fact::multiprocessors) * fact(profiler::Fact::max_warps) *
                                  32;
    record_.localMemoryTotal = static_cast<uint32_t>(record_.localMemoryTotal_v2);
    record_.gridId = static_cast<int64_t>(facts.grid_id);
    record_.name = kept_text(facts.kernel.function().name);
    record_.launchType = shape.cooperative ? CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE
                                           : CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR;
    record_.sharedMemoryExecuted = fact(profiler::Fact::shared_configuration);
    record_.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
    record_.clusterX = shape.cluster.x;
    record_.clusterY = shape.cluster.y;
    record_.clusterZ = shape.cluster.z;
  }
  void ended(const runtime::LaunchEnd& end) override {
    set_times(record_, end.time);
    record_.completed = record_.end;
    watch_.session_.records().add(record_, submission_);
  }

 private:
  Watch& watch_;
  const uint64_t submission_;
  CUpti_ActivityKernel13 record_{};
};

CUpti_ActivityKind Watch::kernel_kind(const runtime::Context& context) const {
  for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_KERNEL})
    if (session_.wants_in(context.id(), kind)) return kind;
  return CUPTI_ACTIVITY_KIND_INVALID;
}

std::unique_ptr<runtime::LaunchWatch> Watch::launch(const runtime::LaunchFacts& facts) {
  // Grids that kernels launch have no records on devices of capability 7.0 and on.
  if (facts.submission == nullptr || facts.parent != 0) return nullptr;
  const CUpti_ActivityKind kind = kernel_kind(facts.context);
  if (kind == CUPTI_ACTIVITY_KIND_INVALID) return nullptr;
  return std::make_unique<Launch>(*this, kind, facts);
}

// A function of a library: a kernel of one thread, by the function's name.
void Watch::worked(const runtime::WorkFacts& facts) {
  const CUpti_ActivityKind kind = kernel_kind(facts.context);
  if (kind == CUPTI_ACTIVITY_KIND_INVALID || facts.submission == nullptr) return;
  CUpti_ActivityKernel13 record{};
  record.kind = kind;
  set_place(record, facts.context, facts.submission);
  record.gridX = record.gridY = record.gridZ = record.blockX = record.blockY = record.blockZ = 1;
  record.name = kept_text(facts.name);
  record.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  set_times(record, facts.time);
  record.completed = record.end;
  session_.records().add(record, facts.submission->number);
}

void Watch::copied(const runtime::CopyFacts& facts) {
  if (facts.submission == nullptr) return;  // by no command
  if (facts.from == nullptr) return filled(facts);
  const uint64_t context = facts.context.id();
  const CUpti_ActivityMemoryKind from = memory_kind(*facts.from), to = memory_kind(facts.to);
  const uint8_t flags = is_asynchronous(*facts.submission) ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
  const auto set = [&](auto& record, CUpti_ActivityMemcpyKind kind) {
    record.copyKind = static_cast<uint8_t>(kind);
    record.srcKind = static_cast<uint8_t>(from);
    record.dstKind = static_cast<uint8_t>(to);
    record.flags = flags;
    record.bytes = facts.bytes();
    record.channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
    set_place(record, facts.context, facts.submission);
    set_times(record, facts.time);
  };
  const runtime::Allocation* from_memory = facts.from->memory.get();
  const runtime::Allocation* to_memory = facts.to.memory.get();
  const bool between_devices = side(from) != 'H' && side(to) != 'H' && from_memory != nullptr &&
                               to_memory != nullptr && from_memory->device != to_memory->device;
  if (between_devices) {
    if (!session_.wants_in(context, CUPTI_ACTIVITY_KIND_MEMCPY2)) return;
    CUpti_ActivityMemcpyPtoP4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
    set(record, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
    record.srcDeviceId = from_memory->device;
    record.dstDeviceId = to_memory->device;
    record.srcContextId = from_memory->owner == nullptr ? 0 : id_of(from_memory->owner->id());
    record.dstContextId = to_memory->owner == nullptr ? 0 : id_of(to_memory->owner->id());
    return session_.records().add(record, facts.submission->number);
  }
  if (!session_.wants_in(context, CUPTI_ACTIVITY_KIND_MEMCPY)) return;
  CUpti_ActivityMemcpy7 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  set(record, copy_kind(side(from), side(to)));
  record.copyCount = 1;
  session_.records().add(record, facts.submission->number);
}

void Watch::filled(const runtime::CopyFacts& facts) {
  if (!session_.wants_in(facts.context.id(), CUPTI_ACTIVITY_KIND_MEMSET)) return;
  CUpti_ActivityMemset5 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  record.value = filled_value(facts);
  record.bytes = facts.bytes();
  record.flags = is_asynchronous(*facts.submission) ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC : 0;
  record.memoryKind = static_cast<uint16_t>(memory_kind(facts.to));
  record.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  set_place(record, facts.context, facts.submission);
  set_times(record, facts.time);
  session_.records().add(record, facts.submission->number);
}

void Watch::stream_made(const runtime::Stream& stream) {
  if (session_.wants_in(stream.context()->id(), CUPTI_ACTIVITY_KIND_STREAM))
    session_.records().add(stream_record(stream));
  // A context's default stream is made with it.
  if (stream.is_default() && session_.wants(CUPTI_ACTIVITY_KIND_CONTEXT))
    session_.records().add(context_record(*stream.context(), stream.id()));
}

// Of memory that programs ask for; variables and what kernels allocate are none.
void Watch::tell_memory(const runtime::Allocation& memory, CUpti_ActivityMemoryOperationType operation) {
  if (!session_.wants(CUPTI_ACTIVITY_KIND_MEMORY2)) return;
  switch (memory.kind) {
    case runtime::MemoryKind::device:
    case runtime::MemoryKind::pinned:
    case runtime::MemoryKind::managed: break;
    default: return;
  }
  CUpti_ActivityMemory4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  record.memoryOperationType = operation;
  record.memoryKind = memory.kind == runtime::MemoryKind::device   ? CUPTI_ACTIVITY_MEMORY_KIND_DEVICE
                      : memory.kind == runtime::MemoryKind::pinned ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED
                                                                   : CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
  record.correlationId = id_of(host_call.number);
  record.address = memory.address;
  record.bytes = memory.bytes;
  record.timestamp = static_cast<uint64_t>(runtime::steady_nanoseconds());
  record.processId = static_cast<uint32_t>(getpid());
  record.deviceId = memory.device;
  record.contextId = memory.owner == nullptr ? 0 : id_of(memory.owner->id());
  record.isAsync = host_call.function != nullptr &&
                   std::string_view(host_call.function).find("Async") != std::string_view::npos;
  session_.records().add(record);
}

void Watch::allocated(const runtime::Allocation& memory) {
  tell_memory(memory, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
}
void Watch::released(const runtime::Allocation& memory) {
  tell_memory(memory, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE);
}

void Watch::began(CUpti_ActivityKind kind) {
  runtime::System* system = session_.system();
  if (system == nullptr) return;
  if (kind == CUPTI_ACTIVITY_KIND_CONTEXT)
    for (const auto& context : system->contexts())
      if (const auto stream = context->default_stream())
        session_.records().add(context_record(*context, stream->id()));
  if (kind == CUPTI_ACTIVITY_KIND_DEVICE)
    for (const runtime::Device& device : system->devices()) session_.records().add(device_record(device));
}

}  // namespace heddle::cupti
