// For tests: a program that calls the runtime API as programs do, on the reference executor.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/cuda_state/testing.h"
#include "api/cudart/entries.gen.h"

namespace heddle::cudart {

// Kernels: add(int* data, int what) to data[thread]; fault(): writes to address 16. A variable `counter` of 4
// ints, a constant `factors` of 4 floats.
inline constexpr const char* test_program = R"(
.version 8.0
.target sm_50
.address_size 64
.visible .global .align 4 .b8 counter[16];
.visible .const .align 4 .b8 factors[16];
.visible .entry add(.param .u64 data, .param .u32 what) {
  .reg .u32 %r<4>;
  .reg .u64 %d<3>;
  ld.param.u64 %d0, [data];
  ld.param.u32 %r0, [what];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d1, %r1, 4;
  add.u64 %d2, %d0, %d1;
  ld.global.u32 %r2, [%d2];
  add.u32 %r3, %r2, %r0;
  st.global.u32 [%d2], %r3;
  ret;
}
.visible .entry fault() {
  .reg .u64 %d<1>;
  mov.u64 %d0, 16;
  st.global.u32 [%d0], 1;
  ret;
}
)";

class RuntimeApi : public testing::Test {
 protected:
  RuntimeApi() : program_(test_program) {
    handle_ = __cudaRegisterFatBinary(const_cast<void*>(program_.wrapper()));
    const auto kernel = [&](const char* stub, const char* name) {
      __cudaRegisterFunction(handle_, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    };
    kernel(&add_stub, "add");
    kernel(&fault_stub, "fault");
    __cudaRegisterVar(handle_, &counter_shadow, nullptr, "counter", 0, 16, 0, 0);
    __cudaRegisterVar(handle_, &factors_shadow, nullptr, "factors", 0, 16, 1, 0);
    __cudaRegisterFatBinaryEnd(handle_);
  }
  ~RuntimeApi() override {
    cudaDeviceReset();
    __cudaUnregisterFatBinary(handle_);
  }

  cudaError_t add(int* data, int what, unsigned threads, cudaStream_t stream = nullptr) {
    void* args[] = {&data, &what};
    return cudaLaunchKernel(&add_stub, dim3(1), dim3(threads), args, 0, stream);
  }
  int* device_ints(const std::vector<int>& values) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, values.size() * sizeof(int)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice),
              cudaSuccess);
    return static_cast<int*>(memory);
  }
  static std::vector<int> ints(const int* device, std::size_t count) {
    std::vector<int> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

  static inline char add_stub, fault_stub, counter_shadow, factors_shadow;
  cuda::TestProcess process_{{"h200", "h200"}};

 private:
  cuda::TestProgram program_;
  void** handle_ = nullptr;
};

}  // namespace heddle::cudart
