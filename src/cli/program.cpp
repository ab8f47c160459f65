#include "cli/program.h"

#include <algorithm>
#include <array>
#include <span>

#include "elf/object_file.h"

namespace heddle::cli {

namespace {

// Where linked device code lies; what is linked by the device linker keeps its parts in the second.
constexpr std::array<std::string_view, 2> code_sections{".nv_fatbin", "__nv_relfatbin"};
constexpr std::array<std::string_view, 3> api_libraries{"libcudart.so.", "libcuda.so.", "libnvrtc.so."};
// Our static runtime names the library that it loads.
constexpr std::string_view our_mark = "libheddle.so.0";

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

void read_code(const elf::ObjectFile& file, Program& program) {
  for (const std::string_view name : code_sections) {
    const elf::ObjectSection* section = file.find(name);
    if (section == nullptr) continue;
    for (const std::string_view fat : elf::fat_binaries_in(section->bytes)) {
      const auto entries = fatbin::read(std::as_bytes(std::span(fat)));
      if (!entries) continue;  // a damaged one is the runtime's to report, when it is asked for its code
      for (const fatbin::Entry& entry : *entries) {
        if (entry.kind == fatbin::Kind::ptx) add_once(program.ptx, fatbin::virtual_name(entry.arch));
        if (entry.kind == fatbin::Kind::elf) add_once(program.machine_code, fatbin::real_name(entry.arch));
      }
    }
  }
}

Program::Runtime runtime_of(const elf::ObjectFile& file, const Program& program, std::string_view bytes) {
  const auto has = [&](auto accepts) {
    return std::any_of(file.symbols.begin(), file.symbols.end(), accepts);
  };
  if (has([](const elf::ObjectSymbol& symbol) { return symbol.name == "heddle_addresses"; }))
    return Program::Runtime::ours;
  if (has([](const elf::ObjectSymbol& symbol) {
        return symbol.name == "__cudaRegisterFatBinary" && symbol.defined && symbol.function &&
               !symbol.dynamic;
      }))
    return Program::Runtime::inside;
  const bool shared = std::any_of(program.libraries.begin(), program.libraries.end(),
                                  [](const auto& name) { return name.starts_with(api_libraries[0]); });
  if (shared) return Program::Runtime::shared;
  const bool imports = has([](const elf::ObjectSymbol& symbol) {
    return symbol.name == "__cudaRegisterFatBinary" && !symbol.defined;
  });
  const bool symbols = has([](const elf::ObjectSymbol& symbol) { return !symbol.dynamic; });
  if (file.find(".nvFatBinSegment") == nullptr || imports || symbols) return Program::Runtime::none;
  return bytes.find(our_mark) == std::string_view::npos ? Program::Runtime::hidden : Program::Runtime::ours;
}

}  // namespace

Result<Program> inspect_program(const std::string& path, std::string_view bytes) {
  Program program;
  if (!elf::is_elf(bytes)) return program;
  program.elf = true;
  const auto files = elf::read_objects(path, bytes);
  if (!files) return files.error();
  const elf::ObjectFile& file = files->front();
  for (const std::string_view library : file.needed)
    for (const std::string_view prefix : api_libraries)
      if (library.starts_with(prefix)) program.libraries.emplace_back(library);
  program.runtime = runtime_of(file, program, bytes);
  read_code(file, program);
  return program;
}

}  // namespace heddle::cli
