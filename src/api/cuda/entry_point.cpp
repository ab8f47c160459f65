// Functions by name and version.
#include "api/cuda/functions.gen.h"
#include "api/cuda_state/entry_points.h"

namespace heddle::cu {

std::span<const cuda::Version> all_versions();  // entry_points.gen.cpp

namespace {

[[maybe_unused]] const bool known = cuda::set_entry_points(all_versions());

}  // namespace

Status cuGetProcAddress_v2(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
                           CUdriverProcAddressQueryResult* symbolStatus) {
  cuda::EntryPointStatus status{};
  Status found = cuda::find_entry_point(symbol, pfn, cudaVersion, flags, status, symbolStatus != nullptr);
  if (symbolStatus != nullptr) *symbolStatus = static_cast<CUdriverProcAddressQueryResult>(status);
  return found;
}

// Tables of functions that only NVIDIA's own libraries and tools know; here are none. A driver answers so for
// an identifier that it does not know.
Status cuGetExportTable(const void** ppExportTable, const CUuuid* pExportTableId) {
  *ppExportTable = nullptr;
  std::string text;
  for (const char byte : pExportTableId->bytes) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[byte & 15];
  }
  return invalid_value("no export table has the identifier " + text);
}

}  // namespace heddle::cu
