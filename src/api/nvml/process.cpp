// Who runs on a device, and with how much of its memory.
#include "api/nvml/functions.gen.h"
#include "api/nvml/library.h"

namespace heddle::nvml {

namespace {

// A count of 0 asks how many there are.
template <class Info, class Fill>
Status processes(nvmlDevice_t device, unsigned int* count, Info* infos, const Fill& fill) {
  const auto card = card_of(device);
  if (!card) return card.error();
  const auto users = (*card)->users();
  const unsigned int room = *count;
  if (room != 0 && infos == nullptr) return invalid_argument("infos is NULL");
  *count = static_cast<unsigned int>(users.size());
  if (room < users.size())
    return failure(NVML_ERROR_INSUFFICIENT_SIZE,
                   "room for " + std::to_string(room) + " of " + std::to_string(users.size()) + " processes");
  for (std::size_t i = 0; i < users.size(); ++i) fill(infos[i], users[i]);
  return Unit{};
}

Status none(nvmlDevice_t device, unsigned int* count) {
  const auto card = card_of(device);
  if (!card) return card.error();
  *count = 0;
  return Unit{};
}

}  // namespace

Status nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int* infoCount,
                                            nvmlProcessInfo_v1_t* infos) {
  return processes(device, infoCount, infos, [](nvmlProcessInfo_v1_t& info, const machine::User& user) {
    info = {static_cast<unsigned int>(user.process), user.bytes};
  });
}

Status nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int* infoCount,
                                               nvmlProcessInfo_t* infos) {
  constexpr unsigned int whole = 0xFFFFFFFF;  // not of a part of a device
  return processes(device, infoCount, infos, [](nvmlProcessInfo_t& info, const machine::User& user) {
    info = {static_cast<unsigned int>(user.process), user.bytes, whole, whole};
  });
}

// Nobody draws here.
Status nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t device, unsigned int* infoCount,
                                             nvmlProcessInfo_v1_t*) {
  return none(device, infoCount);
}
Status nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int* infoCount,
                                                nvmlProcessInfo_t*) {
  return none(device, infoCount);
}

}  // namespace heddle::nvml
