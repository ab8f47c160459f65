// The section headers of an ELF file of 64 bits.
#pragma once

#include <elf.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::elf {

struct SectionTable {
  Elf64_Ehdr header{};
  std::vector<Elf64_Shdr> sections;
  uint64_t names = 0;  // the section that has their names; behind the last: none does
};
// The error names the file and what of it is bad. What a header says of its section is not looked at.
Result<SectionTable> read_sections(const std::string& name, std::string_view bytes);

}  // namespace heddle::elf
