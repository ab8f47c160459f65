#include "elf/sections.h"

#include "elf/bytes.h"

namespace heddle::elf {

Result<SectionTable> read_sections(const std::string& name, std::string_view bytes) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return bad(name, "it is not of 64 bits, little-endian");
  SectionTable table;
  table.header = *header;
  if (header->e_shoff == 0) return table;
  if (header->e_shentsize != sizeof(Elf64_Shdr)) return bad(name, "its section headers have another size");
  const auto zeroth = at<Elf64_Shdr>(bytes, header->e_shoff);
  if (!zeroth) return bad(name, "its section headers are outside of it");
  // More sections than the header has room to count are counted in the first of them.
  const uint64_t count = header->e_shnum != 0 ? header->e_shnum : zeroth->sh_size;
  table.names = header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : zeroth->sh_link;
  for (uint64_t i = 0; i < count; ++i) {
    const auto section = at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return bad(name, "its section headers are outside of it");
    table.sections.push_back(*section);
  }
  return table;
}

}  // namespace heddle::elf
