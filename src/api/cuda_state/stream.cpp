#include "api/cuda_state/stream.h"

#include <algorithm>

#include "api/cuda_state/capture.h"
#include "api/cuda_state/resources.h"
#include "api/cuda_state/thread.h"

namespace heddle::cuda {
namespace {

std::atomic<uint64_t> next_stream_id{1};

}  // namespace

Stream::Stream(Context& context, std::shared_ptr<runtime::Stream> runtime, ContextRef keep)
    : context_(context),
      keep_(std::move(keep)),
      runtime_(std::move(runtime)),
      id_(next_stream_id.fetch_add(1, std::memory_order_relaxed)) {}
Stream::~Stream() = default;

Answer<StreamRef> Stream::create(const ContextRef& context, bool blocking, int priority) {
  runtime::StreamOptions options;
  options.blocking = blocking;
  // "Priorities outside of the range are clamped to it" (cuStreamCreateWithPriority).
  options.priority = std::clamp(priority, greatest_stream_priority, 0);
  auto made = context->runtime()->create_stream(options);
  if (!made) return failure_of(made.error());
  auto stream = std::make_shared<Stream>(*context, *made, context);
  stream->handle_ = context->process().handles().streams.add(stream);
  if (stream->handle_ == 0) return failure(Code::out_of_memory, "too many streams");
  tell_resource([&] {
    return ResourceFacts{.kind = Resource::stream, .context = context->handle(), .handle = stream->handle_};
  });
  return stream;
}

Status Stream::finish() {
  if (capturing()) return refuse_while_capturing(*this);
  if (legacy())
    if (Status free = no_blocking_capture(context_); !free) return free;
  return status_of(runtime_->synchronize());
}

Status Stream::synchronize() {
  if (!capturing())
    if (Status allowed = no_capture_forbids(); !allowed) return allowed;
  return finish();
}

Status Stream::query() {
  if (capturing()) return refuse_while_capturing(*this);
  if (Status allowed = no_capture_forbids(); !allowed) return allowed;
  if (legacy())
    if (Status free = no_blocking_capture(context_); !free) return free;
  return status_of(runtime_->query());
}

Status Stream::destroy() {
  if (handle_ != 0 && context_.process().handles().streams.find(handle_).get() == this)
    tell_resource([&] {
      return ResourceFacts{
          .kind = Resource::stream, .made = false, .context = context_.handle(), .handle = handle_};
    });
  if (handle_ == 0 || context_.process().handles().streams.remove(handle_) == nullptr)
    return failure(Code::invalid_handle,
                   "the stream was destroyed before, or is not the program's to destroy");
  if (const std::shared_ptr<Capture> capture = this->capture()) capture->abandon(*this);
  runtime_->destroy();
  return Unit{};
}

std::shared_ptr<Capture> Stream::capture() const {
  const std::lock_guard lock(mutex_);
  return capture_;
}

void Stream::set_capture(std::shared_ptr<Capture> capture) {
  const std::lock_guard lock(mutex_);
  capture_ = std::move(capture);
  capturing_.store(capture_ != nullptr, std::memory_order_release);
}

LaunchAttributes Stream::attributes() const {
  const std::lock_guard lock(mutex_);
  return attributes_;
}

void Stream::set_attributes(LaunchAttributes attributes) {
  const std::lock_guard lock(mutex_);
  attributes_ = std::move(attributes);
}

Answer<StreamRef> find_stream(const ContextRef& current, const void* handle) {
  const auto number = reinterpret_cast<uint64_t>(handle);
  if (number == thread_stream_handle || (number == 0 && thread().per_thread_stream)) {
    StreamRef stream = current->thread_stream();
    if (stream == nullptr) return failure(Code::context_is_destroyed, "the current context was destroyed");
    return stream;
  }
  if (number == 0 || number == legacy_stream_handle) return current->legacy_stream();
  StreamRef stream = current->process().handles().streams.find(number);
  if (stream == nullptr) return failure(Code::invalid_handle, "no such stream");
  if (stream->context().destroyed())
    return failure(Code::context_is_destroyed, "the context of the stream was destroyed");
  return stream;
}

}  // namespace heddle::cuda
