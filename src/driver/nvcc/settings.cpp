#include "driver/nvcc/settings.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "driver/file.h"
#include "driver/message.h"
#include "driver/nvcc/generations.h"

namespace heddle::driver::nvcc {

namespace fs = std::filesystem;

namespace {

constexpr std::pair<std::string_view, InputKind> suffixes[] = {
    {".cu", InputKind::cuda},       {".cpp", InputKind::cpp},
    {".cc", InputKind::cpp},        {".cxx", InputKind::cpp},
    {".c++", InputKind::cpp},       {".C", InputKind::cpp},
    {".ii", InputKind::cpp},        {".c", InputKind::c},
    {".i", InputKind::c},           {".o", InputKind::object},
    {".obj", InputKind::object},    {".a", InputKind::archive},
    {".lib", InputKind::archive},   {".so", InputKind::shared_library},
    {".ptx", InputKind::ptx},       {".cubin", InputKind::cubin},
    {".fatbin", InputKind::fatbin},
};

// Where several are named, nvcc stops at the first that it comes to.
constexpr std::pair<Opt, Phase> phases[] = {
    {Opt::generate_dependencies, Phase::dependencies},
    {Opt::generate_nonsystem_dependencies, Phase::dependencies},
    {Opt::preprocess, Phase::preprocess},
    {Opt::ptx, Phase::ptx},
    {Opt::cubin, Phase::cubin},
    {Opt::fatbin, Phase::fatbin},
    {Opt::compile, Phase::compile},
    {Opt::device_link, Phase::device_link},
    {Opt::lib, Phase::library},
    {Opt::run, Phase::run},
};

std::string quote(std::string_view text) { return '\'' + std::string(text) + '\''; }

std::optional<InputKind> kind_of(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  // libx.so.1.2 is a shared library too.
  if (const std::size_t so = name.find(".so."); so != std::string::npos)
    if (name.find_first_not_of("0123456789.", so + 4) == std::string::npos) return InputKind::shared_library;
  // `.c` alone is a C file too: CMake lists ask the host compiler's version through such a name.
  for (const auto& [suffix, kind] : suffixes)
    if (name.ends_with(suffix)) return kind;
  return std::nullopt;
}

// As the shell finds programs.
bool is_program(const std::string& name) {
  const auto runs = [](const fs::path& path) { return access(path.c_str(), X_OK) == 0; };
  if (name.find('/') != std::string::npos) return runs(name);
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (runs(fs::path(rest.substr(0, colon)) / name)) return true;
    rest.remove_prefix(std::min(rest.size(), colon + 1));
  }
  return false;
}

bool is_source(InputKind kind) {
  return kind == InputKind::cuda || kind == InputKind::cpp || kind == InputKind::c;
}

// -ccbin names the compiler, or the folder that it is in.
std::string find_host_compiler(const CommandLine& line) {
  std::string given = line.value(Opt::compiler_bindir).value_or("");
  if (given.empty())
    if (const char* variable = std::getenv("NVCC_CCBIN")) given = variable;
  if (!given.empty() && fs::is_directory(given)) return (fs::path(given) / "g++").string();
  if (given.empty()) {
    // The name as everybody knows it; where it is missing, whatever is called c++.
    for (const char* name : {"g++", "c++", "clang++", "clang++-19"})
      if (is_program(name)) return name;
    return "g++";
  }
  // nvcc links C++, so it wants the compiler for it: gcc-12 is g++-12.
  const fs::path path(given);
  std::string name = path.filename().string();
  const bool plain_c =
      name == "gcc" || name.starts_with("gcc-") || name == "clang" || name.starts_with("clang-");
  if (plain_c) {
    const std::string plus = name.starts_with("gcc") ? "g++" + name.substr(3) : "clang++" + name.substr(5);
    const fs::path beside = path.has_parent_path() ? path.parent_path() / plus : fs::path(plus);
    if (!path.has_parent_path() || access(beside.c_str(), X_OK) == 0) return beside.string();
  }
  return given;
}

// "-O3,-Wall -g": options for another program, between commas or blanks. nvcc takes one backslash away from
// before what it protects from this, and a shell then reads the rest, with its own quotes and backslashes.
std::vector<std::string> words_of(const CommandLine& line, Opt option) {
  std::vector<std::string> words;
  for (const std::string& value : line.values(option)) {
    std::string for_shell;
    bool quoted = false;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const char c = value[i];
      if (c == '\\' && i + 1 < value.size()) {
        for_shell += value[++i];
        continue;
      }
      quoted ^= c == '"';
      for_shell += c == ',' && !quoted ? ' ' : c;
    }
    for (std::string& word : split_words(for_shell)) words.push_back(std::move(word));
  }
  return words;
}

class Settler {
 public:
  Result<Settings> run(std::vector<std::string> words) {
    Result<std::vector<std::string>> expanded = expand_files(options, std::move(words));
    if (!expanded) return expanded.error();
    Result<CommandLine> line = CommandLine::parse(options, *expanded);
    if (!line) return line.error();
    settings_.line = std::move(*line);
    settings_.words = std::move(*expanded);
    if (has(Opt::help) || has(Opt::version) || has(Opt::list_gpu_code) || has(Opt::list_gpu_arch))
      return std::move(settings_);
    read_phase();
    const bool good =
        read_unknown() && read_inputs() && check_device_code() && read_devices() && check_outputs();
    if (!good) return Error{error_};
    read_options();
    const bool named = has(Opt::compiler_bindir) || std::getenv("NVCC_CCBIN") != nullptr;
    if (named && !has(Opt::dryrun) && !is_program(settings_.host_compiler))
      return Error{"The host compiler " + quote(settings_.host_compiler) + " cannot be run (-ccbin)"};
    return std::move(settings_);
  }

 private:
  bool has(Opt option) const { return settings_.line.has(option); }
  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  void read_phase() {
    const auto* named = std::ranges::find_if(phases, [&](const auto& one) { return has(one.first); });
    if (named == std::end(phases)) return;
    settings_.phase = named->second;
    const bool image = settings_.phase == Phase::cubin || settings_.phase == Phase::fatbin;
    if (image && has(Opt::device_link)) {
      settings_.linked_as = settings_.phase;
      settings_.phase = Phase::device_link;
    }
  }

  bool read_unknown() {
    const bool to_compiler = has(Opt::forward_unknown_to_host_compiler);
    const bool to_linker = has(Opt::forward_unknown_to_host_linker);
    for (const std::string& word : settings_.line.unknown()) {
      if (!to_compiler && !to_linker) return fail("Unknown option " + quote(word));
      if (to_compiler) settings_.host_options.push_back(word);
      if (to_linker) settings_.linker_options.push_back(word);
    }
    return true;
  }

  bool read_inputs() {
    const std::optional<std::string> language = settings_.line.value(Opt::o_x);
    for (const std::string& path : settings_.line.inputs()) {
      std::optional<InputKind> kind = kind_of(path);
      if (language && (!kind || is_source(*kind)))
        kind = *language == "cu" ? InputKind::cuda : *language == "c" ? InputKind::c : InputKind::cpp;
      if (!kind && settings_.phase == Phase::run) kind = InputKind::object;
      if (!kind) return fail("Don't know what to do with " + quote(path));
      settings_.inputs.push_back({path, *kind});
    }
    if (settings_.inputs.empty())
      return fail("No input files specified; use option --help for more information");
    return true;
  }

  // Which phases take device code that is already compiled, in nvcc's words.
  bool check_device_code() {
    const Phase phase = settings_.phase;
    const bool separate = phase == Phase::compile && has(Opt::device_c);
    struct Taken {
      InputKind kind;
      bool here;
      std::string_view suffix, phases;
    };
    const Taken all[] = {
        {InputKind::ptx, phase == Phase::cubin || phase == Phase::fatbin || separate, ".ptx",
         "'--cubin (-cubin)', '--fatbin (-fatbin)', '--device-c (-dc)', "},
        {InputKind::cubin, phase == Phase::fatbin || separate, ".cubin",
         "'--fatbin (-fatbin)', '--device-c (-dc)', "},
        {InputKind::fatbin, false, ".fatbin", ""},
    };
    for (const Taken& one : all)
      for (const Input& input : settings_.inputs) {
        if (input.kind != one.kind || one.here || settings_.linked_as) continue;
        if (phase == Phase::device_link)
          return fail(quote(input.path) +
                      ": device code is linked for a program from object files; make one of it with " +
                      "--device-c (-dc)");
        return fail(
            std::string(one.suffix) + " input files are only allowed with " + std::string(one.phases) +
            "'--cubin (-cubin) --device-link (-dlink)', or '--fatbin (-fatbin) --device-link (-dlink)'");
      }
    return true;
  }

  bool read_devices() {
    // Device code that is linked is linked with other device code.
    settings_.relocatable =
        settings_.line.is_true(Opt::relocatable_device_code, false) || settings_.linked_as.has_value();
    Result<std::vector<Generation>> generations = read_generations(settings_.line);
    if (!generations) return fail(generations.error().message);
    settings_.generations = std::move(*generations);
    if (settings_.line.value(Opt::machine).value_or("64") == "32")
      return fail("32 bit compilation is not supported: Heddle is built for hosts of 64 bits");
    std::size_t kept = 0;
    for (const Generation& one : settings_.generations)
      kept += static_cast<std::size_t>(
          std::count_if(one.kept.begin(), one.kept.end(), [](const ArchName& code) { return code.real; }));
    const bool several = settings_.generations.size() > 1;
    if (settings_.phase == Phase::ptx && several)
      return fail("Option '--ptx (-ptx)' is not allowed when compiling for multiple GPU architectures");
    const bool one_cubin = settings_.phase == Phase::cubin || settings_.linked_as == Phase::cubin;
    if (one_cubin && (several || kept > 1))
      return fail("Option '--cubin (-cubin)' is not allowed when compiling for multiple GPU architectures");
    return true;
  }

  bool check_outputs() {
    const bool one_file_each = settings_.phase == Phase::compile || settings_.phase == Phase::ptx ||
                               settings_.phase == Phase::cubin || settings_.phase == Phase::fatbin;
    const auto compiled = std::count_if(
        settings_.inputs.begin(), settings_.inputs.end(),
        [&](const Input& input) { return is_source(input.kind) || settings_.phase != Phase::compile; });
    if (one_file_each && has(Opt::output_file) && compiled > 1)
      return fail("A single input file is required for a non-link phase when an outputfile is specified");
    if (has(Opt::dependency_output) && settings_.inputs.size() > 1 && settings_.phase != Phase::link &&
        one_file_each)
      return fail("A single input file is required when '-MF' is specified");
    return true;
  }

  void read_options() {
    const std::vector<std::string> host = words_of(settings_.line, Opt::compiler_options);
    settings_.host_options.insert(settings_.host_options.begin(), host.begin(), host.end());
    for (const std::string& word : words_of(settings_.line, Opt::linker_options)) {
      settings_.linker_options.push_back("-Xlinker");
      settings_.linker_options.push_back(word);
    }
    settings_.ptxas_options = words_of(settings_.line, Opt::ptxas_options);
    settings_.fatbinary_options = words_of(settings_.line, Opt::fatbin_options);
    for (const std::string& value : settings_.line.values(Opt::clang_options))
      for (std::string& word : split_words(value)) settings_.clang_options.push_back(std::move(word));
    settings_.host_compiler = find_host_compiler(settings_.line);
  }

  Settings settings_;
  std::string error_;
};

}  // namespace

Result<Settings> settle(std::vector<std::string> words) { return Settler().run(std::move(words)); }

std::string stem_of(const std::string& path) { return fs::path(path).stem().string(); }

std::string output_for(const Settings& settings, const Input& input, std::string_view suffix) {
  if (const auto given = settings.line.value(Opt::output_file)) return *given;
  const std::string name = stem_of(input.path) + std::string(suffix);
  if (const auto folder = settings.line.value(Opt::output_directory))
    return (fs::path(*folder) / name).string();
  return name;
}

std::string arch_list(const Settings& settings) {
  std::vector<uint32_t> numbers;
  for (const Generation& one : settings.generations) numbers.push_back(one.from.number * 10);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  for (const uint32_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

std::vector<std::string> version_macros() {
  const std::string major = std::to_string(cuda_major), minor = std::to_string(cuda_minor);
  return {"-D__CUDACC_VER_MAJOR__=" + major,
          "-D__CUDACC_VER_MINOR__=" + minor,
          "-D__CUDACC_VER_BUILD__=" + std::to_string(cuda_build),
          "-D__CUDA_API_VER_MAJOR__=" + major,
          "-D__CUDA_API_VER_MINOR__=" + minor,
          "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1"};
}

}  // namespace heddle::driver::nvcc
