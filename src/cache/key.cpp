#include "cache/key.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "support/beside.h"
#include "support/version.h"

namespace heddle::cache {

void KeyHash::add(std::span<const std::byte> bytes) {
  add(uint64_t{bytes.size()});
  hash_.add(bytes);
}

void KeyHash::add(std::string_view text) { add(std::as_bytes(std::span(text))); }

void KeyHash::add(uint64_t number) {
  std::array<std::byte, 8> bytes;
  std::memcpy(bytes.data(), &number, bytes.size());
  hash_.add(bytes);
}

Digest KeyHash::digest() const {
  Digest out;
  Blake2b(hash_).finish(out);
  return out;
}

namespace {

// The build id note of the executable or library that holds `address`.
struct Note {
  uintptr_t address = 0;
  std::string id;
};

// The build id among `left` bytes of notes; empty: it is not there.
std::string build_id(const std::byte* at, uint64_t left) {
  while (left >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) n;
    std::memcpy(&n, at, sizeof n);
    const uint64_t name_bytes = (uint64_t{n.n_namesz} + 3) & ~uint64_t{3};
    const uint64_t bytes = (uint64_t{n.n_descsz} + 3) & ~uint64_t{3};
    const uint64_t all = sizeof n + name_bytes + bytes;
    if (all > left) break;
    if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && std::memcmp(at + sizeof n, "GNU", 4) == 0)
      return {reinterpret_cast<const char*>(at + sizeof n + name_bytes), n.n_descsz};
    at += all;
    left -= all;
  }
  return {};
}

// That of a library that is not loaded. Linkers write it into the first page.
std::string build_id_of(const std::string& path) {
  std::array<std::byte, 4096> page;
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(page.data()), page.size());
  const auto size = static_cast<uint64_t>(file.gcount());
  ElfW(Ehdr) header;
  if (size < sizeof header) return {};
  std::memcpy(&header, page.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) h;
    const uint64_t at = header.e_phoff + i * sizeof h;
    if (at > size || size - at < sizeof h) break;
    std::memcpy(&h, page.data() + at, sizeof h);
    if (h.p_type != PT_NOTE || h.p_offset > size || size - h.p_offset < h.p_filesz) continue;
    if (std::string id = build_id(page.data() + h.p_offset, h.p_filesz); !id.empty()) return id;
  }
  return {};
}

int read_note(dl_phdr_info* info, size_t, void* argument) {
  Note& note = *static_cast<Note*>(argument);
  std::span headers(info->dlpi_phdr, info->dlpi_phnum);
  bool holds = false;
  for (const auto& h : headers) {
    holds |= h.p_type == PT_LOAD && note.address - (info->dlpi_addr + h.p_vaddr) < h.p_memsz;
  }
  if (!holds) return 0;
  for (const auto& h : headers) {
    if (h.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const std::byte*>(info->dlpi_addr + h.p_vaddr);
    if (std::string id = build_id(at, h.p_memsz); !id.empty()) note.id = std::move(id);
  }
  return 1;
}

}  // namespace

const Digest& build_identity() {
  static const Digest identity = [] {
    KeyHash hash;
    hash.add(version());
    Note note{reinterpret_cast<uintptr_t>(&build_identity), {}};
    dl_iterate_phdr(read_note, &note);
    hash.add(note.id);
    hash.add(build_id_of(beside_this_library(compilers_file)));
    if (note.id.empty()) {  // a linker that leaves none: the file's time and size have to do
      Dl_info where{};
      struct stat status{};
      if (dladdr(reinterpret_cast<const void*>(note.address), &where) != 0 &&
          stat(where.dli_fname, &status) == 0) {
        hash.add(std::string_view(where.dli_fname));
        hash.add(static_cast<uint64_t>(status.st_size));
        hash.add(static_cast<uint64_t>(status.st_mtim.tv_sec));
        hash.add(static_cast<uint64_t>(status.st_mtim.tv_nsec));
      }
    }
    return hash.digest();
  }();
  return identity;
}

}  // namespace heddle::cache
