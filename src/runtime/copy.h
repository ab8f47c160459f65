// Copies and fills in every shape: rows and slices of linear memory and of arrays, in any pairing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/array.h"
#include "runtime/stream.h"

namespace heddle::runtime {

// Where one side of a copy begins.
struct CopyPlace {
  // Linear memory, device or host: the first byte, and the distances of rows and slices.
  uint64_t address = 0;
  uint64_t row_pitch = 0, slice_pitch = 0;
  // Or an array: offset in its level, x in bytes; z counts slices, layers or faces.
  std::shared_ptr<Array> array = {};
  uint32_t level = 0;
  uint64_t x = 0, y = 0, z = 0;
};

struct CopyExtent {
  uint64_t bytes = 0;  // of a row
  uint64_t rows = 1, slices = 1;
};

struct CopyRequest {
  CopyPlace to, from;
  CopyExtent extent;
  // The host may change pageable memory as soon as the call returns: its bytes are taken at once.
  bool snapshot = false;
};

// Everything is checked now; nothing of a refused copy is left. Overlapping pieces give undefined bytes.
Outcome<OperationRef> make_copy(Context& context, const CopyRequest& request);
// `pattern`: 1 to 128 bytes, a row is a whole number of them.
Outcome<OperationRef> make_fill(Context& context, const CopyPlace& to, const CopyExtent& extent,
                                std::span<const std::byte> pattern);

// Submitted to the stream.
Done copy(Stream& stream, const CopyRequest& request);
Done copy(Stream& stream, uint64_t to, uint64_t from, uint64_t bytes);
Done fill(Stream& stream, const CopyPlace& to, const CopyExtent& extent, std::span<const std::byte> pattern);
Done fill(Stream& stream, uint64_t to, uint8_t value, uint64_t bytes);

// Memory that goes when the stream gets there; it must begin at `address`.
Done free_in_order(Stream& stream, uint64_t address);
Done free_in_order(Stream& stream, const AllocationRef& memory);

}  // namespace heddle::runtime
