#include <iostream>

#include "driver/fat_file.h"
#include "driver/file.h"
#include "driver/options.gen.h"
#include "driver/program.h"

namespace heddle::driver::fatbinary {
namespace {

const ProgramFacts program{
    .options = options, .what = "Cuda fat binary tool", .usage = "Usage  : fatbinary [options]\n"};

int complain(const std::string& text) { return driver::complain(program, text); }

// "kind=elf,sm=75,file=x.cubin" or "profile=compute_75,file=x.ptx": only the file's name may have commas.
Result<DeviceFile> read_image(const std::string& text) {
  DeviceFile image;
  std::string kind, number;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos)
      return Error{"'" + text + "' is no image: '" + std::string(rest) + "' has no value"};
    const std::string_view key = rest.substr(0, equals);
    rest.remove_prefix(equals + 1);
    std::string value;
    if (key == "file") {
      value = rest;
      rest = {};
    } else {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      value = rest.substr(0, comma);
      rest.remove_prefix(std::min(rest.size(), comma + 1));
    }
    if (key == "file")
      image.name = value;
    else if (key == "kind")
      kind = value;
    else if (key == "sm")
      number = value;
    else if (key == "profile")
      kind = value;
    else
      return Error{"Keyword '" + std::string(key) + "' is not defined for images ('" + text + "')"};
  }
  if (!number.empty()) kind = (kind == "ptx" ? "compute_" : "sm_") + number;
  const std::optional<ArchName> arch = parse_arch(kind);
  if (!arch) return Error{"'" + text + "' names no architecture that is known"};
  image.arch = *arch;
  if (image.name.empty()) return Error{"'" + text + "' names no file"};
  Result<std::string> content = read_file(image.name);
  if (!content) return content.error();
  image.content = std::move(*content);
  return image;
}

int run(std::vector<std::string> words) {
  const Result<CommandLine, int> line = begin(program, std::move(words));
  if (!line) return line.error();
  std::vector<DeviceFile> files;
  for (const Opt option : {Opt::image, Opt::image2, Opt::image3}) {
    for (const std::string& text : line->values(option)) {
      Result<DeviceFile> image = read_image(text);
      if (!image) return complain(image.error().message);
      files.push_back(std::move(*image));
    }
  }
  const std::optional<std::string> create = line->value(Opt::create),
                                   embedded = line->value(Opt::embedded_fatbin);
  if (!create && !embedded) return complain("Neither --create nor --embedded-fatbin says what to make");
  FatOptions fat;
  fat.compression = compression_of(line->value(Opt::compress_mode).value_or("default"));
  if (!line->is_true(Opt::compress, true)) fat.compression = fatbin::Compression::none;
  fat.source_name = line->value(Opt::ident).value_or("");
  fat.ptxas_options = line->value(Opt::cmdline).value_or("");
  const Result<std::string> made = make_fat_binary(files, fat);
  if (!made) return complain(made.error().message);
  if (create)
    if (const auto written = write_file(*create, *made); !written) return complain(written.error().message);
  if (embedded)
    if (const auto written = write_file(*embedded, as_c(*made)); !written)
      return complain(written.error().message);
  return 0;
}

}  // namespace
}  // namespace heddle::driver::fatbinary

// What bin/fatbinary calls (src/driver/start/start.c).
extern "C" [[gnu::visibility("default")]] int heddle_main_fatbinary(int argc, char** argv) {
  return heddle::driver::fatbinary::run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
