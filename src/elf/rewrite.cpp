#include "elf/rewrite.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "elf/bytes.h"
#include "elf/sections.h"

namespace heddle::elf {

namespace {

template <class T>
void put(std::string& bytes, uint64_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

void align(std::string& bytes, uint64_t alignment) {
  if (alignment > 1) bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

// Where a place of the old content is in the new one.
uint64_t moved(const std::vector<NewContent::Move>& moves, uint64_t place) {
  const auto behind = std::ranges::upper_bound(moves, place, std::ranges::less{}, &NewContent::Move::from);
  if (behind == moves.begin()) return place;
  const NewContent::Move& move = *(behind - 1);
  return move.to + (place - move.from);
}

class ElfRewriter {
 public:
  ElfRewriter(const std::string& name, std::string_view bytes) : name_(name), bytes_(bytes) {}

  Result<std::string> run(const Replace& replace) {
    if (auto read = read_sections(); !read) return read.error();
    for (std::size_t i = 0; i < sections_.size(); ++i)
      if (auto content = replace(name_, {name_of(i), std::string_view(contents_[i])}))
        replaced_.emplace(i, std::move(*content));
    if (replaced_.empty()) return std::string(bytes_);
    for (auto& [i, content] : replaced_) contents_[i] = content.bytes;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (sections_[i].sh_type == SHT_SYMTAB) move_symbols(i);
      if (sections_[i].sh_type == SHT_RELA) move_relocations(i);
    }
    return write();
  }

 private:
  Status<> read_sections() {
    auto table = elf::read_sections(name_, bytes_);
    if (!table) return table.error();
    if (table->header.e_type != ET_REL) return Error{"'" + name_ + "' is not relocatable"};
    header_ = table->header;
    sections_ = std::move(table->sections);
    uint64_t used = 0;
    for (const Elf64_Shdr& section : sections_) {
      const bool empty = section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL;
      const auto content = part(bytes_, section.sh_offset, empty ? 0 : section.sh_size);
      if (!empty && !content) return bad(name_, "a section goes beyond its end");
      // Each becomes a copy of its own.
      used += empty ? 0 : section.sh_size;
      if (used > bytes_.size()) return bad(name_, "its sections overlap");
      contents_.emplace_back(content.value_or(std::string_view()));
    }
    if (table->names < contents_.size()) names_ = contents_[table->names];
    return Unit{};
  }
  std::string_view name_of(std::size_t i) const { return text_at(names_, sections_[i].sh_name); }

  const NewContent* replaced(uint64_t section) const {
    const auto found = replaced_.find(section);
    return found == replaced_.end() ? nullptr : &found->second;
  }

  void move_symbols(std::size_t table) {
    std::string& bytes = contents_[table];
    for (uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= bytes.size(); offset += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol = *at<Elf64_Sym>(bytes, offset);
      const NewContent* const content = replaced(symbol.st_shndx);
      if (content == nullptr || ELF64_ST_TYPE(symbol.st_info) == STT_SECTION) continue;
      symbol.st_value = moved(content->moves, symbol.st_value);
      const uint64_t rest =
          content->bytes.size() - std::min<uint64_t>(content->bytes.size(), symbol.st_value);
      symbol.st_size = std::min<uint64_t>(symbol.st_size, rest);
      put(bytes, offset, symbol);
    }
  }

  // What refers to a section as a whole has the place in its addend.
  void move_relocations(std::size_t table) {
    const uint64_t symbols = sections_[table].sh_link;
    if (symbols >= contents_.size()) return;
    std::string& bytes = contents_[table];
    for (uint64_t offset = 0; offset + sizeof(Elf64_Rela) <= bytes.size(); offset += sizeof(Elf64_Rela)) {
      Elf64_Rela relocation = *at<Elf64_Rela>(bytes, offset);
      const auto symbol =
          at<Elf64_Sym>(contents_[symbols], ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym));
      if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_SECTION) continue;
      const NewContent* const content = replaced(symbol->st_shndx);
      if (content == nullptr || relocation.r_addend < 0) continue;
      relocation.r_addend =
          static_cast<int64_t>(moved(content->moves, static_cast<uint64_t>(relocation.r_addend)));
      put(bytes, offset, relocation);
    }
  }

  // The sections in their order in the file, and their headers behind them.
  std::string write() {
    std::vector<std::size_t> order(sections_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(sections_[i].sh_offset, i); });
    std::string out(sizeof(Elf64_Ehdr), '\0');
    for (const std::size_t i : order) {
      Elf64_Shdr& section = sections_[i];
      if (section.sh_type == SHT_NULL) continue;
      align(out, std::min<uint64_t>(section.sh_addralign, 4096));
      section.sh_offset = out.size();
      if (section.sh_type == SHT_NOBITS) continue;
      section.sh_size = contents_[i].size();
      out += contents_[i];
    }
    align(out, alignof(Elf64_Shdr));
    header_.e_shoff = out.size();
    for (const Elf64_Shdr& section : sections_)
      out.append(reinterpret_cast<const char*>(&section), sizeof section);
    put(out, 0, header_);
    return out;
  }

  const std::string& name_;
  std::string_view bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
  std::vector<std::string> contents_;
  std::string names_;
  std::map<uint64_t, NewContent> replaced_;
};

// The index of an archive's symbols has their number, and of each where its member is: big-endian numbers of
// 32 bits, or of 64 bits where it is called "/SYM64/".
void move_index(std::string& index, std::size_t word, const std::map<uint64_t, uint64_t>& places) {
  const auto number = [&](std::size_t offset) {
    uint64_t value = 0;
    for (std::size_t i = 0; i < word; ++i) value = value << 8 | static_cast<unsigned char>(index[offset + i]);
    return value;
  };
  if (index.size() < word) return;
  const uint64_t count = std::min<uint64_t>(number(0), index.size() / word - 1);
  for (uint64_t i = 1; i <= count; ++i) {
    const auto found = places.find(number(i * word));
    if (found == places.end()) continue;
    for (std::size_t k = 0; k < word; ++k)
      index[(i + 1) * word - 1 - k] = static_cast<char>(found->second >> (8 * k));
  }
}

Result<std::string> rewrite_archive(const std::string& name, std::string_view bytes, const Replace& replace) {
  std::string out(archive_magic);
  std::map<uint64_t, uint64_t> places;
  struct Index {
    std::size_t offset, bytes, word;
  };
  std::vector<Index> indices;
  std::optional<Error> failed;
  const Status<> read = each_member(name, bytes, [&](const RawMember& member) {
    if (failed) return;
    places.emplace(member.offset, out.size());
    std::string content(member.bytes);
    if (!member.name.empty() && is_elf(member.bytes)) {
      auto made = rewrite(name + '(' + member.name + ')', member.bytes, replace);
      if (!made) {
        failed = made.error();
        return;
      }
      content = std::move(*made);
    }
    std::string header(member.header);
    std::string size = std::to_string(content.size());
    header.replace(48, 10, size.append(10 - std::min<std::size_t>(10, size.size()), ' '));
    out += header;
    if (member.title == "/" || member.title == "/SYM64/")
      indices.push_back({out.size(), content.size(), member.title == "/" ? std::size_t{4} : std::size_t{8}});
    out += content;
    if (content.size() % 2 != 0) out += '\n';
  });
  if (failed) return *failed;
  if (!read) return read.error();
  for (const Index& index : indices) {
    std::string moved_index = out.substr(index.offset, index.bytes);
    move_index(moved_index, index.word, places);
    out.replace(index.offset, index.bytes, moved_index);
  }
  return out;
}

}  // namespace

bool is_relocatable(std::string_view elf) {
  const auto header = at<Elf64_Ehdr>(elf, 0);
  return header && header->e_type == ET_REL;
}

Result<std::string> rewrite(const std::string& name, std::string_view bytes, const Replace& replace) {
  if (is_elf(bytes)) return ElfRewriter(name, bytes).run(replace);
  if (is_archive(bytes)) return rewrite_archive(name, bytes, replace);
  return bad(name, "it is neither an ELF file nor an archive");
}

}  // namespace heddle::elf
