// One device: who it is, what it has, its modes and clocks.
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "api/nvml/functions.gen.h"
#include "api/nvml/library.h"
#include "machine/visible_devices.h"

namespace heddle::nvml {

namespace {

using machine::Card;

template <class Body>
Status with(nvmlDevice_t device, const Body& body) {
  const auto card = card_of(device);
  if (!card) return card.error();
  return body(**card);
}

// A value that every device has.
template <class Value, class Body>
Status value(nvmlDevice_t device, Value* to, const Body& body) {
  return with(device, [&](const Card& card) -> Status {
    *to = body(card);
    return Unit{};
  });
}

// Numbers of which 0 in a record means that nobody knows.
template <class Body>
Status known(nvmlDevice_t device, unsigned int* to, const char* what, const Body& body) {
  return with(device, [&](const Card& card) -> Status {
    const uint32_t number = body(card);
    if (number == 0) return not_supported(std::string(what) + " of this device is not known");
    *to = number;
    return Unit{};
  });
}

Status unknown(nvmlDevice_t device, const char* what) {
  return with(device,
              [&](const Card&) -> Status { return not_supported(std::string(what) + " is not known here"); });
}

Status clock(nvmlDevice_t device, nvmlClockType_t type, unsigned int* to) {
  return with(device, [&](const Card& card) -> Status {
    switch (type) {
      case NVML_CLOCK_GRAPHICS: *to = card.graphics_mhz(); return Unit{};
      case NVML_CLOCK_SM: *to = card.sm_mhz(); return Unit{};
      case NVML_CLOCK_MEM: *to = card.memory_mhz(); return Unit{};
      case NVML_CLOCK_VIDEO: return not_supported("the encoder's clock is not known here");
    }
    return invalid_argument("no clock has the number " + std::to_string(static_cast<int>(type)));
  });
}

uint32_t generation(const Card& card) { return card.facts().pci.generation; }
uint32_t lanes(const Card& card) { return card.facts().pci.lanes; }

}  // namespace

Status nvmlDeviceGetCount_v2(unsigned int* deviceCount) {
  *deviceCount = static_cast<unsigned int>(cards().size());
  return Unit{};
}

Status nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t* device) {
  if (index >= cards().size())
    return invalid_argument("device " + std::to_string(index) + " of " + std::to_string(cards().size()));
  *device = handle_of(cards()[index]);
  return Unit{};
}

Status nvmlDeviceGetHandleByPciBusId_v2(const char* pciBusId, nvmlDevice_t* device) {
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  int used = 0;
  const auto whole = [&](int read, int wanted) { return read >= wanted && pciBusId[used] == '\0'; };
  const bool read =
      whole(std::sscanf(pciBusId, "%x:%x:%x.%x%n", &domain, &bus, &slot, &function, &used), 4) ||
      whole(std::sscanf(pciBusId, "%x:%x:%x%n", &domain, &bus, &slot, &used), 3) ||
      (domain = 0, whole(std::sscanf(pciBusId, "%x:%x.%x%n", &bus, &slot, &function, &used), 3)) ||
      whole(std::sscanf(pciBusId, "%x:%x%n", &bus, &slot, &used), 2);
  if (!read) return invalid_argument("'" + std::string(pciBusId) + "' is no place on a PCI bus");
  for (const Card& card : cards()) {
    const machine::PciPlace place = card.place();
    if (place.domain != domain || place.bus != bus || place.device != slot || function != 0) continue;
    *device = handle_of(card);
    return Unit{};
  }
  return failure(NVML_ERROR_NOT_FOUND, "no device is at '" + std::string(pciBusId) + "'");
}

Status nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  for (const Card& card : cards()) {
    if (strcasecmp(machine::uuid_text(card.uuid()).c_str(), uuid) != 0) continue;
    *device = handle_of(card);
    return Unit{};
  }
  return failure(NVML_ERROR_NOT_FOUND, "no device is '" + std::string(uuid) + "'");
}

Status nvmlDeviceGetHandleBySerial(const char* serial, nvmlDevice_t*) {
  return failure(NVML_ERROR_NOT_FOUND,
                 "devices have no serial numbers here, so none has '" + std::string(serial) + "'");
}

// ---- who it is
Status nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int* index) {
  return value(device, index, [](const Card& card) { return card.number(); });
}
Status nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int* minorNumber) {
  return value(device, minorNumber, [](const Card& card) { return card.number(); });
}
Status nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned int length) {
  return with(device, [&](const Card& card) { return put_text(card.facts().name, name, length); });
}
Status nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned int length) {
  return with(device,
              [&](const Card& card) { return put_text(machine::uuid_text(card.uuid()), uuid, length); });
}
Status nvmlDeviceGetSerial(nvmlDevice_t device, char*, unsigned int) {
  return unknown(device, "the serial number");
}
Status nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char*, unsigned int) {
  return unknown(device, "the version of the board's BIOS");
}

Status nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t* type) {
  return value(device, type, [](const Card& card) {
    const std::string_view brand = card.brand();
    return brand == "GeForce"      ? NVML_BRAND_GEFORCE
           : brand == "Quadro"     ? NVML_BRAND_QUADRO
           : brand == "Tesla"      ? NVML_BRAND_TESLA
           : brand == "NVS"        ? NVML_BRAND_NVS
           : brand == "Titan"      ? NVML_BRAND_TITAN
           : brand == "NVIDIA RTX" ? NVML_BRAND_NVIDIA_RTX
                                   : NVML_BRAND_NVIDIA;
  });
}

Status nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t* arch) {
  return value(device, arch, [](const Card& card) -> unsigned {
    constexpr std::string_view names[] = {"Kepler", "Maxwell", "Pascal", "Volta",    "Turing",
                                          "Ampere", "Ada",     "Hopper", "Blackwell"};
    const std::string_view generation = card.facts().arch.generation;
    for (unsigned i = 0; i < std::size(names); ++i) {
      if (generation.starts_with(names[i])) return NVML_DEVICE_ARCH_KEPLER + i;
    }
    return NVML_DEVICE_ARCH_UNKNOWN;
  });
}

Status nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor) {
  return with(device, [&](const Card& card) -> Status {
    *major = card.facts().capability().major;
    *minor = card.facts().capability().minor;
    return Unit{};
  });
}

Status nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  return value(device, pci, [](const Card& card) {
    const machine::PciPlace place = card.place();
    nvmlPciInfo_t info{};
    std::snprintf(info.busIdLegacy, sizeof info.busIdLegacy, "%s", card.legacy_bus_id().c_str());
    std::snprintf(info.busId, sizeof info.busId, "%s", card.bus_id().c_str());
    info.domain = place.domain;
    info.bus = place.bus;
    info.device = place.device;
    info.pciDeviceId = card.device_id();
    info.pciSubSystemId = card.facts().pci.sub_system_id;
    return info;
  });
}

// The structures of NVML 1 and 2 begin as today's does: without the name of the place in 32 letters, and the
// first one without the board's number.
namespace {
constexpr std::size_t pci_bytes_v1 = 32, pci_bytes_v2 = 52;

Status pci_info(nvmlDevice_t device, void* pci, std::size_t bytes) {
  nvmlPciInfo_t info{};
  Status told = nvml::nvmlDeviceGetPciInfo_v3(device, &info);
  if (!told) return told;
  std::memset(info.busId, 0, sizeof info.busId);  // four reserved numbers
  std::memcpy(pci, &info, bytes);
  return told;
}
}  // namespace

Status nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, void* pci) { return pci_info(device, pci, pci_bytes_v2); }
Status nvmlDeviceGetPciInfo(nvmlDevice_t device, void* pci) { return pci_info(device, pci, pci_bytes_v1); }

Status nvmlDeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned int* multiGpuBool) {
  return value(device, multiGpuBool, [](const Card& card) { return card.facts().board.gpus > 1 ? 1u : 0u; });
}
Status nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned int* numCores) {
  return value(device, numCores, [](const Card& card) { return arch::cores(card.facts()); });
}
Status nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned int* busWidth) {
  return value(device, busWidth, [](const Card& card) { return card.facts().dram.bus_bits; });
}
Status nvmlDeviceGetBusType(nvmlDevice_t device, nvmlBusType_t* type) {
  return value(device, type, [](const Card& card) {
    return generation(card) != 0 ? NVML_BUS_TYPE_PCIE : NVML_BUS_TYPE_UNKNOWN;
  });
}

// ---- modes
Status nvmlDeviceGetDisplayMode(nvmlDevice_t device, nvmlEnableState_t* display) {
  return value(device, display, [](const Card&) { return NVML_FEATURE_DISABLED; });
}
Status nvmlDeviceGetDisplayActive(nvmlDevice_t device, nvmlEnableState_t* isActive) {
  return value(device, isActive, [](const Card&) { return NVML_FEATURE_DISABLED; });
}
Status nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return value(device, mode, [](const Card& card) {
    return card.persistence() ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
  });
}
Status nvmlDeviceSetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t mode) {
  return with(device, [&](const Card& card) -> Status {
    if (mode != NVML_FEATURE_ENABLED && mode != NVML_FEATURE_DISABLED)
      return invalid_argument("a mode is on or off, 1 or 0");
    const auto set = card.set_persistence(mode == NVML_FEATURE_ENABLED);
    if (!set) return failure(NVML_ERROR_OPERATING_SYSTEM, set.error().message);
    return Unit{};
  });
}
Status nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t* mode) {
  return value(device, mode, [](const Card& card) { return static_cast<nvmlComputeMode_t>(card.mode()); });
}
Status nvmlDeviceSetComputeMode(nvmlDevice_t device, nvmlComputeMode_t mode) {
  return with(device, [&](const Card& card) -> Status {
    if (mode < NVML_COMPUTEMODE_DEFAULT || mode > NVML_COMPUTEMODE_EXCLUSIVE_PROCESS)
      return invalid_argument("no compute mode has the number " + std::to_string(static_cast<int>(mode)));
    if (mode == NVML_COMPUTEMODE_EXCLUSIVE_THREAD)
      return not_supported("drivers have no exclusive thread mode any more");
    const auto set = card.set_mode(static_cast<machine::ComputeMode>(mode));
    if (!set) return failure(NVML_ERROR_OPERATING_SYSTEM, set.error().message);
    return Unit{};
  });
}
Status nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t* current, nvmlEnableState_t* pending) {
  return with(device, [&](const Card& card) -> Status {
    if (!card.has_ecc()) return not_supported("the device has no ECC");
    const auto state = [](bool on) { return on ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED; };
    *current = state(card.facts().board.ecc);
    *pending = state(card.coming_ecc());
    return Unit{};
  });
}
Status nvmlDeviceSetEccMode(nvmlDevice_t device, nvmlEnableState_t ecc) {
  return with(device, [&](const Card& card) -> Status {
    if (ecc != NVML_FEATURE_ENABLED && ecc != NVML_FEATURE_DISABLED)
      return invalid_argument("a mode is on or off, 1 or 0");
    if (!card.has_ecc()) return not_supported("the device has no ECC");
    if (!card.can_switch_ecc()) return not_supported("the device's ECC cannot be switched");
    const auto set = card.set_ecc(ecc == NVML_FEATURE_ENABLED);
    if (!set) return failure(NVML_ERROR_OPERATING_SYSTEM, set.error().message);
    return Unit{};
  });
}
Status nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t errorType,
                                   nvmlEccCounterType_t counterType, unsigned long long* eccCounts) {
  return with(device, [&](const Card& card) -> Status {
    if (static_cast<unsigned>(errorType) > NVML_MEMORY_ERROR_TYPE_UNCORRECTED ||
        static_cast<unsigned>(counterType) > NVML_AGGREGATE_ECC)
      return invalid_argument("no such errors, or no such counter");
    if (!card.facts().board.ecc) return not_supported("ECC is not on");
    *eccCounts = 0;  // emulated memory has none
    return Unit{};
  });
}
Status nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int*, unsigned int*) {
  return with(device, [](const Card&) -> Status { return not_supported("devices cannot be divided here"); });
}

// ---- memory
Status nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  return value(device, memory, [](const Card& card) {
    const uint64_t used = card.used_bytes();
    return nvmlMemory_t{card.total_bytes(), card.total_bytes() - used, used};
  });
}
Status nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* memory) {
  return with(device, [&](const Card& card) -> Status {
    if (memory->version != nvmlMemory_v2)
      return failure(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, "version " + std::to_string(memory->version));
    const uint64_t used = card.used_bytes();
    *memory = {nvmlMemory_v2, card.total_bytes(), 0, card.total_bytes() - used, used};
    return Unit{};
  });
}
Status nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t device, nvmlBAR1Memory_t*) {
  return unknown(device, "the memory that PCI maps");
}

// ---- clocks and power; what only a running device could be asked for is not known
Status nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int* to) {
  return clock(device, type, to);
}
Status nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int* to) {
  return clock(device, type, to);
}
Status nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t clockType,
                                      unsigned int* clockMHz) {
  return clock(device, clockType, clockMHz);
}
Status nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t clockType, nvmlClockId_t clockId,
                          unsigned int* clockMHz) {
  if (clockId < NVML_CLOCK_ID_CURRENT || clockId > NVML_CLOCK_ID_CUSTOMER_BOOST_MAX)
    return invalid_argument("no kind of clock has the number " + std::to_string(static_cast<int>(clockId)));
  return clock(device, clockType, clockMHz);
}
Status nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t*) {
  return unknown(device, "the utilization");
}
// Of what: power, utilizations, clocks. Nothing is sampled here.
Status nvmlDeviceGetSamples(nvmlDevice_t device, nvmlSamplingType_t type, unsigned long long,
                            nvmlValueType_t*, unsigned int*, nvmlSample_t*) {
  if (type < NVML_TOTAL_POWER_SAMPLES || type >= NVML_SAMPLINGTYPE_COUNT)
    return invalid_argument("there are no such samples");
  return unknown(device, "what it did lately");
}
Status nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int*) {
  return unknown(device, "the power that is used");
}
Status nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned int*) {
  return unknown(device, "the speed of the fan");
}
Status nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensorType, unsigned int*) {
  if (sensorType != NVML_TEMPERATURE_GPU) return invalid_argument("there is no such sensor");
  return unknown(device, "the temperature");
}
Status nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, nvmlTemperatureThresholds_t thresholdType,
                                         unsigned int*) {
  if (thresholdType < NVML_TEMPERATURE_THRESHOLD_SHUTDOWN ||
      thresholdType >= NVML_TEMPERATURE_THRESHOLD_COUNT)
    return invalid_argument("there is no such threshold");
  return unknown(device, "the temperatures that it must not reach");
}
// Nothing slows these devices down, and nothing could: no bit of either mask.
Status nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device,
                                                 unsigned long long* clocksThrottleReasons) {
  return with(device, [&](const Card&) -> Status {
    *clocksThrottleReasons = 0;
    return Unit{};
  });
}
Status nvmlDeviceGetSupportedClocksThrottleReasons(nvmlDevice_t device,
                                                   unsigned long long* supportedClocksThrottleReasons) {
  return nvml::nvmlDeviceGetCurrentClocksThrottleReasons(device, supportedClocksThrottleReasons);
}
// Films are neither written nor read by these devices.
Status nvmlDeviceGetEncoderUtilization(nvmlDevice_t device, unsigned int*, unsigned int*) {
  return unknown(device, "the utilization of the encoder");
}
Status nvmlDeviceGetDecoderUtilization(nvmlDevice_t device, unsigned int*, unsigned int*) {
  return unknown(device, "the utilization of the decoder");
}
Status nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned int* limit) {
  return known(device, limit, "the power limit", [](const Card& card) { return card.power_limit_mw(); });
}
Status nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned int* defaultLimit) {
  return nvml::nvmlDeviceGetPowerManagementLimit(device, defaultLimit);
}
Status nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned int* limit) {
  return nvml::nvmlDeviceGetPowerManagementLimit(device, limit);
}
Status nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned int*, unsigned int*) {
  return unknown(device, "how far the power limit can be set");
}
Status nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t* pState) {
  return value(device, pState, [](const Card&) { return NVML_PSTATE_0; });
}
Status nvmlDeviceGetPowerState(nvmlDevice_t device, nvmlPstates_t* pState) {
  return nvml::nvmlDeviceGetPerformanceState(device, pState);
}

// ---- PCI Express
Status nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned int* maxLinkGen) {
  return known(device, maxLinkGen, "the generation of PCI Express", generation);
}
Status nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned int* currLinkGen) {
  return known(device, currLinkGen, "the generation of PCI Express", generation);
}
Status nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned int* maxLinkWidth) {
  return known(device, maxLinkWidth, "the width of PCI Express", lanes);
}
Status nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned int* currLinkWidth) {
  return known(device, currLinkWidth, "the width of PCI Express", lanes);
}
Status nvmlDeviceGetPcieThroughput(nvmlDevice_t device, nvmlPcieUtilCounter_t counter, unsigned int*) {
  if (static_cast<unsigned>(counter) > NVML_PCIE_UTIL_RX_BYTES)
    return invalid_argument("there is no such counter");
  return unknown(device, "the throughput of PCI Express");
}

// Each value has a status of its own.
Status nvmlDeviceGetFieldValues(nvmlDevice_t device, int valuesCount, nvmlFieldValue_t* values) {
  return with(device, [&](const Card& card) -> Status {
    constexpr int most = 4096;  // far more than there are fields
    if (valuesCount <= 0 || valuesCount > most)
      return invalid_argument(std::to_string(valuesCount) + " values");
    for (nvmlFieldValue_t& one : std::span(values, static_cast<std::size_t>(valuesCount))) {
      one.timestamp = one.latencyUsec = 0;
      one.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
      one.value = {};
      one.nvmlReturn = NVML_SUCCESS;
      if (one.fieldId == NVML_FI_DEV_NVLINK_LINK_COUNT)
        one.value.uiVal = card.facts().board.nvlinks;
      else
        one.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
    }
    return Unit{};
  });
}

// All processors of the host that there are: its devices are near to all.
Status nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned int cpuSetSize, unsigned long* cpuSet) {
  return with(device, [&](const Card&) -> Status {
    constexpr unsigned int most = 4096;  // words: more than a host has processors
    if (cpuSetSize == 0) return failure(NVML_ERROR_INSUFFICIENT_SIZE, "no room");
    if (cpuSetSize > most) return invalid_argument(std::to_string(cpuSetSize) + " words");
    const auto processors = static_cast<unsigned long>(std::max(sysconf(_SC_NPROCESSORS_CONF), 1l));
    constexpr unsigned long bits = sizeof *cpuSet * 8;
    for (unsigned int i = 0; i < cpuSetSize; ++i) {
      const unsigned long first = i * bits, left = processors > first ? processors - first : 0;
      cpuSet[i] = left >= bits ? ~0ul : (1ul << left) - 1;
    }
    return Unit{};
  });
}

}  // namespace heddle::nvml
