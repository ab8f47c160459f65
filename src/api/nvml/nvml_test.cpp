// NVML as programs call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "api/entry/bad_arguments.h"
#include "api/nvml/calls.gen.h"

namespace heddle::nvml {
namespace {

using testing::StartsWith;

// The host of this process: two H200 with NVLink, and a GTX 480. Read once.
class Nvml : public testing::Test {
 protected:
  void SetUp() override {
    setenv("HEDDLE_DEVICES", "h200,h200,gtx480", 1);
    setenv("HEDDLE_STATE_DIR", (testing::TempDir() + "heddle_nvml").c_str(), 1);
    setenv("HEDDLE_CONFIG", "", 1);
    unsetenv("HEDDLE_DRIVER_VERSION");
    ASSERT_EQ(::nvmlInit_v2(), NVML_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(::nvmlShutdown(), NVML_SUCCESS); }
  static nvmlDevice_t device(unsigned index) {
    nvmlDevice_t one = nullptr;
    EXPECT_EQ(::nvmlDeviceGetHandleByIndex_v2(index, &one), NVML_SUCCESS);
    return one;
  }
};

TEST_F(Nvml, MustBeInitialized) {
  ASSERT_EQ(::nvmlShutdown(), NVML_SUCCESS);
  unsigned count = 0;
  EXPECT_EQ(::nvmlDeviceGetCount_v2(&count), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(::nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
  int version = 0;
  EXPECT_EQ(::nvmlSystemGetCudaDriverVersion(&version), NVML_SUCCESS) << "this one may come before";
  EXPECT_EQ(version, 13000);
  ASSERT_EQ(::nvmlInit_v2(), NVML_SUCCESS);
  EXPECT_EQ(::nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
  EXPECT_EQ(count, 3u);
}

TEST_F(Nvml, TellsWhatADeviceIs) {
  char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
  EXPECT_EQ(::nvmlDeviceGetName(device(2), name, sizeof name), NVML_SUCCESS);
  EXPECT_STREQ(name, "GeForce GTX 480");
  EXPECT_EQ(::nvmlDeviceGetName(device(2), name, 15), NVML_ERROR_INSUFFICIENT_SIZE);
  int major = 0, minor = 0;
  EXPECT_EQ(::nvmlDeviceGetCudaComputeCapability(device(0), &major, &minor), NVML_SUCCESS);
  EXPECT_EQ(major * 10 + minor, 90);
  nvmlMemory_v2_t memory{};
  EXPECT_EQ(::nvmlDeviceGetMemoryInfo_v2(device(2), &memory), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  memory.version = nvmlMemory_v2;
  EXPECT_EQ(::nvmlDeviceGetMemoryInfo_v2(device(2), &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.total, 1609760768u);
  unsigned cores = 0, watts = 0;
  EXPECT_EQ(::nvmlDeviceGetNumGpuCores(device(2), &cores), NVML_SUCCESS);
  EXPECT_EQ(cores, 480u);
  EXPECT_EQ(::nvmlDeviceGetEnforcedPowerLimit(device(0), &watts), NVML_SUCCESS);
  EXPECT_EQ(watts, 700'000u);
  nvmlDeviceArchitecture_t generation = 0;
  EXPECT_EQ(::nvmlDeviceGetArchitecture(device(0), &generation), NVML_SUCCESS);
  EXPECT_EQ(generation, NVML_DEVICE_ARCH_HOPPER);
  unsigned degrees = 0, period = 0;
  EXPECT_EQ(::nvmlDeviceGetTemperatureThreshold(device(0), NVML_TEMPERATURE_THRESHOLD_SLOWDOWN, &degrees),
            NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(::nvmlDeviceGetTemperatureThreshold(device(0), NVML_TEMPERATURE_THRESHOLD_COUNT, &degrees),
            NVML_ERROR_INVALID_ARGUMENT);
  unsigned long long reasons = 1;
  EXPECT_EQ(::nvmlDeviceGetCurrentClocksThrottleReasons(device(0), &reasons), NVML_SUCCESS);
  EXPECT_EQ(reasons, 0u);
  EXPECT_EQ(::nvmlDeviceGetEncoderUtilization(device(0), &degrees, &period), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(::nvmlDeviceGetDecoderUtilization(device(0), &degrees, &period), NVML_ERROR_NOT_SUPPORTED);
  nvmlSample_t samples[2] = {};
  nvmlValueType_t type = NVML_VALUE_TYPE_DOUBLE;
  unsigned count = 2;
  EXPECT_EQ(::nvmlDeviceGetSamples(device(0), NVML_GPU_UTILIZATION_SAMPLES, 0, &type, &count, samples),
            NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(::nvmlDeviceGetSamples(device(0), NVML_SAMPLINGTYPE_COUNT, 0, &type, &count, nullptr),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(::nvmlDeviceGetSamples(device(0), NVML_GPU_UTILIZATION_SAMPLES, 0, &type, nullptr, samples),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(::nvmlDeviceGetTemperature(device(0), NVML_TEMPERATURE_GPU, &degrees), NVML_ERROR_NOT_SUPPORTED);
}

extern "C" nvmlReturn_t nvmlDeviceGetPciInfo_v1_of(nvmlDevice_t, void*) __asm__("nvmlDeviceGetPciInfo");
extern "C" nvmlReturn_t nvmlDeviceGetPciInfo_v2_of(nvmlDevice_t, void*) __asm__("nvmlDeviceGetPciInfo_v2");

// Programs of NVML 1 and 2 have less room for the answer.
TEST_F(Nvml, FillsTheShorterStructuresOfEarlierVersions) {
  nvmlPciInfo_t today{};
  ASSERT_EQ(::nvmlDeviceGetPciInfo_v3(device(1), &today), NVML_SUCCESS);
  unsigned char first[80], second[80];
  std::memset(first, 0xee, sizeof first);
  std::memset(second, 0xee, sizeof second);
  EXPECT_EQ(nvmlDeviceGetPciInfo_v1_of(device(1), first), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetPciInfo_v2_of(device(1), second), NVML_SUCCESS);
  EXPECT_EQ(std::memcmp(first, &today, 32), 0);
  EXPECT_EQ(first[32], 0xee);
  EXPECT_EQ(std::memcmp(second, &today, 36), 0);
  EXPECT_EQ(second[51], 0);
  EXPECT_EQ(second[52], 0xee);
  EXPECT_EQ(nvmlDeviceGetPciInfo_v1_of(nullptr, first), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Nvml, FindsADeviceByItsPlaceAndItsUuid) {
  nvmlPciInfo_t pci{};
  ASSERT_EQ(::nvmlDeviceGetPciInfo_v3(device(1), &pci), NVML_SUCCESS);
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(::nvmlDeviceGetHandleByPciBusId_v2(pci.busId, &found), NVML_SUCCESS);
  EXPECT_EQ(found, device(1));
  EXPECT_EQ(::nvmlDeviceGetHandleByPciBusId_v2(pci.busIdLegacy, &found), NVML_SUCCESS);
  EXPECT_EQ(found, device(1));
  EXPECT_EQ(::nvmlDeviceGetHandleByPciBusId_v2("0000:77:00.0", &found), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(::nvmlDeviceGetHandleByPciBusId_v2("GPU", &found), NVML_ERROR_INVALID_ARGUMENT);
  char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
  ASSERT_EQ(::nvmlDeviceGetUUID(device(1), uuid, sizeof uuid), NVML_SUCCESS);
  EXPECT_THAT(uuid, StartsWith("GPU-"));
  EXPECT_EQ(::nvmlDeviceGetHandleByUUID(uuid, &found), NVML_SUCCESS);
  EXPECT_EQ(found, device(1));
  EXPECT_EQ(::nvmlDeviceGetIndex(found, &pci.bus), NVML_SUCCESS);
  EXPECT_EQ(pci.bus, 1u);
}

TEST_F(Nvml, ConnectsWhatHasLinks) {
  nvmlEnableState_t active = NVML_FEATURE_DISABLED;
  EXPECT_EQ(::nvmlDeviceGetNvLinkState(device(0), 0, &active), NVML_SUCCESS);
  EXPECT_EQ(active, NVML_FEATURE_ENABLED);
  nvmlPciInfo_t there{}, other{};
  ASSERT_EQ(::nvmlDeviceGetNvLinkRemotePciInfo_v2(device(0), 0, &there), NVML_SUCCESS);
  ASSERT_EQ(::nvmlDeviceGetPciInfo_v3(device(1), &other), NVML_SUCCESS);
  EXPECT_STREQ(there.busId, other.busId);
  EXPECT_EQ(::nvmlDeviceGetNvLinkState(device(2), 0, &active), NVML_ERROR_NOT_SUPPORTED);
  nvmlGpuP2PStatus_t status{};
  EXPECT_EQ(::nvmlDeviceGetP2PStatus(device(0), device(1), NVML_P2P_CAPS_INDEX_NVLINK, &status),
            NVML_SUCCESS);
  EXPECT_EQ(status, NVML_P2P_STATUS_OK);
  EXPECT_EQ(::nvmlDeviceGetP2PStatus(device(0), device(2), NVML_P2P_CAPS_INDEX_NVLINK, &status),
            NVML_SUCCESS);
  EXPECT_EQ(status, NVML_P2P_STATUS_NOT_SUPPORTED);
}

TEST_F(Nvml, SetsComputeModes) {
  EXPECT_EQ(::nvmlDeviceSetComputeMode(device(2), NVML_COMPUTEMODE_PROHIBITED), NVML_SUCCESS);
  nvmlComputeMode_t mode{};
  EXPECT_EQ(::nvmlDeviceGetComputeMode(device(2), &mode), NVML_SUCCESS);
  EXPECT_EQ(mode, NVML_COMPUTEMODE_PROHIBITED);
  EXPECT_EQ(::nvmlDeviceSetComputeMode(device(2), NVML_COMPUTEMODE_DEFAULT), NVML_SUCCESS);
  unsigned count = 0;
  EXPECT_EQ(::nvmlDeviceGetComputeRunningProcesses_v3(device(2), &count, nullptr), NVML_SUCCESS);
  EXPECT_EQ(count, 0u);
}

// For processes that begin later: this one keeps what it began with.
TEST_F(Nvml, SwitchesErrorCorrection) {
  nvmlEnableState_t current{}, pending{};
  ASSERT_EQ(::nvmlDeviceGetEccMode(device(0), &current, &pending), NVML_SUCCESS);
  EXPECT_EQ(current, NVML_FEATURE_ENABLED);
  EXPECT_EQ(::nvmlDeviceSetEccMode(device(0), NVML_FEATURE_DISABLED), NVML_SUCCESS);
  EXPECT_EQ(::nvmlDeviceGetEccMode(device(0), &current, &pending), NVML_SUCCESS);
  EXPECT_EQ(current, NVML_FEATURE_ENABLED);
  EXPECT_EQ(pending, NVML_FEATURE_DISABLED);
  EXPECT_EQ(::nvmlDeviceGetEccMode(device(1), &current, &pending), NVML_SUCCESS);
  EXPECT_EQ(pending, NVML_FEATURE_ENABLED) << "each device has its own";
  EXPECT_EQ(::nvmlDeviceSetEccMode(device(0), NVML_FEATURE_ENABLED), NVML_SUCCESS);
  EXPECT_EQ(::nvmlDeviceGetEccMode(device(0), &current, &pending), NVML_SUCCESS);
  EXPECT_EQ(pending, NVML_FEATURE_ENABLED);
  EXPECT_EQ(::nvmlDeviceSetEccMode(device(0), static_cast<nvmlEnableState_t>(2)),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(::nvmlDeviceSetEccMode(device(2), NVML_FEATURE_ENABLED), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(::nvmlDeviceGetEccMode(device(2), &current, &pending), NVML_ERROR_NOT_SUPPORTED);
}

class ManagedWorld : public entry::World {
 public:
  void renew() override {}
  uint64_t good(std::string_view type) override {
    nvmlDevice_t device = nullptr;
    if (type == "nvmlDevice_t") EXPECT_EQ(::nvmlDeviceGetHandleByIndex_v2(0, &device), NVML_SUCCESS);
    return reinterpret_cast<uint64_t>(device);
  }
  uint64_t freed(std::string_view) override { return 0; }
  uint64_t foreign(std::string_view) override { return 0; }
  uint64_t memory() override { return 0; }
  uint64_t freed_memory() override { return 0; }
  uint64_t foreign_memory() override { return 0; }
  uint64_t function() override { return 0; }
  uint64_t symbol() override { return 0; }
  uint64_t callback(std::string_view) override { return 0; }
};

TEST_F(Nvml, RefusesBadArguments) {
  entry::Documented documented;
  documented.null = NVML_ERROR_INVALID_ARGUMENT;
  documented.handle = documented.size = documented.enumeration = NVML_ERROR_INVALID_ARGUMENT;
  documented.never_returned = {NVML_ERROR_UNKNOWN};
  entry::Allowed allowed;
  ManagedWorld world;
  entry::expect_refusals(calls, documented, allowed, world);
}

}  // namespace
}  // namespace heddle::nvml
