#include "cli/look_alike.h"

#include "machine/machine.h"

namespace heddle::cli {

Result<ToolLine> read_line(std::span<const ToolOption> table, std::span<const std::string_view> words) {
  ToolLine line;
  std::size_t i = 0;
  for (; i < words.size() && words[i].starts_with('-'); ++i) {
    const std::string_view word = words[i];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    const std::string_view name = word.substr(0, equals);
    const ToolOption* found = nullptr;
    for (const ToolOption& option : table)
      if (option.name == name || (!option.letter.empty() && option.letter == name)) found = &option;
    if (found == nullptr) return Error{"unrecognised option '" + std::string(name) + "'"};
    if (found->use == ToolOption::Use::refused)
      return Error{"option '" + std::string(name) + "' is not supported: " + std::string(found->help)};
    std::string value;
    if (equals != word.npos) {
      if (found->value.empty()) return Error{"option '" + std::string(name) + "' takes no value"};
      value = word.substr(equals + 1);
    } else if (!found->value.empty()) {
      if (i + 1 == words.size())
        return Error{"the required argument for option '" + std::string(found->name) + "' is missing"};
      value = words[++i];
    }
    line.options[found->name].push_back(std::move(value));
  }
  line.program.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return line;
}

const arch::Device& device_of_environment() {
  const auto devices = machine::visible_devices_of_host();
  return devices.ok() ? *(*devices).front().facts : arch::default_device();
}

std::string help_text(std::span<const ToolOption> table) {
  std::string text;
  for (const ToolOption& option : table) {
    text += "  ";
    if (!option.letter.empty()) text += std::string(option.letter) + ", ";
    text += option.name;
    if (!option.value.empty()) text += ' ' + std::string(option.value);
    text += "\n      ";
    if (option.use == ToolOption::Use::refused) text += "not supported: ";
    text += option.help;
    if (option.use == ToolOption::Use::without_effect) text += " (without effect here)";
    text += '\n';
  }
  return text;
}

}  // namespace heddle::cli
