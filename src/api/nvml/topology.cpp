// How devices are connected: all through one host bridge, those with NVLink through their links too, which
// are shared out evenly among the others.
#include <cstring>

#include "api/nvml/functions.gen.h"
#include "api/nvml/library.h"

namespace heddle::nvml {

namespace {

using machine::Card;

struct Pair {
  const Card* one;
  const Card* other;
};
Answer<Pair> pair_of(nvmlDevice_t one, nvmlDevice_t other) {
  const auto first = card_of(one), second = card_of(other);
  if (!first) return first.error();
  if (!second) return second.error();
  return Pair{*first, *second};
}

// Those of a device with several lie side by side.
bool same_board(const Card& one, const Card& other) {
  const uint32_t gpus = one.facts().board.gpus;
  if (gpus < 2 || &one.facts() != &other.facts()) return false;
  uint32_t first = one.number();  // of the devices of this kind that lie together
  while (first > 0 && &cards()[first - 1].facts() == &one.facts()) --first;
  if (other.number() < first) return false;
  return (one.number() - first) / gpus == (other.number() - first) / gpus;
}

nvmlGpuTopologyLevel_t level_of(const Card& one, const Card& other) {
  if (one.number() == other.number()) return NVML_TOPOLOGY_INTERNAL;
  return same_board(one, other) ? NVML_TOPOLOGY_SINGLE : NVML_TOPOLOGY_HOSTBRIDGE;
}

// What a link leads to: nullptr: nothing.
Answer<const Card*> remote(nvmlDevice_t device, unsigned int link) {
  const auto card = card_of(device);
  if (!card) return card.error();
  if (link >= NVML_NVLINK_MAX_LINKS || link >= (*card)->facts().board.nvlinks) {
    if (link < NVML_NVLINK_MAX_LINKS && (*card)->has_nvlinks())
      return invalid_argument("link " + std::to_string(link));
    if (link >= NVML_NVLINK_MAX_LINKS) return invalid_argument("link " + std::to_string(link) + " of 18");
    return not_supported("the device has no NVLink");
  }
  std::vector<const Card*> others;
  for (const Card& other : cards()) {
    if (other.number() != (*card)->number() && other.has_nvlinks()) others.push_back(&other);
  }
  return others.empty() ? nullptr : others[link % others.size()];
}

bool unified(const Card& card) {
  return card.facts().attribute(arch::Attribute::unified_addressing).number != 0;
}

}  // namespace

Status nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t device1, nvmlDevice_t device2,
                                           nvmlGpuTopologyLevel_t* pathInfo) {
  const auto pair = pair_of(device1, device2);
  if (!pair) return pair.error();
  *pathInfo = level_of(*(*pair).one, *(*pair).other);
  return Unit{};
}

Status nvmlDeviceGetTopologyNearestGpus(nvmlDevice_t device, nvmlGpuTopologyLevel_t level,
                                        unsigned int* count, nvmlDevice_t* deviceArray) {
  const auto card = card_of(device);
  if (!card) return card.error();
  if (static_cast<unsigned>(level) > NVML_TOPOLOGY_SYSTEM)
    return invalid_argument("there is no level " + std::to_string(static_cast<int>(level)));
  const unsigned int room = *count;
  if (room != 0 && deviceArray == nullptr) return invalid_argument("deviceArray is NULL");
  unsigned int found = 0;
  for (const Card& other : cards()) {
    if (other.number() == (*card)->number() || level_of(**card, other) > level) continue;
    if (found < room) deviceArray[found] = handle_of(other);
    ++found;
  }
  *count = found;
  return Unit{};
}

Status nvmlDeviceOnSameBoard(nvmlDevice_t device1, nvmlDevice_t device2, int* onSameBoard) {
  const auto pair = pair_of(device1, device2);
  if (!pair) return pair.error();
  *onSameBoard = same_board(*(*pair).one, *(*pair).other) ? 1 : 0;
  return Unit{};
}

Status nvmlDeviceGetP2PStatus(nvmlDevice_t device1, nvmlDevice_t device2, nvmlGpuP2PCapsIndex_t p2pIndex,
                              nvmlGpuP2PStatus_t* p2pStatus) {
  const auto pair = pair_of(device1, device2);
  if (!pair) return pair.error();
  const Card &one = *(*pair).one, &other = *(*pair).other;
  const bool able = unified(one) && unified(other), linked = one.has_nvlinks() && other.has_nvlinks();
  switch (p2pIndex) {
    case NVML_P2P_CAPS_INDEX_READ:
    case NVML_P2P_CAPS_INDEX_WRITE:
    case NVML_P2P_CAPS_INDEX_PCI:
      *p2pStatus = able ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_GPU_NOT_SUPPORTED;
      break;
    case NVML_P2P_CAPS_INDEX_NVLINK:
    case NVML_P2P_CAPS_INDEX_ATOMICS:
      *p2pStatus = able && linked ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_NOT_SUPPORTED;
      break;
    default:
      return invalid_argument("no ability has the number " + std::to_string(static_cast<int>(p2pIndex)));
  }
  return Unit{};
}

Status nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int link, nvmlEnableState_t* isActive) {
  const auto other = remote(device, link);
  if (!other) return other.error();
  *isActive = *other != nullptr ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
  return Unit{};
}

// NVLink 1 came with Pascal, 2 with Volta, 3 with Ampere, 4 with Hopper, 5 with Blackwell.
Status nvmlDeviceGetNvLinkVersion(nvmlDevice_t device, unsigned int link, unsigned int* version) {
  if (const auto other = remote(device, link); !other) return other.error();
  const auto card = card_of(device);
  if (!card) return card.error();
  const unsigned major = (*card)->facts().capability().major;
  *version = major >= 10 ? 5 : major == 9 ? 4 : major == 8 ? 3 : major == 7 ? 2 : 1;
  return Unit{};
}

Status nvmlDeviceGetNvLinkCapability(nvmlDevice_t device, unsigned int link,
                                     nvmlNvLinkCapability_t capability, unsigned int* capResult) {
  const auto other = remote(device, link);
  if (!other) return other.error();
  switch (capability) {
    case NVML_NVLINK_CAP_P2P_SUPPORTED:
    case NVML_NVLINK_CAP_P2P_ATOMICS:
    case NVML_NVLINK_CAP_VALID: *capResult = *other != nullptr ? 1 : 0; return Unit{};
    case NVML_NVLINK_CAP_SYSMEM_ACCESS:
    case NVML_NVLINK_CAP_SYSMEM_ATOMICS:
    case NVML_NVLINK_CAP_SLI_BRIDGE: *capResult = 0; return Unit{};
  }
  return invalid_argument("no ability has the number " + std::to_string(static_cast<int>(capability)));
}

Status nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t* pci) {
  const auto other = remote(device, link);
  if (!other) return other.error();
  if (*other == nullptr) return not_supported("the link leads nowhere");
  return nvml::nvmlDeviceGetPciInfo_v3(handle_of(**other), pci);
}

Status nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned int link,
                                           nvmlIntNvLinkDeviceType_t* pNvLinkDeviceType) {
  const auto other = remote(device, link);
  if (!other) return other.error();
  if (*other == nullptr) return not_supported("the link leads nowhere");
  *pNvLinkDeviceType = NVML_NVLINK_DEVICE_TYPE_GPU;
  return Unit{};
}

// There are no fabrics of several hosts here.
Status nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t* gpuFabricInfo) {
  if (const auto card = card_of(device); !card) return card.error();
  std::memset(gpuFabricInfo, 0, sizeof *gpuFabricInfo);
  gpuFabricInfo->state = NVML_GPU_FABRIC_STATE_NOT_SUPPORTED;
  return Unit{};
}
Status nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t* gpuFabricInfo) {
  if (const auto card = card_of(device); !card) return card.error();
  if (gpuFabricInfo->version != nvmlGpuFabricInfo_v2)
    return failure(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, "version " + std::to_string(gpuFabricInfo->version));
  std::memset(gpuFabricInfo, 0, sizeof *gpuFabricInfo);
  gpuFabricInfo->version = nvmlGpuFabricInfo_v2;
  gpuFabricInfo->state = NVML_GPU_FABRIC_STATE_NOT_SUPPORTED;
  return Unit{};
}

}  // namespace heddle::nvml
