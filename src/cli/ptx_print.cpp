// heddle ptx print FILE...
#include <array>
#include <ostream>
#include <vector>

#include "cli/commands.h"
#include "cli/input.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::cli {

namespace {

constexpr std::array kOptions{
    Option{"--image", "", "link the files and write the linked program instead"},
};

Exit print_image(const std::vector<ptx::Module>& modules, Console& console) {
  std::vector<const ptx::Module*> pointers;
  for (const ptx::Module& module : modules) pointers.push_back(&module);
  const auto image = module::link(pointers);
  if (!image) {
    for (const std::string& message : image.error().messages) console.err << message << '\n';
    return Exit::failed;
  }
  console.out << module::dump(*image.value());
  return Exit::ok;
}

Exit print(const Arguments& arguments, Console& console) {
  const bool image = arguments.has("--image");
  std::vector<ptx::Module> modules;
  bool bad = false;
  for (const std::string_view name : arguments.operands()) {
    const auto source = read_source(name, console);
    if (!source) {
      complain(console, source.error().message);
      return Exit::failed;
    }
    Diagnostics diagnostics;
    modules.push_back(image ? ptx::read(*source, diagnostics) : ptx::parse(*source, diagnostics));
    console.err << diagnostics.render(**source);
    bad |= diagnostics.has_errors();
  }
  if (bad) return Exit::failed;
  if (image) return print_image(modules, console);
  for (const ptx::Module& module : modules) console.out << ptx::print(module);
  return Exit::ok;
}

}  // namespace

const Command ptx_print_command{
    "ptx print",
    "FILE...",
    1,
    kNoLimit,
    "write a PTX file in its canonical form, or linked",
    "Reads each FILE ('-' is the standard input) and writes it to the standard output: one statement\n"
    "a line, numbers in one way, comments gone. Nothing is written when there are errors.\n"
    "\n"
    "With --image the files are linked, and what an executor would get is written: symbols with their\n"
    "bytes, layouts, basic blocks, operands as slots and addresses.",
    kOptions,
    print};

}  // namespace heddle::cli
