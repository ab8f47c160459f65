#include <iostream>

#include "driver/assemble.h"
#include "driver/file.h"
#include "driver/options.gen.h"
#include "driver/program.h"

namespace heddle::driver::ptxas {
namespace {

constexpr int exit_bad_input = 255;

const ProgramFacts program{.options = options,
                           .what = "Ptx optimizing assembler",
                           .usage = "Usage  : ptxas [options] <ptx file>,...\n",
                           .exit_bad = exit_bad_input};

int complain(const std::string& text) { return driver::complain(program, text); }

int run(std::vector<std::string> words) {
  const Result<CommandLine, int> line = begin(program, std::move(words));
  if (!line) return line.error();
  Result<AssembleOptions> assembler = read_assembler(*line);
  if (!assembler) return complain(assembler.error().message);
  const std::optional<std::string> given = line->value(Opt::input_as_string);
  if (line->inputs().empty() && !given)
    return complain("No input files specified; use option --help for more information");
  if (line->inputs().size() > 1) return complain("Only one input file can be compiled at a time");
  assembler->name = given ? "<string>" : line->inputs()[0];
  const Result<std::string> text = given ? Result<std::string>(*given) : read_file(line->inputs()[0]);
  if (!text) return complain(text.error().message);
  const Assembly assembly = assemble(*text, *assembler);
  std::cerr << assembly.log;
  if (!assembly.ok) return exit_bad_input;
  const Status<> written = write_file(line->value(Opt::output_file).value_or("elf.o"), assembly.cubin);
  return written ? 0 : complain(written.error().message);
}

}  // namespace
}  // namespace heddle::driver::ptxas

// What bin/ptxas calls (src/driver/start/start.c).
extern "C" [[gnu::visibility("default")]] int heddle_main_ptxas(int argc, char** argv) {
  return heddle::driver::ptxas::run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
