// Source lines: .file tables of all modules become one, .loc entries know where their code was inlined.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "module/image.h"
#include "ptx/ast.h"

namespace heddle::module {

// The files and inlined function names of one module, as indices into Image::files and Image::strings.
class SourceFiles {
 public:
  SourceFiles(const ptx::Module& module, Image& image);
  uint32_t file(uint32_t number) const;  // 0 when the module has no such .file
  // The text at a label of .debug_str, plus `offset` bytes; 0 when it is not there.
  uint32_t inlined_name(NameId label, uint64_t offset);

 private:
  const ptx::Module& module_;
  Image& image_;
  std::unordered_map<uint32_t, uint32_t> files_;
  std::unordered_map<NameId, uint64_t> labels_;  // in strings_
  std::unordered_map<uint64_t, uint32_t> names_;
  std::string strings_;  // the bytes of .debug_str
};

// Makes Function::lines: each distinct place once.
class LineTable {
 public:
  explicit LineTable(SourceFiles& files) : files_(files) {}
  void begin();
  uint32_t add(const ptx::Location& location);  // its index
  std::vector<LineEntry> take() { return std::move(lines_); }

 private:
  struct Key {
    uint32_t file, line, column, inlined_at, name;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  uint32_t add(const Key& key);
  SourceFiles& files_;
  std::vector<LineEntry> lines_;
  std::unordered_map<Key, uint32_t, Hash> known_;
  std::unordered_map<Key, uint32_t, Hash> latest_;  // by file, line, column alone: the last entry there
};

}  // namespace heddle::module
