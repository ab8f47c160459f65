// Object files, programs and archives: their sections and symbols, as far as device code is concerned.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::elf {

struct ObjectSection {
  std::string_view name;
  std::string_view bytes;
};

struct ObjectSymbol {
  std::string_view name;
  bool defined = false;
  bool function = false;
  bool dynamic = false;  // of the loader's table, which a program without symbols has too
};

// One ELF file of 64 bits. Views into the bytes that were read.
struct ObjectFile {
  std::string name;  // "a.o", or "libx.a(a.o)"
  std::vector<ObjectSection> sections;
  std::vector<ObjectSymbol> symbols;
  std::vector<std::string_view> needed;  // libraries, as the loader looks for them
  const ObjectSection* find(std::string_view section) const;
};

bool is_elf(std::string_view bytes);
bool is_archive(std::string_view bytes);

// The file itself, or the members of an archive that are ELF files. The error names the file and what of it
// is bad.
Result<std::vector<ObjectFile>> read_objects(const std::string& name, std::string_view bytes);

// The fat binaries of a section, one behind the other with zeros between.
std::vector<std::string_view> fat_binaries_in(std::string_view section);

}  // namespace heddle::elf
