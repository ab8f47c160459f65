// Reads a loaded file's symbol table. Nothing of the file is trusted: offsets are held to its size.
#define _GNU_SOURCE
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "redirect.h"

static const void* part(struct Image image, uint64_t offset, uint64_t size) {
  return offset <= image.size && size <= image.size - offset ? image.bytes + offset : NULL;
}

// NULL unless the text ends inside of the table.
static const char* text_at(struct Image table, uint64_t offset) {
  if (offset >= table.size || memchr(table.bytes + offset, '\0', table.size - offset) == NULL) return NULL;
  return table.bytes + offset;
}

static struct Image contents(struct Image image, const Elf64_Shdr* section) {
  struct Image none = {NULL, 0};
  if (section->sh_type == SHT_NOBITS) return none;
  const char* bytes = part(image, section->sh_offset, section->sh_size);
  struct Image table = {bytes, bytes == NULL ? 0 : section->sh_size};
  return table;
}

static int is_runtime_name(const char* name) {
  return strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0;
}

struct Tables {
  struct Image symbols, strings;
  const Elf64_Shdr* sections;
  size_t section_count;
};

static size_t symbol_count(const struct Tables* tables) { return tables->symbols.size / sizeof(Elf64_Sym); }

static Elf64_Sym symbol_at(const struct Tables* tables, size_t index) {
  Elf64_Sym symbol;
  memcpy(&symbol, tables->symbols.bytes + index * sizeof symbol, sizeof symbol);
  return symbol;
}

// How many bytes may be written at the function: behind a short one comes padding, up to the next symbol or
// the section's end.
static uint64_t room_of(const struct Tables* tables, const Elf64_Sym* function) {
  if (function->st_shndx >= tables->section_count) return function->st_size;
  const Elf64_Shdr* section = &tables->sections[function->st_shndx];
  uint64_t end = section->sh_addr + section->sh_size;
  for (size_t i = 1; i < symbol_count(tables); ++i) {
    const Elf64_Sym other = symbol_at(tables, i);
    const int beside = other.st_shndx == function->st_shndx && other.st_value > function->st_value;
    if (beside && other.st_value < end) end = other.st_value;
  }
  return end > function->st_value ? end - function->st_value : 0;
}

static void add_function(const char* name, char* address, uint64_t room, struct Runtime* found) {
  struct Function* grown = realloc(found->functions, (found->count + 1) * sizeof *grown);
  if (grown == NULL) return;
  found->functions = grown;
  const struct Function function = {strdup(name), address, room};
  if (function.name != NULL) found->functions[found->count++] = function;
}

static void read_symbols(const struct Tables* tables, char* base, int dynamic, struct Runtime* found) {
  for (size_t i = 1; i < symbol_count(tables); ++i) {
    const Elf64_Sym symbol = symbol_at(tables, i);
    const char* name = text_at(tables->strings, symbol.st_name);
    if (name == NULL) continue;
    if (strcmp(name, "heddle_addresses") == 0 || strcmp(name, "heddle_find") == 0) found->is_ours = 1;
    const int defined = symbol.st_shndx != SHN_UNDEF;
    if (!defined && strcmp(name, "__cudaRegisterFatBinary") == 0) found->imports_registering = 1;
    if (dynamic || !defined || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !is_runtime_name(name)) continue;
    const uint64_t room = symbol.st_size >= jump_bytes ? symbol.st_size : room_of(tables, &symbol);
    add_function(name, base + symbol.st_value, room, found);
  }
}

int find_runtime(struct Image image, char* base, struct Runtime* found) {
  memset(found, 0, sizeof *found);
  Elf64_Ehdr header;
  if (image.size < sizeof header) return 0;
  memcpy(&header, image.bytes, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return 0;
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff % 8 != 0) return 0;
  const Elf64_Shdr* sections = part(image, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr));
  if (sections == NULL || header.e_shstrndx >= header.e_shnum) return 0;
  const struct Image names = contents(image, &sections[header.e_shstrndx]);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr* section = &sections[i];
    const char* name = text_at(names, section->sh_name);
    if (name != NULL && strcmp(name, ".nvFatBinSegment") == 0) found->registers_code = 1;
    const int dynamic = section->sh_type == SHT_DYNSYM;
    if ((!dynamic && section->sh_type != SHT_SYMTAB) || section->sh_link >= header.e_shnum) continue;
    if (!dynamic) found->has_symbols = 1;
    const struct Tables tables = {contents(image, section), contents(image, &sections[section->sh_link]),
                                  sections, header.e_shnum};
    read_symbols(&tables, base, dynamic, found);
  }
  // A program without symbols may still have our own runtime inside; that names the library it loads.
  static const char mark[] = "libheddle.so.0";
  if (found->registers_code && !found->has_symbols &&
      memmem(image.bytes, image.size, mark, sizeof mark) != NULL)
    found->is_ours = 1;
  return 1;
}

void forget_runtime(struct Runtime* runtime) {
  for (size_t i = 0; i < runtime->count; ++i) free(runtime->functions[i].name);
  free(runtime->functions);
  memset(runtime, 0, sizeof *runtime);
}
