#include "driver/program.h"

#include <algorithm>
#include <iostream>

#include "driver/message.h"

namespace heddle::driver {

namespace {

bool asks_for(const CommandLine& line, const OptionTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.records, name, &OptionRecord::name);
  return found != table.records.end() && line.has(found - table.records.begin());
}

}  // namespace

int complain(const ProgramFacts& program, const std::string& text) {
  std::cerr << message(program.options.program, Weight::fatal, text);
  return program.exit_bad;
}

Result<CommandLine, int> begin(const ProgramFacts& program, std::vector<std::string> words) {
  const OptionTable& table = program.options;
  Result<std::vector<std::string>> expanded = expand_files(table, std::move(words));
  if (!expanded) return complain(program, expanded.error().message);
  Result<CommandLine> line = CommandLine::parse(table, *expanded);
  if (!line) return complain(program, line.error().message);
  if (asks_for(*line, table, "version")) {
    std::cout << version_text(table.program, program.what);
    return 0;
  }
  const bool help = asks_for(*line, table, "help");
  if (!help && !line->unknown().empty())
    return complain(program, "Unknown option '" + line->unknown()[0] + "'");
  if (help || (program.one_file && line->inputs().size() != 1)) {
    std::cout << table.help(program.usage);
    return 0;
  }
  return std::move(*line);
}

}  // namespace heddle::driver
