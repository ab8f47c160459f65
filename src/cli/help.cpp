// Help texts, made from the records of the commands.
#include <algorithm>
#include <string>

#include "cli/command.h"

namespace heddle::cli {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 2;

// One entry of a list: the name in a column of `column` characters, then its text, wrapped.
void append_entry(std::string& out, std::string_view name, std::string_view text, std::size_t column) {
  out.append(kIndent, ' ');
  out += name;
  out.append(column - name.size() + 2, ' ');
  const std::size_t left = kIndent + column + 2;
  std::size_t at = left;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (at > left && at + 1 + end > kWidth) {
      out += '\n';
      out.append(left, ' ');
      at = left;
    } else if (at > left) {
      out += ' ';
      ++at;
    }
    out += text.substr(0, end);
    at += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

std::string_view last_word(std::string_view name) { return name.substr(name.rfind(' ') + 1); }
bool in_group(const Command& command, std::string_view group) {
  return command.name.size() > group.size() && command.name.starts_with(group) &&
         command.name[group.size()] == ' ';
}

}  // namespace

std::string help(const CommandTable& table) {
  std::size_t column = std::string_view("--completion").size();
  for (const Group& group : table.groups) column = std::max(column, group.name.size());
  for (const Command* command : table.commands) {
    if (command->name.find(' ') == command->name.npos) column = std::max(column, command->name.size());
  }
  std::string out = "heddle: CUDA and OpenCL without a GPU\n\nusage: heddle <command> [arguments]\n\n";
  for (const Group& group : table.groups) append_entry(out, group.name, group.summary, column);
  for (const Command* command : table.commands) {
    if (command->name.find(' ') == command->name.npos)
      append_entry(out, command->name, command->summary, column);
  }
  out += '\n';
  append_entry(out, "--help", "this text; after a command, the help of that command", column);
  append_entry(out, "--version", "the version of Heddle", column);
  append_entry(out, "--manual", "the help of all commands, as a manual page", column);
  append_entry(out, "--completion", "what bash reads to complete these words", column);
  return out;
}

std::string help(const CommandTable& table, const Group& group) {
  std::size_t column = 0;
  for (const Command* command : table.commands) {
    if (in_group(*command, group.name)) column = std::max(column, last_word(command->name).size());
  }
  std::string out = "heddle " + std::string(group.name) + ": " + std::string(group.summary) + "\n\n";
  out += "usage: heddle " + std::string(group.name) + " <command> [arguments]\n\n";
  for (const Command* command : table.commands) {
    if (in_group(*command, group.name)) append_entry(out, last_word(command->name), command->summary, column);
  }
  return out;
}

std::string help(const Command& command) {
  std::string out = "heddle " + std::string(command.name) + ": " + std::string(command.summary) + "\n\n";
  out += "usage: heddle " + std::string(command.name);
  if (!command.options.empty()) out += " [options]";
  if (!command.operands.empty()) out += ' ' + std::string(command.operands);
  out += '\n';
  if (!command.details.empty()) out += '\n' + std::string(command.details) + '\n';
  out += "\noptions:\n";
  const auto shown = [](const Option& option) {
    return std::string(option.name) + (option.value.empty() ? "" : " " + std::string(option.value));
  };
  std::size_t column = std::string_view("--help").size();
  for (const Option& option : command.options) column = std::max(column, shown(option).size());
  for (const Option& option : command.options) append_entry(out, shown(option), option.help, column);
  append_entry(out, "--help", "this text", column);
  return out;
}

}  // namespace heddle::cli
