#include <algorithm>
#include <deque>
#include <filesystem>
#include <iostream>
#include <memory>
#include <span>

#include "driver/assemble.h"
#include "driver/device_link.h"
#include "driver/fat_file.h"
#include "driver/file.h"
#include "driver/message.h"
#include "driver/options.gen.h"
#include "driver/program.h"
#include "fatbin/embedded.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::driver::nvlink {
namespace {

constexpr int exit_failed = 1, exit_not_linked = 255;

const ProgramFacts program{.options = options,
                           .what = "Cuda linker",
                           .usage = "Usage  : nvlink [options] <objects>\n",
                           .exit_bad = exit_failed};

int complain(const std::string& text) { return driver::complain(program, text); }

// What is linked: object files and archives, and what is device code by itself: cubins, fat binaries, PTX.
class Inputs {
 public:
  explicit Inputs(ArchName arch) : arch_(std::move(arch)) {}

  Result<Unit> add(const std::string& path) {
    Result<std::string> read = read_file(path);
    if (!read) return Error{"Could not open input file '" + path + "'"};
    const std::string_view bytes = files_.emplace_back(std::move(*read));
    if (elf::is_elf(bytes) || elf::is_archive(bytes)) return add_objects(path, bytes);
    switch (fatbin::form_of(bytes)) {
      case fatbin::Form::fat_binary: return add_code(path, bytes);
      case fatbin::Form::ptx:
      case fatbin::Form::text_cubin: {
        Result<std::string> made = make_fat_binary({{arch_, path, std::string(bytes)}}, {});
        if (!made) return made.error();
        return add_code(path, files_.emplace_back(std::move(*made)));
      }
      default: return Error{"Input file '" + path + "' is nothing that can be linked"};
    }
  }

  // What an archive has is taken where somebody needs it.
  Result<Unit> add_library(const std::string& path) {
    Result<std::string> read = read_file(path);
    if (!read) return Error{"Could not open input file '" + path + "'"};
    return add_objects(path, files_.emplace_back(std::move(*read)));
  }

  std::vector<elf::ObjectFile>& objects() { return objects_; }

 private:
  Result<Unit> add_objects(const std::string& path, std::string_view bytes) {
    auto objects = elf::read_objects(path, bytes);
    if (!objects) return objects.error();
    for (elf::ObjectFile& object : *objects) objects_.push_back(std::move(object));
    return Unit{};
  }

  Result<Unit> add_code(const std::string& path, std::string_view fat) {
    const auto entries = fatbin::read(std::as_bytes(std::span(fat)));
    if (!entries) return Error{"'" + path + "': " + entries.error().message};
    if (!fatbin::choose_ptx(*entries, arch_.number))
      return Error{"Input file '" + path + "' arch does not match target '" + spelled(arch_) + "'"};
    objects_.push_back({path, {{"__nv_relfatbin", fat}}, {}, {}});
    return Unit{};
  }

  const ArchName arch_;
  std::deque<std::string> files_;  // which the objects are views of
  std::vector<elf::ObjectFile> objects_;
};

// The functions by which objects of nvcc -dc tell the runtime of their code: each calls one whose name has
// the object's own behind it.
std::string registrations(const std::vector<elf::ObjectFile>& objects) {
  constexpr std::string_view word = "__cudaRegisterLinkedBinary";
  std::string lines;
  std::size_t count = 0;
  for (const elf::ObjectFile& object : objects)
    for (const elf::ObjectSymbol& symbol : object.symbols) {
      if (symbol.defined || !symbol.name.starts_with(word)) continue;
      lines += "DEFINE_REGISTER_FUNC(" + std::string(symbol.name.substr(word.size())) + ")\n";
      ++count;
    }
  return "#define NUM_PRELINKED_OBJECTS " + std::to_string(count) + "\n" + lines;
}

void tell_needs(const std::vector<elf::ObjectFile>& objects, const ArchName& arch) {
  const auto texts = linked_texts(objects, arch);
  if (!texts) return;  // told where it is linked
  std::deque<ptx::Module> modules;
  std::vector<const ptx::Module*> linked;
  for (const LinkedText& text : *texts) {
    Diagnostics diagnostics;
    linked.push_back(&modules.emplace_back(
        ptx::read(std::make_shared<const SourceText>(text.object, text.text), diagnostics)));
    if (diagnostics.has_errors()) return;
  }
  module::LinkOptions options;
  options.allow_undefined_variables = true;
  if (const auto image = module::link(linked, options)) std::cerr << link_report(**image, arch);
}

int link(const CommandLine& line, const ArchName& arch, const std::string& output) {
  Inputs inputs(arch);
  for (const std::string& path : line.inputs())
    if (const auto added = inputs.add(path); !added) return complain(added.error().message);
  for (const std::string& name : line.values(Opt::library))
    for (const std::string& folder : line.values(Opt::library_path)) {
      const std::string path = folder + "/lib" + name + ".a";
      if (!std::filesystem::exists(path)) continue;
      if (const auto added = inputs.add_library(path); !added) return complain(added.error().message);
      break;
    }
  std::vector<elf::ObjectFile>& objects = inputs.objects();
  bool failed = false;
  std::erase_if(objects, [&](const elf::ObjectFile& object) {
    if (!has_relocatable_code(object)) return true;
    if (has_relocatable_code(object, arch)) return false;
    // Members of archives may be for others.
    if (object.name.ends_with(')') || line.has(Opt::suppress_arch_warning)) return true;
    failed |= line.has(Opt::warning_as_error);
    std::cerr << message("nvlink", line.has(Opt::warning_as_error) ? Weight::error : Weight::warning,
                         "SM Arch ('" + spelled(arch) + "') not found in '" + object.name + "'");
    return true;
  });
  if (failed) return exit_not_linked;
  const auto problems = link_problems(objects, arch);
  if (!problems) return complain(problems.error().message);
  const auto tell = [&](const std::string& text) {
    std::cerr << message("nvlink", Weight::error,
                         line.has(Opt::report_arch) ? text + " (target: " + spelled(arch) + ")" : text);
  };
  std::ranges::for_each(problems->multiple, tell);
  if (!problems->multiple.empty()) return complain("merge_elf failed");
  if (const auto list = line.value(Opt::register_link_binaries))
    if (const auto written = write_file(*list, registrations(objects)); !written)
      return complain("Could not open output file '" + *list + "'");
  if (!line.has(Opt::relocatable_link)) std::ranges::for_each(problems->undefined, tell);
  if (line.has(Opt::verbose) && !line.has(Opt::disable_infos)) tell_needs(objects, arch);
  if (!line.has(Opt::relocatable_link) && !problems->undefined.empty()) return exit_not_linked;
  // Of nothing comes an empty image.
  const Result<std::string> image = objects.empty() ? fatbin::write({}) : linked_image(objects, {arch});
  if (!image) return complain(image.error().message);
  if (const auto written = write_file(output, *image); !written)
    return complain("Could not open output file '" + output + "'");
  return 0;
}

int run(std::vector<std::string> words) {
  const Result<CommandLine, int> line = begin(program, std::move(words));
  if (!line) return line.error();
  const auto name = line->value(Opt::arch);
  if (!name) return complain("Unknown arch name '(null)'");
  const auto arch = parse_arch(*name);
  if (!arch) return complain("Value '" + *name + "' is not defined for option 'arch'");
  if (line->inputs().empty())
    return complain("No input files specified; use option --help for more information");
  const auto output = line->value(Opt::output_file);
  if (!output) return complain("Must specify output file with -o option");
  return link(*line, {true, arch->name, arch->number}, *output);
}

}  // namespace
}  // namespace heddle::driver::nvlink

// What bin/nvlink calls (src/driver/start/start.c).
extern "C" [[gnu::visibility("default")]] int heddle_main_nvlink(int argc, char** argv) {
  return heddle::driver::nvlink::run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
