#include "api/cuda/transfer.h"

#include "api/cuda_state/capture.h"

namespace heddle::cu {
namespace {

bool pageable(uint64_t address) { return Process::get().system().memory().find(address) == nullptr; }

// What the program calls memory of a device must be memory that a device can have.
Status check_device(uint64_t address, const char* what) {
  if (!pageable(address)) return Unit{};
  return invalid_value(std::string("the ") + what +
                       " is said to be on the device: " + Process::get().system().memory().describe(address));
}

}  // namespace

Status transfer(CUstream handle, runtime::CopyRequest request, Return when) {
  auto stream = find_stream(handle);
  if (!stream) return stream.error();
  if (request.extent.bytes == 0 || request.extent.rows == 0 || request.extent.slices == 0) return Unit{};
  // "For transfers from pageable host memory, the data is staged before the call returns" (API
  // synchronization behavior); in a capture there is no call that it could be staged by.
  const bool staged = request.from.array == nullptr && pageable(request.from.address);
  // "The call returns only after the copy has completed": to pageable memory.
  const bool waits = when == Return::done || (request.to.array == nullptr && pageable(request.to.address));
  request.snapshot = staged && when != Return::done && !(*stream)->capturing();
  cuda::CopyWork work;
  work.request = std::move(request);
  if (Status submitted = cuda::submit(**stream, std::move(work)); !submitted) return submitted;
  return when == Return::done || (waits && !(*stream)->capturing()) ? (*stream)->finish() : Status(Unit{});
}

Status transfer(CUstream stream, End to, End from, uint64_t bytes, Return when) {
  if (bytes != 0) {
    if (to.type == CU_MEMORYTYPE_DEVICE)
      if (Status good = check_device(to.address, "destination"); !good) return good;
    if (from.type == CU_MEMORYTYPE_DEVICE)
      if (Status good = check_device(from.address, "source"); !good) return good;
  }
  runtime::CopyRequest request;
  request.to = place(to.address);
  request.from = place(from.address);
  request.extent.bytes = bytes;
  return transfer(stream, std::move(request), when);
}

Status fill(CUstream handle, uint64_t to, uint64_t pitch, uint64_t width, uint64_t height,
            const void* pattern, uint32_t pattern_bytes, bool wait) {
  auto stream = find_stream(handle);
  if (!stream) return stream.error();
  if (to % pattern_bytes != 0 || (height > 1 && pitch % pattern_bytes != 0))
    return invalid_value("the address or the pitch is no multiple of " + std::to_string(pattern_bytes));
  if (width == 0 || height == 0) return Unit{};
  if (pageable(to))
    return invalid_value("no memory of a device: " + Process::get().system().memory().describe(to));
  // CU_DEVICE_ATTRIBUTE_MAX_PITCH, of every device that there was.
  constexpr uint64_t largest_pitch = 0x7fffffff;
  if (pitch > largest_pitch)
    return invalid_value("a pitch of " + std::to_string(pitch) + " bytes; at most " +
                         std::to_string(largest_pitch) + " are allowed");
  if (width > UINT64_MAX / pattern_bytes)
    return invalid_value(std::to_string(width) + " elements of " + std::to_string(pattern_bytes) + " bytes");
  cuda::FillWork work;
  work.to = place(to);
  work.to.row_pitch = pitch;
  work.extent.bytes = width * pattern_bytes;
  work.extent.rows = height;
  const auto* bytes = static_cast<const std::byte*>(pattern);
  work.pattern.assign(bytes, bytes + pattern_bytes);
  if (height > 1 && pitch < work.extent.bytes)
    return invalid_value("a pitch of " + std::to_string(pitch) + " bytes for rows of " +
                         std::to_string(work.extent.bytes));
  // Of device memory a fill returns at once; of memory that the host may look at, it is done then.
  const auto memory = Process::get().system().memory().find(to);
  const bool of_host = memory != nullptr && memory->kind != runtime::MemoryKind::device;
  if (Status submitted = cuda::submit(**stream, std::move(work)); !submitted) return submitted;
  return wait && of_host ? (*stream)->finish() : Status(Unit{});
}

namespace {

Answer<runtime::CopyPlace> place_of(const Side& side) {
  runtime::CopyPlace place;
  switch (side.type) {
    case CU_MEMORYTYPE_ARRAY: {
      auto array = find_array(side.array);
      if (!array) return array.error();
      place.array = (*array)->runtime();
      place.level = (*array)->level_index();
      place.x = side.x;
      place.y = side.y;
      place.z = side.z;
      return place;
    }
    case CU_MEMORYTYPE_HOST: place.address = side.host; break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED: place.address = side.device; break;
    default:
      return invalid_value(std::string("the memory type of the ") + side.what + " is " +
                           std::to_string(side.type));
  }
  place.row_pitch = side.pitch;
  place.slice_pitch = side.pitch * side.height;
  place.address += side.x + side.y * place.row_pitch + side.z * place.slice_pitch;
  return place;
}

Status check_linear(const Side& side, const runtime::CopyExtent& extent, runtime::CopyPlace& place) {
  if (side.type == CU_MEMORYTYPE_ARRAY) return Unit{};
  if (side.type == CU_MEMORYTYPE_DEVICE && extent.bytes != 0 && extent.rows != 0 && extent.slices != 0)
    if (Status good = check_device(side.device, side.what); !good) return good;
  // 0: rows and slices lie one after another.
  if (side.pitch == 0) {
    if (extent.rows > 1 || extent.slices > 1 || side.y != 0 || side.z != 0) {
      place.row_pitch = extent.bytes;
      place.slice_pitch = extent.bytes * (side.height != 0 ? side.height : extent.rows);
    }
  } else if (side.pitch < extent.bytes + side.x && (extent.rows > 1 || extent.slices > 1)) {
    return invalid_value(std::string("the ") + side.what + " has a pitch of " + std::to_string(side.pitch) +
                         " bytes, a row ends at " + std::to_string(extent.bytes + side.x));
  }
  if (extent.slices > 1) {
    const uint64_t height = side.height != 0 ? side.height : extent.rows;
    if (height < extent.rows + side.y)
      return invalid_value(std::string("the ") + side.what + " has a height of " +
                           std::to_string(side.height) + " rows, a slice ends at " +
                           std::to_string(extent.rows + side.y));
    place.slice_pitch = place.row_pitch * height;
  }
  return Unit{};
}

}  // namespace

Answer<runtime::CopyRequest> copy_request(const Side& from, const Side& to,
                                          const runtime::CopyExtent& extent) {
  if (from.level != 0 || to.level != 0) return invalid_value("the level of detail must be 0");
  runtime::CopyRequest request;
  request.extent = extent;
  auto source = place_of(from);
  if (!source) return source.error();
  auto target = place_of(to);
  if (!target) return target.error();
  request.from = std::move(*source);
  request.to = std::move(*target);
  if (Status good = check_linear(from, extent, request.from); !good) return good.error();
  if (Status good = check_linear(to, extent, request.to); !good) return good.error();
  return request;
}

namespace {

template <class Copy>
Side source(const Copy& copy) {
  Side side;
  side.what = "source";
  side.type = copy.srcMemoryType;
  side.host = number_of(copy.srcHost);
  side.device = copy.srcDevice;
  side.array = copy.srcArray;
  side.x = copy.srcXInBytes;
  side.y = copy.srcY;
  side.pitch = copy.srcPitch;
  return side;
}
template <class Copy>
Side destination(const Copy& copy) {
  Side side;
  side.what = "destination";
  side.type = copy.dstMemoryType;
  side.host = number_of(copy.dstHost);
  side.device = copy.dstDevice;
  side.array = copy.dstArray;
  side.x = copy.dstXInBytes;
  side.y = copy.dstY;
  side.pitch = copy.dstPitch;
  return side;
}
template <class Copy>
Answer<runtime::CopyRequest> request_2d(const Copy& copy) {
  return copy_request(source(copy), destination(copy), {copy.WidthInBytes, copy.Height, 1});
}
template <class Copy>
Answer<runtime::CopyRequest> request_3d(const Copy& copy) {
  Side from = source(copy), to = destination(copy);
  from.z = copy.srcZ;
  from.level = copy.srcLOD;
  from.height = copy.srcHeight;
  to.z = copy.dstZ;
  to.level = copy.dstLOD;
  to.height = copy.dstHeight;
  return copy_request(from, to, {copy.WidthInBytes, copy.Height, copy.Depth});
}

}  // namespace

Answer<runtime::CopyRequest> copy_request(const CUDA_MEMCPY2D& copy) { return request_2d(copy); }
Answer<runtime::CopyRequest> copy_request(const CUDA_MEMCPY2D_v1& copy) { return request_2d(copy); }
Answer<runtime::CopyRequest> copy_request(const CUDA_MEMCPY3D& copy) { return request_3d(copy); }
Answer<runtime::CopyRequest> copy_request(const CUDA_MEMCPY3D_v1& copy) { return request_3d(copy); }
Answer<runtime::CopyRequest> copy_request(const CUDA_MEMCPY3D_PEER& copy) { return request_3d(copy); }

}  // namespace heddle::cu
