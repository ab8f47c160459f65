// What the program called: records of calls, of waiting and of events, and callbacks.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/cuda_state/stream.h"
#include "api/cuda_state/thread.h"
#include "api/cupti/call_backs.h"
#include "api/cupti/session.h"
#include "api/cupti/watch.h"
#include "api/cupti/watch_resources.h"
#include "api/entry/call_arguments.h"

namespace heddle::cupti {

namespace {

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
  if (call.domain != CUPTI_CB_DOMAIN_INVALID) call_began(session_, call, record, number);
}

void Watch::ended(const entry::CallFacts& facts) {
  if (!Session::in_callback()) {
    if (session_.wants_any()) session_.records().prepare();
    tell_made(session_);
    if (facts.succeeded && session_.calls_back_any(CUPTI_CB_DOMAIN_SYNCHRONIZE)) tell_waited(facts);
  }
  const CallNumber call = number_of_call(facts.record.name);
  if (call.domain == CUPTI_CB_DOMAIN_INVALID) return;
  call_ended(session_, call, facts);
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

// As on a device: waiting for an event is none of it, and asking whether a stream is done is, if it is.
void Watch::tell_waited(const entry::CallFacts& facts) {
  const std::string_view name = without_variant(facts.record.name);
  const auto* found = std::ranges::find(waiting, name, &Waiting::function);
  const auto type = found == std::end(waiting) ? CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN : found->type;
  const bool whole = type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
  if (!whole && type != CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE && name != "cudaStreamQuery" &&
      name != "cuStreamQuery")
    return;
  const uint64_t stream = stream_parameter(facts).value_or(0);
  if (!whole && stream == 0) return;  // of streams that programs made
  const cuda::ContextRef context = cuda::current_context_if_any();
  tell_synchronized(session_, context == nullptr ? nullptr : std::bit_cast<CUcontext>(context->handle()),
                    whole ? 0 : stream, whole);
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

}  // namespace heddle::cupti
