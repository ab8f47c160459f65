#include "elf/object_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace heddle::elf {

namespace {

constexpr std::string_view archive_magic = "!<arch>\n";
constexpr std::size_t member_header_bytes = 60;
constexpr uint32_t fat_binary_magic = 0xba55ed50;
constexpr std::size_t fat_binary_header_bytes = 16;

template <class T>
std::optional<T> at(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::optional<std::string_view> part(std::string_view bytes, uint64_t offset, uint64_t count) {
  if (offset > bytes.size() || bytes.size() - offset < count) return std::nullopt;
  return bytes.substr(offset, count);
}

std::string_view text_at(std::string_view table, uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

Error bad(const std::string& name, std::string_view what) {
  return Error{"'" + name + "' is no object file that can be read: " + std::string(what)};
}

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
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return bad(name, "it is not of 64 bits, little-endian");
  ObjectFile file;
  file.name = name;
  if (header->e_shoff == 0) return file;
  if (header->e_shentsize != sizeof(Elf64_Shdr)) return bad(name, "its section headers have another size");
  const auto zeroth = at<Elf64_Shdr>(bytes, header->e_shoff);
  if (!zeroth) return bad(name, "its section headers are outside of it");
  // More sections than the header has room to count are counted in the first of them.
  const uint64_t count = header->e_shnum != 0 ? header->e_shnum : zeroth->sh_size;
  const uint64_t names = header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : zeroth->sh_link;
  std::vector<Elf64_Shdr> sections;
  for (uint64_t i = 0; i < count; ++i) {
    const auto section = at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return bad(name, "its section headers are outside of it");
    sections.push_back(*section);
  }
  const auto contents = [&](const Elf64_Shdr& section) -> std::string_view {
    if (section.sh_type == SHT_NOBITS) return {};
    return part(bytes, section.sh_offset, section.sh_size).value_or(std::string_view());
  };
  const std::string_view name_table = names < count ? contents(sections[names]) : std::string_view();
  for (const Elf64_Shdr& section : sections) {
    file.sections.push_back({text_at(name_table, section.sh_name), contents(section)});
    if (section.sh_link >= count) continue;
    const std::string_view strings = contents(sections[section.sh_link]), table = contents(section);
    if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM)
      read_symbols(table, strings, section.sh_type == SHT_DYNSYM, file);
    if (section.sh_type == SHT_DYNAMIC) read_needed(table, strings, file);
  }
  return file;
}

struct Member {
  std::string name;
  std::string_view bytes;
};

// The System V format: long names stand in a member called "//".
Result<std::vector<Member>> members_of(const std::string& name, std::string_view bytes) {
  std::vector<Member> members;
  std::string_view long_names;
  for (std::size_t offset = archive_magic.size(); offset + member_header_bytes <= bytes.size();) {
    const std::string_view header = bytes.substr(offset, member_header_bytes);
    if (header.substr(58, 2) != "`\n") return bad(name, "a member's header is damaged");
    const uint64_t size = std::strtoull(std::string(header.substr(48, 10)).c_str(), nullptr, 10);
    const auto content = part(bytes, offset + member_header_bytes, size);
    if (!content) return bad(name, "a member goes beyond its end");
    std::string_view title = header.substr(0, 16);
    title = title.substr(0, title.find_last_not_of(' ') + 1);
    if (title == "//") {
      long_names = *content;
    } else if (title != "/" && title != "/SYM64/") {
      if (title.starts_with('/')) {
        const std::string_view rest = long_names.substr(std::min<std::size_t>(
            std::strtoull(std::string(title.substr(1)).c_str(), nullptr, 10), long_names.size()));
        title = rest.substr(0, rest.find('\n'));
      }
      if (title.ends_with('/')) title.remove_suffix(1);
      members.push_back({std::string(title), *content});
    }
    offset += member_header_bytes + size + size % 2;
  }
  return members;
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
  Result<std::vector<Member>> members = members_of(name, bytes);
  if (!members) return members.error();
  for (const Member& member : *members) {
    if (!is_elf(member.bytes)) continue;
    Result<ObjectFile> file = read_elf(name + '(' + member.name + ')', member.bytes);
    if (!file) return file.error();
    files.push_back(std::move(*file));
  }
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
