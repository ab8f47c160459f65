#include "support/static_objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace heddle {

namespace {

#if defined(__x86_64__) && defined(__GLIBC__)

int never_destroyed(void (*)(void*), void*, void*) { return 0; }

const link_map* library_of(const void* address) {
  Dl_info info{};
  link_map* found = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&found), RTLD_DL_LINKMAP) == 0) return nullptr;
  return found;
}

// What the dynamic section says; the loader has made its addresses those of this process.
class Dynamic {
 public:
  explicit Dynamic(const link_map& library) : base_(library.l_addr) {
    for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) switch (entry->d_tag) {
        case DT_JMPREL: calls_ = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
        case DT_PLTRELSZ: calls_bytes_ = entry->d_un.d_val; break;
        case DT_RELA: others_ = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
        case DT_RELASZ: others_bytes_ = entry->d_un.d_val; break;
        case DT_RELACOUNT: nameless_ = entry->d_un.d_val; break;
        case DT_SYMTAB: symbols_ = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr); break;
        case DT_STRTAB: names_ = reinterpret_cast<const char*>(entry->d_un.d_ptr); break;
        default: break;
      }
  }

  template <class F>
  void each_reference(std::string_view name, F do_with) const {
    if (symbols_ == nullptr || names_ == nullptr) return;
    const std::span others(others_, others_bytes_ / sizeof(ElfW(Rela)));
    for (const auto& all : {std::span(calls_, calls_bytes_ / sizeof(ElfW(Rela))),
                            others.subspan(std::min<uint64_t>(nameless_, others.size()))})
      for (const ElfW(Rela) & one : all) {
        const uint64_t type = ELF64_R_TYPE(one.r_info);
        if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
        if (names_ + symbols_[ELF64_R_SYM(one.r_info)].st_name == name)
          do_with(reinterpret_cast<void**>(base_ + one.r_offset));
      }
  }

 private:
  uint64_t base_ = 0;
  const ElfW(Rela) * calls_ = nullptr, *others_ = nullptr;
  uint64_t calls_bytes_ = 0, others_bytes_ = 0;
  uint64_t nameless_ = 0;  // that come first of the others: in LLVM's library 311,000 of 333,000
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
};

// The page may be read-only by now (relro), and is left writable: what else lies there may not be.
bool set(void** slot, void* value) {
  const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t page = reinterpret_cast<uint64_t>(slot) & ~(page_bytes - 1);
  if (mprotect(reinterpret_cast<void*>(page), page_bytes, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
  return true;
}

#endif

}  // namespace

bool keep_static_objects([[maybe_unused]] const void* address) {
#if defined(__x86_64__) && defined(__GLIBC__)
  const link_map* const library = library_of(address);
  if (library == nullptr || library == library_of(reinterpret_cast<const void*>(&never_destroyed)))
    return false;
  bool done = false;
  Dynamic(*library).each_reference(
      "__cxa_atexit", [&](void** slot) { done |= set(slot, reinterpret_cast<void*>(&never_destroyed)); });
  return done;
#else
  return false;
#endif
}

}  // namespace heddle
