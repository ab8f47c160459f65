// heddle ptx check FILE...
#include <array>
#include <chrono>
#include <ostream>

#include "cli/commands.h"
#include "cli/input.h"
#include "ptx/parse.h"

namespace heddle::cli {

namespace {

constexpr std::array kOptions{
    Option{"--quiet", "", "no summary"},
    Option{"--errors", "N", "stop reading a file after N errors; 100 without this option"},
};

struct Totals {
  std::size_t files = 0, bad_files = 0, errors = 0, warnings = 0;
};

std::string counted(std::size_t count, std::string_view word) {
  return std::to_string(count) + ' ' + std::string(word) + (count == 1 ? "" : "s");
}

void check_file(std::string_view name, std::size_t limit, Totals& totals, Console& console) {
  ++totals.files;
  const auto source = read_source(name, console);
  if (!source) {
    complain(console, source.error().message);
    ++totals.bad_files;
    ++totals.errors;
    return;
  }
  Diagnostics diagnostics(limit);
  ptx::read(*source, diagnostics);
  console.err << diagnostics.render(**source);
  totals.errors += diagnostics.error_count();
  totals.warnings += diagnostics.warning_count();
  if (diagnostics.has_errors()) ++totals.bad_files;
}

Exit check(const Arguments& arguments, Console& console) {
  const std::optional<uint64_t> limit = parse_count(arguments.value("--errors", "100"));
  if (!limit || *limit == 0) {
    complain(console,
             "--errors wants a number from 1 on, not '" + std::string(arguments.value("--errors")) + "'");
    return Exit::usage;
  }
  Totals totals;
  const std::size_t count = arguments.operands().size();
  // Many files take a while: say how far we are, on one line that is written over.
  const bool progress = console.err_is_terminal && count > 20 && !arguments.has("--quiet");
  auto shown = std::chrono::steady_clock::now();
  for (const std::string_view name : arguments.operands()) {
    const auto now = std::chrono::steady_clock::now();
    if (progress && now - shown > std::chrono::milliseconds(200)) {
      shown = now;
      console.err << '\r' << totals.files << " of " << counted(count, "file") << "\x1b[K\r" << std::flush;
    }
    check_file(name, *limit, totals, console);
  }
  if (progress) console.err << "\x1b[K";
  if (!arguments.has("--quiet")) {
    console.out << counted(totals.files, "file") << ": " << counted(totals.errors, "error") << ", "
                << counted(totals.warnings, "warning") << '\n';
  }
  return totals.bad_files != 0 ? Exit::failed : Exit::ok;
}

}  // namespace

const Command ptx_check_command{
    "ptx check",
    "FILE...",
    1,
    kNoLimit,
    "tell whether PTX files are right, and what is wrong with them",
    "Reads every FILE ('-' is the standard input) and writes what is wrong to the standard error:\n"
    "file:line:column, the rule of the PTX ISA, the line itself. Exits with 1 when there is any error.",
    kOptions,
    check};

}  // namespace heddle::cli
