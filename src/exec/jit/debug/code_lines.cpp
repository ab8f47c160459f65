#include "exec/jit/debug/code_lines.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace heddle::exec::jit::debug {

SourceLine line_of(const module::Image& image, std::span<const Site> sites, uint32_t site) {
  SourceLine line;
  while (!line.own && site < sites.size()) {
    const Site& here = sites[site];
    if (here.function < image.functions.size()) {
      SourceLine found = source_line(image, image.functions[here.function], here.instruction);
      if (found.own || line.file.empty()) line = std::move(found);
    }
    site = here.called_from;
  }
  return line;
}

CodeNames names_of(const module::Image& image, const std::string& kernel, std::span<const Site> sites) {
  CodeNames names{kernel, {}};
  names.of_site.reserve(sites.size());
  for (uint32_t site = 0; site < sites.size(); ++site) names.of_site.push_back(line_of(image, sites, site));
  return names;
}

CodeLines lines_of(const Code& code, const CodeNames& names) {
  CodeLines lines;
  lines.begin = code.begin(), lines.end = code.end();
  // Parts of one kernel differ by a suffix that demanglers leave alone.
  for (const Code::Function& f : code.functions()) {
    const bool is_kernel = f.name == kernel_symbol;
    lines.functions.push_back(
        {is_kernel ? names.kernel : names.kernel + "." + std::string(f.name), f.begin, 0});
  }
  std::ranges::sort(lines.functions, {}, &CodeLines::Function::begin);
  for (std::size_t i = 0; i < lines.functions.size(); ++i) {
    const uintptr_t next = i + 1 < lines.functions.size() ? lines.functions[i + 1].begin : lines.end;
    lines.functions[i].bytes = next - lines.functions[i].begin;
  }
  std::map<std::string_view, uint32_t> known;
  for (const auto& [begin, place] : code.places()) {
    CodeLines::Row row{.begin = begin, .file = 0, .line = 0};
    if (place.line != 0 && place.line <= names.of_site.size()) {
      const SourceLine& line = names.of_site[place.line - 1];
      if (!line.file.empty()) {
        const auto [file, is_new] = known.try_emplace(line.file, lines.files.size());
        if (is_new) lines.files.push_back(line.file);
        row.file = file->second, row.line = line.line;
      }
    }
    if (!lines.rows.empty() && lines.rows.back().file == row.file && lines.rows.back().line == row.line)
      continue;
    lines.rows.push_back(row);
  }
  return lines;
}

}  // namespace heddle::exec::jit::debug
