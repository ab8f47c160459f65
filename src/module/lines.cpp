#include "module/lines.h"

#include <algorithm>
#include <string_view>

namespace heddle::module {

namespace {

uint32_t index_in(std::vector<std::string>& list, std::unordered_map<std::string_view, uint32_t>& seen,
                  const std::string& text) {
  if (const auto found = seen.find(text); found != seen.end()) return found->second;
  list.push_back(text);
  seen.emplace(list.back(), static_cast<uint32_t>(list.size() - 1));
  return static_cast<uint32_t>(list.size() - 1);
}

// The bytes of a debug section and the places of its labels.
void read_strings(const ptx::Section& section, std::string& bytes,
                  std::unordered_map<NameId, uint64_t>& labels) {
  for (const ptx::SectionItem& item : section.items) {
    if (item.kind == ptx::SectionItem::Kind::label) {
      labels[item.label] = bytes.size();
      continue;
    }
    static constexpr unsigned widths[] = {1, 2, 4, 8};  // b8 b16 b32 b64
    const unsigned width = widths[static_cast<std::size_t>(item.kind)];
    for (uint32_t i = 0; i < item.count; ++i)
      for (unsigned byte = 0; byte < width; ++byte)
        bytes.push_back(static_cast<char>(section.values[item.first + i].number >> (8 * byte)));
  }
}

}  // namespace

SourceFiles::SourceFiles(const ptx::Module& module, Image& image) : module_(module), image_(image) {
  if (image.files.empty()) image.files.emplace_back();
  if (image.strings.empty()) image.strings.emplace_back();
  image.files.reserve(image.files.size() + module.files.size());  // `seen` views them
  std::unordered_map<std::string_view, uint32_t> seen;
  for (uint32_t i = 1; i < image.files.size(); ++i) seen.emplace(image.files[i], i);
  for (const ptx::FileEntry& entry : module.files)
    files_[entry.index] = index_in(image.files, seen, entry.path);
  for (const ptx::Section& section : module.sections)
    if (section.name == ".debug_str") read_strings(section, strings_, labels_);
}

uint32_t SourceFiles::file(uint32_t number) const {
  const auto found = files_.find(number);
  return found == files_.end() ? 0 : found->second;
}

uint32_t SourceFiles::inlined_name(NameId label, uint64_t offset) {
  const auto found = labels_.find(label);
  if (found == labels_.end()) return 0;
  const uint64_t begin = found->second + offset;
  if (begin < offset || begin >= strings_.size()) return 0;
  const auto [name, fresh] = names_.try_emplace(begin, 0);
  if (!fresh) return name->second;
  const std::size_t end = std::min(strings_.find('\0', begin), strings_.size());
  if (end == begin) return 0;
  image_.strings.push_back(strings_.substr(begin, end - begin));
  return name->second = static_cast<uint32_t>(image_.strings.size() - 1);
}

std::size_t LineTable::Hash::operator()(const Key& key) const {
  uint64_t state = uint64_t{key.line} << 32 | key.column;
  state = state * 0x9e3779b97f4a7c15 ^ (uint64_t{key.file} << 32 | key.inlined_at);
  state = state * 0x9e3779b97f4a7c15 ^ key.name;
  return static_cast<std::size_t>(state * 0x9e3779b97f4a7c15 >> 16);
}

void LineTable::begin() {
  lines_.assign(1, {});
  known_.clear();
  latest_.clear();
}

uint32_t LineTable::add(const Key& key) {
  const auto [known, fresh] = known_.try_emplace(key, static_cast<uint32_t>(lines_.size()));
  if (fresh) lines_.push_back({key.file, key.line, key.column, key.inlined_at, key.name});
  latest_[{key.file, key.line, key.column, 0, 0}] = known->second;
  return known->second;
}

// PTX ISA 11.5.3: what inlined_at names is the place of an earlier .loc, which may be inlined itself.
uint32_t LineTable::add(const ptx::Location& location) {
  Key key{files_.file(location.file), location.line, location.column, 0, 0};
  if (location.inlined) {
    const Key at{files_.file(location.at_file), location.at_line, location.at_column, 0, 0};
    const auto outer = latest_.find(at);
    key.inlined_at = outer != latest_.end() ? outer->second : add(at);
    key.name = files_.inlined_name(location.function_name, location.function_offset);
  }
  return add(key);
}

}  // namespace heddle::module
