// Any file that is given as device code becomes part of a fat binary that can be read, or is refused with its
// name.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "driver/fat_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  if (size == 0) return 0;
  driver::FatOptions options;
  options.compression = static_cast<fatbin::Compression>(data[0] % 3);
  driver::DeviceFile file;
  file.arch = *driver::parse_arch(data[0] % 2 != 0 ? "compute_75" : "sm_90a");
  file.name = "input";
  file.content.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto made = driver::make_fat_binary({file, file}, options);
  if (!made) {
    if (made.error().message.find("'input'") == std::string::npos) std::abort();
    return 0;
  }
  if (driver::as_c(*made).size() < made->size()) std::abort();
  const auto entries = fatbin::read(std::as_bytes(std::span(*made)));
  if (!entries) std::abort();
  for (const fatbin::Entry& entry : *entries)
    if (!fatbin::contents(entry)) std::abort();
  return 0;
}
