#include "exec/source_line.h"

#include "support/toolkit_header.h"

namespace heddle::exec {

namespace {

SourceLine line_at(const module::Image& image, const module::LineEntry& entry) {
  SourceLine line;
  if (entry.file < image.files.size()) line.file = image.files[entry.file];
  line.line = entry.line;
  line.column = entry.column;
  line.own = !is_toolkit_header(line.file);
  return line;
}

}  // namespace

SourceLine source_line(const module::Image& image, const module::Function& function, uint32_t instruction) {
  SourceLine innermost;
  if (instruction >= function.code.size()) return innermost;
  uint32_t index = function.code[instruction].line;
  // Lines stand before those that were inlined into them; the count ends what does not.
  for (std::size_t steps = function.lines.size(); steps > 0 && index != 0 && index < function.lines.size();
       --steps, index = function.lines[index].inlined_at) {
    SourceLine line = line_at(image, function.lines[index]);
    if (line.own) return line;
    if (innermost.file.empty()) innermost = std::move(line);
  }
  return innermost;
}

}  // namespace heddle::exec
