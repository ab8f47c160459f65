#include "api/cuda_state/managed_section.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <fstream>
#include <map>
#include <mutex>
#include <vector>

namespace heddle::cuda {
namespace {

template <class T>
bool read_at(std::ifstream& file, uint64_t offset, T* to, std::size_t count = 1) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(
      file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T))));
}

// The whole files of the process are trusted; what is not as it should be is no section.
constexpr std::size_t most_names = std::size_t{1} << 20;

}  // namespace

std::optional<AddressRange> section_of_file(const std::string& path, std::string_view name) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file || !read_at(file, 0, &header) ||
      std::string_view(reinterpret_cast<char*>(header.e_ident), 4) != ELFMAG ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_shnum == 0 || header.e_shstrndx >= header.e_shnum)
    return std::nullopt;
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!read_at(file, header.e_shoff, sections.data(), sections.size())) return std::nullopt;
  const Elf64_Shdr& strings = sections[header.e_shstrndx];
  if (strings.sh_size == 0 || strings.sh_size > most_names) return std::nullopt;
  std::string names(strings.sh_size, '\0');
  if (!read_at(file, strings.sh_offset, names.data(), names.size())) return std::nullopt;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name >= names.size() || name != names.c_str() + section.sh_name) continue;
    return AddressRange{section.sh_addr, section.sh_addr + section.sh_size};
  }
  return std::nullopt;
}

std::optional<AddressRange> managed_section_near(const void* address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr)
    return std::nullopt;
  static std::mutex mutex;
  static auto* const known =
      new std::map<const void*, std::optional<AddressRange>>;  // by where it was loaded
  const std::lock_guard lock(mutex);
  const auto [entry, fresh] = known->try_emplace(info.dli_fbase);
  if (!fresh) return entry->second;
  // The program itself has no name of its own.
  const bool program = map->l_name == nullptr || map->l_name[0] == '\0';
  entry->second = section_of_file(program ? "/proc/self/exe" : map->l_name, managed_section);
  if (entry->second) {
    entry->second->begin += map->l_addr;
    entry->second->end += map->l_addr;
  }
  return entry->second;
}

}  // namespace heddle::cuda
