// Whatever a source begins with, the headers found are in it, in their order.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "beginnings/leading_headers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  std::size_t at = 0;
  for (const std::string& name : heddle::beginnings::leading_headers(source)) {
    if (name.empty() || name.find('\n') != std::string::npos) std::abort();
    at = source.find('<' + name + '>', at);
    if (at == std::string_view::npos) std::abort();
    at += name.size() + 2;
  }
  return 0;
}
