#include "api/cuda_state/context.h"

#include "api/cuda_state/capture.h"
#include "api/cuda_state/graph_memory.h"
#include "api/cuda_state/library.h"
#include "api/cuda_state/registry.h"
#include "api/cuda_state/resources.h"
#include "api/cuda_state/stream.h"
#include "api/cuda_state/thread.h"

namespace heddle::cuda {

Context::Context(Device& device, std::shared_ptr<runtime::Context> runtime, bool primary)
    : device_(device), runtime_(std::move(runtime)), primary_(primary) {}
Context::~Context() = default;

Answer<ContextRef> Context::create(Device& device, unsigned flags, bool primary,
                                   const runtime::ContextOptions& options) {
  if (Status opened = device.process().registry().open_managed(); !opened) return opened.error();
  auto made = device.process().system().create_context(device.runtime().index, options);
  if (!made) return failure_of(made.error());
  ContextRef context(new Context(device, *made, primary));
  context->flags = flags;
  context->legacy_stream_ = std::make_shared<Stream>(*context, context->runtime_->default_stream());
  context->handle_ = device.process().handles().contexts.add(context);
  if (context->handle_ == 0) return failure(Code::out_of_memory, "too many contexts");
  tell_resource([&] { return ResourceFacts{.kind = Resource::context, .context = context->handle_}; });
  return context;
}

void Context::destroy() {
  if (!destroyed())
    tell_resource(
        [&] { return ResourceFacts{.kind = Resource::context, .made = false, .context = handle_}; });
  if (destroyed_.exchange(true, std::memory_order_acq_rel)) return;
  process().next_epoch();
  process().handles().contexts.remove(handle_);
  abandon_captures(*this);
  runtime_->destroy();
  GraphMemory::end_of(*runtime_);
  std::unordered_map<const Library*, std::shared_ptr<Module>> modules;
  {
    const std::lock_guard lock(mutex_);
    modules.swap(modules_);
  }
  for (const auto& [library, module] : modules) module->forget_handles();
  for (const auto& module : process().handles().modules.all())
    if (&module->context() == this) module->forget_handles();
}

Status Context::check() const {
  if (destroyed()) return failure(Code::context_is_destroyed, "the context was destroyed");
  return status_of(runtime_->check());
}

Status Context::synchronize() { return status_of(runtime_->synchronize()); }

StreamRef Context::thread_stream() {
  std::vector<StreamRef>& streams = thread().streams;
  for (const StreamRef& stream : streams)
    if (&stream->context() == this) return stream;
  auto runtime = runtime_->thread_stream();
  if (runtime == nullptr) return nullptr;
  std::erase_if(streams, [](const StreamRef& stream) { return stream->context().destroyed(); });
  streams.push_back(std::make_shared<Stream>(*this, std::move(runtime), shared_from_this()));
  return streams.back();
}

Answer<std::shared_ptr<Module>> Context::module_of(Library& library) {
  const auto known = [&]() -> std::shared_ptr<Module> {
    const std::lock_guard lock(mutex_);
    const auto found = modules_.find(&library);
    return found == modules_.end() ? nullptr : found->second;
  };
  if (auto module = known()) return module;
  const std::lock_guard loading(library.loading());
  if (auto module = known()) return module;
  auto loaded = library.load(shared_from_this());
  if (!loaded) return loaded;
  const std::lock_guard lock(mutex_);
  if (destroyed()) return failure(Code::context_is_destroyed, "the context was destroyed");
  return modules_.try_emplace(&library, *loaded).first->second;
}

void Context::forget(const Library& library) {
  std::shared_ptr<Module> gone;
  const std::lock_guard lock(mutex_);
  const auto found = modules_.find(&library);
  if (found == modules_.end()) return;
  gone = std::move(found->second);
  modules_.erase(found);
}

uint64_t Context::advice_limit(int limit, uint64_t usual) {
  const std::lock_guard lock(mutex_);
  const auto found = advice_limits_.find(limit);
  return found == advice_limits_.end() ? usual : found->second;
}

void Context::set_advice_limit(int limit, uint64_t value) {
  const std::lock_guard lock(mutex_);
  advice_limits_[limit] = value;
}

Status Context::enable_peer(Context& peer) { return status_of(runtime_->enable_peer(*peer.runtime_)); }
Status Context::disable_peer(Context& peer) { return status_of(runtime_->disable_peer(*peer.runtime_)); }

}  // namespace heddle::cuda
