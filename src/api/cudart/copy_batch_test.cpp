// Many copies by one call, of rows of bytes and in three dimensions.
#include <array>
#include <cstdint>
#include <numeric>

#include "api/cudart/testing.h"

namespace heddle::cudart {
namespace {

cudaMemcpyAttributes attributes_of(cudaMemcpySrcAccessOrder order) {
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = order;
  return attributes;
}

class CopyBatch : public RuntimeApi {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&device_, 4096), cudaSuccess);
    ASSERT_EQ(cudaMemset(device_, 0, 4096), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaFree(device_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
  }
  std::vector<int> numbers(size_t count, int first) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), first);
    return all;
  }
  std::vector<int> on_device(size_t first, size_t count) {
    std::vector<int> all(count);
    EXPECT_EQ(cudaMemcpy(all.data(), ints() + first, count * sizeof(int), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return all;
  }
  int* ints() const { return static_cast<int*>(device_); }

  cudaStream_t stream_ = nullptr;
  void* device_ = nullptr;
};

TEST_F(CopyBatch, CopiesInEveryDirection) {
  std::vector<int> one = numbers(8, 100), two = numbers(4, 200), back(4);
  ASSERT_EQ(cudaMemcpy(ints() + 64, two.data(), 16, cudaMemcpyHostToDevice), cudaSuccess);
  std::array<void*, 3> to = {ints(), ints() + 16, back.data()};
  std::array<void*, 3> from = {one.data(), two.data(), ints() + 64};
  std::array<size_t, 3> sizes = {32, 16, 16};
  std::array attributes = {attributes_of(cudaMemcpySrcAccessOrderDuringApiCall),
                           attributes_of(cudaMemcpySrcAccessOrderStream)};
  std::array<size_t, 2> first = {0, 2};
  size_t failed = 0;
  ASSERT_EQ(cudaMemcpyBatchAsync(to.data(), from.data(), sizes.data(), 3, attributes.data(), first.data(), 2,
                                 &failed, stream_),
            cudaSuccess);
  EXPECT_EQ(failed, SIZE_MAX);
  one.assign(8, 0);  // the call has read it
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(on_device(0, 8), numbers(8, 100));
  EXPECT_EQ(on_device(16, 4), two);
  EXPECT_EQ(back, two);
}

TEST_F(CopyBatch, IsRefusedAsAWhole) {
  std::vector<int> host = numbers(8, 1);
  std::array<void*, 2> to = {ints(), static_cast<char*>(device_) + 4096 - 8};
  std::array<void*, 2> from = {host.data(), host.data()};
  std::array<size_t, 2> sizes = {32, 32};
  auto attributes = attributes_of(cudaMemcpySrcAccessOrderStream);
  size_t first = 0, failed = 0;
  const auto copy = [&](cudaStream_t stream, size_t entries = 1) {
    return cudaMemcpyBatchAsync(to.data(), from.data(), sizes.data(), 2, &attributes, &first, entries,
                                &failed, stream);
  };
  EXPECT_EQ(copy(stream_), cudaErrorInvalidValue) << "the second runs past the end";
  EXPECT_EQ(failed, 1u);
  EXPECT_EQ(on_device(0, 8), std::vector<int>(8, 0));
  to[1] = ints() + 16;
  EXPECT_EQ(copy(nullptr), cudaErrorInvalidValue) << "no batches in the legacy stream";
  EXPECT_EQ(failed, SIZE_MAX);
  EXPECT_EQ(copy(stream_, 0), cudaErrorInvalidValue);
  first = 1;
  EXPECT_EQ(copy(stream_), cudaErrorInvalidValue);
  first = 0;
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  EXPECT_EQ(copy(stream_), cudaErrorInvalidValue);
  EXPECT_EQ(failed, 0u);
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderAny;
  EXPECT_EQ(copy(cudaStreamPerThread), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(on_device(16, 8), host);
}

TEST_F(CopyBatch, InThreeDimensions) {
  // A box of 2 x 2 x 2 ints out of one of 4 x 3 x 2, into an array and from there to rows that follow on each
  // other.
  const std::vector<int> host = numbers(24, 0);
  const cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindSigned};
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMalloc3DArray(&array, &format, cudaExtent{4, 4, 4}), cudaSuccess);
  cudaMemcpy3DBatchOp in{};
  in.src.type = cudaMemcpyOperandTypePointer;
  in.src.op.ptr.ptr = const_cast<int*>(host.data() + 1);
  in.src.op.ptr.rowLength = 4;
  in.src.op.ptr.layerHeight = 3;
  in.dst.type = cudaMemcpyOperandTypeArray;
  in.dst.op.array.array = array;
  in.dst.op.array.offset = {1, 2, 1};
  in.extent = {2, 2, 2};
  in.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  size_t failed = 0;
  ASSERT_EQ(cudaMemcpy3DBatchAsync(1, &in, &failed, 0, stream_), cudaSuccess);
  cudaMemcpy3DBatchOp out = in;
  out.src = in.dst;
  out.dst.type = cudaMemcpyOperandTypePointer;
  out.dst.op.ptr = {};
  out.dst.op.ptr.ptr = device_;
  out.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  ASSERT_EQ(cudaMemcpy3DBatchAsync(1, &out, &failed, 0, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(on_device(0, 8), (std::vector<int>{1, 2, 5, 6, 13, 14, 17, 18}));

  std::array both = {out, in};
  both[1].src.op.ptr.rowLength = 1;
  EXPECT_EQ(cudaMemcpy3DBatchAsync(2, both.data(), &failed, 0, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(failed, 1u);
  EXPECT_EQ(cudaMemcpy3DBatchAsync(1, &out, &failed, 1, stream_), cudaErrorInvalidValue)
      << "there are no flags";
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

}  // namespace
}  // namespace heddle::cudart
