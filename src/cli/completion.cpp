// The completion of `heddle` for bash, made from the records of the commands. zsh reads it through
// bashcompinit.
#include <string>

#include "arch/device.h"
#include "cli/command.h"

namespace heddle::cli {

namespace {

// The words that a value can be, when its name in the help lists them ("full|no"), or names devices.
std::string words_of(const Option& option) {
  if (option.name == "--device" || option.name == "--devices") {
    std::string ids;
    for (const arch::Device& device : arch::all_devices()) ids += std::string(device.id) + ' ';
    return ids;
  }
  std::string words;
  bool alternatives = false;
  for (const char c : option.value) {
    const bool part = (c >= 'a' && c <= 'z') || c == '-';
    if (!part && c != '|') return {};  // "NAME", "MIB", "kernel_name=NAME|..."
    alternatives |= c == '|';
    words += part ? c : ' ';
  }
  return alternatives ? words : std::string();
}

void append_command(std::string& out, const Command& command) {
  std::string names;
  std::string valued;
  std::string values;
  for (const Option& option : command.options) {
    names += std::string(option.name) + ' ';
    if (option.value.empty()) continue;
    valued += std::string(option.name) + ' ';
    // A value without known words is completed as a file: COMPREPLY stays empty.
    values += "      " + std::string(option.name) + ") _heddle_offer '" + words_of(option) + "'; return ;;\n";
  }
  out += "    '" + std::string(command.name) + "')\n";
  if (command.options_first) out += "      _heddle_behind_program '" + valued + "' && return\n";
  if (!values.empty()) out += "      case $previous in\n" + values + "      esac\n";
  out += "      [[ $current = -* ]] && _heddle_offer '" + names + "--help' ;;\n";
}

}  // namespace

std::string bash_completion(const CommandTable& table) {
  std::string first = "--help --version --manual --completion ";
  std::string groups;
  for (const Group& group : table.groups) {
    std::string inner;
    for (const Command* command : table.commands) {
      const std::string_view name = command->name;
      if (name.starts_with(group.name) && name.substr(group.name.size()).starts_with(' '))
        inner += std::string(name.substr(group.name.size() + 1)) + ' ';
    }
    first += std::string(group.name) + ' ';
    groups += "    '" + std::string(group.name) + "') _heddle_offer '" + inner + "--help' ;;\n";
  }
  for (const Command* command : table.commands) {
    if (command->name.find(' ') == command->name.npos) first += std::string(command->name) + ' ';
  }

  std::string out = R"(# Completion of heddle for bash. Made by heddle --completion.
_heddle_offer() { COMPREPLY=($(compgen -W "$1" -- "$current")); }

# Whether the word comes after a program, whose words are not heddle's. $1: the options that take a value.
_heddle_behind_program() {
  local at
  for ((at = first; at < COMP_CWORD; at++)); do
    case ${COMP_WORDS[at]} in
      --) return 0 ;;
      -*) if [ "${COMP_WORDS[at + 1]}" = = ]; then at=$((at + 2))
          elif [[ " $1" = *" ${COMP_WORDS[at]} "* ]]; then at=$((at + 1)); fi ;;
      *) return 0 ;;
    esac
  done
  return 1
}

_heddle() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} first=2
  COMPREPLY=()
  # --option=value are three words to bash.
  if [ "$current" = = ]; then current=
  elif [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [ "$COMP_CWORD" = 1 ]; then _heddle_offer ')" +
                    first + R"('; return; fi
  case $command in
)";
  for (const Group& group : table.groups) {
    out += "    " + std::string(group.name) +
           ") if [ \"$COMP_CWORD\" -gt 2 ]; then command=\"$command ${COMP_WORDS[2]}\" first=3; fi ;;\n";
  }
  out += R"(  esac
  case $command in
)";
  out += groups;
  for (const Command* command : table.commands) append_command(out, *command);
  out += "  esac\n}\ncomplete -o default -F _heddle heddle\n";
  return out;
}

}  // namespace heddle::cli
