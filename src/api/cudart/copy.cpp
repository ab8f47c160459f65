// Copies and fills of linear memory, by rows, to and from symbols.
#include <algorithm>

#include "api/cudart/functions.gen.h"
#include "api/cudart/transfer.h"

namespace heddle::cudart {
namespace {

Status linear(void* dst, const void* src, size_t count, cudaMemcpyKind kind, cudaStream_t stream,
              Return when) {
  runtime::CopyRequest request;
  request.to = place(number_of(dst));
  request.from = place(number_of(src));
  request.extent.bytes = count;
  return transfer(std::move(request), kind, stream, when);
}

// cudaDevAttrMaxPitch, of every device that there was.
constexpr size_t largest_pitch = 0x7fffffff;

// What leads from row to row; one row needs none. An H200 says cudaErrorInvalidValue, not
// ...InvalidPitchValue.
Status fits(size_t pitch, size_t height) {
  if (pitch <= largest_pitch || height <= 1) return Unit{};
  return invalid_value("a pitch of " + std::to_string(pitch) + " bytes; at most " +
                       std::to_string(largest_pitch) + " are allowed");
}

Status rows(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
            cudaMemcpyKind kind, cudaStream_t stream, Return when) {
  if (width > dpitch || width > spitch)
    return invalid_value("rows of " + std::to_string(width) + " bytes with pitches of " +
                         std::to_string(dpitch) + " and " + std::to_string(spitch));
  if (Status good = fits(std::max(dpitch, spitch), height); !good) return good;
  runtime::CopyRequest request;
  request.to = place(number_of(dst), dpitch);
  request.from = place(number_of(src), spitch);
  request.extent = {width, height, 1};
  return transfer(std::move(request), kind, stream, when);
}

// A piece of a symbol.
Answer<uint64_t> inside(const void* symbol, size_t count, size_t offset) {
  auto context = working_context();
  if (!context) return context.error();
  auto variable = Process::get().registry().variable(*context, symbol);
  if (!variable) return variable.error();
  if (offset > variable->bytes || count > variable->bytes - offset)
    return invalid_value(std::to_string(count) + " bytes at " + std::to_string(offset) +
                         " of a variable of " + std::to_string(variable->bytes));
  return variable->address + offset;
}

Status to_symbol(const void* symbol, const void* src, size_t count, size_t offset, cudaMemcpyKind kind,
                 cudaStream_t stream, Return when) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return failure(Code::invalid_copy_direction, "direction " + std::to_string(kind) + " to a symbol");
  auto address = inside(symbol, count, offset);
  if (!address) return address.error();
  return linear(as_handle<void*>(*address), src, count, kind, stream, when);
}

Status from_symbol(void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind,
                   cudaStream_t stream, Return when) {
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return failure(Code::invalid_copy_direction, "direction " + std::to_string(kind) + " from a symbol");
  auto address = inside(symbol, count, offset);
  if (!address) return address.error();
  return linear(dst, as_handle<const void*>(*address), count, kind, stream, when);
}

Status known_devices(int one, int other) {
  if (auto found = find_device(one); !found) return found.error();
  return status_of(find_device(other));
}

runtime::CopyPlace pitched(const cudaPitchedPtr& pointer) {
  runtime::CopyPlace to = place(number_of(pointer.ptr), pointer.pitch);
  to.slice_pitch = pointer.pitch * pointer.ysize;
  return to;
}

Status fill_3d(const cudaPitchedPtr& pointer, int value, const cudaExtent& extent, cudaStream_t stream,
               Return when) {
  if (extent.width > pointer.pitch && (extent.height > 1 || extent.depth > 1))
    return invalid_value("rows of " + std::to_string(extent.width) + " bytes with a pitch of " +
                         std::to_string(pointer.pitch));
  return fill(pitched(pointer), {extent.width, extent.height, extent.depth}, value, stream, when);
}

}  // namespace

Status cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return linear(dst, src, count, kind, nullptr, Return::done);
}
Status cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return linear(dst, src, count, kind, stream, Return::submitted);
}

Status cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  if (Status known = known_devices(dstDevice, srcDevice); !known) return known;
  return between_devices(dstDevice, srcDevice, [&] {
    return linear(dst, src, count, cudaMemcpyDefault, nullptr, Return::submitted);
  });
}
Status cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice, size_t count,
                           cudaStream_t stream) {
  if (Status known = known_devices(dstDevice, srcDevice); !known) return known;
  return linear(dst, src, count, cudaMemcpyDefault, stream, Return::submitted);
}

Status cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                    cudaMemcpyKind kind) {
  return rows(dst, dpitch, src, spitch, width, height, kind, nullptr, Return::done);
}
Status cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return rows(dst, dpitch, src, spitch, width, height, kind, stream, Return::submitted);
}

Status cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                          cudaMemcpyKind kind) {
  return to_symbol(symbol, src, count, offset, kind, nullptr, Return::done);
}
Status cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                               cudaMemcpyKind kind, cudaStream_t stream) {
  return to_symbol(symbol, src, count, offset, kind, stream, Return::submitted);
}
Status cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  return from_symbol(dst, symbol, count, offset, kind, nullptr, Return::done);
}
Status cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind, cudaStream_t stream) {
  return from_symbol(dst, symbol, count, offset, kind, stream, Return::submitted);
}

// ---- fills
Status cudaMemset(void* devPtr, int value, size_t count) {
  return fill(place(number_of(devPtr)), {count, 1, 1}, value, nullptr, Return::done);
}
Status cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return fill(place(number_of(devPtr)), {count, 1, 1}, value, stream, Return::submitted);
}
Status cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
  if (Status good = fits(pitch, height); !good) return good;
  return fill(place(number_of(devPtr), pitch), {width, height, 1}, value, nullptr, Return::done);
}
Status cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                         cudaStream_t stream) {
  if (Status good = fits(pitch, height); !good) return good;
  return fill(place(number_of(devPtr), pitch), {width, height, 1}, value, stream, Return::submitted);
}
Status cudaMemset3D(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent) {
  return fill_3d(pitchedDevPtr, value, extent, nullptr, Return::done);
}
Status cudaMemset3DAsync(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent, cudaStream_t stream) {
  return fill_3d(pitchedDevPtr, value, extent, stream, Return::submitted);
}

}  // namespace heddle::cudart
