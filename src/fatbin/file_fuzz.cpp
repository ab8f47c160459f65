// Any bytes are read or refused; what is read can be unpacked or says why not, and what was unpacked is
// written and read back as it was.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "fatbin/fatbin.h"
#include "fatbin/text_cubin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::fatbin;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (is_text_cubin(text)) {
    const auto inner = read_text_cubin(text);
    if (!inner) return 0;
    TextCubin cubin;
    cubin.fat_binary = *inner;
    if (const auto second = read_text_cubin(write(cubin)); !second || *second != *inner) std::abort();
    return 0;
  }
  const auto entries = read(std::as_bytes(std::span(data, size)));
  if (!entries) return 0;
  std::vector<std::string> texts;
  std::vector<NewEntry> again;
  for (const Entry& entry : *entries) {
    if (entry.bytes > 1 << 20) continue;  // no bomb is of interest here
    auto text = contents(entry);
    if (!text) continue;
    texts.push_back(std::move(*text));
    NewEntry copy;
    copy.kind = entry.kind;
    copy.arch = entry.arch;
    copy.debug = entry.debug;
    copy.compression = entry.compression == Compression::none ? Compression::zstd : entry.compression;
    copy.source_name = entry.source_name;
    copy.options = entry.options;
    again.push_back(copy);
  }
  for (std::size_t i = 0; i < again.size(); ++i) again[i].content = texts[i];
  const auto written = write(again);
  if (!written) std::abort();
  const auto second = read(std::as_bytes(std::span(*written)));
  if (!second || second->size() != texts.size()) std::abort();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto text = contents((*second)[i]);
    if (!text || *text != texts[i] || (*second)[i].options != again[i].options) std::abort();
  }
  for (const uint32_t capability : {20U, 75U, 90U}) (void)choose_ptx(*entries, capability);
  return 0;
}
