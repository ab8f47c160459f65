// The facts of the guides, and what a real H200 says about itself.
#include "arch/device.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::arch {
namespace {

const Device& device(std::string_view id) {
  const auto found = find_device(id);
  EXPECT_TRUE(found.ok()) << id;
  return found.ok() ? **found : default_device();
}

const Architecture& arch(std::string_view id) {
  const Architecture* found = find_architecture(id);
  EXPECT_NE(found, nullptr) << id;
  return *found;
}

int64_t number(const Device& d, std::string_view attribute_name) {
  const auto attribute = find_attribute(attribute_name);
  EXPECT_TRUE(attribute.has_value()) << attribute_name;
  EXPECT_EQ(d.attribute(*attribute).kind, AttributeValue::Kind::number) << attribute_name;
  return d.attribute(*attribute).number;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR "/") + path);
  EXPECT_TRUE(file.is_open()) << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(Catalogue, HasEveryCapabilityFrom10To121InOrder) {
  std::string all;
  for (const Architecture& a : all_architectures()) all += to_string(a.capability) + ' ';
  EXPECT_EQ(all,
            "1.0 1.1 1.2 1.3 2.0 2.1 3.0 3.2 3.5 3.7 5.0 5.2 5.3 6.0 6.1 6.2 7.0 7.2 7.5 8.0 8.6 8.7 8.9 9.0 "
            "10.0 10.1 10.3 11.0 12.0 12.1 ");
  EXPECT_EQ(find_architecture(Capability{9, 0})->id, "sm_90");
  EXPECT_EQ(find_architecture(Capability{9, 9}), nullptr);
  EXPECT_EQ(find_architecture("sm_31"), nullptr);
}

TEST(Catalogue, FindsDevicesByIdAndByTheDriversNameWhateverTheSpelling) {
  for (const char* name : {"gtx480", "GTX480", "GTX 480", "gtx-480", "GeForce GTX 480", "geforce gtx 480"}) {
    EXPECT_EQ(device(name).id, "gtx480") << name;
  }
  EXPECT_EQ(device("K40m").id, "k40");
  EXPECT_EQ(device("NVIDIA H200").id, "h200");
  EXPECT_EQ(default_device().id, "h200");
}

TEST(Catalogue, SuggestsTheNearestDevice) {
  const auto slip = find_device("gtx481");
  ASSERT_FALSE(slip.ok());
  EXPECT_EQ(slip.error().message, "no device is called 'gtx481'; did you mean 'gtx480'?");
  const auto unknown = find_device("banana");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message, "no device is called 'banana'; `heddle devices` lists the " +
                                         std::to_string(all_devices().size()) + " that there are");
  EXPECT_FALSE(find_device("").ok());
}

// OpenCL guide, appendix C.1: the columns 1.0, 1.1, 1.2, 1.3, 2.0.
TEST(OpenClGuideC1, LimitsPerCapability) {
  struct Row {
    const char* id;
    uint32_t threads_block, block_x, warps, threads, registers, shared, banks, local;
  };
  for (const Row& row : {Row{"sm_10", 512, 512, 24, 768, 8192, 16384, 16, 16384},
                         Row{"sm_11", 512, 512, 24, 768, 8192, 16384, 16, 16384},
                         Row{"sm_12", 512, 512, 32, 1024, 16384, 16384, 16, 16384},
                         Row{"sm_13", 512, 512, 32, 1024, 16384, 16384, 16, 16384},
                         Row{"sm_20", 1024, 1024, 48, 1536, 32768, 49152, 32, 524288}}) {
    SCOPED_TRACE(row.id);
    const Architecture& a = arch(row.id);
    EXPECT_EQ(a.launch.max_grid[0], 65535u);
    EXPECT_EQ(a.launch.max_grid[1], 65535u);
    EXPECT_EQ(a.launch.max_threads_per_block, row.threads_block);
    EXPECT_EQ(a.launch.max_block, (std::array<uint32_t, 3>{row.block_x, row.block_x, 64}));
    EXPECT_EQ(a.launch.warp_size, 32u);
    EXPECT_EQ(a.launch.max_textures, 128u);
    EXPECT_EQ(a.launch.max_instructions_per_kernel, 2'000'000u);
    EXPECT_EQ(a.multiprocessor.max_blocks, 8u);
    EXPECT_EQ(a.multiprocessor.max_warps, row.warps);
    EXPECT_EQ(a.multiprocessor.max_threads, row.threads);
    EXPECT_EQ(a.registers.per_multiprocessor, row.registers);
    EXPECT_EQ(a.shared.per_multiprocessor, row.shared);
    EXPECT_EQ(a.shared.banks, row.banks);
    EXPECT_EQ(a.memory.local_bytes_per_thread, row.local);
    EXPECT_EQ(a.memory.constant_bytes, 65536u);
    EXPECT_EQ(a.memory.constant_cache_bytes, 8192u);
    EXPECT_EQ(a.textures.d1_linear, 1u << 27);
    const bool fermi = row.threads == 1536;
    EXPECT_EQ(a.textures.d1, fermi ? 32768u : 8192u);
    EXPECT_EQ(a.textures.d2, (std::array<uint32_t, 2>{65536, fermi ? 65536u : 32768u}));
    const uint32_t cube = fermi ? 4096 : 2048;
    EXPECT_EQ(a.textures.d3, (std::array<uint32_t, 3>{cube, cube, cube}));
  }
}

TEST(OpenClGuideC1, AtomicsAndDoublePrecision) {
  const auto first_with = [](Feature feature) {
    for (const Architecture& a : all_architectures()) {
      if (a.has(feature)) return to_string(a.capability);
    }
    return std::string("none");
  };
  EXPECT_EQ(first_with(Feature::global_atomics_32), "1.1");
  EXPECT_EQ(first_with(Feature::shared_atomics_32), "1.2");
  EXPECT_EQ(first_with(Feature::f64), "1.3");
  EXPECT_EQ(first_with(Feature::fma_f32), "2.0");
  EXPECT_EQ(first_with(Feature::independent_thread_scheduling), "7.0");
}

// CUDA tutorial 2015, slide 66: 1.0 and 1.1, 1.2 and 1.3, 2.0 and 2.1, 3.x, 5.0 and 5.2.
TEST(Tutorial66, ResourcesPerGeneration) {
  struct Row {
    const char* id;
    uint32_t cores, blocks, threads_block, threads, registers;
  };
  for (const Row& row : {Row{"sm_10", 8, 8, 512, 768, 8192}, Row{"sm_11", 8, 8, 512, 768, 8192},
                         Row{"sm_12", 8, 8, 512, 1024, 16384}, Row{"sm_13", 8, 8, 512, 1024, 16384},
                         Row{"sm_20", 32, 8, 1024, 1536, 32768}, Row{"sm_30", 192, 16, 1024, 2048, 65536},
                         Row{"sm_35", 192, 16, 1024, 2048, 65536}, Row{"sm_50", 128, 32, 1024, 2048, 65536},
                         Row{"sm_52", 128, 32, 1024, 2048, 65536}}) {
    SCOPED_TRACE(row.id);
    const Architecture& a = arch(row.id);
    EXPECT_EQ(a.multiprocessor.cores, row.cores);
    EXPECT_EQ(a.multiprocessor.max_blocks, row.blocks);
    EXPECT_EQ(a.launch.max_threads_per_block, row.threads_block);
    EXPECT_EQ(a.multiprocessor.max_threads, row.threads);
    EXPECT_EQ(a.registers.per_multiprocessor, row.registers);
  }
  const auto configurations = [](const char* id) {
    const auto span = arch(id).shared.configurations;
    return std::vector<uint32_t>(span.begin(), span.end());
  };
  EXPECT_EQ(configurations("sm_13"), (std::vector<uint32_t>{16384}));
  EXPECT_EQ(configurations("sm_20"), (std::vector<uint32_t>{16384, 49152}));
  EXPECT_EQ(configurations("sm_35"), (std::vector<uint32_t>{16384, 32768, 49152}));
  EXPECT_EQ(configurations("sm_50"), (std::vector<uint32_t>{65536}));
  EXPECT_EQ(configurations("sm_52"), (std::vector<uint32_t>{98304}));
  // Appendix G.4.1: 64 KB more in each on 3.7.
  EXPECT_EQ(configurations("sm_37"), (std::vector<uint32_t>{80 * 1024, 96 * 1024, 112 * 1024}));
}

// CUDA tutorial 2015, slide 57: multiprocessors and cores of the four generations' devices.
TEST(Tutorial57, CoresOfDevices) {
  EXPECT_EQ(cores(device("gtx285")), 240u);  // OpenCL guide, appendix A
  EXPECT_EQ(cores(device("gtx480")), 480u);
  EXPECT_EQ(cores(device("k40")), 2880u);
  EXPECT_EQ(cores(device("gtx980")), 2048u);
}

// CUDA tutorial 2015, slide 83: the whole output of deviceQuery.
TEST(Tutorial83, DeviceQueryOfAGeForceGtx480) {
  const Device& d = device("gtx480");
  EXPECT_EQ(d.name, "GeForce GTX 480");
  EXPECT_EQ(number(d, "compute_capability_major"), 2);
  EXPECT_EQ(number(d, "compute_capability_minor"), 0);
  EXPECT_EQ(number(d, "total_memory"), 1609760768);
  EXPECT_EQ(number(d, "multiprocessor_count"), 15);
  EXPECT_EQ(cores(d), 480u);
  EXPECT_EQ(number(d, "total_constant_memory"), 65536);
  EXPECT_EQ(number(d, "max_shared_memory_per_block"), 49152);
  EXPECT_EQ(number(d, "max_registers_per_block"), 32768);
  EXPECT_EQ(number(d, "warp_size"), 32);
  EXPECT_EQ(number(d, "max_threads_per_block"), 1024);
  EXPECT_EQ(number(d, "max_block_dim_x"), 1024);
  EXPECT_EQ(number(d, "max_block_dim_y"), 1024);
  EXPECT_EQ(number(d, "max_block_dim_z"), 64);
  EXPECT_EQ(number(d, "max_grid_dim_x"), 65535);
  EXPECT_EQ(number(d, "max_grid_dim_y"), 65535);
  EXPECT_EQ(number(d, "max_grid_dim_z"), 65535);
  EXPECT_EQ(number(d, "max_pitch"), 2147483647);
  EXPECT_EQ(number(d, "texture_alignment"), 512);
  EXPECT_EQ((number(d, "clock_rate") + 5000) / 10000, 140);  // "1.40 GHz"
  EXPECT_EQ(number(d, "gpu_overlap"), 1);
  EXPECT_EQ(number(d, "kernel_exec_timeout"), 0);
  EXPECT_EQ(number(d, "integrated"), 0);
  EXPECT_EQ(number(d, "can_map_host_memory"), 1);
  EXPECT_EQ(number(d, "compute_mode"), 0);
  EXPECT_EQ(number(d, "concurrent_kernels"), 1);
  EXPECT_EQ(number(d, "ecc_enabled"), 0);
}

// CUDA C Best Practices Guide 2.2.1: 1107 MHz, 512 bits, double data rate.
TEST(Bandwidth, IsTheGuidesArithmetic) {
  Device d = device("gtx285");
  d.clock.memory_khz = 1'107'000;
  d.dram.bus_bits = 512;
  EXPECT_EQ(theoretical_bandwidth(d), 141'696'000'000u);  // the guide's 141.6 GB/s
  EXPECT_EQ(theoretical_bandwidth(device("gtx480")), 177'408'000'000u);
}

TEST(H200, EveryAttributeOfTheDriver) {
  const auto lines = lines_of("tests/hw/h200/driver_attributes.csv");
  ASSERT_EQ(lines.size(), 148u);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    int64_t id = 0, value = 0;
    char comma = 0;
    std::istringstream(lines[i]) >> id >> comma >> value;
    const auto attribute = find_cuda_attribute(id);
    ASSERT_TRUE(attribute.has_value()) << id;
    EXPECT_EQ(to_string(device("h200").attribute(*attribute)), std::to_string(value)) << name(*attribute);
  }
  EXPECT_EQ(find_cuda_attribute(0), std::nullopt);
  EXPECT_EQ(find_cuda_attribute(148), std::nullopt);
  EXPECT_EQ(find_cuda_attribute(-1), std::nullopt);
}

TEST(H200, EveryAttributeOfTheProfiler) {
  const auto lines = lines_of("tests/hw/h200/profiler_attributes.csv");
  ASSERT_EQ(lines.size(), 167u);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t comma = lines[i].find(',');
    const auto attribute = find_attribute(lines[i].substr(0, comma));
    ASSERT_TRUE(attribute.has_value()) << lines[i];
    EXPECT_EQ(to_string(device("h200").attribute(*attribute)), lines[i].substr(comma + 1)) << lines[i];
  }
}

// Whatever the driver's interface can ask is answered for every device.
TEST(Attributes, WithANumberOfTheDriverAreKnownForEveryDevice) {
  for (const Device& d : all_devices()) {
    for (int64_t id = 1; id <= 147; ++id) {
      EXPECT_EQ(d.attribute(*find_cuda_attribute(id)).kind, AttributeValue::Kind::number)
          << d.id << ' ' << id;
    }
  }
}

TEST(Attributes, FollowCapabilityAndDevice) {
  EXPECT_EQ(number(device("gtx285"), "max_grid_dim_z"), 1);
  EXPECT_EQ(number(device("gtx285"), "single_to_double_precision_perf_ratio"), 8);
  EXPECT_EQ(number(device("gtx480"), "single_to_double_precision_perf_ratio"), 8);
  EXPECT_EQ(number(device("k40"), "single_to_double_precision_perf_ratio"), 3);
  EXPECT_EQ(number(device("gtx980"), "single_to_double_precision_perf_ratio"), 32);
  EXPECT_EQ(number(device("gtx980"), "max_shared_memory_per_multiprocessor"), 98304);
  EXPECT_EQ(number(device("gtx480"), "maximum_texture2d_height"), 65535);
  EXPECT_EQ(device("k40").attribute(*find_attribute("fbp_count")).kind, AttributeValue::Kind::absent);
}

TEST(Names, AreThoseOfTheRecords) {
  EXPECT_EQ(name(Feature::independent_thread_scheduling), "independent_thread_scheduling");
  EXPECT_FALSE(title(Feature::clusters).empty());
  EXPECT_EQ(name(Attribute::warp_size), "warp_size");
  EXPECT_EQ(describe(device("gtx480")), "device 'gtx480' (sm_20)");
  EXPECT_EQ(find_attribute("warp"), std::nullopt);
}

TEST(Facts, AreEveryKeyOfTheRecordAndOfItsCapability) {
  const auto value = [](const std::vector<Fact>& facts, std::string_view wanted) {
    for (const Fact& fact : facts) {
      if (fact.name == wanted) return fact.value;
    }
    return std::string("missing");
  };
  const auto of_device = facts(device("gtx480"));
  EXPECT_EQ(value(of_device, "dram.bus_bits"), "384");
  EXPECT_EQ(value(of_device, "board.ecc"), "0");
  EXPECT_EQ(value(of_device, "arch.multiprocessor.f64_units"), "4");  // this board's own
  EXPECT_EQ(value(of_device, "arch.shared.configurations"), "16384 49152");
  EXPECT_EQ(value(of_device, "arch.textures.d2"), "65536 65535");
  EXPECT_EQ(value(of_device, "feature.ballot"), "1");
  const auto of_capability = facts(arch("sm_20"));
  EXPECT_EQ(value(of_capability, "arch.multiprocessor.f64_units"), "16");
  EXPECT_EQ(value(of_capability, "arch.multiprocessor.hiding_rate"), "1/2");
}

}  // namespace
}  // namespace heddle::arch
