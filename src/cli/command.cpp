#include "cli/command.h"

#include <charconv>
#include <ostream>
#include <string>

#include "support/spelling.h"
#include "support/version.h"

namespace heddle::cli {

namespace {

std::string quoted(std::string_view text) { return '\'' + std::string(text) + '\''; }

std::string suggestion(const NearestWord& nearest) {
  return nearest.best().empty() ? "" : " (did you mean " + quoted(nearest.best()) + "?)";
}

bool is_help(std::string_view word) { return word == "--help" || word == "-h"; }

const Group* find_group(const CommandTable& table, std::string_view name) {
  for (const Group& group : table.groups) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

const Command* find_command(const CommandTable& table, std::string_view name) {
  for (const Command* command : table.commands) {
    if (command->name == name) return command;
  }
  return nullptr;
}

Exit unknown_command(const CommandTable& table, std::string_view group, std::string_view word,
                     Console& console) {
  NearestWord nearest(word);
  const std::string prefix = group.empty() ? "" : std::string(group) + ' ';
  for (const Command* command : table.commands) {
    const std::string_view name = command->name;
    if (name.starts_with(prefix) && name.find(' ', prefix.size()) == name.npos) {
      nearest.consider(name.substr(prefix.size()));
    }
  }
  if (group.empty()) {
    for (const Group& candidate : table.groups) nearest.consider(candidate.name);
  }
  complain(console, "unknown command " + quoted(prefix + std::string(word)) + suggestion(nearest) +
                        "; `heddle " + prefix + "--help` lists the commands");
  return Exit::usage;
}

}  // namespace

bool Arguments::has(std::string_view option) const {
  for (const auto& [name, value] : options_) {
    if (name == option) return true;
  }
  return false;
}

std::string_view Arguments::value(std::string_view option, std::string_view otherwise) const {
  for (const auto& [name, value] : options_) {
    if (name == option) otherwise = value;
  }
  return otherwise;
}

std::vector<std::string_view> Arguments::values(std::string_view option) const {
  std::vector<std::string_view> found;
  for (const auto& [name, value] : options_) {
    if (name == option) found.push_back(value);
  }
  return found;
}

// Reads the words after a command's name.
class CommandLine {
 public:
  CommandLine(const Command& command, Console& console) : command_(command), console_(console) {}

  Exit run(std::span<const std::string_view> words) {
    bool only_operands = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view word = words[i];
      if (only_operands || word == "-" || !word.starts_with('-')) {
        arguments_.operands_.push_back(word);
        only_operands = only_operands || command_.options_first;
      } else if (word == "--") {
        only_operands = true;
      } else if (is_help(word)) {
        console_.out << help(command_);
        return Exit::ok;
      } else if (!read_option(words, i)) {
        return Exit::usage;
      }
    }
    const std::size_t count = arguments_.operands_.size();
    if (count < command_.min_operands || count > command_.max_operands) {
      complain(console_,
               (count < command_.min_operands
                    ? "missing operand; "
                    : "unexpected operand " + quoted(arguments_.operands_[command_.max_operands]) + "; ") +
                   std::string("usage: heddle ") + std::string(command_.name) +
                   (command_.operands.empty() ? "" : " " + std::string(command_.operands)));
      return Exit::usage;
    }
    return command_.run(arguments_, console_);
  }

 private:
  bool read_option(std::span<const std::string_view> words, std::size_t& i) {
    const std::string_view word = words[i];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    const std::string_view name = word.substr(0, equals);
    NearestWord nearest(name);
    nearest.consider("--help");
    for (const Option& option : command_.options) {
      nearest.consider(option.name);
      if (option.name != name) continue;
      std::string_view value;
      if (equals != word.npos) {
        value = word.substr(equals + 1);
        if (option.value.empty()) {
          complain(console_, "option " + quoted(name) + " takes no value");
          return false;
        }
      } else if (!option.value.empty()) {
        if (i + 1 == words.size()) {
          complain(console_, "option " + quoted(name) + " wants a value: " + std::string(option.value));
          return false;
        }
        value = words[++i];
      }
      arguments_.options_.emplace_back(option.name, value);
      return true;
    }
    complain(console_, "unknown option " + quoted(name) + suggestion(nearest) + "; `heddle " +
                           std::string(command_.name) + " --help` lists the options");
    return false;
  }

  const Command& command_;
  Console& console_;
  Arguments arguments_;
};

Exit run(const CommandTable& table, std::span<const std::string_view> words, Console& console) {
  if (words.empty() || is_help(words[0])) {
    console.out << help(table);
    return Exit::ok;
  }
  if (words[0] == "--version") {
    console.out << "heddle " << version() << '\n';
    return Exit::ok;
  }
  if (words[0] == "--manual") {
    console.out << manual(table);
    return Exit::ok;
  }
  if (words[0] == "--completion") {
    console.out << bash_completion(table);
    return Exit::ok;
  }
  if (const Group* group = find_group(table, words[0])) {
    if (words.size() == 1) {
      console.err << help(table, *group);
      return Exit::usage;
    }
    if (is_help(words[1])) {
      console.out << help(table, *group);
      return Exit::ok;
    }
    const std::string name = std::string(words[0]) + ' ' + std::string(words[1]);
    const Command* command = find_command(table, name);
    if (command == nullptr) return unknown_command(table, words[0], words[1], console);
    return CommandLine(*command, console).run(words.subspan(2));
  }
  const Command* command = find_command(table, words[0]);
  if (command == nullptr) return unknown_command(table, {}, words[0], console);
  return CommandLine(*command, console).run(words.subspan(1));
}

std::optional<uint64_t> parse_count(std::string_view text) {
  uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return {};
  return value;
}

void complain(Console& console, std::string_view message) {
  console.err << "heddle: error: " << message << '\n';
}

}  // namespace heddle::cli
