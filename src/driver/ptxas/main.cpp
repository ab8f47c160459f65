#include <iostream>

#include "driver/assemble.h"
#include "driver/file.h"
#include "driver/message.h"
#include "driver/options.gen.h"

namespace heddle::driver::ptxas {
namespace {

constexpr std::string_view usage = "Usage  : ptxas [options] <ptx file>,...\n";
constexpr int exit_bad_input = 255;

int complain(const std::string& text) {
  std::cerr << message("ptxas", Weight::fatal, text);
  return exit_bad_input;
}

int run(std::vector<std::string> words) {
  Result<std::vector<std::string>> expanded = expand_files(options, std::move(words));
  if (!expanded) return complain(expanded.error().message);
  const Result<CommandLine> line = CommandLine::parse(options, *expanded);
  if (!line) return complain(line.error().message);
  if (line->has(Opt::help)) {
    std::cout << options.help(usage);
    return 0;
  }
  if (line->has(Opt::version)) {
    std::cout << version_text("ptxas", "Ptx optimizing assembler");
    return 0;
  }
  if (!line->unknown().empty()) return complain("Unknown option '" + line->unknown()[0] + "'");
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
