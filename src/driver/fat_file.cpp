#include "driver/fat_file.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <span>

#include "elf/object_file.h"
#include "fatbin/text_cubin.h"
#include "fatbin/words.h"

namespace heddle::driver {

namespace {

class Maker {
 public:
  explicit Maker(const FatOptions& options) : options_(options) {}

  Result<std::string> run(const std::vector<DeviceFile>& files) {
    for (const DeviceFile& file : files) {
      if (fatbin::is_text_cubin(file.content)) {
        auto inner = fatbin::read_text_cubin(file.content);
        if (!inner) return Error{"'" + file.name + "': " + inner.error().message};
        if (auto failed = add_fat(file, *inner); !failed.empty()) return Error{failed};
      } else if (file.content.starts_with("\x50\xed\x55\xba")) {
        if (auto failed = add_fat(file, file.content); !failed.empty()) return Error{failed};
      } else {
        add(file, elf::is_elf(file.content) ? fatbin::Kind::elf : fatbin::Kind::ptx, file.content, "");
      }
    }
    return fatbin::write(entries_);
  }

 private:
  void add(const DeviceFile& file, fatbin::Kind kind, std::string content, std::string_view options) {
    const fatbin::Arch arch = in_fat_binary(file.arch);
    for (const fatbin::NewEntry& other : entries_)
      if (other.kind == kind && other.arch == arch && other.content == content) return;
    contents_.push_back(std::move(content));
    fatbin::NewEntry entry;
    entry.kind = kind;
    entry.arch = arch;
    if (const auto version = fatbin::version_of(contents_.back()); kind == fatbin::Kind::ptx && version) {
      entry.version_major = version->major;
      entry.version_minor = version->minor;
    }
    // Machine code is kept as it came: whoever embeds it looks for it there.
    entry.compression = kind == fatbin::Kind::ptx ? options_.compression : fatbin::Compression::none;
    entry.source_name = options_.source_name;
    entry.options = options.empty() ? options_.ptxas_options : std::string(options);
    entry.content = contents_.back();
    entries_.push_back(std::move(entry));
  }

  std::string add_fat(const DeviceFile& file, std::string_view bytes) {
    const auto inner = fatbin::read(std::as_bytes(std::span(bytes)));
    if (!inner) return "'" + file.name + "': " + inner.error().message;
    for (const fatbin::Entry& entry : *inner) {
      Result<std::string> content = fatbin::contents(entry);
      if (!content) return "'" + file.name + "': " + content.error().message;
      add(file, entry.kind, std::move(*content), entry.options);
    }
    return {};
  }

  const FatOptions& options_;
  std::deque<std::string> contents_;  // entries refer to them
  std::vector<fatbin::NewEntry> entries_;
};

}  // namespace

Result<std::string> make_fat_binary(const std::vector<DeviceFile>& files, const FatOptions& options) {
  return Maker(options).run(files);
}

fatbin::Compression compression_of(std::string_view mode) {
  if (mode == "none") return fatbin::Compression::none;
  if (mode == "speed") return fatbin::Compression::lz4;
  return fatbin::Compression::zstd;
}

std::string as_c(std::string_view fat_binary) {
  std::string text =
      "/* Made by fatbinary of Heddle: the device code of one unit, and the wrapper that the runtime looks "
      "for. */\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
      "static const unsigned long long fatbinData[] __attribute__((section(\".nv_fatbin\"), aligned(8))) = "
      "{\n";
  for (std::size_t i = 0; i < fat_binary.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, fat_binary.data() + i, std::min<std::size_t>(8, fat_binary.size() - i));
    text += "0x";
    for (int digit = 60; digit >= 0; digit -= 4) text += "0123456789abcdef"[word >> digit & 15];
    text += i / 8 % 4 == 3 ? "ull,\n" : "ull,";
  }
  text +=
      "};\n"
      "struct __fatBinC_Wrapper_t { int magic, version; const unsigned long long* data; void* "
      "filename_or_fatbins; };\n"
      "static struct __fatBinC_Wrapper_t __fatDeviceText\n"
      "    __attribute__((aligned(8), section(\".nvFatBinSegment\"), used)) = {0x466243b1, 1, fatbinData, "
      "0};\n"
      "#ifdef __cplusplus\n}\n#endif\n";
  return text;
}

}  // namespace heddle::driver
