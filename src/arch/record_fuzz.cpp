// Any text is read as a device's record, or refused with the file's name; what is read is a device that can
// be told of.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "arch/record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::arch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto device = read_record("mine.toml", "mine", text);
  if (!device) {
    if (!device.error().message.starts_with("mine.toml:")) std::abort();
    return 0;
  }
  if (describe(*device).empty() || (*device).name.empty() || (*device).board.multiprocessors == 0 ||
      (*device).clock.core_khz == 0)
    std::abort();
  return 0;
}
