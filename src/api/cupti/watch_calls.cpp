// What the program called: records of calls, of waiting and of events, and callbacks.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/cuda_state/stream.h"
#include "api/cuda_state/thread.h"
#include "api/cupti/session.h"
#include "api/cupti/watch.h"
#include "api/entry/call_arguments.h"

namespace heddle::cupti {

namespace {

struct CallInProgress {
  uint64_t number;
  uint64_t data;  // the subscriber's own, from one callback of a call to the next
};
thread_local std::vector<CallInProgress> in_progress;

thread_local std::array<std::vector<uint64_t>, CUPTI_EXTERNAL_CORRELATION_KIND_SIZE> external_ids;

// Functions that wait, and what for.
struct Waiting {
  std::string_view function;
  CUpti_ActivitySynchronizationType type;
};
constexpr Waiting waiting[] = {
    {"cudaDeviceSynchronize", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE},
    {"cudaThreadSynchronize", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE},
    {"cuCtxSynchronize", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE},
    {"cuCtxSynchronize_v2", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE},
    {"cudaStreamSynchronize", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE},
    {"cuStreamSynchronize", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE},
    {"cudaEventSynchronize", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE},
    {"cuEventSynchronize", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE},
    {"cudaStreamWaitEvent", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT},
    {"cuStreamWaitEvent", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT},
};
constexpr std::string_view recording[] = {"cudaEventRecord", "cudaEventRecordWithFlags", "cuEventRecord",
                                          "cuEventRecordWithFlags"};

std::string_view without_variant(std::string_view name) {
  return name.ends_with("_ptsz") || name.ends_with("_ptds") ? name.substr(0, name.size() - 5) : name;
}

// The value of the parameter that one of the APIs calls so.
std::optional<uint64_t> parameter(const entry::CallFacts& facts, std::string_view runtime_name,
                                  std::string_view driver_name) {
  std::string_view names = facts.record.parameters;
  for (const entry::Argument& argument : facts.arguments) {
    const std::size_t comma = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, comma);
    if (name == runtime_name || name == driver_name) return argument.bits;
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return {};
}
std::optional<uint64_t> stream_parameter(const entry::CallFacts& facts) {
  return parameter(facts, "stream", "hStream");
}
std::optional<uint64_t> event_parameter(const entry::CallFacts& facts) {
  return parameter(facts, "event", "hEvent");
}

uint32_t stream_number(std::string_view function, const cuda::ContextRef& context, uint64_t handle) {
  if (context == nullptr) return CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  const cuda::ThreadState& state = cuda::thread();
  const bool own = function != without_variant(function) && !state.per_thread_stream;
  const auto find = [&] { return cuda::find_stream(context, reinterpret_cast<const void*>(handle)); };
  const auto stream = own ? [&] {
    const cuda::PerThreadStream per_thread;
    return find();
  }()
                          : find();
  return stream ? static_cast<uint32_t>((*stream)->runtime().id()) : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
}

}  // namespace

namespace {

class Numbers {
 public:
  uint32_t of(uint64_t handle) {
    const std::lock_guard lock(mutex_);
    return numbers_.try_emplace(handle, static_cast<uint32_t>(numbers_.size() + 1)).first->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<uint64_t, uint32_t> numbers_;
};

// Launches of graphs whose kernels may still come. Those that came long ago are forgotten.
struct Launched {
  std::mutex mutex;
  std::map<uint64_t, uint32_t> graphs;
};
Launched& launched() {
  static Launched& all = *new Launched;
  return all;
}
constexpr std::size_t most_launched = 1 << 16;

void remember_launch(uint64_t call, uint64_t graph) {
  Launched& all = launched();
  const std::lock_guard lock(all.mutex);
  if (all.graphs.size() == most_launched) all.graphs.erase(all.graphs.begin());
  all.graphs[call] = graph_number(graph);
}

}  // namespace

uint32_t event_number(uint64_t handle) {
  static Numbers& numbers = *new Numbers;
  return numbers.of(handle);
}
uint32_t graph_number(uint64_t handle) {
  static Numbers& numbers = *new Numbers;
  return numbers.of(handle);
}

uint32_t launched_graph(uint64_t call) {
  Launched& all = launched();
  const std::lock_guard lock(all.mutex);
  const auto found = all.graphs.find(call);
  return found == all.graphs.end() ? 0 : found->second;
}

void push_external(CUpti_ExternalCorrelationKind kind, uint64_t id) { external_ids[kind].push_back(id); }
bool pop_external(CUpti_ExternalCorrelationKind kind, uint64_t& id) {
  if (external_ids[kind].empty()) return false;
  id = external_ids[kind].back();
  external_ids[kind].pop_back();
  return true;
}

void Watch::began(const entry::Record& record, uint64_t number) {
  const std::string_view name = without_variant(record.name);
  if ((name == "cudaGraphLaunch" || name == "cuGraphLaunch") && entry::call_arguments.size() != 0)
    remember_launch(number, entry::call_arguments.begin()->bits);
  const CallNumber call = number_of_call(record.name);
  if (call.domain == CUPTI_CB_DOMAIN_INVALID || !session_.calls_back(call.domain, call.id)) return;
  in_progress.push_back({number, 0});
  // The entries say here what they say again when the call has ended.
  tell_call(call, {.record = record, .number = number, .outcome = {}, .arguments = entry::call_arguments},
            true);
}

void Watch::ended(const entry::CallFacts& facts) {
  const CallNumber call = number_of_call(facts.record.name);
  if (call.domain == CUPTI_CB_DOMAIN_INVALID) return;
  if (session_.calls_back(call.domain, call.id)) tell_call(call, facts, false);
  while (!in_progress.empty() && in_progress.back().number >= facts.number) in_progress.pop_back();
  if (session_.wants_call(call)) {
    if (session_.wants(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION))
      for (std::size_t kind = 0; kind < external_ids.size(); ++kind) {
        if (external_ids[kind].empty()) continue;
        CUpti_ActivityExternalCorrelation record{};
        record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
        record.externalKind = static_cast<CUpti_ExternalCorrelationKind>(kind);
        record.externalId = external_ids[kind].back();
        record.correlationId = static_cast<uint32_t>(facts.number);
        session_.records().add(record);
      }
    CUpti_ActivityAPI record{};
    record.kind =
        call.domain == CUPTI_CB_DOMAIN_RUNTIME_API ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
    record.cbid = call.id;
    record.start = static_cast<uint64_t>(facts.began);
    record.end = static_cast<uint64_t>(facts.ended);
    record.processId = static_cast<uint32_t>(getpid());
    record.threadId = session_.thread_id();
    record.correlationId = static_cast<uint32_t>(facts.number);
    record.returnValue = static_cast<uint32_t>(facts.status);
    session_.records().add(record);
  }
  if (session_.wants(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) tell_waiting(facts);
  if (session_.wants(CUPTI_ACTIVITY_KIND_CUDA_EVENT)) tell_event(facts);
}

void Watch::tell_waiting(const entry::CallFacts& facts) {
  const auto* found = std::ranges::find(waiting, without_variant(facts.record.name), &Waiting::function);
  if (found == std::end(waiting)) return;
  const cuda::ContextRef context = cuda::current_context_if_any();
  CUpti_ActivitySynchronization2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  record.type = found->type;
  record.start = static_cast<uint64_t>(facts.began);
  record.end = static_cast<uint64_t>(facts.ended);
  record.correlationId = static_cast<uint32_t>(facts.number);
  record.contextId = context == nullptr ? 0 : static_cast<uint32_t>(context->id());
  record.streamId = record.cudaEventId = static_cast<uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  if (const auto stream = stream_parameter(facts))
    record.streamId = stream_number(facts.record.name, context, *stream);
  if (const auto event = event_parameter(facts)) record.cudaEventId = event_number(*event);
  record.returnValue = static_cast<uint32_t>(facts.status);
  session_.records().add(record);
}

void Watch::tell_event(const entry::CallFacts& facts) {
  if (!facts.succeeded) return;
  if (std::ranges::find(recording, without_variant(facts.record.name)) == std::end(recording)) return;
  const auto event = event_parameter(facts);
  const auto stream = stream_parameter(facts);
  if (!event || !stream) return;
  const cuda::ContextRef context = cuda::current_context_if_any();
  CUpti_ActivityCudaEvent3 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
  record.correlationId = static_cast<uint32_t>(facts.number);
  record.contextId = context == nullptr ? 0 : static_cast<uint32_t>(context->id());
  record.streamId = stream_number(facts.record.name, context, *stream);
  record.eventId = event_number(*event);
  record.deviceId = context == nullptr ? 0 : context->runtime()->device().index;
  session_.records().add(record);
}

namespace {

// The structure of its parameters (generated_cuda_runtime_api_meta.h), as C lays it out. Empty where one of
// them is a structure by value, which is not told.
std::vector<std::byte> parameter_block(CallNumber call, entry::ArgumentList arguments) {
  const std::span<const uint8_t> sizes = calls_of(call.domain)[call.id].sizes;
  if (sizes.empty() || sizes.size() != arguments.size() || std::ranges::find(sizes, 0) != sizes.end())
    return {};
  std::vector<std::byte> block;
  const auto* size = sizes.data();
  for (const entry::Argument& argument : arguments) {
    block.resize((block.size() + *size - 1) / *size * *size);
    const std::size_t at = block.size();
    block.resize(at + *size);
    const auto single = static_cast<float>(argument.number);
    const void* value = argument.kind != entry::Argument::Kind::floating
                            ? static_cast<const void*>(&argument.bits)
                        : *size == sizeof single ? static_cast<const void*>(&single)
                                                 : &argument.number;
    std::memcpy(block.data() + at, value, *size);
    ++size;
  }
  block.resize((block.size() + 7) / 8 * 8);
  return block;
}

}  // namespace

void Watch::tell_call(CallNumber call, const entry::CallFacts& facts, bool enters) {
  // Where the subscriber came in the middle of a call, it has no data of its own.
  uint64_t none = 0;
  auto status = static_cast<int32_t>(facts.status);
  const cuda::ContextRef context = cuda::current_context_if_any();
  CUpti_CallbackData data{};
  data.callbackSite = enters ? CUPTI_API_ENTER : CUPTI_API_EXIT;
  data.functionName = facts.record.name;
  const std::vector<std::byte> parameters = parameter_block(call, facts.arguments);
  data.functionParams = parameters.empty() ? nullptr : parameters.data();
  data.functionReturnValue = enters ? nullptr : &status;
  data.context = context == nullptr ? nullptr : std::bit_cast<CUcontext>(context->handle());
  data.contextUid = context == nullptr ? 0 : static_cast<uint32_t>(context->id());
  const bool known = !in_progress.empty() && in_progress.back().number == facts.number;
  data.correlationData = known ? &in_progress.back().data : &none;
  data.correlationId = static_cast<uint32_t>(facts.number);
  session_.call_back(call.domain, call.id, &data);
}

}  // namespace heddle::cupti
