// Functions by name and version.
#include <string>

#include "api/cuda/entry_points.h"
#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"

namespace heddle::cu {

Status cuGetProcAddress_v2(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
                           CUdriverProcAddressQueryResult* symbolStatus) {
  constexpr cuuint64_t known =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if ((flags & ~known) != 0 || flags == known)
    return invalid_value("flags " + std::to_string(flags) + " mean nothing");
  const EntryPoint entry =
      find_entry_point(symbol, cudaVersion, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  *pfn = entry.address;
  if (symbolStatus != nullptr)
    *symbolStatus = entry.address != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
                    : entry.known            ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                             : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  // With a place for the status the call itself succeeds: the status tells.
  if (entry.address == nullptr && symbolStatus == nullptr)
    return failure(Code::not_found, entry.known ? std::string(symbol) + " is younger than version " +
                                                      std::to_string(cudaVersion)
                                                : std::string("no function is named ") + symbol);
  return Unit{};
}

Status cuGetProcAddress(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags) {
  return cu::cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, nullptr);
}

}  // namespace heddle::cu
