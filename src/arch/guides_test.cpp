// What the guides state of devices and multiprocessors, by number; the rest of it is in device_test.cpp.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"

namespace heddle::arch {
namespace {

const Architecture& arch(std::string_view id) { return *find_architecture(id); }

// OpenCL Programming Guide, appendix A: of boards with several devices what one of them has. The GeForce
// 9700M GT stands in two rows, with 48 and with 32 cores; here it is in the second.
struct Row {
  std::string capability;
  uint32_t multiprocessors, cores;
  std::vector<std::string_view> names;
};
const std::vector<Row> appendix_a = {
    {"2.0", 15, 480, {"GeForce GTX 480"}},
    {"2.0", 14, 448, {"GeForce GTX 470"}},
    {"1.3", 30, 240, {"GeForce GTX 295"}},
    {"1.3", 30, 240, {"GeForce GTX 285", "GeForce GTX 280"}},
    {"1.3", 24, 192, {"GeForce GTX 260"}},
    {"1.1", 16, 128, {"GeForce 9800 GX2"}},
    {"1.1",
     16,
     128,
     {"GeForce GTS 250", "GeForce GTS 150", "GeForce 9800 GTX", "GeForce 9800 GTX+", "GeForce 8800 GTS 512",
      "GeForce GTX 285M", "GeForce GTX 280M"}},
    {"1.0", 16, 128, {"GeForce 8800 Ultra", "GeForce 8800 GTX"}},
    {"1.1", 14, 112, {"GeForce 9800 GT", "GeForce 8800 GT", "GeForce GTX 260M", "GeForce 9800M GTX"}},
    {"1.2", 12, 96, {"GeForce GT 240", "GeForce GTS 360M", "GeForce GTS 350M"}},
    {"1.1",
     12,
     96,
     {"GeForce GT 130", "GeForce 9600 GSO", "GeForce 8800 GS", "GeForce 8800M GTX", "GeForce GTS 260M",
      "GeForce GTS 250M", "GeForce 9800M GT"}},
    {"1.0", 12, 96, {"GeForce 8800 GTS"}},
    {"1.2", 9, 72, {"GeForce GT 335M"}},
    {"1.1", 8, 64, {"GeForce 9600 GT", "GeForce 8800M GTS", "GeForce 9800M GTS"}},
    {"1.2", 6, 48, {"GeForce GT 220", "GeForce GT 330M", "GeForce GT 325M"}},
    {"1.1", 6, 48, {"GeForce GT 240M", "GeForce GT 230M"}},
    {"1.1",
     4,
     32,
     {"GeForce GT 120", "GeForce 9500 GT", "GeForce 8600 GTS", "GeForce 8600 GT", "GeForce 9700M GT",
      "GeForce 9650M GS", "GeForce 9600M GT", "GeForce 9600M GS", "GeForce 9500M GS", "GeForce 8700M GT",
      "GeForce 8600M GT", "GeForce 8600M GS"}},
    {"1.2", 2, 16, {"GeForce 210", "GeForce 310M", "GeForce 305M"}},
    {"1.1",
     2,
     16,
     {"GeForce G100", "GeForce 8500 GT", "GeForce 8400 GS", "GeForce 8400M GT", "GeForce 9500M G",
      "GeForce 9300M G", "GeForce 8400M GS", "GeForce 9400 mGPU", "GeForce 9300 mGPU", "GeForce 8300 mGPU",
      "GeForce 8200 mGPU", "GeForce 8100 mGPU", "GeForce G210M", "GeForce G110M"}},
    {"1.1",
     1,
     8,
     {"GeForce 9300M GS", "GeForce 9200M GS", "GeForce 9100M G", "GeForce 8400M G", "GeForce G105M"}},
    {"2.0", 14, 448, {"Tesla C2050"}},
    {"1.3", 30, 240, {"Tesla S1070"}},
    {"1.3", 30, 240, {"Tesla C1060"}},
    {"1.0", 16, 128, {"Tesla S870"}},
    {"1.0", 16, 128, {"Tesla D870"}},
    {"1.0", 16, 128, {"Tesla C870"}},
    {"1.3", 30, 240, {"Quadro Plex 2200 D2"}},
    {"1.1", 14, 112, {"Quadro Plex 2100 D4"}},
    {"1.0", 16, 128, {"Quadro Plex 2100 Model S4"}},
    {"1.0", 16, 128, {"Quadro Plex 1000 Model IV"}},
    {"1.3", 30, 240, {"Quadro FX 5800"}},
    {"1.3", 24, 192, {"Quadro FX 4800"}},
    {"1.1", 14, 112, {"Quadro FX 4700 X2"}},
    {"1.1", 16, 128, {"Quadro FX 3700M", "Quadro FX 3800M"}},
    {"1.0", 16, 128, {"Quadro FX 5600"}},
    {"1.1", 14, 112, {"Quadro FX 3700"}},
    {"1.1", 12, 96, {"Quadro FX 2800M"}},
    {"1.0", 12, 96, {"Quadro FX 4600"}},
    {"1.2", 9, 72, {"Quadro FX 1800M"}},
    {"1.1", 8, 64, {"Quadro FX 3600M"}},
    {"1.2", 6, 48, {"Quadro FX 880M", "NVS 5100M"}},
    {"1.1", 6, 48, {"Quadro FX 2700M"}},
    {"1.1",
     4,
     32,
     {"Quadro FX 1700", "Quadro FX 570", "Quadro NVS 320M", "Quadro FX 1700M", "Quadro FX 1600M",
      "Quadro FX 770M", "Quadro FX 570M"}},
    {"1.2", 2, 16, {"Quadro FX 380 LP", "Quadro FX 380M", "NVS 3100M", "NVS 2100M"}},
    {"1.1",
     2,
     16,
     {"Quadro FX 370", "Quadro NVS 290", "Quadro NVS 140M", "Quadro NVS 135M", "Quadro FX 360M"}},
    {"1.1", 1, 8, {"Quadro FX 370M", "Quadro NVS 130M"}},
};

TEST(OpenClGuideA, EveryDeviceHasItsCapabilityMultiprocessorsAndCores) {
  unsigned count = 0;
  for (const Row& row : appendix_a)
    for (const std::string_view name : row.names) {
      SCOPED_TRACE(name);
      const auto found = find_device(name);
      ASSERT_TRUE(found.ok());
      EXPECT_EQ(to_string((*found)->capability()), row.capability);
      EXPECT_EQ((*found)->board.multiprocessors, row.multiprocessors);
      EXPECT_EQ(cores(**found), row.cores);
      ++count;
    }
  EXPECT_EQ(count, 116u);
}

// Table 3-1, operations in a clock. Where it has 32 for 2.0's shifts, multiplications, differences and
// conversions, the CUDA C Programming Guide 4.0, which is later, has 16 (table 5-1).
TEST(OpenClGuide341, ThroughputOfNativeArithmetic) {
  for (const char* id : {"sm_10", "sm_11", "sm_12", "sm_13"}) {
    SCOPED_TRACE(id);
    const Throughput& t = arch(id).throughput;
    EXPECT_EQ(t.f32, 8u);
    EXPECT_EQ(t.f64, std::string_view(id) == "sm_13" ? 1u : 0u);
    for (const uint32_t integer : {t.add_i32, t.logic, t.shift, t.compare_i32, t.multiply_i24})
      EXPECT_EQ(integer, 8u);
    EXPECT_EQ(t.multiply_i32, 0u);  // several instructions
    EXPECT_EQ(t.absolute_difference, 0u);
    EXPECT_EQ(t.special, 2u);
    EXPECT_EQ(t.convert, 8u);
  }
  const Throughput& t = arch("sm_20").throughput;
  EXPECT_EQ(t.f32, 32u);
  EXPECT_EQ(t.f64, 16u);
  for (const uint32_t integer : {t.add_i32, t.logic, t.compare_i32}) EXPECT_EQ(integer, 32u);
  for (const uint32_t half : {t.shift, t.multiply_i32, t.absolute_difference, t.convert})
    EXPECT_EQ(half, 16u);
  EXPECT_EQ(t.multiply_i24, 0u);  // several instructions
  EXPECT_EQ(t.special, 4u);
}

// C.3.1: units of a multiprocessor, and over how many clocks its scheduler issues an instruction of a warp.
TEST(OpenClGuideC31, AMultiprocessorOf1x) {
  for (const char* id : {"sm_10", "sm_11", "sm_12", "sm_13"}) {
    SCOPED_TRACE(id);
    const Multiprocessor& m = arch(id).multiprocessor;
    EXPECT_EQ(m.cores, 8u);
    EXPECT_EQ(m.f64_units, std::string_view(id) == "sm_13" ? 1u : 0u);
    EXPECT_EQ(m.special_function_units, 2u);
    EXPECT_EQ(m.schedulers, 1u);
    EXPECT_EQ(m.issue_cycles, 4u);
    EXPECT_EQ(32 / m.special_function_units, 16u);  // clocks of a transcendental function
    const bool later = std::string_view(id) >= "sm_12";
    EXPECT_EQ(m.per_tpc, later ? 3u : 2u);
  }
  EXPECT_EQ(32 / arch("sm_13").multiprocessor.f64_units, 32u);
}

TEST(OpenClGuideC41, AMultiprocessorOf20) {
  const Multiprocessor& m = arch("sm_20").multiprocessor;
  EXPECT_EQ(m.cores, 32u);
  EXPECT_EQ(m.special_function_units, 4u);
  EXPECT_EQ(m.schedulers, 2u);
  EXPECT_EQ(m.issue_cycles, 2u);
  EXPECT_EQ(32 / m.f64_units, 2u);
  EXPECT_EQ(32 / m.special_function_units, 8u);
  EXPECT_EQ(m.per_gpc, 4u);
}

// CUDA C Programming Guide G.3.1, G.4.1, G.5.1.
TEST(ProgrammingGuideG, MultiprocessorsOfTheGenerations) {
  struct Generation {
    const char* id;
    uint32_t cores, special, schedulers, issues;
  };
  for (const Generation& g : {Generation{"sm_20", 32, 4, 2, 1}, Generation{"sm_21", 48, 8, 2, 2},
                              Generation{"sm_30", 192, 32, 4, 2}, Generation{"sm_35", 192, 32, 4, 2},
                              Generation{"sm_37", 192, 32, 4, 2}, Generation{"sm_50", 128, 32, 4, 1},
                              Generation{"sm_52", 128, 32, 4, 1}}) {
    SCOPED_TRACE(g.id);
    const Multiprocessor& m = arch(g.id).multiprocessor;
    EXPECT_EQ(m.cores, g.cores);
    EXPECT_EQ(m.special_function_units, g.special);
    EXPECT_EQ(m.schedulers, g.schedulers);
    EXPECT_EQ(m.issues_per_scheduler, g.issues);
  }
}

}  // namespace
}  // namespace heddle::arch
