#include "api/cuda_state/copy_batch.h"

#include <algorithm>

#include "api/cuda_state/array.h"
#include "api/cuda_state/work.h"

namespace heddle::cuda {
namespace {

constexpr unsigned known_flags = 1;  // a wish: to run beside kernels

runtime::AllocationRef memory_at(const runtime::CopyPlace& place) {
  if (place.array != nullptr) return place.array->memory();
  return Process::get().system().memory().find(place.address);
}
bool of_host(const runtime::AllocationRef& memory) {
  return memory == nullptr || memory->kind == runtime::MemoryKind::pinned ||
         memory->kind == runtime::MemoryKind::registered;
}

}  // namespace

Status check(const BatchCopy& copy) {
  const auto order = static_cast<BatchCopy::Order>(copy.order);
  if (order < BatchCopy::Order::in_stream || order > BatchCopy::Order::any)
    return invalid_value("no order of access has the number " + std::to_string(copy.order));
  if ((copy.flags & ~known_flags) != 0) return invalid_value("the flags are " + std::to_string(copy.flags));
  for (const runtime::CopyPlace* side : {&copy.request.to, &copy.request.from})
    if (side->array == nullptr && side->address == 0) return invalid_value("an address is NULL");
  return Unit{};
}

Status copy_batch(const Answer<StreamRef>& stream, std::vector<BatchCopy> copies, std::size_t* failed) {
  if (failed != nullptr) *failed = SIZE_MAX;
  if (!stream) return stream.error();
  Stream& on = **stream;
  if (on.legacy()) return invalid_value("a batch of copies needs a stream, the legacy one is none for it");
  if (Status state = on.context().check(); !state) return state;
  bool host_waits = false;
  std::vector<CopyWork> work;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    BatchCopy& copy = copies[i];
    const auto blame = [&](const Failure& failure) {
      if (failed != nullptr) *failed = i;
      return Status(Failure{failure.code, "copy " + std::to_string(i) + " of the batch: " + failure.message});
    };
    if (Status good = check(copy); !good) return blame(good.error());
    const runtime::CopyExtent& extent = copy.request.extent;
    if (extent.bytes == 0 || extent.rows == 0 || extent.slices == 0) continue;
    const auto from = memory_at(copy.request.from), to = memory_at(copy.request.to);
    // Pageable memory is staged by the call; other memory of the host only when the program wants it so.
    const bool during_call = copy.order == static_cast<int>(BatchCopy::Order::during_call);
    copy.request.snapshot = !on.capturing() && (from == nullptr || (during_call && of_host(from)));
    host_waits = host_waits || to == nullptr || (during_call && !of_host(from));
    CopyWork one;
    one.direction = 4;  // cudaMemcpyDefault
    one.request = std::move(copy.request);
    if (auto made = make_operation(on.context(), one); !made) return blame(made.error());
    work.push_back(std::move(one));
  }
  for (CopyWork& one : work)
    if (Status submitted = submit(on, std::move(one)); !submitted) return submitted;
  return host_waits && !on.capturing() ? on.finish() : Status(Unit{});
}

namespace {

Answer<runtime::CopyPlace> place_of(const BatchSide& side, const BatchExtent& extent, uint64_t element) {
  runtime::CopyPlace place;
  if (side.type == BatchSide::array) {
    auto array = find_array(Process::get(), side.array_handle);
    if (!array) return array.error();
    place.array = (*array)->runtime();
    place.level = (*array)->level_index();
    place.x = side.x * element;
    place.y = side.y;
    place.z = side.z;
    return place;
  }
  const uint64_t row = side.row_length != 0 ? side.row_length : extent.width;
  const uint64_t layer = side.layer_height != 0 ? side.layer_height : extent.height;
  if (row < extent.width || layer < extent.height)
    return invalid_value("rows of " + std::to_string(row) + " elements in layers of " +
                         std::to_string(layer) + " rows, " + std::to_string(extent.width) + " and " +
                         std::to_string(extent.height) + " are to be copied");
  place.address = side.address;
  if (__builtin_mul_overflow(row, element, &place.row_pitch) ||
      __builtin_mul_overflow(place.row_pitch, layer, &place.slice_pitch))
    return invalid_value("layers of more than 2^64 bytes");
  return place;
}

Answer<uint64_t> element_of(const BatchSide& side) {
  if (side.type == BatchSide::pointer) return 0;
  if (side.type != BatchSide::array)
    return invalid_value("no side of a copy has the type " + std::to_string(side.type));
  auto array = find_array(Process::get(), side.array_handle);
  if (!array) return array.error();
  return (*array)->runtime()->texel_bytes();
}

}  // namespace

Answer<runtime::CopyRequest> batch_request(const BatchSide& from, const BatchSide& to,
                                           const BatchExtent& extent) {
  auto of_source = element_of(from), of_target = element_of(to);
  if (!of_source) return of_source.error();
  if (!of_target) return of_target.error();
  if (*of_source != 0 && *of_target != 0 && *of_source != *of_target)
    return invalid_value("elements of " + std::to_string(*of_source) + " and of " +
                         std::to_string(*of_target) + " bytes");
  const uint64_t element = std::max({*of_source, *of_target, uint64_t{1}});
  runtime::CopyRequest request;
  if (__builtin_mul_overflow(extent.width, element, &request.extent.bytes))
    return invalid_value("rows of more than 2^64 bytes");
  request.extent.rows = extent.height;
  request.extent.slices = extent.depth;
  auto source = place_of(from, extent, element), target = place_of(to, extent, element);
  if (!source) return source.error();
  if (!target) return target.error();
  request.from = *std::move(source);
  request.to = *std::move(target);
  return request;
}

}  // namespace heddle::cuda
