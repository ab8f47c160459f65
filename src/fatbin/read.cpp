#include <cstring>

#include "fatbin/compress.h"
#include "fatbin/fatbin.h"
#include "fatbin/layout.h"

namespace heddle::fatbin {
namespace {

using Bytes = std::span<const std::byte>;

template <class T>
T load(Bytes from, uint64_t offset) {
  T value;
  std::memcpy(&value, from.data() + offset, sizeof value);
  return value;
}

bool inside(Bytes all, uint64_t offset, uint64_t bytes) {
  return offset <= all.size() && bytes <= all.size() - offset;
}

std::string_view text(Bytes from, uint64_t offset, uint64_t bytes) {
  return {reinterpret_cast<const char*>(from.data()) + offset, bytes};
}

std::string hexadecimal(uint64_t value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[value % 16]);
  } while ((value /= 16) != 0);
  return "0x" + digits;
}

Error in_entry(std::size_t number, const std::string& what) {
  return {"entry " + std::to_string(number) + " of the fat binary " + what};
}

Arch::Reach reach_of(uint64_t flags) {
  if ((flags & flag_exact) != 0) return Arch::Reach::exact;
  return (flags & flag_family) != 0 ? Arch::Reach::family : Arch::Reach::portable;
}

Host host_of(uint64_t flags) {
  if ((flags & flag_windows) != 0) return Host::windows;
  return (flags & flag_mac) != 0 ? Host::mac : Host::linux;
}

// `rest`: from the entry's first byte to the end of the file.
Result<Entry> read_entry(Bytes rest, const EntryHeader& header, std::size_t number) {
  const Bytes head = rest.first(header.header_bytes);
  Entry entry;
  entry.kind = Kind{header.kind};
  entry.arch = {header.arch, reach_of(header.flags)};
  entry.version_major = header.version_major;
  entry.version_minor = header.version_minor;
  entry.debug = (header.flags & flag_debug) != 0;
  entry.wide = (header.flags & flag_64_bit) != 0;
  entry.host = host_of(header.flags);
  if ((header.flags & flag_lz4) != 0) entry.compression = Compression::lz4;
  if ((header.flags & flag_zstd) != 0) entry.compression = Compression::zstd;
  if (header.name_bytes != 0) {
    if (!inside(head, header.name_offset, header.name_bytes))
      return in_entry(number, "has its name outside of its header");
    entry.source_name = text(head, header.name_offset, header.name_bytes);
  }
  if (header.options_offset != 0) {
    if (!inside(head, header.options_offset, sizeof(OptionsRecord)))
      return in_entry(number, "has its options outside of its header");
    const auto options = load<OptionsRecord>(head, header.options_offset);
    if (options.bytes != 0 && !inside(head, options.offset, options.bytes))
      return in_entry(number, "has the text of its options outside of its header");
    if (options.bytes != 0) entry.options = text(head, options.offset, options.bytes);
  }
  entry.stored = rest.subspan(header.header_bytes, header.padded_bytes);
  if (entry.compression == Compression::none) {
    entry.bytes = entry.stored.size();
    return entry;
  }
  if (header.compressed_bytes > header.padded_bytes)
    return in_entry(number, "has " + std::to_string(header.compressed_bytes) + " compressed bytes in " +
                                std::to_string(header.padded_bytes));
  entry.stored = entry.stored.first(header.compressed_bytes);
  entry.bytes = header.bytes;
  return entry;
}

}  // namespace

Result<std::vector<Entry>> read(Bytes file) {
  if (file.size() < sizeof(FileHeader))
    return Error{"a fat binary has at least " + std::to_string(sizeof(FileHeader)) + " bytes, this has " +
                 std::to_string(file.size())};
  const auto header = load<FileHeader>(file, 0);
  if (header.magic != file_magic)
    return Error{"no fat binary: it begins with " + hexadecimal(header.magic) + ", not with " +
                 hexadecimal(file_magic)};
  if (header.version != file_version)
    return Error{"a fat binary of version " + std::to_string(header.version) + ", only " +
                 std::to_string(file_version) + " is known"};
  if (header.header_bytes < sizeof(FileHeader) || !inside(file, header.header_bytes, header.bytes))
    return Error{"the fat binary is cut off: it says " + std::to_string(header.header_bytes) + " + " +
                 std::to_string(header.bytes) + " bytes, there are " + std::to_string(file.size())};
  Bytes rest = file.subspan(header.header_bytes, header.bytes);
  std::vector<Entry> entries;
  while (!rest.empty()) {
    const std::size_t number = entries.size();
    if (rest.size() < sizeof(EntryHeader)) return in_entry(number, "is cut off in its header");
    const auto entry = load<EntryHeader>(rest, 0);
    if (entry.header_bytes < sizeof(EntryHeader) || !inside(rest, entry.header_bytes, entry.padded_bytes))
      return in_entry(number, "says " + std::to_string(entry.header_bytes) + " + " +
                                  std::to_string(entry.padded_bytes) + " bytes, there are " +
                                  std::to_string(rest.size()));
    auto made = read_entry(rest, entry, number);
    if (!made) return made.error();
    entries.push_back(*made);
    rest = rest.subspan(entry.header_bytes + entry.padded_bytes);
  }
  return entries;
}

Result<std::string> contents(const Entry& entry) {
  auto made = decompress(entry.compression, entry.stored, entry.bytes);
  if (!made)
    return Error{name(entry.kind) + " for " + virtual_name(entry.arch) + " in the fat binary " +
                 made.error().message};
  if (entry.kind == Kind::ptx) made->resize(made->find_last_not_of('\0') + 1);
  return made;
}

}  // namespace heddle::fatbin
