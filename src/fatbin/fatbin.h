// Fat binaries: what compilers put into a program for its devices, one entry for each architecture and form.
// docs/reference/fat-binaries.md has the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::fatbin {

enum class Kind : uint16_t {
  ptx = 1,
  elf = 2,  // machine code
  lto = 8,  // intermediate code of a compiler, for linking
};
std::string name(Kind);  // "PTX", "machine code"; "kind 16" of one that is not known

enum class Compression : uint8_t { none, lz4, zstd };

// The host that a fat binary was made for.
enum class Host : uint8_t { linux, windows, mac };
std::string name(Host);

// An architecture as compilers name it: 75 for compute capability 7.5.
struct Arch {
  // Whether its code runs on later devices: on all, on those of its family, on none.
  enum class Reach : uint8_t { portable, family, exact };
  uint32_t number = 0;
  Reach reach = Reach::portable;
  bool operator==(const Arch&) const = default;
};
// "compute_90a", as options of compilers name virtual architectures, "sm_90a" for machine code.
std::string virtual_name(Arch);
std::string real_name(Arch);
// PTX for `code` can be compiled for a device of the compute capability.
bool runs_on(Arch code, uint32_t capability);

struct Entry {
  Kind kind = Kind::ptx;
  Arch arch;
  uint16_t version_major = 0, version_minor = 0;  // of PTX: its .version
  bool debug = false;
  bool wide = true;  // for a host of 64 bits
  Host host = Host::linux;
  Compression compression = Compression::none;
  std::string_view source_name;       // the file that was compiled; often empty
  std::string_view options;           // of ptxas, for PTX that is compiled later
  std::span<const std::byte> stored;  // as it lies in the file, perhaps compressed
  uint64_t bytes = 0;                 // uncompressed
};

// Entries refer to the bytes that were read. The error names the entry and what of it cannot be.
Result<std::vector<Entry>> read(std::span<const std::byte> file);
// What the entry holds, uncompressed; of PTX the text without the zeros behind it.
Result<std::string> contents(const Entry& entry);
// More than this is not unpacked.
inline constexpr uint64_t most_bytes = uint64_t{1} << 30;

struct NewEntry {
  Kind kind = Kind::ptx;
  Arch arch;
  uint16_t version_major = 0, version_minor = 0;
  bool debug = false;
  bool wide = true;
  Host host = Host::linux;
  Compression compression = Compression::zstd;
  std::string source_name, options;
  std::string_view content;
};
Result<std::string> write(std::span<const NewEntry> entries);

// The entry whose PTX a device of the compute capability should run: the nearest one that runs there. The
// error says what is there instead, and the compiler option that would have made it.
Result<const Entry*> choose_ptx(std::span<const Entry> entries, uint32_t capability);

}  // namespace heddle::fatbin
