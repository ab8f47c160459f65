// Functions of the driver API by name and version.
#include "api/cuda_state/entry_points.h"
#include "api/cudart/functions.gen.h"

namespace heddle::cudart {

Status cudaGetDriverEntryPointByVersion(const char* symbol, void** funcPtr, unsigned int cudaVersion,
                                        unsigned long long flags,
                                        cudaDriverEntryPointQueryResult* driverStatus) {
  // "Default" is the stream that the program is compiled for: the variant of this call that it has linked.
  if (flags == cudaEnableDefault && cuda::thread().per_thread_stream)
    flags = cudaEnablePerThreadDefaultStream;
  cuda::EntryPointStatus status{};
  Status found = cuda::find_entry_point(symbol, funcPtr, static_cast<int>(cudaVersion), flags, status,
                                        driverStatus != nullptr);
  if (driverStatus != nullptr) *driverStatus = static_cast<cudaDriverEntryPointQueryResult>(status);
  return found;
}

// As cuGetExportTable.
Status cudaGetExportTable(const void** ppExportTable, const cudaUUID_t*) {
  *ppExportTable = nullptr;
  return invalid_value("no export table has this identifier");
}

}  // namespace heddle::cudart
