// The least that debuggers want: a .text that lies where the code does, its symbols, and DWARF 4 (sections 2,
// 3 and 6.2 of the standard) of one unit with a subprogram for each function and the table of lines.
#include "exec/jit/debug/symbol_file.h"

#include <elf.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstring>
#include <string_view>

namespace heddle::exec::jit::debug {

namespace {

class Bytes {
 public:
  template <class T>
  void number(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.append(bytes, sizeof(T));
  }
  void u8(unsigned value) { out.push_back(static_cast<char>(value)); }
  void uleb(uint64_t value) {
    do {
      const unsigned low = value & 0x7f;
      value >>= 7;
      u8(value != 0 ? low | 0x80 : low);
    } while (value != 0);
  }
  void sleb(int64_t value) {
    for (;;) {
      const auto low = static_cast<unsigned>(value & 0x7f);
      value >>= 7;
      const bool last = (value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0);
      u8(last ? low : low | 0x80);
      if (last) return;
    }
  }
  void text(std::string_view value) {
    out.append(value);
    out.push_back('\0');
  }
  void patch(std::size_t at, uint32_t value) { std::memcpy(out.data() + at, &value, sizeof value); }

  std::string out;
};

// Of DWARF, as the standard numbers them.
constexpr unsigned tag_compile_unit = 0x11, tag_subprogram = 0x2e, at_name = 0x03, at_stmt_list = 0x10,
                   at_low_pc = 0x11, at_high_pc = 0x12, at_language = 0x13, at_comp_dir = 0x1b,
                   at_producer = 0x25, at_external = 0x3f, at_linkage_name = 0x6e;
constexpr unsigned form_addr = 0x01, form_data2 = 0x05, form_data8 = 0x07, form_string = 0x08,
                   form_sec_offset = 0x17, form_flag_present = 0x19;
constexpr unsigned language_cpp = 0x04;
constexpr unsigned lns_copy = 1, lns_advance_pc = 2, lns_advance_line = 3, lns_set_file = 4,
                   lne_end_sequence = 1, lne_set_address = 2;

std::string abbreviations() {
  Bytes w;
  const auto entry = [&](unsigned code, unsigned tag, bool children,
                         std::initializer_list<unsigned> attributes) {
    w.uleb(code), w.uleb(tag), w.u8(children);
    for (const unsigned n : attributes) w.uleb(n);
    w.u8(0), w.u8(0);
  };
  entry(1, tag_compile_unit, true,
        {at_producer, form_string, at_language, form_data2, at_name, form_string, at_comp_dir, form_string,
         at_low_pc, form_addr, at_high_pc, form_data8, at_stmt_list, form_sec_offset});
  entry(2, tag_subprogram, false,
        {at_name, form_string, at_linkage_name, form_string, at_low_pc, form_addr, at_high_pc, form_data8,
         at_external, form_flag_present});
  w.u8(0);
  return std::move(w.out);
}

std::string units(const CodeLines& lines) {
  Bytes w;
  w.number<uint32_t>(0);
  w.number<uint16_t>(4);
  w.number<uint32_t>(0);  // of the abbreviations
  w.u8(sizeof(uintptr_t));
  w.uleb(1);
  w.text("heddle");
  w.number<uint16_t>(language_cpp);
  w.text(lines.files.empty() ? "kernel" : lines.files.front());
  std::array<char, PATH_MAX> directory{};
  w.text(getcwd(directory.data(), directory.size()) != nullptr ? directory.data() : "/");
  w.number<uint64_t>(lines.begin);
  w.number<uint64_t>(lines.end - lines.begin);
  w.number<uint32_t>(0);  // of the lines
  for (const CodeLines::Function& f : lines.functions) {
    w.uleb(2);
    w.text(f.name), w.text(f.name);
    w.number<uint64_t>(f.begin);
    w.number<uint64_t>(f.bytes);
  }
  w.u8(0);
  w.patch(0, static_cast<uint32_t>(w.out.size() - sizeof(uint32_t)));
  return std::move(w.out);
}

std::string line_table(const CodeLines& lines) {
  Bytes w;
  w.number<uint32_t>(0);
  w.number<uint16_t>(4);
  const std::size_t header = w.out.size();
  w.number<uint32_t>(0);
  w.u8(1), w.u8(1), w.u8(1);  // bytes of the least instruction, operations in one, rows are statements
  w.u8(0), w.u8(1);           // special opcodes: none are written
  constexpr std::array<unsigned, 12> operands{0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
  w.u8(operands.size() + 1);
  for (const unsigned n : operands) w.u8(n);
  w.u8(0);  // directories
  for (const std::string& file : lines.files) w.text(file), w.uleb(0), w.uleb(0), w.uleb(0);
  w.u8(0);
  w.patch(header, static_cast<uint32_t>(w.out.size() - header - sizeof(uint32_t)));

  uintptr_t address = lines.begin;
  uint32_t file = 1, line = 1;
  w.u8(0), w.uleb(1 + sizeof(uint64_t)), w.u8(lne_set_address), w.number<uint64_t>(address);
  for (const CodeLines::Row& row : lines.rows) {
    if (row.begin != address) w.u8(lns_advance_pc), w.uleb(row.begin - address);
    if (row.line != 0 && row.file + 1 != file) w.u8(lns_set_file), w.uleb(row.file + 1), file = row.file + 1;
    if (row.line != line) w.u8(lns_advance_line), w.sleb(int64_t{row.line} - line);
    w.u8(lns_copy);
    address = row.begin, line = row.line;
  }
  w.u8(lns_advance_pc), w.uleb(lines.end - address);
  w.u8(0), w.uleb(1), w.u8(lne_end_sequence);
  w.patch(0, static_cast<uint32_t>(w.out.size() - sizeof(uint32_t)));
  return std::move(w.out);
}

}  // namespace

std::string symbol_file(const CodeLines& lines) {
  enum : uint16_t { none, text, symbols, strings, abbrev, info, line, names, count };
  constexpr std::array<std::string_view, count> section_names{
      "", ".text", ".symtab", ".strtab", ".debug_abbrev", ".debug_info", ".debug_line", ".shstrtab"};
  std::array<std::string, count> contents;
  std::array<Elf64_Shdr, count> headers{};

  Bytes table, name_bytes;
  name_bytes.u8(0);
  table.number(Elf64_Sym{});
  for (const CodeLines::Function& f : lines.functions) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(name_bytes.out.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = text;
    symbol.st_value = f.begin;
    symbol.st_size = f.bytes;
    table.number(symbol);
    name_bytes.text(f.name);
  }
  contents[symbols] = std::move(table.out), contents[strings] = std::move(name_bytes.out);
  contents[abbrev] = abbreviations(), contents[info] = units(lines), contents[line] = line_table(lines);
  for (const std::string_view name : section_names)
    contents[names].append(name), contents[names].push_back('\0');

  std::size_t at = sizeof(Elf64_Ehdr), name_at = 0;
  for (unsigned i = none; i < count; ++i) {
    headers[i].sh_name = static_cast<Elf64_Word>(name_at);
    name_at += section_names[i].size() + 1;
    if (i == none) continue;
    headers[i].sh_type = i == text                    ? SHT_NOBITS
                         : i == symbols               ? SHT_SYMTAB
                         : i == strings || i == names ? SHT_STRTAB
                                                      : SHT_PROGBITS;
    headers[i].sh_offset = at;
    headers[i].sh_size = i == text ? lines.end - lines.begin : contents[i].size();
    headers[i].sh_addralign = 1;
    at += contents[i].size();
  }
  headers[text].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  headers[text].sh_addr = lines.begin;
  headers[symbols].sh_link = strings, headers[symbols].sh_info = 1;
  headers[symbols].sh_entsize = sizeof(Elf64_Sym);

  Elf64_Ehdr elf{};
  std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
  elf.e_ident[EI_CLASS] = ELFCLASS64, elf.e_ident[EI_DATA] = ELFDATA2LSB,
  elf.e_ident[EI_VERSION] = EV_CURRENT;
  elf.e_type = ET_EXEC, elf.e_machine = EM_X86_64, elf.e_version = EV_CURRENT;
  elf.e_ehsize = sizeof(Elf64_Ehdr), elf.e_shoff = at;
  elf.e_shentsize = sizeof(Elf64_Shdr), elf.e_shnum = count, elf.e_shstrndx = names;
  Bytes file;
  file.number(elf);
  for (const std::string& part : contents) file.out += part;
  for (const Elf64_Shdr& header : headers) file.number(header);
  return std::move(file.out);
}

}  // namespace heddle::exec::jit::debug
