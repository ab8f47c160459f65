// Source text and places in it. A place is a byte offset; line and column are computed when a message is
// printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

struct LineColumn {
  uint32_t line = 1;    // from 1
  uint32_t column = 1;  // from 1, in bytes
};

class SourceText {
 public:
  SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  LineColumn locate(uint32_t offset) const;
  std::string_view line(uint32_t number) const;  // without its newline; empty past the end

 private:
  const std::vector<uint32_t>& line_starts() const;
  std::string name_;
  std::string text_;
  mutable std::vector<uint32_t> line_starts_;  // built on first use
};

struct SourceSpan {
  uint32_t begin = 0;  // byte offsets
  uint32_t end = 0;
};

}  // namespace heddle
