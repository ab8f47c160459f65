#include "api/cudart/transfer.h"

#include "api/cuda_state/capture.h"
#include "api/cuda_state/peer_order.h"

namespace heddle::cudart {
namespace {

enum class Where : uint8_t { device, pinned, pageable };

Where where(const runtime::CopyPlace& place) {
  if (place.array != nullptr) return Where::device;
  const auto memory = Process::get().system().memory().find(place.address);
  if (memory == nullptr) return Where::pageable;
  return memory->kind == MemoryKind::pinned || memory->kind == MemoryKind::registered ? Where::pinned
                                                                                      : Where::device;
}

// What the program calls memory of a device must be memory that a device can have.
Status check_side(const runtime::CopyPlace& place, bool said_device, const char* what) {
  if (!said_device || where(place) != Where::pageable) return Unit{};
  return invalid_value(std::string("the ") + what + " is said to be on the device: " +
                       Process::get().system().memory().describe(place.address));
}

Status check_kind(const runtime::CopyRequest& request, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return failure(Code::invalid_copy_direction, "direction " + std::to_string(kind));
  if (kind == cudaMemcpyDefault) return Unit{};
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (Status good = check_side(request.to, to_device, "destination"); !good) return good;
  return check_side(request.from, from_device, "source");
}

bool empty(const runtime::CopyExtent& extent) {
  return extent.bytes == 0 || extent.rows == 0 || extent.slices == 0;
}

}  // namespace

Answer<runtime::CopyPlace> place(cudaArray_const_t array, uint64_t x, uint64_t y, uint64_t z) {
  auto found = find_array(array);
  if (!found) return found.error();
  runtime::CopyPlace place;
  place.array = (*found)->runtime();
  place.level = (*found)->level_index();
  place.x = x;
  place.y = y;
  place.z = z;
  return place;
}

Answer<cuda::CopyWork> copy_work(runtime::CopyRequest request, cudaMemcpyKind kind) {
  if (Status good = check_kind(request, kind); !good) return good.error();
  cuda::CopyWork work;
  work.direction = kind;
  work.request = std::move(request);
  return work;
}

Status transfer(runtime::CopyRequest request, cudaMemcpyKind kind, cudaStream_t stream, Return when) {
  auto context = runtime_context();
  if (!context) return context.error();
  auto on = cuda::find_stream(*context, stream);
  if (!on) return on.error();
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return failure(Code::invalid_copy_direction, "direction " + std::to_string(kind));
  if (Status state = (*on)->context().check(); !state) return state;
  if (empty(request.extent)) return Unit{};
  if (Status good = check_kind(request, kind); !good) return good;
  const Where from = where(request.from), to = where(request.to);
  const bool capturing = (*on)->capturing();
  if (when == Return::done && capturing) return cuda::refuse_while_capturing(**on);
  // Pageable memory is staged: read before the call returns; written before it returns, too.
  request.snapshot =
      from == Where::pageable && to == Where::device && when == Return::submitted && !capturing;
  const bool host_waits = to == Where::pageable || (from != Where::device && to != Where::device);
  const bool waits =
      when == Return::done ? from != Where::device || to != Where::device : host_waits && !capturing;
  cuda::CopyWork work;
  work.direction = kind;
  work.request = std::move(request);
  if (Status submitted = cuda::submit(**on, std::move(work)); !submitted) return submitted;
  return waits ? (*on)->finish() : Status(Unit{});
}

Status fill(runtime::CopyPlace to, const runtime::CopyExtent& extent, int value, cudaStream_t stream,
            Return when) {
  auto on = find_stream(stream);
  if (!on) return on.error();
  if (Status state = (*on)->context().check(); !state) return state;
  if (empty(extent)) return Unit{};
  const Where target = where(to);
  if (target == Where::pageable)
    return invalid_value("no memory of a device: " + Process::get().system().memory().describe(to.address));
  const bool waits = when == Return::done && target == Where::pinned;
  cuda::FillWork work;
  work.to = std::move(to);
  work.extent = extent;
  work.pattern = {static_cast<std::byte>(value)};
  if (Status submitted = cuda::submit(**on, std::move(work)); !submitted) return submitted;
  return waits ? (*on)->finish() : Status(Unit{});
}

Status between_devices(int one, int other, const std::function<Status()>& copy) {
  auto current = working_context();
  if (!current) return current.error();
  std::vector<ContextRef> others;
  for (const int number : {one, other}) {
    auto device = find_device(number);
    if (!device) return device.error();
    others.push_back((*device)->primary_if_active());
  }
  return cuda::serialized(*current, others, copy);
}

}  // namespace heddle::cudart
