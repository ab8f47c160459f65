#include <limits>

#include "fatbin/compress.h"
#include "fatbin/fatbin.h"
#include "fatbin/layout.h"

namespace heddle::fatbin {
namespace {

void pad(std::string& bytes) { bytes.resize((bytes.size() + alignment - 1) / alignment * alignment); }

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

uint64_t flag_of(Host host) {
  switch (host) {
    case Host::linux: return flag_linux;
    case Host::windows: return flag_windows;
    case Host::mac: return flag_mac;
  }
  return 0;
}

uint64_t flags_of(const NewEntry& entry) {
  uint64_t flags = flag_of(entry.host);
  if (entry.wide) flags |= flag_64_bit;
  if (entry.debug) flags |= flag_debug;
  if (entry.compression == Compression::lz4) flags |= flag_lz4;
  if (entry.compression == Compression::zstd) flags |= flag_zstd;
  if (entry.arch.reach == Arch::Reach::exact) flags |= flag_exact;
  if (entry.arch.reach == Arch::Reach::family) flags |= flag_family;
  return flags;
}

Result<std::string> write_entry(const NewEntry& entry) {
  EntryHeader header{};
  header.kind = static_cast<uint16_t>(entry.kind);
  header.version = entry_version;
  header.version_major = entry.version_major;
  header.version_minor = entry.version_minor;
  header.arch = entry.arch.number;
  header.flags = flags_of(entry);

  std::string head(sizeof header, '\0');
  if (!entry.source_name.empty()) {
    header.name_offset = static_cast<uint32_t>(head.size());
    header.name_bytes = static_cast<uint32_t>(entry.source_name.size());
    head += entry.source_name;
    pad(head);
  }
  if (entry.kind != Kind::elf || !entry.options.empty()) {
    header.options_offset = static_cast<uint32_t>(head.size());
    const OptionsRecord options{static_cast<uint32_t>(head.size() + sizeof(OptionsRecord)),
                                static_cast<uint32_t>(entry.options.size())};
    head += bytes_of(options);
    head += entry.options;
    pad(head);
  }
  header.header_bytes = static_cast<uint32_t>(head.size());

  auto stored = compress(entry.compression, entry.content);
  if (!stored)
    return Error{name(entry.kind) + " for " + virtual_name(entry.arch) + ' ' + stored.error().message};
  if (entry.compression != Compression::none) {
    header.compressed_bytes = static_cast<uint32_t>(stored->size());
    header.bytes = entry.content.size();
  } else if (entry.kind == Kind::ptx) {
    stored->push_back('\0');  // readers that look for the text's end find one
  }
  pad(*stored);
  header.padded_bytes = stored->size();
  head.replace(0, sizeof header, bytes_of(header));
  return head + *stored;
}

}  // namespace

Result<std::string> write(std::span<const NewEntry> entries) {
  std::string body;
  for (const NewEntry& entry : entries) {
    const auto made = write_entry(entry);
    if (!made) return made.error();
    body += *made;
  }
  const FileHeader header{file_magic, file_version, sizeof(FileHeader), body.size()};
  return std::string(bytes_of(header)) + body;
}

}  // namespace heddle::fatbin
