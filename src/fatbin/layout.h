// The bytes of a fat binary. Numbers are little-endian; offsets inside an entry count from its first byte.
#pragma once

#include <cstdint>

namespace heddle::fatbin {

inline constexpr uint32_t file_magic = 0xba55ed50;
inline constexpr uint16_t file_version = 1, entry_version = 0x0101;
inline constexpr uint64_t alignment = 8;  // of entries and of what their headers hold

struct FileHeader {
  uint32_t magic;
  uint16_t version;
  uint16_t header_bytes;
  uint64_t bytes;  // behind the header
};
static_assert(sizeof(FileHeader) == 16);

struct EntryHeader {
  uint16_t kind;
  uint16_t version;
  uint32_t header_bytes;
  uint64_t padded_bytes;      // behind the header
  uint32_t compressed_bytes;  // 0: not compressed, padded_bytes counts
  uint32_t options_offset;    // of an OptionsRecord; 0: none
  uint16_t version_minor, version_major;
  uint32_t arch;
  uint32_t name_offset, name_bytes;
  uint64_t flags;
  uint64_t reserved;
  uint64_t bytes;  // uncompressed
};
static_assert(sizeof(EntryHeader) == 64);

struct OptionsRecord {
  uint32_t offset, bytes;
};

inline constexpr uint64_t flag_64_bit = 0x1, flag_debug = 0x2, flag_linux = 0x10, flag_mac = 0x20,
                          flag_windows = 0x40, flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_exact = 0x100000,
                          flag_family = 0x200000;

}  // namespace heddle::fatbin
