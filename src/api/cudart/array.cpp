// Arrays, and copies to and from them.
#include <algorithm>

#include "api/cudart/functions.gen.h"
#include "api/cudart/transfer.h"

namespace heddle::cudart {
namespace {

constexpr unsigned array_flags = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                                 cudaArrayTextureGather | cudaArrayColorAttachment;

// CUDA Runtime API, cudaMalloc3DArray: extents of 0 say which dimensions there are.
Answer<runtime::ArrayRequest> array_request(const cudaChannelFormatDesc* desc, const cudaExtent& extent,
                                            unsigned flags) {
  if (desc == nullptr) return invalid_value("the format is NULL");
  if (Status good = known_flags(flags, array_flags); !good) return good.error();
  auto texel = texel_of(*desc);
  if (!texel) return texel.error();
  runtime::ArrayRequest request;
  request.texel = *texel;
  request.width = extent.width;
  request.height = std::max<uint64_t>(extent.height, 1);
  request.depth = std::max<uint64_t>(extent.depth, 1);
  request.flags = flags;
  request.surface = (flags & cudaArraySurfaceLoadStore) != 0;
  request.gather = (flags & cudaArrayTextureGather) != 0;
  const bool layered = (flags & cudaArrayLayered) != 0;
  if (extent.width == 0) return invalid_value("an array of width 0");
  if ((flags & cudaArrayCubemap) != 0) {
    if (extent.depth == 0 || extent.depth % 6 != 0 || (!layered && extent.depth != 6))
      return invalid_value("a cubemap of depth " + std::to_string(extent.depth));
    request.shape = layered ? runtime::ArrayShape::cubemap_layered : runtime::ArrayShape::cubemap;
    request.depth = extent.depth / 6;
  } else if (layered) {
    if (extent.depth == 0) return invalid_value("a layered array of 0 layers");
    request.shape = extent.height == 0 ? runtime::ArrayShape::d1_layered : runtime::ArrayShape::d2_layered;
  } else if (extent.depth != 0) {
    if (extent.height == 0) return invalid_value("an array with depth and no height");
    request.shape = runtime::ArrayShape::d3;
  } else {
    request.shape = extent.height == 0 ? runtime::ArrayShape::d1 : runtime::ArrayShape::d2;
  }
  return request;
}

cudaExtent extent_of(const cuda::Array& array) {
  using Shape = runtime::ArrayShape;
  const runtime::ArrayRequest& request = array.request();
  const exec::MipLevel& level = array.extent();
  const bool flat = request.shape == Shape::d1 || request.shape == Shape::d1_layered;
  const bool single = request.shape == Shape::d1 || request.shape == Shape::d2;
  return {level.width, flat ? 0 : level.height, single ? 0 : level.depth};
}

}  // namespace

Status cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, cudaExtent extent,
                         unsigned int flags) {
  *array = nullptr;
  auto context = working_context();
  if (!context) return context.error();
  auto request = array_request(desc, extent, flags);
  if (!request) return request.error();
  auto made = cuda::Array::create(*context, *request, false);
  if (!made) return made.error();
  *array = as_handle<cudaArray_t>((*made)->handle());
  return Unit{};
}

Status cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width, size_t height,
                       unsigned int flags) {
  if ((flags & (cudaArrayLayered | cudaArrayCubemap)) != 0)
    return invalid_value("layers and faces need cudaMalloc3DArray");
  return cudart::cudaMalloc3DArray(array, desc, {width, height, 0}, flags);
}

Status cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmappedArray, const cudaChannelFormatDesc* desc,
                                cudaExtent extent, unsigned int numLevels, unsigned int flags) {
  *mipmappedArray = nullptr;
  auto context = working_context();
  if (!context) return context.error();
  auto request = array_request(desc, extent, flags);
  if (!request) return request.error();
  // "Clamped to the range [1, 1 + floor(log2(max(width, height, depth)))]" (cudaMallocMipmappedArray).
  request->levels = std::clamp(numLevels, 1U, runtime::full_mip_levels(*request));
  auto made = cuda::Array::create(*context, *request, true);
  if (!made) return made.error();
  *mipmappedArray = as_handle<cudaMipmappedArray_t>((*made)->handle());
  return Unit{};
}

Status cudaGetMipmappedArrayLevel(cudaArray_t* levelArray, cudaMipmappedArray_const_t mipmappedArray,
                                  unsigned int level) {
  auto found = find_mipmapped_array(mipmappedArray);
  if (!found) return found.error();
  auto part = (*found)->level(level);
  if (!part) return part.error();
  *levelArray = as_handle<cudaArray_t>((*part)->handle());
  return Unit{};
}

Status cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return status_of(runtime_context());
  auto found = find_array(array);
  return found ? (*found)->destroy() : Status(found.error());
}
Status cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
  if (mipmappedArray == nullptr) return status_of(runtime_context());
  auto found = find_mipmapped_array(mipmappedArray);
  return found ? (*found)->destroy() : Status(found.error());
}

Status cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned int* flags,
                        cudaArray_t array) {
  auto found = find_array(array);
  if (!found) return found.error();
  if (desc != nullptr) *desc = channel_desc((*found)->request().texel);
  if (extent != nullptr) *extent = extent_of(**found);
  if (flags != nullptr) *flags = (*found)->request().flags;
  return Unit{};
}

Status cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  auto found = find_array(array);
  if (!found) return found.error();
  *desc = channel_desc((*found)->request().texel);
  return Unit{};
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

// ---- copies by rows
namespace {

Status to_array(cudaArray_t dst, size_t x, size_t y, const void* src, size_t spitch, size_t width,
                size_t height, cudaMemcpyKind kind, cudaStream_t stream, Return when) {
  auto to = place(dst, x, y);
  if (!to) return to.error();
  if (spitch < width)
    return invalid_value("rows of " + std::to_string(width) + " bytes with a pitch of " +
                         std::to_string(spitch));
  runtime::CopyRequest request;
  request.to = std::move(*to);
  request.from = place(number_of(src), spitch);
  request.extent = {width, height, 1};
  return transfer(std::move(request), kind, stream, when);
}

Status from_array(void* dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
                  size_t height, cudaMemcpyKind kind, cudaStream_t stream, Return when) {
  auto from = place(src, x, y);
  if (!from) return from.error();
  if (dpitch < width)
    return invalid_value("rows of " + std::to_string(width) + " bytes with a pitch of " +
                         std::to_string(dpitch));
  runtime::CopyRequest request;
  request.to = place(number_of(dst), dpitch);
  request.from = std::move(*from);
  request.extent = {width, height, 1};
  return transfer(std::move(request), kind, stream, when);
}

Status between_arrays(cudaArray_t dst, size_t to_x, size_t to_y, cudaArray_const_t src, size_t from_x,
                      size_t from_y, size_t width, size_t height, cudaMemcpyKind kind) {
  auto to = place(dst, to_x, to_y), from = place(src, from_x, from_y);
  if (!to) return to.error();
  if (!from) return from.error();
  runtime::CopyRequest request;
  request.to = std::move(*to);
  request.from = std::move(*from);
  request.extent = {width, height, 1};
  return transfer(std::move(request), kind, nullptr, Return::done);
}

// `count` bytes from (x, y) on, row after row: the rest of a row, whole rows, the beginning of one.
template <class Piece>
Status by_rows(const cuda::Array& array, size_t x, size_t y, size_t count, const Piece& piece) {
  const uint64_t row = array.extent().row_pitch;
  if (x > row) return invalid_value("byte " + std::to_string(x) + " of a row of " + std::to_string(row));
  size_t done = 0;
  while (done < count) {
    const bool whole = x == 0 && count - done >= row;
    const size_t rows = whole ? (count - done) / row : 1;
    const size_t width = whole ? row : std::min<size_t>(row - x, count - done);
    if (width == 0) {
      x = 0;
      ++y;
      continue;
    }
    if (Status copied = piece(x, y, done, width, rows); !copied) return copied;
    done += width * rows;
    x = 0;
    y += rows;
  }
  return Unit{};
}

Status linear_to_array(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
                       cudaMemcpyKind kind, cudaStream_t stream, Return when) {
  auto array = find_array(dst);
  if (!array) return array.error();
  if (src == nullptr && count != 0) return invalid_value("the source is null");
  return by_rows(**array, wOffset, hOffset, count,
                 [&](size_t x, size_t y, size_t done, size_t width, size_t rows) {
                   return to_array(dst, x, y, static_cast<const char*>(src) + done, width, width, rows, kind,
                                   stream, when);
                 });
}

Status linear_from_array(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                         cudaMemcpyKind kind, cudaStream_t stream, Return when) {
  auto array = find_array(src);
  if (!array) return array.error();
  if (dst == nullptr && count != 0) return invalid_value("the destination is null");
  return by_rows(
      **array, wOffset, hOffset, count, [&](size_t x, size_t y, size_t done, size_t width, size_t rows) {
        return from_array(static_cast<char*>(dst) + done, width, src, x, y, width, rows, kind, stream, when);
      });
}

}  // namespace

Status cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch,
                           size_t width, size_t height, cudaMemcpyKind kind) {
  return to_array(dst, wOffset, hOffset, src, spitch, width, height, kind, nullptr, Return::done);
}
Status cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                size_t spitch, size_t width, size_t height, cudaMemcpyKind kind,
                                cudaStream_t stream) {
  return to_array(dst, wOffset, hOffset, src, spitch, width, height, kind, stream, Return::submitted);
}
Status cudaMemcpy2DFromArray(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                             size_t width, size_t height, cudaMemcpyKind kind) {
  return from_array(dst, dpitch, src, wOffset, hOffset, width, height, kind, nullptr, Return::done);
}
Status cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height, cudaMemcpyKind kind,
                                  cudaStream_t stream) {
  return from_array(dst, dpitch, src, wOffset, hOffset, width, height, kind, stream, Return::submitted);
}
Status cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                cudaMemcpyKind kind) {
  return between_arrays(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height, kind);
}
Status cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                              size_t wOffsetSrc, size_t hOffsetSrc, size_t count, cudaMemcpyKind kind) {
  auto to = find_array(dst), from = find_array(src);
  if (!to) return to.error();
  if (!from) return from.error();
  // The arrays' rows may differ in length: a piece ends where a row of either does, but whole rows go
  // together.
  const uint64_t to_row = (*to)->extent().row_pitch, from_row = (*from)->extent().row_pitch;
  for (size_t done = 0; done < count;) {
    const size_t to_x = (wOffsetDst + done) % to_row, from_x = (wOffsetSrc + done) % from_row;
    const bool whole = to_row == from_row && to_x == 0 && from_x == 0 && count - done >= to_row;
    const size_t rows = whole ? (count - done) / to_row : 1;
    const size_t width = std::min<size_t>({to_row - to_x, from_row - from_x, count - done});
    if (Status copied = between_arrays(dst, to_x, hOffsetDst + (wOffsetDst + done) / to_row, src, from_x,
                                       hOffsetSrc + (wOffsetSrc + done) / from_row, width, rows, kind);
        !copied)
      return copied;
    done += width * rows;
  }
  return Unit{};
}

Status cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
                         cudaMemcpyKind kind) {
  return linear_to_array(dst, wOffset, hOffset, src, count, kind, nullptr, Return::done);
}
Status cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return linear_to_array(dst, wOffset, hOffset, src, count, kind, stream, Return::submitted);
}
Status cudaMemcpyFromArray(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                           cudaMemcpyKind kind) {
  return linear_from_array(dst, src, wOffset, hOffset, count, kind, nullptr, Return::done);
}
Status cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return linear_from_array(dst, src, wOffset, hOffset, count, kind, stream, Return::submitted);
}

// ---- in three dimensions
namespace {

Answer<runtime::CopyPlace> side_3d(cudaArray_t array, const cudaPos& pos, const cudaPitchedPtr& pointer,
                                   uint64_t rows, uint64_t element, const char* what) {
  if ((array != nullptr) == (pointer.ptr != nullptr))
    return invalid_value(std::string("the ") + what + " is an array or a pointer, one of both");
  if (array != nullptr) return place(array, pos.x * element, pos.y, pos.z);
  const uint64_t height = pointer.ysize != 0 ? pointer.ysize : rows;
  runtime::CopyPlace side = place(0, pointer.pitch);
  side.slice_pitch = pointer.pitch * height;
  side.address = number_of(pointer.ptr) + pos.x + pos.y * side.row_pitch + pos.z * side.slice_pitch;
  return side;
}

}  // namespace

// "If an array participates, the extent is in its elements, else in bytes" (cudaMemcpy3D).
Answer<runtime::CopyRequest> request_3d(const cudaMemcpy3DParms& p) {
  uint64_t to_element = 1, from_element = 1;
  if (p.dstArray != nullptr) {
    auto array = find_array(p.dstArray);
    if (!array) return array.error();
    to_element = (*array)->runtime()->texel_bytes();
  }
  if (p.srcArray != nullptr) {
    auto array = find_array(p.srcArray);
    if (!array) return array.error();
    from_element = (*array)->runtime()->texel_bytes();
  }
  if (p.dstArray != nullptr && p.srcArray != nullptr && to_element != from_element)
    return invalid_value("elements of " + std::to_string(from_element) + " and of " +
                         std::to_string(to_element) + " bytes");
  const uint64_t element = std::max(to_element, from_element);
  runtime::CopyRequest request;
  if (__builtin_mul_overflow(p.extent.width, element, &request.extent.bytes))
    return invalid_value("rows of more than 2^64 bytes");
  request.extent.rows = p.extent.height;
  request.extent.slices = p.extent.depth;
  auto to = side_3d(p.dstArray, p.dstPos, p.dstPtr, p.extent.height, to_element, "destination");
  if (!to) return to.error();
  auto from = side_3d(p.srcArray, p.srcPos, p.srcPtr, p.extent.height, from_element, "source");
  if (!from) return from.error();
  for (const cudaPitchedPtr* pointer : {&p.dstPtr, &p.srcPtr})
    if (pointer->ptr != nullptr && pointer->pitch < request.extent.bytes && p.extent.height > 1)
      return invalid_value("rows of " + std::to_string(request.extent.bytes) + " bytes with a pitch of " +
                           std::to_string(pointer->pitch));
  request.to = std::move(*to);
  request.from = std::move(*from);
  return request;
}

namespace {

Status copy_3d(const cudaMemcpy3DParms* p, cudaStream_t stream, Return when) {
  if (p == nullptr) return invalid_value("the parameters are NULL");
  if (p->extent.width == 0 || p->extent.height == 0 || p->extent.depth == 0) {
    auto found = find_stream(stream);  // a device's driver looks at no more of a copy of nothing
    return found ? Status(Unit{}) : Status(found.error());
  }
  auto request = request_3d(*p);
  if (!request) return request.error();
  return transfer(std::move(*request), p->kind, stream, when);
}

Status copy_3d_peer(const cudaMemcpy3DPeerParms* p, cudaStream_t stream, Return when) {
  if (p == nullptr) return invalid_value("the parameters are NULL");
  for (const int device : {p->dstDevice, p->srcDevice})
    if (auto found = find_device(device); !found) return found.error();
  const cudaMemcpy3DParms same{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                               p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
  if (when == Return::submitted) return copy_3d(&same, stream, when);
  return between_devices(p->dstDevice, p->srcDevice,
                         [&] { return copy_3d(&same, stream, Return::submitted); });
}

}  // namespace

Status cudaMemcpy3D(const cudaMemcpy3DParms* p) { return copy_3d(p, nullptr, Return::done); }
Status cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return copy_3d(p, stream, Return::submitted);
}
Status cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) { return copy_3d_peer(p, nullptr, Return::done); }
Status cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return copy_3d_peer(p, stream, Return::submitted);
}

}  // namespace heddle::cudart
