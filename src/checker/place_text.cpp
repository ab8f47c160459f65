#include "checker/place_text.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "exec/readable_name.h"
#include "exec/source_line.h"
#include "support/demangle.h"
#include "support/toolkit_header.h"

namespace heddle::checker {

namespace {

// Where the type that ends at `end` begins: behind what opens the list that it is in, or behind a comma.
std::size_t beginning_of_type(std::string_view text, std::size_t end) {
  int inside = 0;
  std::size_t at = end;
  for (; at > 0; --at) {
    const char c = text[at - 1];
    if (c == '>' || c == ')') ++inside;
    if ((c == '<' || c == '(') && inside-- == 0) break;
    if (c == ',' && inside == 0) break;
  }
  while (at < end && text[at] == ' ') ++at;
  return at;
}

// "int const*" as "const int*": what a pointer points to is const in front, as the real tool writes it.
void put_const_in_front(std::string& text) {
  constexpr std::string_view word = " const";
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at)) {
    const char before = text[at - 1], behind = at + word.size() < text.size() ? text[at + word.size()] : ' ';
    const bool of_a_type =
        before == '>' || before == '_' || std::isalnum(static_cast<unsigned char>(before)) != 0;
    at += word.size();
    if (!of_a_type || (behind != '*' && behind != '&' && behind != ',' && behind != '>')) continue;
    const std::size_t begin = beginning_of_type(text, at - word.size());
    text.erase(at - word.size(), word.size());
    text.insert(begin, "const ");
  }
}

}  // namespace

std::string function_text(const std::string& name) {
  std::string result = exec::readable_name(name);
  put_const_in_front(result);
  // A blank before the stars of a pointer.
  for (std::size_t at = 1; at < result.size(); ++at)
    if (result[at] == '*' && result[at - 1] != ' ' && result[at - 1] != '*' && result[at - 1] != '(')
      result.insert(at++, 1, ' ');
  return result;
}

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string PlaceText::text() const {
  std::string all = function + "+" + hex(offset);
  if (!file.empty()) return all + " in " + file + ":" + std::to_string(line);
  return all + (instruction.empty() ? "" : " at '" + instruction + "'");
}

std::string PlaceText::place() const {
  return function + ' ' + (file.empty() ? hex(offset) : file + ':' + std::to_string(line));
}

PlaceText place_text(const module::Image& image, observe::Place place) {
  const module::Function& function = image.functions[place.function];
  PlaceText text;
  text.function = function_text(function.name);
  if (function.entry && !function.name.starts_with("_Z")) text.function = function.name;
  text.offset = uint64_t{place.instruction} * 16;
  if (place.instruction < function.code.size())
    text.instruction = module::instruction_text(image, function, function.code[place.instruction]);
  exec::SourceLine line = exec::source_line(image, function, place.instruction);
  // Compilers give line 0 to what they have moved: of its neighbours, the one behind it that has a line.
  for (uint32_t next = place.instruction + 1; line.line == 0 && next < function.code.size(); ++next)
    if (exec::SourceLine other = exec::source_line(image, function, next); other.line != 0) line = other;
  if (!line.file.empty()) {
    text.path = line.file;
    text.file = line.file.substr(line.file.rfind('/') + 1);
    text.line = line.line;
  }
  return text;
}

CallText call_text(const module::Image& image, observe::Place place) {
  const module::Function& function = image.functions[place.function];
  const PlaceText known = place_text(image, place);
  CallText text{known.text(), {}};
  if (place.instruction >= function.code.size()) return text;
  uint32_t index = function.code[place.instruction].line;
  bool first = true;
  for (std::size_t steps = function.lines.size(); steps > 0 && index != 0 && index < function.lines.size();
       --steps, index = function.lines[index].inlined_at) {
    const module::LineEntry& entry = function.lines[index];
    if (entry.line == 0 || entry.file >= image.files.size() || is_toolkit_header(image.files[entry.file]))
      continue;
    PlaceText frame = known;
    if (entry.inlined_function != 0) frame.function = function_text(image.strings[entry.inlined_function]);
    frame.file = image.files[entry.file].substr(image.files[entry.file].rfind('/') + 1);
    frame.line = entry.line;
    if (first)
      text.at = frame.text();
    else
      text.frames += "\n        Device Frame: " + frame.text();
    first = false;
  }
  return text;
}

std::string triple(const std::array<uint32_t, 3>& v) {
  return '(' + std::to_string(v[0]) + ',' + std::to_string(v[1]) + ',' + std::to_string(v[2]) + ')';
}

std::array<uint32_t, 3> thread_index(const exec::Dim3& block, uint32_t thread) {
  return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

namespace {

// The functions of one file of the process, static ones included.
class SymbolsOfFile {
 public:
  explicit SymbolsOfFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    if (file < 0) return;
    if (fstat(file, &facts) == 0 && facts.st_size > static_cast<off_t>(sizeof(ElfW(Ehdr)))) {
      const auto size = static_cast<std::size_t>(facts.st_size);
      void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (bytes != MAP_FAILED) {
        read(static_cast<const char*>(bytes), size);
        munmap(bytes, size);
      }
    }
    close(file);
  }
  std::string name(uint64_t offset) const {
    auto after = functions_.upper_bound(offset);
    if (after == functions_.begin()) return {};
    const auto& [begin, function] = *std::prev(after);
    return offset < begin + function.second ? function.first : std::string();
  }

 private:
  void read(const char* bytes, std::size_t size) {
    const auto& head = *reinterpret_cast<const ElfW(Ehdr)*>(bytes);
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return;
    if (head.e_shoff > size || (size - head.e_shoff) / sizeof(ElfW(Shdr)) < head.e_shnum) return;
    const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(bytes + head.e_shoff);
    const auto inside = [&](const ElfW(Shdr) & s) {
      return s.sh_offset <= size && s.sh_size <= size - s.sh_offset;
    };
    for (unsigned i = 0; i < head.e_shnum; ++i) {
      const ElfW(Shdr)& table = sections[i];
      if ((table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) || table.sh_link >= head.e_shnum)
        continue;
      const ElfW(Shdr)& names = sections[table.sh_link];
      if (!inside(table) || !inside(names)) continue;
      const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(bytes + table.sh_offset);
      for (std::size_t s = 0; s < table.sh_size / sizeof(ElfW(Sym)); ++s) {
        const ElfW(Sym)& symbol = symbols[s];
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 ||
            symbol.st_name >= names.sh_size)
          continue;
        const char* name = bytes + names.sh_offset + symbol.st_name;
        functions_[symbol.st_value] = {std::string(name, strnlen(name, names.sh_size - symbol.st_name)),
                                       symbol.st_size};
      }
    }
  }
  std::map<uint64_t, std::pair<std::string, uint64_t>> functions_;
};

}  // namespace

std::vector<HostFrame> host_frames(const std::vector<const void*>& stack) {
  static std::mutex mutex;
  static auto& files = *new std::map<std::string, SymbolsOfFile>;
  std::vector<HostFrame> frames;
  const std::lock_guard lock(mutex);
  for (const void* address : stack) {
    Dl_info info{};
    link_map* map = nullptr;
    if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) continue;
    const std::string path = map == nullptr || map->l_name[0] == '\0' ? "/proc/self/exe" : map->l_name;
    const auto& symbols = files.try_emplace(path, path.c_str()).first->second;
    const uint64_t offset =
        reinterpret_cast<uint64_t>(address) - (map == nullptr ? 0 : static_cast<uint64_t>(map->l_addr));
    const std::string name = symbols.name(offset - 1);  // of the call, before the address to return to
    frames.push_back(
        {name.empty() ? name : demangled(name), offset, info.dli_fname == nullptr ? "" : info.dli_fname});
  }
  return frames;
}

std::string with_commas(uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string host_frames(const std::vector<const void*>& stack, const char* title) {
  if (stack.empty()) return {};
  std::string text = std::string("\n    Saved host backtrace up to driver entry point ") + title;
  for (const HostFrame& frame : host_frames(stack)) {
    text += "\n        Host Frame: " + (frame.function.empty() ? std::string() : frame.function + ' ') + '[' +
            hex(frame.offset) + "] in " + frame.module.substr(frame.module.rfind('/') + 1);
    if (frame.function == "main") break;
  }
  return text;
}

}  // namespace heddle::checker
