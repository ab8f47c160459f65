// Any bytes are read as an object file or archive, or refused with the file's name; what is found lies inside
// of them. What is rewritten can be read again, and has the new content.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/rewrite.h"

namespace {

void must_lie_in(std::string_view whole, std::string_view view) {
  if (view.empty()) return;
  if (view.data() < whole.data() || view.data() + view.size() > whole.data() + whole.size()) std::abort();
}

// The first section of the first file gets other bytes, its second half first.
void rewrite_one(std::string_view bytes, const std::vector<heddle::elf::ObjectFile>& files) {
  using namespace heddle::elf;
  std::string content;
  const auto replace = [&](const std::string&, const ObjectSection& section) -> std::optional<NewContent> {
    if (!content.empty() || section.bytes.size() < 2) return std::nullopt;
    const uint64_t half = section.bytes.size() / 2;
    content = std::string(section.bytes.substr(half)) + std::string(section.bytes.substr(0, half));
    return NewContent{content, {{0, section.bytes.size() - half}, {half, 0}}};
  };
  const auto made = rewrite("input", bytes, replace);
  if (!made) {
    if (made.error().message.find("'input") == std::string::npos) std::abort();
    return;
  }
  const auto again = read_objects("input", *made);
  if (!again || again->size() != files.size()) std::abort();
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
  rewrite_one(bytes, *files);
  return 0;
}
