// Many copies by one call (cudaMemcpyBatchAsync, cudaMemcpy3DBatchAsync). They have no order among each
// other; here they run one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "api/cuda_state/batch_lists.h"
#include "api/cuda_state/handles.h"
#include "api/cuda_state/stream.h"
#include "runtime/copy.h"

namespace heddle::cuda {

struct BatchCopy {
  // When the source may be read, as both APIs number it (cudaMemcpySrcAccessOrder).
  enum class Order : int { in_stream = 1, during_call = 2, any = 3 };
  runtime::CopyRequest request;
  int order = 0;
  unsigned flags = 0;
};

// Whether there is anything like it, whatever lies at the addresses.
Status check(const BatchCopy& copy);
// Nothing is copied when one of them is wrong; `failed` is its number then, or SIZE_MAX when none of them is
// to blame.
Status copy_batch(const Answer<StreamRef>& stream, std::vector<BatchCopy> copies, std::size_t* failed);

// One side of a copy in three dimensions: with row and layer lengths in elements, 0 where they follow on each
// other.
struct BatchSide {
  static constexpr int pointer = 1, array = 2;
  int type = 0;
  uint64_t address = 0, row_length = 0, layer_height = 0;
  const void* array_handle = nullptr;
  uint64_t x = 0, y = 0, z = 0;
};
struct BatchExtent {
  uint64_t width = 0, height = 0, depth = 0;  // in elements: of the arrays, or else bytes
};
Answer<runtime::CopyRequest> batch_request(const BatchSide& from, const BatchSide& to,
                                           const BatchExtent& extent);

inline uint64_t address_of(const void* pointer) { return number_of(pointer); }
inline uint64_t address_of(uint64_t address) { return address; }

// ---- from the APIs' structures
template <class Address, class Source, class Attributes>
Status copy_batch(const Answer<StreamRef>& stream, const Address* to, const Source* from,
                  const std::size_t* bytes, std::size_t count, const Attributes* attributes,
                  const std::size_t* first, std::size_t entries, std::size_t* failed) {
  if (failed != nullptr) *failed = SIZE_MAX;
  if (count == 0) return invalid_value("a batch of 0 copies");
  if (to == nullptr || from == nullptr || bytes == nullptr || attributes == nullptr || first == nullptr)
    return invalid_value("a list of the batch is NULL");
  if (Status good = check_entries({first, entries}, count); !good) return good;
  EntryOf entry({first, entries});
  std::vector<BatchCopy> copies;
  for (std::size_t i = 0; i < count; ++i) {
    const Attributes& attribute = attributes[entry(i)];
    BatchCopy copy;
    copy.request.to.address = address_of(to[i]);
    copy.request.from.address = address_of(from[i]);
    copy.request.extent.bytes = bytes[i];
    copy.order = static_cast<int>(attribute.srcAccessOrder);
    copy.flags = attribute.flags;
    if (Status good = check(copy); !good) {  // nothing beyond it is read
      if (failed != nullptr) *failed = i;
      return good;
    }
    copies.push_back(std::move(copy));
  }
  return copy_batch(stream, std::move(copies), failed);
}

template <class Operand>
BatchSide batch_side(const Operand& operand) {
  BatchSide side;
  side.type = static_cast<int>(operand.type);
  if (side.type == BatchSide::array) {
    side.array_handle = operand.op.array.array;
    side.x = operand.op.array.offset.x;
    side.y = operand.op.array.offset.y;
    side.z = operand.op.array.offset.z;
  } else {
    side.address = address_of(operand.op.ptr.ptr);
    side.row_length = operand.op.ptr.rowLength;
    side.layer_height = operand.op.ptr.layerHeight;
  }
  return side;
}

template <class Operation>
Status copy_batch_3d(const Answer<StreamRef>& stream, std::size_t count, const Operation* operations,
                     std::size_t* failed, uint64_t flags) {
  if (failed != nullptr) *failed = SIZE_MAX;
  if (flags != 0) return invalid_value("the flags must be 0, are " + std::to_string(flags));
  if (count == 0) return invalid_value("a batch of 0 copies");
  if (operations == nullptr) return invalid_value("the list of copies is NULL");
  std::vector<BatchCopy> copies;
  for (std::size_t i = 0; i < count; ++i) {
    const Operation& operation = operations[i];
    auto request = batch_request(batch_side(operation.src), batch_side(operation.dst),
                                 {operation.extent.width, operation.extent.height, operation.extent.depth});
    if (!request) {
      if (failed != nullptr) *failed = i;
      return request.error();
    }
    copies.push_back({*std::move(request), static_cast<int>(operation.srcAccessOrder), operation.flags});
  }
  return copy_batch(stream, std::move(copies), failed);
}

}  // namespace heddle::cuda
