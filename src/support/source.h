// Source text and places in it. A place is a byte offset; line and column are computed when a message is
// printed.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

struct LineColumn {
  uint32_t line = 1;    // from 1
  uint32_t column = 1;  // from 1, in bytes
};

// A place as a preprocessor's marks have it: `# 7 "k.cu"` says that the next line is line 7 of k.cu.
struct PresumedPlace {
  std::string_view file;
  uint32_t line = 1;
  uint32_t column = 1;
};

// Lines end in LF; a CR before it belongs to the line end. Safe to read from several threads.
class SourceText {
 public:
  SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  LineColumn locate(uint32_t offset) const;      // past the end: the place behind the last byte
  PresumedPlace presume(uint32_t offset) const;  // the same as locate() where no mark stands before
  std::string_view line(uint32_t number) const;  // without its line end; empty past the end

 private:
  struct LineMark {
    uint32_t from;  // the first line it is about
    uint32_t line;  // what that line is called
    std::string_view file;
  };
  const std::vector<uint32_t>& line_starts() const;
  void read_mark(std::string_view line, uint32_t next) const;
  std::string name_;
  std::string text_;
  mutable std::once_flag line_starts_once_;
  mutable std::vector<uint32_t> line_starts_;  // built on first use
  mutable std::vector<LineMark> marks_;        // together with them
};

struct SourceSpan {
  uint32_t begin = 0;  // byte offsets
  uint32_t end = 0;
};

}  // namespace heddle
