// heddle ptx print FILE
#include <array>
#include <ostream>

#include "cli/commands.h"
#include "cli/input.h"
#include "ptx/parse.h"

namespace heddle::cli {

namespace {

Exit print(const Arguments& arguments, Console& console) {
  const auto source = read_source(arguments.operands()[0], console);
  if (!source) {
    complain(console, source.error().message);
    return Exit::failed;
  }
  Diagnostics diagnostics;
  const ptx::Module module = ptx::parse(*source, diagnostics);
  console.err << diagnostics.render(**source);
  if (diagnostics.has_errors()) return Exit::failed;
  console.out << ptx::print(module);
  return Exit::ok;
}

}  // namespace

const Command ptx_print_command{
    "ptx print",
    "FILE",
    1,
    1,
    "write a PTX file in its canonical form",
    "Reads FILE ('-' is the standard input) and writes it to the standard output: one statement\n"
    "a line, numbers in one way, comments gone. Nothing is written when there are errors.",
    {},
    print};

}  // namespace heddle::cli
