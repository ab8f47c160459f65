#include "api/cuda_state/work.h"

#include <array>
#include <initializer_list>

#include "api/cuda_state/capture.h"
#include "runtime/wait_watcher.h"

namespace heddle::cuda {
namespace {

class HostFunction final : public runtime::Operation {
 public:
  explicit HostFunction(const HostWork& work) : work_(work) {}
  runtime::Done run(runtime::Context& context, runtime::Task& task) const override {
    context.flush_output();
    runtime::tell_host_runs(context, task);
    work_.function(work_.argument);
    return Unit{};
  }

 private:
  const HostWork work_;
};

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

// Without one address space, a number is an address of the current context alone. Between two devices' memory
// it is not asked: copies between peers come through here too, and name the contexts themselves.
Status check_contexts(const Context& context, std::initializer_list<const runtime::CopyPlace*> sides) {
  if (context.device().facts().has(arch::Feature::unified_addressing)) return Unit{};
  const runtime::Memory& memory = context.process().system().memory();
  const runtime::CopyPlace* elsewhere = nullptr;
  std::size_t on_devices = 0;
  for (const runtime::CopyPlace* side : sides) {
    const auto found = side->array != nullptr ? nullptr : memory.find(side->address);
    const bool of_device = found != nullptr && (found->kind == runtime::MemoryKind::device ||
                                                found->kind == runtime::MemoryKind::variable);
    on_devices += side->array != nullptr || of_device;
    if (of_device && !found->every_context && found->owner != context.runtime().get()) elsewhere = side;
  }
  if (elsewhere == nullptr || on_devices > 1) return Unit{};
  return invalid_value(memory.describe(elsewhere->address) + ", of another context: on " +
                       arch::describe(context.device().facts()) + " each context has addresses of its own");
}

Status enter(Stream& stream) {
  return stream.legacy() ? no_blocking_capture(stream.context()) : Status(Unit{});
}

}  // namespace

std::string_view name(const Work& work) {
  static constexpr std::array<std::string_view, std::variant_size_v<Work>> names{"empty",
                                                                                 "kernel",
                                                                                 "memcpy",
                                                                                 "memset",
                                                                                 "host",
                                                                                 "event record",
                                                                                 "event wait",
                                                                                 "child graph",
                                                                                 "memory allocation",
                                                                                 "memory free",
                                                                                 "memory operation",
                                                                                 "conditional",
                                                                                 "library"};
  return names[work.index()];
}

NodeType type_of(const Work& work) {
  static constexpr std::array<NodeType, std::variant_size_v<Work>> types{
      NodeType::empty,     NodeType::kernel,       NodeType::memcpy,       NodeType::memset,
      NodeType::host,      NodeType::event_record, NodeType::wait_event,   NodeType::graph,
      NodeType::mem_alloc, NodeType::mem_free,     NodeType::batch_mem_op, NodeType::conditional,
      NodeType::kernel};
  return types[work.index()];
}

Answer<runtime::OperationRef> make_operation(Context& context, const Work& work) {
  const auto made = [](runtime::Outcome<runtime::OperationRef> outcome) -> Answer<runtime::OperationRef> {
    if (!outcome) return failure_of(outcome.error());
    return *outcome;
  };
  return std::visit(
      Overloaded{
          [&](const KernelWork& kernel) {
            runtime::LaunchRequest request;
            request.kernel = &kernel.function->kernel();
            request.grid = kernel.grid;
            request.block = kernel.block;
            request.cluster = kernel.cluster;
            request.dynamic_shared = kernel.dynamic_shared;
            request.cooperative = kernel.cooperative;
            request.params = kernel.params;
            return made(runtime::make_launch(request));
          },
          [&](const CopyWork& copy) -> Answer<runtime::OperationRef> {
            const runtime::CopyRequest& request = copy.request;
            if (Status own = check_contexts(context, {&request.to, &request.from}); !own) return own.error();
            return made(runtime::make_copy(*context.runtime(), request));
          },
          [&](const FillWork& fill) -> Answer<runtime::OperationRef> {
            if (Status own = check_contexts(context, {&fill.to}); !own) return own.error();
            return made(runtime::make_fill(*context.runtime(), fill.to, fill.extent, fill.pattern));
          },
          [&](const HostWork& host) -> Answer<runtime::OperationRef> {
            return runtime::OperationRef(std::make_shared<HostFunction>(host));
          },
          [&](const BatchWork& batch) { return make_batch(context, batch); },
          [&](const LibraryWork& library) -> Answer<runtime::OperationRef> {
            return make_library_operation(library);
          },
          [&](const AllocateWork& work) -> Answer<runtime::OperationRef> {
            return GraphMemory::allocating(work.memory);
          },
          [&](const FreeWork& work) -> Answer<runtime::OperationRef> {
            return GraphMemory::freeing(work.address);
          },
          [&](const auto&) -> Answer<runtime::OperationRef> { return runtime::OperationRef(); },
      },
      work);
}

Status submit(Stream& stream, Work work) {
  if (const auto capture = stream.capture()) return capture->add(stream, std::move(work));
  if (Status free = enter(stream); !free) return free;
  if (auto* record = std::get_if<RecordWork>(&work)) return record->event->record(stream);
  if (auto* wait = std::get_if<WaitWork>(&work)) return wait_for(stream, *wait->event);
  if (Status state = status_of(stream.context().runtime()->begin(
          std::holds_alternative<CopyWork>(work) ? runtime::Site::copy : runtime::Site::operation));
      !state)
    return state;
  auto operation = make_operation(stream.context(), work);
  if (!operation) return operation.error();
  return status_of(stream.runtime().submit(std::move(*operation)));
}

namespace {

Status record_events(Stream& stream, const LaunchWishes& wishes) {
  for (const void* handle : wishes.events) {
    if (handle == nullptr) continue;
    auto event = find_event(stream.context().process(), handle);
    if (!event) return event.error();
    if (Status recorded = (*event)->record(stream); !recorded) return recorded;
  }
  return Unit{};
}

}  // namespace

Status launch(Stream& stream, Function& function, const runtime::LaunchRequest& request,
              const LaunchWishes* wishes) {
  if (stream.capturing()) {
    const auto capture = stream.capture();
    // What is wrong with it is said now.
    if (auto checked = runtime::make_launch(request); !checked) return failure_of(checked.error());
    KernelWork work;
    work.function = FunctionRef(function.module().shared_from_this(), &function);
    work.grid = request.grid;
    work.block = request.block;
    work.cluster = request.cluster;
    work.dynamic_shared = request.dynamic_shared;
    work.cooperative = request.cooperative;
    work.params.assign(request.params.begin(), request.params.end());
    if (wishes != nullptr) work.attributes = wishes->attributes;
    Status added = capture->add(stream, std::move(work));
    return added && wishes != nullptr ? record_events(stream, *wishes) : added;
  }
  if (Status free = enter(stream); !free) return free;
  Status launched = status_of(runtime::launch(stream.runtime(), request));
  // Host functions cannot wait for their own stream.
  if (launched && stream.context().process().system().options().launch_blocking &&
      runtime::Scheduler::current() == nullptr)
    launched = status_of(stream.runtime().synchronize());
  return launched && wishes != nullptr ? record_events(stream, *wishes) : launched;
}

}  // namespace heddle::cuda
