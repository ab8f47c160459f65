// Devices of compute capability 1.x: what they have in software, and what they have instead.
#include "harness.h"

namespace heddle::opencl_c {
namespace {

template <class Test>
void on_both(const std::string& source, const std::string& options, Test&& test) {
  for (const bool reference : {true, false}) {
    SCOPED_TRACE(reference ? "reference" : "native");
    Program program(source, options, reference, "gtx285", "13");
    ASSERT_TRUE(program.ok());
    test(program);
  }
}

TEST(OldDevices, CallDeviceMath) {
  on_both(
      "kernel void k(global float4* a, global double* d) { *a = pow(*a, 3.0f) + sin(*a - *a); *d = exp2(*d); "
      "}",
      "", [](Program& program) {
        std::vector<Bytes> buffers{bytes_of(std::vector<float>{1, 2, 3, -4}),
                                   bytes_of(std::vector<double>{10})};
        ASSERT_TRUE(program.run("k", buffers, {}));
        EXPECT_EQ(values_of<float>(buffers[0]), (std::vector<float>{1, 8, 27, -64}));
        EXPECT_EQ(values_of<double>(buffers[1]), std::vector<double>{1024});
      });
}

}  // namespace
}  // namespace heddle::opencl_c
