#include "module/image.h"

namespace heddle::module {

namespace {

uint32_t look_up(const NameIndex& index, std::string_view name) {
  const auto found = index.find(name);
  return found == index.end() ? none : found->second;
}

}  // namespace

uint32_t Image::function_index(std::string_view name) const { return look_up(function_names, name); }
uint32_t Image::symbol_index(std::string_view name) const { return look_up(symbol_names, name); }

const Function* Image::find_function(std::string_view name) const {
  const uint32_t index = function_index(name);
  return index == none ? nullptr : &functions[index];
}

const Symbol* Image::find_symbol(std::string_view name) const {
  const uint32_t index = symbol_index(name);
  return index == none ? nullptr : &symbols[index];
}

std::string instruction_text(const Image& image, const Function& function, const Instruction& instruction) {
  if (function.unit >= image.units.size() || image.units[function.unit].source == nullptr) return {};
  std::string_view text = image.units[function.unit].source->text();
  if (instruction.source_offset >= text.size()) return {};
  text = text.substr(instruction.source_offset);
  text = text.substr(0, text.find(';'));
  std::string line;  // one space for every run of blanks
  for (char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

}  // namespace heddle::module
