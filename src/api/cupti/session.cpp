#include "api/cupti/session.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "api/cupti/layouts.h"
#include "api/cupti/watch.h"
#include "api/cupti/watch_resources.h"
#include "api/entry/listen.h"
#include "runtime/device_time.h"
#include "runtime/system.h"

namespace heddle::cupti {

namespace {

// What can be set, with the bytes of its value and what it is before. CUPTI's buffers on the device are of
// its own making, and there are none here: what programs say about them is kept and told again.
struct AttributeFacts {
  CUpti_ActivityAttribute attribute;
  std::size_t bytes;
  uint64_t usual;
};
constexpr AttributeFacts attribute_facts[] = {
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, 8, 3200000},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_CDP, 8, 8388608},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, 8, 250},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_SIZE, 8, 25000},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT, 8, 250},
    {CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1, 0},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE, 8, 3},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE, 8, 3},
    {CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, 1, 0},
    {CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 1, 0},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS, 8, 512},
};
const AttributeFacts* facts_of(CUpti_ActivityAttribute attribute) {
  for (const AttributeFacts& facts : attribute_facts)
    if (facts.attribute == attribute) return &facts;
  return nullptr;
}

// What an H200's CUPTI refuses as a thing of the past.
constexpr CUpti_ActivityKind legacy_kinds[] = {CUPTI_ACTIVITY_KIND_EVENT,
                                               CUPTI_ACTIVITY_KIND_METRIC,
                                               CUPTI_ACTIVITY_KIND_SOURCE_LOCATOR,
                                               CUPTI_ACTIVITY_KIND_GLOBAL_ACCESS,
                                               CUPTI_ACTIVITY_KIND_BRANCH,
                                               CUPTI_ACTIVITY_KIND_EVENT_INSTANCE,
                                               CUPTI_ACTIVITY_KIND_METRIC_INSTANCE,
                                               CUPTI_ACTIVITY_KIND_INSTRUCTION_EXECUTION,
                                               CUPTI_ACTIVITY_KIND_SHARED_ACCESS,
                                               CUPTI_ACTIVITY_KIND_PC_SAMPLING,
                                               CUPTI_ACTIVITY_KIND_PC_SAMPLING_RECORD_INFO,
                                               CUPTI_ACTIVITY_KIND_INSTRUCTION_CORRELATION,
                                               CUPTI_ACTIVITY_KIND_INSTANTANEOUS_EVENT,
                                               CUPTI_ACTIVITY_KIND_INSTANTANEOUS_EVENT_INSTANCE,
                                               CUPTI_ACTIVITY_KIND_INSTANTANEOUS_METRIC,
                                               CUPTI_ACTIVITY_KIND_INSTANTANEOUS_METRIC_INSTANCE};

thread_local bool calling_back = false;

Status check_kind(CUpti_ActivityKind kind) {
  if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT)
    return failure(CUPTI_ERROR_INVALID_KIND, "there is no kind " + std::to_string(static_cast<int>(kind)));
  if (std::ranges::find(legacy_kinds, kind) != std::end(legacy_kinds))
    return failure(CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED,
                   "kind " + std::to_string(static_cast<int>(kind)) + " is of events and metrics");
  if (layout_of(kind) == nullptr)
    return failure(CUPTI_ERROR_NOT_COMPATIBLE,
                   "no records of kind " + std::to_string(static_cast<int>(kind)) + " are made");
  return Unit{};
}

}  // namespace

Session& Session::get() {
  static Session& one = *new Session;
  return one;
}

Session::Session() : watch_(std::make_shared<Watch>(*this)) {
  records_.set_no_buffer([this] {
    if (!calls_back(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_WARNING)) return;
    CUpti_StateData data{};
    data.notification.result = CUPTI_ERROR_OUT_OF_MEMORY;
    data.notification.message = "the program gave no buffer for activity records; some were dropped";
    call_back(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_WARNING, &data);
  });
  for (const AttributeFacts& facts : attribute_facts) attributes_[facts.attribute] = facts.usual;
}

void Session::attach(runtime::System& system) {
  const std::lock_guard lock(mutex_);
  system_.store(&system, std::memory_order_release);
  // Whose clock it is, if there is one, watches too. It begins at 0, which is taken to be now.
  const int64_t beginning = system.scheduler().now();
  system.watchers().tell([&](runtime::Watcher& watcher) {
    auto* time = dynamic_cast<runtime::DeviceTime*>(&watcher);
    if (time == nullptr) return;
    records_.set_times_of([time, beginning](uint64_t submission) {
      const runtime::TaskTimes times = time->times(submission);
      return Records::Span{beginning + times.started, beginning + times.ended};
    });
  });
  tell_ready();
  watch_if_wanted();
}

// The runtime tells nobody as long as nobody asks.
void Session::watch_if_wanted() {
  bool calls = subscriber_.has_value(), work = false;
  for (const auto& kind : kinds_) work |= kind.load(std::memory_order_relaxed);
  for (const auto& [key, on] : in_context_) work |= on;
  watch_resources(*this, calls_back_any(CUPTI_CB_DOMAIN_RESOURCE));
  watch_nvtx(calls_back_any(CUPTI_CB_DOMAIN_NVTX));
  wants_any_.store(work, std::memory_order_relaxed);
  calls |= work;  // what a call submits has the call's number only while somebody listens
  if (calls != listening_) {
    if (calls)
      entry::listen(watch_);
    else
      entry::stop_listening(*watch_);
    listening_ = calls;
  }
  const bool marks = wants(CUPTI_ACTIVITY_KIND_MARKER) || wants(CUPTI_ACTIVITY_KIND_MARKER_DATA);
  if (marks != hears_marks_) {
    if (marks)
      ranges::listen(watch_);
    else
      ranges::stop_listening(*watch_);
    hears_marks_ = marks;
  }
  runtime::System* system = this->system();
  if (system == nullptr || work == watching_) return;
  if (work)
    system->watchers().add(watch_);
  else
    system->watchers().remove(*watch_);
  watching_ = work;
}

Status Session::enable(CUpti_ActivityKind kind, bool on) {
  if (!on && layout_of(kind) == nullptr) return Unit{};  // it is off
  if (const Status good = check_kind(kind); !good) return good;
  bool before = false;
  {
    const std::lock_guard lock(mutex_);
    before = kinds_[kind].exchange(on, std::memory_order_relaxed);
    watch_if_wanted();
  }
  if (on && !before) watch_->began(kind);
  return Unit{};
}

Status Session::enable_in(uint64_t context, CUpti_ActivityKind kind, bool on) {
  if (const Status good = check_kind(kind); !good) return good;
  const std::lock_guard lock(mutex_);
  in_context_[{context, kind}] = on;
  any_in_context_.store(true, std::memory_order_relaxed);
  watch_if_wanted();
  return Unit{};
}

bool Session::wants_in(uint64_t context, CUpti_ActivityKind kind) const {
  if (any_in_context_.load(std::memory_order_relaxed)) [[unlikely]] {
    const std::lock_guard lock(mutex_);
    if (const auto found = in_context_.find({context, kind}); found != in_context_.end())
      return found->second;
  }
  return wants(kind);
}

void Session::want_call(CallNumber call, bool on) {
  unwanted_[call.domain][call.id].store(!on, std::memory_order_relaxed);
}
bool Session::wants_call(CallNumber call) const {
  const auto kind =
      call.domain == CUPTI_CB_DOMAIN_RUNTIME_API ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
  return wants(kind) && !unwanted_[call.domain][call.id].load(std::memory_order_relaxed);
}

Answer<Subscriber*> Session::subscribe(CUpti_CallbackFunc callback, void* data) {
  const std::lock_guard lock(mutex_);
  if (subscriber_)
    return failure(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "there is a subscriber already");
  subscriber_ = Subscriber{callback, data};
  watch_if_wanted();
  return &*subscriber_;
}

Status Session::check(const Subscriber* subscriber) const {
  const std::lock_guard lock(mutex_);
  if (!subscriber_ || subscriber != &*subscriber_)
    return invalid_parameter("'subscriber' is not what cuptiSubscribe gave");
  return Unit{};
}

Status Session::unsubscribe(const Subscriber* subscriber) {
  if (const Status good = check(subscriber); !good) return good;
  for (int domain = 0; domain < CUPTI_CB_DOMAIN_SIZE; ++domain)
    set_calls_back(static_cast<CUpti_CallbackDomain>(domain), {}, false);
  const std::lock_guard lock(mutex_);
  subscriber_.reset();
  watch_if_wanted();
  return Unit{};
}

void Session::set_calls_back(CUpti_CallbackDomain domain, std::optional<CUpti_CallbackId> id, bool on) {
  const std::lock_guard lock(mutex_);
  if (id)
    callbacks_[domain][*id].store(on, std::memory_order_relaxed);
  else
    for (auto& each : callbacks_[domain]) each.store(on, std::memory_order_relaxed);
  any_callback_[domain].store(
      std::ranges::any_of(callbacks_[domain], [](const auto& each) { return each.load(); }),
      std::memory_order_relaxed);
  watch_if_wanted();
}

bool Session::in_callback() { return calling_back; }

void Session::call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (calling_back) return;
  Subscriber subscriber;
  {
    const std::lock_guard lock(mutex_);
    if (!subscriber_) return;
    subscriber = *subscriber_;
  }
  calling_back = true;
  subscriber.callback(subscriber.data, domain, id, data);
  calling_back = false;
}

Status Session::set_attribute(CUpti_ActivityAttribute attribute, std::size_t* bytes, const void* value) {
  const AttributeFacts* facts = facts_of(attribute);
  if (facts == nullptr)
    return invalid_parameter("attribute " + std::to_string(static_cast<int>(attribute)) + " cannot be set");
  if (*bytes < facts->bytes)
    return failure(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT,
                   "its value has " + std::to_string(facts->bytes) + " bytes, not " + std::to_string(*bytes));
  const std::lock_guard lock(mutex_);
  attributes_[attribute] = 0;
  std::memcpy(&attributes_[attribute], value, facts->bytes);
  *bytes = facts->bytes;
  return Unit{};
}

Status Session::get_attribute(CUpti_ActivityAttribute attribute, std::size_t* bytes, void* value) {
  const AttributeFacts* facts = facts_of(attribute);
  if (facts == nullptr)
    return invalid_parameter("attribute " + std::to_string(static_cast<int>(attribute)) + " is not known");
  if (*bytes < facts->bytes)
    return failure(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT,
                   "its value has " + std::to_string(facts->bytes) + " bytes, not " + std::to_string(*bytes));
  const std::lock_guard lock(mutex_);
  std::memcpy(value, &attributes_[attribute], facts->bytes);
  *bytes = facts->bytes;
  return Unit{};
}

uint32_t Session::thread_id() const {
  if (system_thread_ids.load(std::memory_order_relaxed)) return static_cast<uint32_t>(gettid());
  return static_cast<uint32_t>(pthread_self());
}

void Session::finalize() {
  records_.flush();
  const std::lock_guard lock(mutex_);
  for (auto& kind : kinds_) kind.store(false, std::memory_order_relaxed);
  in_context_.clear();
  for (auto& domain : callbacks_)
    for (auto& each : domain) each.store(false, std::memory_order_relaxed);
  for (auto& any : any_callback_) any.store(false, std::memory_order_relaxed);
  for (auto& domain : unwanted_)
    for (auto& each : domain) each.store(false, std::memory_order_relaxed);
  subscriber_.reset();
  watch_if_wanted();
}

}  // namespace heddle::cupti
