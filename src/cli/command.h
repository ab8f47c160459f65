// The commands of `heddle`: each is one record, and its help text is made from that record. To add one, write
// `const Command xyz` in its own file and name it in the table of commands.cpp.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::cli {

// What the program returns.
enum class Exit : int { ok = 0, failed = 1, usage = 2, fault = 3 };  // fault: of a kernel

struct Option {
  std::string_view name;   // "--kernel", or "-o"
  std::string_view value;  // what its value is called in the help: "NAME"; empty for a switch
  std::string_view help;   // a sentence without its full stop; wrapped when printed
};

// The streams a command talks to. Diagnostics go to `err`, the thing asked for to `out`.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;  // then progress may be shown
};

// A command line that fits its command.
class Arguments {
 public:
  const std::vector<std::string_view>& operands() const { return operands_; }
  bool has(std::string_view option) const;
  std::string_view value(std::string_view option,
                         std::string_view otherwise = {}) const;        // the last one given
  std::vector<std::string_view> values(std::string_view option) const;  // all of them, in order

 private:
  friend class CommandLine;
  std::vector<std::string_view> operands_;
  std::vector<std::pair<std::string_view, std::string_view>> options_;
};

inline constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

struct Command {
  std::string_view name;      // "devices", or with its group "ptx check"
  std::string_view operands;  // as in the usage line: "FILE..."
  std::size_t min_operands = 0;
  std::size_t max_operands = 0;
  std::string_view summary;  // one line
  std::string_view details;  // paragraphs, may be empty
  std::span<const Option> options;
  Exit (*run)(const Arguments&, Console&) = nullptr;
  bool options_first = false;  // from the first operand on, all words are operands
};

// `heddle ptx` alone shows its group's commands.
struct Group {
  std::string_view name;
  std::string_view summary;
};

struct CommandTable {
  std::span<const Command* const> commands;
  std::span<const Group> groups;
};
const CommandTable& command_table();

// Runs the command line `arguments` (without the program's name).
Exit run(const CommandTable&, std::span<const std::string_view> arguments, Console&);

std::string help(const CommandTable&);
std::string help(const CommandTable&, const Group&);
std::string help(const Command&);
// All of it as a manual page, in the man macros of troff.
std::string manual(const CommandTable&);
// What bash reads to complete the words after `heddle`.
std::string bash_completion(const CommandTable&);

// A decimal number, all of the text; empty when it is none or does not fit.
std::optional<uint64_t> parse_count(std::string_view text);

// "heddle: error: <message>", the form of every complaint that is about no place in a file.
void complain(Console&, std::string_view message);

}  // namespace heddle::cli
