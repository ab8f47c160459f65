#include <algorithm>
#include <filesystem>
#include <iostream>
#include <span>

#include "driver/assemble.h"
#include "driver/file.h"
#include "driver/message.h"
#include "driver/options.gen.h"
#include "driver/program.h"
#include "elf/object_file.h"
#include "fatbin/text_cubin.h"

namespace heddle::driver::cuobjdump {
namespace {

constexpr std::string_view code_sections[] = {".nv_fatbin", "__nv_relfatbin"};

const ProgramFacts program{
    .options = options, .what = "Cuda object dump tool", .usage = "Usage  : cuobjdump [options] <file>\n"};

int complain(const std::string& text) { return driver::complain(program, text); }

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

struct Piece {
  std::string object;  // the member of an archive; empty for the file itself
  fatbin::Entry entry;
};

class Dump {
 public:
  Dump(const CommandLine& line, std::string path) : line_(line), path_(std::move(path)) {}

  int run() {
    Result<std::string> bytes = read_file(path_);
    if (!bytes) return complain(bytes.error().message);
    bytes_ = std::move(*bytes);
    if (fatbin::is_text_cubin(bytes_)) {
      Result<std::string> inner = fatbin::read_text_cubin(bytes_);
      if (!inner) return complain("'" + path_ + "': " + inner.error().message);
      bytes_ = std::move(*inner);
    }
    if (const std::string failed = collect(); !failed.empty()) return complain(failed);
    if (pieces_.empty()) {
      std::cerr << message("cuobjdump", Weight::info, "File '" + path_ + "' does not contain device code");
      return 0;
    }
    return show();
  }

 private:
  std::string collect() {
    if (!elf::is_elf(bytes_) && !elf::is_archive(bytes_)) return add_fat_binary("", bytes_);
    const auto objects = elf::read_objects(path_, bytes_);
    if (!objects) return objects.error().message;
    for (const elf::ObjectFile& object : *objects)
      for (const std::string_view section : code_sections)
        if (const elf::ObjectSection* found = object.find(section))
          for (const std::string_view fat : elf::fat_binaries_in(found->bytes))
            if (std::string failed = add_fat_binary(object.name == path_ ? "" : object.name, fat);
                !failed.empty())
              return failed;
    return {};
  }

  std::string add_fat_binary(const std::string& object, std::string_view bytes) {
    auto entries = fatbin::read(as_bytes(bytes));
    if (!entries) return "'" + path_ + "': " + entries.error().message;
    for (fatbin::Entry& entry : *entries) pieces_.push_back({object, entry});
    return {};
  }

  bool wanted(const fatbin::Entry& entry) const {
    for (const Opt option : {Opt::gpu_architecture, Opt::gpu_code}) {
      const auto text = line_.value(option);
      if (!text) continue;
      const auto arch = parse_arch(*text);
      if (!arch || !(in_fat_binary(*arch) == entry.arch)) return false;
    }
    return true;
  }

  std::string file_name(const fatbin::Entry& entry, std::size_t number) const {
    return std::filesystem::path(path_).stem().string() + '.' + std::to_string(number) + '.' +
           fatbin::real_name(entry.arch) + (entry.kind == fatbin::Kind::ptx ? ".ptx" : ".cubin");
  }

  int show() {
    const bool list_ptx = line_.has(Opt::list_ptx), list_elf = line_.has(Opt::list_elf);
    const bool dump_ptx = line_.has(Opt::dump_ptx);
    const bool kernels = line_.has(Opt::list_text) || line_.has(Opt::dump_elf_symbols);
    const bool resources = line_.has(Opt::dump_resource_usage);
    const std::vector<std::string> extract_ptx = line_.values(Opt::extract_ptx),
                                   extract_elf = line_.values(Opt::extract_elf);
    const bool plain = !list_ptx && !list_elf && !dump_ptx && !kernels && !resources && extract_ptx.empty() &&
                       extract_elf.empty();
    std::size_t ptx_number = 0, elf_number = 0;
    for (const Piece& piece : pieces_) {
      const fatbin::Entry& entry = piece.entry;
      if (!wanted(entry)) continue;
      const bool ptx = entry.kind == fatbin::Kind::ptx;
      const std::size_t number = ptx ? ++ptx_number : ++elf_number;
      const std::string name = file_name(entry, number);
      Result<std::string> content = fatbin::contents(entry);
      if (!content) return complain("'" + path_ + "': " + content.error().message);
      if (ptx && !defines_function(*content)) continue;
      if (ptx ? list_ptx : list_elf) {
        std::string text = std::to_string(number);
        text.insert(0, text.size() < 5 ? 5 - text.size() : 0, ' ');
        std::cout << (ptx ? "PTX" : "ELF") << " file" << text << ": " << name << '\n';
      }
      for (const std::string& word : ptx ? extract_ptx : extract_elf) {
        if (word != "all" && name.find(word) == std::string::npos) continue;
        std::cout << "Extracting " << (ptx ? "PTX" : "ELF") << " file and ptxas options " << number << ": "
                  << name << '\n';
        if (const auto written = write_file(name, *content); !written)
          return complain(written.error().message);
        break;
      }
      if (dump_ptx || plain) describe(piece);
      if (dump_ptx && ptx) std::cout << '\n' << *content << '\n';
      if (ptx && kernels) list_kernels(*content);
      if (ptx && resources) show_resources(*content, entry, name);
    }
    return 0;
  }

  bool defines_function(const std::string& ptx) const {
    const std::vector<std::string> names = line_.values(Opt::function);
    return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
             const std::size_t place = ptx.find(" " + name + "(");
             return place != std::string::npos;
           });
  }

  static void describe(const Piece& piece) {
    const fatbin::Entry& entry = piece.entry;
    const bool ptx = entry.kind == fatbin::Kind::ptx;
    if (!piece.object.empty()) std::cout << "\nmember " << piece.object << ":\n";
    std::cout << "\nFatbin " << (ptx ? "ptx" : "elf") << " code:\n================\n"
              << "arch = " << fatbin::real_name(entry.arch) << "\ncode version = [" << entry.version_major
              << ',' << entry.version_minor << "]\nhost = " << fatbin::name(entry.host)
              << "\ncompile_size = " << (entry.wide ? "64bit" : "32bit") << '\n';
    if (entry.compression != fatbin::Compression::none) std::cout << "compressed\n";
    if (entry.debug) std::cout << "has debug info\n";
    if (!entry.source_name.empty()) std::cout << "identifier = " << entry.source_name << '\n';
    if (!entry.options.empty()) std::cout << "ptxasOptions = " << entry.options << '\n';
  }

  static void list_kernels(std::string_view ptx) {
    constexpr std::string_view word = ".entry ";
    for (std::size_t place = ptx.find(word); place != std::string_view::npos;
         place = ptx.find(word, place + 1)) {
      const std::string_view rest = ptx.substr(place + word.size());
      std::cout << "  STO_ENTRY  " << rest.substr(0, rest.find_first_of("( \t\r\n")) << '\n';
    }
  }

  static void show_resources(const std::string& ptx, const fatbin::Entry& entry, const std::string& name) {
    AssembleOptions options;
    options.arch = {true, fatbin::real_name(entry.arch).substr(3), entry.arch.number};
    options.name = name;
    options.verbose = true;
    options.relocatable = true;
    std::cout << "\nResource usage:\n" << assemble(ptx, options).log;
  }

  const CommandLine& line_;
  std::string path_, bytes_;
  std::vector<Piece> pieces_;
};

int run(std::vector<std::string> words) {
  const Result<CommandLine, int> line = begin(program, std::move(words));
  if (!line) return line.error();
  if (line->inputs().empty())
    return complain("No input file specified; use option --help for more information");
  for (const std::string& path : line->inputs())
    if (const int status = Dump(*line, path).run(); status != 0) return status;
  return 0;
}

}  // namespace
}  // namespace heddle::driver::cuobjdump

// What bin/cuobjdump calls (src/driver/start/start.c).
extern "C" [[gnu::visibility("default")]] int heddle_main_cuobjdump(int argc, char** argv) {
  return heddle::driver::cuobjdump::run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
