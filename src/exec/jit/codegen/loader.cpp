#include "exec/jit/codegen/loader.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "exec/jit/codegen/compilers.h"
#include "exec/jit/codegen/lines.h"

namespace heddle::exec::jit {

namespace {

// Relocation types that elf.h of older systems lacks.
constexpr uint32_t got_relaxable = 41, got_relaxable_rex = 42;

// What pages a section needs; the order in memory.
enum class Pages : uint8_t { code, constants, variables };
constexpr size_t page_kinds = 3;

struct Section {
  Elf64_Shdr header{};
  std::string_view name;
  bool loaded = false;
  Pages pages = Pages::code;
  uint64_t offset = 0;  // in the mapping
};

const Compilers* compilers_now() {
  std::string why;
  return heddle_compilers(why);
}

class LoadedCode final : public Code {
 public:
  ~LoadedCode() override {
    if (map_) munmap(map_, map_bytes_);
  }
  void* find(std::string_view symbol) const override {
    auto found = functions_.find(symbol);
    return found == functions_.end() ? nullptr : map_ + found->second;
  }
  uintptr_t begin() const override { return reinterpret_cast<uintptr_t>(map_); }
  uintptr_t end() const override { return begin() + code_bytes_; }
  Place place(uintptr_t pc) const override {
    for (const Range& r : ranges_) {
      if (pc - begin() - r.offset >= r.bytes) continue;
      const Compilers* const compilers = compilers_now();
      return compilers == nullptr ? Place{}
                                  : compilers->find_line(object_, r.section, pc - begin() - r.offset);
    }
    return {};
  }
  std::vector<Function> functions() const override {
    std::vector<Function> all;
    for (const auto& [name, offset] : functions_)
      if (offset < code_bytes_) all.push_back({name, begin() + offset});
    return all;
  }
  std::vector<std::pair<uintptr_t, Place>> places() const override {
    std::vector<std::pair<uintptr_t, Place>> all;
    const Compilers* const compilers = compilers_now();
    if (compilers == nullptr) return all;
    for (const Range& r : ranges_) {
      for (const auto& [offset, place] : compilers->find_lines(object_, r.section))
        all.emplace_back(begin() + r.offset + offset, place);
      if (all.empty() || all.back().second.line != 0) all.emplace_back(begin() + r.offset + r.bytes, Place{});
    }
    std::ranges::sort(all, {}, in_order);
    return all;
  }

  struct Range {
    uint64_t section, offset, bytes;
  };
  std::string object_;
  std::map<std::string, uint64_t, std::less<>> functions_;  // by name: offset in the mapping
  std::vector<Range> ranges_;                               // sections of instructions
  std::byte* map_ = nullptr;
  size_t map_bytes_ = 0, code_bytes_ = 0;
};

// Reads the object and builds the code. Every number of the file is checked before it is used.
class Loader {
 public:
  Loader(std::string bytes, const std::function<const void*(std::string_view)>& find)
      : code_(std::make_shared<LoadedCode>()), find_(find) {
    code_->object_ = std::move(bytes);
    file_ = code_->object_;
  }

  Result<std::shared_ptr<Code>, std::string> run() {
    if (!read_sections() || !read_symbols() || !place_sections() || !copy() || !relocate() || !protect()) {
      return "machine code: " + error_;
    }
    return std::shared_ptr<Code>(std::move(code_));
  }

 private:
  static constexpr uint64_t stub_bytes = 16, slot_bytes = 8;

  bool fail(std::string what) {
    error_ = std::move(what);
    return false;
  }

  template <class T>
  bool read(uint64_t offset, T& out) const {
    if (offset > file_.size() || file_.size() - offset < sizeof(T)) return false;
    std::memcpy(&out, file_.data() + offset, sizeof(T));
    return true;
  }
  bool contains(uint64_t offset, uint64_t bytes) const {
    return offset <= file_.size() && bytes <= file_.size() - offset;
  }
  std::string_view text(const Section& strings, uint64_t at) const {
    if (at >= strings.header.sh_size || !contains(strings.header.sh_offset, strings.header.sh_size))
      return {};
    std::string_view all = file_.substr(strings.header.sh_offset, strings.header.sh_size);
    return all.substr(at, all.find('\0', at) - at);
  }

  bool read_sections() {
    Elf64_Ehdr header;
    if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_type != ET_REL || header.e_machine != EM_X86_64 ||
        header.e_shentsize != sizeof(Elf64_Shdr)) {
      return fail("not an x86-64 object");
    }
    sections_.resize(header.e_shnum);
    for (size_t i = 0; i < sections_.size(); ++i) {
      Elf64_Shdr& h = sections_[i].header;
      if (!read(header.e_shoff + i * sizeof(Elf64_Shdr), h)) return fail("sections past its end");
      if (h.sh_type != SHT_NOBITS && !contains(h.sh_offset, h.sh_size)) {
        return fail("a section past its end");
      }
    }
    if (header.e_shstrndx >= sections_.size()) return fail("no names of sections");
    for (Section& s : sections_) s.name = text(sections_[header.e_shstrndx], s.header.sh_name);
    return true;
  }

  bool read_symbols() {
    for (const Section& s : sections_) {
      if (s.header.sh_type != SHT_SYMTAB) continue;
      if (s.header.sh_link >= sections_.size()) return fail("no names of symbols");
      strings_ = s.header.sh_link;
      symbols_.resize(s.header.sh_size / sizeof(Elf64_Sym));
      for (size_t i = 0; i < symbols_.size(); ++i) {
        (void)read(s.header.sh_offset + i * sizeof(Elf64_Sym), symbols_[i]);
      }
    }
    return true;
  }

  bool place_sections() {
    const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    uint64_t end = 0;
    for (size_t kind = 0; kind < page_kinds; ++kind) {
      end = (end + page - 1) / page * page;
      start_[kind] = end;
      for (Section& s : sections_) {
        const Elf64_Shdr& h = s.header;
        // Tables for unwinding are not loaded: nothing unwinds kernels.
        if (!(h.sh_flags & SHF_ALLOC) || h.sh_size == 0 || s.name == ".eh_frame") continue;
        if (h.sh_flags & SHF_TLS) return fail("thread-local data");
        s.pages = h.sh_flags & SHF_EXECINSTR ? Pages::code
                  : h.sh_flags & SHF_WRITE   ? Pages::variables
                                             : Pages::constants;
        if (static_cast<size_t>(s.pages) != kind) continue;
        const uint64_t align = std::max<uint64_t>(h.sh_addralign, 1);
        if (align > page || (align & (align - 1)) != 0) return fail("an alignment past a page");
        end = (end + align - 1) & ~(align - 1);
        if (h.sh_size > max_bytes - end) return fail("too large");
        s.offset = end;
        s.loaded = true;
        end += h.sh_size;
        if (end > max_bytes) return fail("too large");
      }
      if (kind == static_cast<size_t>(Pages::code)) {
        end = (end + stub_bytes - 1) / stub_bytes * stub_bytes;
        stubs_ = end;
        end += symbols_.size() * stub_bytes;
        code_->code_bytes_ = end;
      } else if (kind == static_cast<size_t>(Pages::constants)) {
        end = (end + slot_bytes - 1) / slot_bytes * slot_bytes;
        slots_ = end;
        end += symbols_.size() * slot_bytes;
      }
    }
    bytes_ = (end + page - 1) / page * page;
    return true;
  }

  bool copy() {
    void* map = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return fail("no memory for " + std::to_string(bytes_) + " bytes");
    code_->map_ = static_cast<std::byte*>(map);
    code_->map_bytes_ = bytes_;
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Section& s = sections_[i];
      if (!s.loaded) continue;
      if (s.header.sh_type != SHT_NOBITS) {
        std::memcpy(code_->map_ + s.offset, file_.data() + s.header.sh_offset, s.header.sh_size);
      }
      if (s.pages == Pages::code) code_->ranges_.push_back({i, s.offset, s.header.sh_size});
    }
    for (const Elf64_Sym& symbol : symbols_) {
      const Section* s = section_of(symbol);
      if (!s || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
          symbol.st_value >= s->header.sh_size) {
        continue;
      }
      code_->functions_.emplace(text(sections_[strings_], symbol.st_name), s->offset + symbol.st_value);
    }
    return true;
  }

  const Section* section_of(const Elf64_Sym& symbol) const {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= sections_.size()) return nullptr;
    const Section& s = sections_[symbol.st_shndx];
    return s.loaded ? &s : nullptr;
  }

  uint64_t address(uint64_t offset) const { return reinterpret_cast<uint64_t>(code_->map_) + offset; }

  // S of the psABI: where the symbol is.
  bool resolve(uint32_t index, uint64_t& out) {
    if (index >= symbols_.size()) return fail("a symbol that is not there");
    const Elf64_Sym& symbol = symbols_[index];
    if (const Section* s = section_of(symbol)) {
      out = address(s->offset) + symbol.st_value;
      return true;
    }
    std::string_view name = text(sections_[strings_], symbol.st_name);
    if (symbol.st_shndx != SHN_UNDEF)
      return fail("symbol '" + std::string(name) + "' in a section of no memory");
    const void* found = find_(name);
    if (!found) return fail("calls '" + std::string(name) + "', which is not there");
    out = reinterpret_cast<uint64_t>(found);
    return true;
  }

  // `jmp *slot(%rip)`: for a call of what may be farther than 2 GiB. Jumps over the address behind it.
  uint64_t stub(uint32_t index, uint64_t target) {
    std::byte* at = code_->map_ + stubs_ + index * stub_bytes;
    const std::array<uint8_t, 6> jump{0xff, 0x25, 0, 0, 0, 0};
    std::memcpy(at, jump.data(), jump.size());
    std::memcpy(at + jump.size(), &target, sizeof target);
    return reinterpret_cast<uint64_t>(at);
  }

  uint64_t slot(uint32_t index, uint64_t target) {
    std::byte* at = code_->map_ + slots_ + index * slot_bytes;
    std::memcpy(at, &target, sizeof target);
    return reinterpret_cast<uint64_t>(at);
  }

  bool relocate() {
    for (const Section& s : sections_) {
      if (s.header.sh_type != SHT_RELA) continue;
      if (s.header.sh_info >= sections_.size()) return fail("relocations of a section that is not there");
      const Section& of = sections_[s.header.sh_info];
      if (!of.loaded || of.header.sh_type == SHT_NOBITS) continue;
      for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= s.header.sh_size; at += sizeof(Elf64_Rela)) {
        Elf64_Rela relocation;
        (void)read(s.header.sh_offset + at, relocation);
        if (!apply(of, relocation)) return false;
      }
    }
    return true;
  }

  bool apply(const Section& of, const Elf64_Rela& r) {
    const uint32_t type = ELF64_R_TYPE(r.r_info), index = ELF64_R_SYM(r.r_info);
    if (type == R_X86_64_NONE) return true;
    uint64_t value = 0;
    if (!resolve(index, value)) return false;
    const uint64_t where = address(of.offset) + r.r_offset, addend = static_cast<uint64_t>(r.r_addend);
    switch (type) {
      case R_X86_64_64: return patch<uint64_t>(of, r, value + addend);
      case R_X86_64_PC64: return patch<uint64_t>(of, r, value + addend - where);
      case R_X86_64_32S:
      case R_X86_64_PC32: {
        const uint64_t full = value + addend - (type == R_X86_64_PC32 ? where : 0);
        if (!fits(full)) return fail("an address too far away");
        return patch<uint32_t>(of, r, static_cast<uint32_t>(full));
      }
      case R_X86_64_PLT32: {
        uint64_t near = value + addend - where;
        if (!fits(near)) near = stub(index, value) + addend - where;
        return patch<uint32_t>(of, r, static_cast<uint32_t>(near));
      }
      case R_X86_64_GOTPCREL:
      case got_relaxable:
      case got_relaxable_rex:
        return patch<uint32_t>(of, r, static_cast<uint32_t>(slot(index, value) + addend - where));
      default: return fail("a relocation of type " + std::to_string(type));
    }
  }

  static bool fits(uint64_t value) {
    return static_cast<int64_t>(value) == static_cast<int32_t>(static_cast<uint32_t>(value));
  }

  template <class T>
  bool patch(const Section& of, const Elf64_Rela& r, T value) {
    if (r.r_offset > of.header.sh_size || of.header.sh_size - r.r_offset < sizeof(T)) {
      return fail("a relocation past its section");
    }
    std::memcpy(code_->map_ + of.offset + r.r_offset, &value, sizeof value);
    return true;
  }

  bool protect() {
    const std::array<int, page_kinds> access{PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
    for (size_t kind = 0; kind < page_kinds; ++kind) {
      const uint64_t end = kind + 1 < page_kinds ? start_[kind + 1] : bytes_;
      if (end > start_[kind] && mprotect(code_->map_ + start_[kind], end - start_[kind], access[kind]) != 0) {
        return fail("the system refuses executable memory");
      }
    }
    return true;
  }

  static constexpr uint64_t max_bytes = uint64_t{1} << 30;

  std::shared_ptr<LoadedCode> code_;
  const std::function<const void*(std::string_view)>& find_;
  std::string_view file_;
  std::string error_;
  std::vector<Section> sections_;
  std::vector<Elf64_Sym> symbols_;
  size_t strings_ = 0;
  std::array<uint64_t, page_kinds> start_{};
  uint64_t stubs_ = 0, slots_ = 0, bytes_ = 0;
};

}  // namespace

Result<std::shared_ptr<Code>, std::string> load_object(
    std::string bytes, const std::function<const void*(std::string_view)>& find) {
  return Loader(std::move(bytes), find).run();
}

}  // namespace heddle::exec::jit
