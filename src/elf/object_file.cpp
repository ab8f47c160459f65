#include "elf/object_file.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "elf/bytes.h"
#include "elf/sections.h"

namespace heddle::elf {

namespace {

constexpr uint32_t fat_binary_magic = 0xba55ed50;
constexpr std::size_t fat_binary_header_bytes = 16;

void read_symbols(std::string_view table, std::string_view strings, bool dynamic, ObjectFile& file) {
  for (uint64_t offset = sizeof(Elf64_Sym); offset + sizeof(Elf64_Sym) <= table.size();
       offset += sizeof(Elf64_Sym)) {
    const Elf64_Sym symbol = *at<Elf64_Sym>(table, offset);
    if (symbol.st_name == 0) continue;
    file.symbols.push_back({text_at(strings, symbol.st_name), symbol.st_shndx != SHN_UNDEF,
                            ELF64_ST_TYPE(symbol.st_info) == STT_FUNC, dynamic});
  }
}

void read_needed(std::string_view table, std::string_view strings, ObjectFile& file) {
  for (uint64_t offset = 0; offset + sizeof(Elf64_Dyn) <= table.size(); offset += sizeof(Elf64_Dyn)) {
    const Elf64_Dyn entry = *at<Elf64_Dyn>(table, offset);
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) file.needed.push_back(text_at(strings, entry.d_un.d_val));
  }
}

Result<ObjectFile> read_elf(const std::string& name, std::string_view bytes) {
  const auto table = read_sections(name, bytes);
  if (!table) return table.error();
  const std::vector<Elf64_Shdr>& sections = table->sections;
  ObjectFile file;
  file.name = name;
  const auto contents = [&](const Elf64_Shdr& section) -> std::string_view {
    if (section.sh_type == SHT_NOBITS) return {};
    return part(bytes, section.sh_offset, section.sh_size).value_or(std::string_view());
  };
  const std::string_view name_table =
      table->names < sections.size() ? contents(sections[table->names]) : std::string_view();
  for (const Elf64_Shdr& section : sections) {
    file.sections.push_back({text_at(name_table, section.sh_name), contents(section)});
    if (section.sh_link >= sections.size()) continue;
    const std::string_view strings = contents(sections[section.sh_link]), content = contents(section);
    if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM)
      read_symbols(content, strings, section.sh_type == SHT_DYNSYM, file);
    if (section.sh_type == SHT_DYNAMIC) read_needed(content, strings, file);
  }
  return file;
}

}  // namespace

const ObjectSection* ObjectFile::find(std::string_view section) const {
  for (const ObjectSection& one : sections)
    if (one.name == section) return &one;
  return nullptr;
}

bool is_elf(std::string_view bytes) {
  return bytes.starts_with(
      "\x7f"
      "ELF");
}
bool is_archive(std::string_view bytes) { return bytes.starts_with(archive_magic); }

Result<std::vector<ObjectFile>> read_objects(const std::string& name, std::string_view bytes) {
  std::vector<ObjectFile> files;
  if (is_elf(bytes)) {
    Result<ObjectFile> file = read_elf(name, bytes);
    if (!file) return file.error();
    files.push_back(std::move(*file));
    return files;
  }
  if (!is_archive(bytes)) return bad(name, "it is neither an ELF file nor an archive");
  std::optional<Error> failed;
  const Status<> read = each_member(name, bytes, [&](const RawMember& member) {
    if (failed || member.name.empty() || !is_elf(member.bytes)) return;
    Result<ObjectFile> file = read_elf(name + '(' + member.name + ')', member.bytes);
    if (file)
      files.push_back(std::move(*file));
    else
      failed = file.error();
  });
  if (failed) return *failed;
  if (!read) return read.error();
  return files;
}

std::vector<std::string_view> fat_binaries_in(std::string_view section) {
  std::vector<std::string_view> found;
  for (std::size_t offset = 0; offset + fat_binary_header_bytes <= section.size();) {
    if (*at<uint32_t>(section, offset) != fat_binary_magic) {
      offset += 8;  // they are aligned
      continue;
    }
    const uint64_t size = *at<uint64_t>(section, offset + 8);
    const auto whole =
        part(section, offset, fat_binary_header_bytes + std::min<uint64_t>(size, section.size()));
    if (!whole) break;
    found.push_back(*whole);
    offset += (whole->size() + 7) / 8 * 8;
  }
  return found;
}

}  // namespace heddle::elf
