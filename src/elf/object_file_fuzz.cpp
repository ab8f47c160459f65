// Any bytes are read as an object file or archive, or refused with the file's name; what is found lies inside
// of them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "elf/object_file.h"

namespace {

void must_lie_in(std::string_view whole, std::string_view view) {
  if (view.empty()) return;
  if (view.data() < whole.data() || view.data() + view.size() > whole.data() + whole.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::elf;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto files = read_objects("input", bytes);
  if (!files) {
    if (files.error().message.find("'input") == std::string::npos) std::abort();
    return 0;
  }
  for (const ObjectFile& file : *files) {
    for (const ObjectSymbol& symbol : file.symbols) must_lie_in(bytes, symbol.name);
    for (const std::string_view library : file.needed) must_lie_in(bytes, library);
    for (const ObjectSection& section : file.sections) {
      must_lie_in(bytes, section.name);
      must_lie_in(bytes, section.bytes);
      for (const std::string_view fat : fat_binaries_in(section.bytes)) must_lie_in(section.bytes, fat);
      if (file.find(section.name) == nullptr) std::abort();
    }
  }
  return 0;
}
