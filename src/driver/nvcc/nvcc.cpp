#include "driver/nvcc/nvcc.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "driver/assemble.h"
#include "driver/nvcc/arguments.h"
#include "driver/nvcc/compile.h"
#include "driver/nvcc/link.h"
#include "driver/nvcc/session.h"

namespace heddle::driver::nvcc {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view usage = "Usage  : nvcc [options] <inputfile>\n";

// Flags of the environment stand before and behind those of the command line.
std::vector<std::string> with_environment(std::vector<std::string> words) {
  const auto flags = [](const char* name) {
    const char* value = std::getenv(name);
    return split_words(value != nullptr ? value : "");
  };
  std::vector<std::string> all = flags("NVCC_PREPEND_FLAGS");
  all.insert(all.end(), words.begin(), words.end());
  for (std::string& word : flags("NVCC_APPEND_FLAGS")) all.push_back(std::move(word));
  return all;
}

int complain(const std::string& text) {
  std::cerr << message("nvcc", Weight::fatal, text);
  return exit_failed;
}

int list_architectures(const Settings& settings) {
  const bool real = settings.has(Opt::list_gpu_code), from = settings.has(Opt::list_gpu_arch);
  for (const uint32_t number : all_numbers()) {
    const std::string name = std::to_string(number);
    if (real && from)
      std::cout << "arch=compute_" << name << ",code=[sm_" << name << ",compute_" << name << "]\n";
    else
      std::cout << (real ? "sm_" : "compute_") << name << '\n';
  }
  return 0;
}

// Told before anything is compiled, as ptxas would.
Status<> check_ptxas_options(const std::vector<std::string>& words) {
  const Result<CommandLine> line = CommandLine::parse(ptxas::options, words);
  if (!line) return line.error();
  if (!line->unknown().empty()) return Error{"Unknown option '" + line->unknown()[0] + "'"};
  const auto limit = read_register_limit(*line);
  if (!limit) return limit.error();
  return Unit{};
}

class Build {
 public:
  Build(const Settings& settings, std::string toolkit)
      : settings_(settings), session_(settings, std::move(toolkit)) {}

  int run() {
    session_.announce_environment();
    const bool good = clean_wanted() ? clean() : run_phase();
    // What failed has taken its time as well.
    const bool told = session_.write_times();
    return good && told ? 0 : session_.status() != 0 ? session_.status() : exit_failed;
  }

 private:
  bool clean_wanted() const { return settings_.has(Opt::clean_targets); }

  bool run_phase() {
    if (settings_.has(Opt::keep) && !session_.dry()) {
      const std::string folder = settings_.line.value(Opt::keep_dir).value_or("");
      std::error_code failed;
      if (!folder.empty() && !fs::is_directory(folder, failed)) {
        session_.say(Weight::fatal, "Could not open output directory '" + folder + "' (-keep-dir)");
        return session_.fail(exit_failed);
      }
    }
    for (const Input& input : settings_.inputs) {
      // The host compiler tells of its files itself, or does not look at them (-Xcompiler --version).
      if (input.kind == InputKind::c || input.kind == InputKind::cpp) continue;
      std::error_code failed;
      if (session_.dry() || input.path == "-" || fs::exists(input.path, failed)) continue;
      session_.say(Weight::fatal,
                   "Could not open input file '" + input.path + "': No such file or directory");
      return session_.fail(exit_failed);
    }
    if (wants_openmp(settings_) && clang_openmp_library().empty() && has_cuda_input())
      session_.say(
          Weight::warning,
          "OpenMP directives in .cu files are ignored: clang's OpenMP library (libomp) is not installed");
    if (has_cuda_input() && !check_host_options()) return false;
    switch (settings_.phase) {
      case Phase::ptx: return each(".ptx", make_ptx, true);
      case Phase::cubin: return each(".cubin", make_cubin, false);
      case Phase::fatbin: return each(".fatbin", make_fat_binary_file, false);
      case Phase::compile: return each(".o", make_object, true);
      case Phase::preprocess:
      case Phase::dependencies:
        for (const Input& input : settings_.inputs)
          if (is_text(input) &&
              !(settings_.phase == Phase::preprocess ? preprocess : make_dependencies)(session_, input))
            return false;
        return true;
      default: break;
    }
    std::vector<Linkable> linkable;
    if (!compile_all(linkable)) return false;
    const std::string program = output(usual_output());
    if (settings_.phase == Phase::device_link) return device_link(session_, linkable, program);
    if (settings_.phase == Phase::library) return make_library(session_, linkable, program);
    if (settings_.phase == Phase::run && runs_directly()) return execute(settings_.inputs[0].path);
    if (!link(session_, linkable, program)) return false;
    return settings_.phase != Phase::run || execute(program);
  }

  // Options that clang does not know go to the host compiler alone, and a .cu file never gets there: it is
  // asked whether it knows them, so that a mistyped one is its error, as with nvcc.
  bool check_host_options() {
    const std::vector<std::string> unknown = host_only_options(settings_);
    if (unknown.empty() || session_.dry()) return true;
    std::vector<std::string> words{settings_.host_compiler, "-fsyntax-only", "-x", "c++", "/dev/null"};
    words.insert(words.end(), unknown.begin(), unknown.end());
    return session_.execute(words);
  }

  bool has_cuda_input() const {
    return std::any_of(settings_.inputs.begin(), settings_.inputs.end(),
                       [](const Input& input) { return input.kind == InputKind::cuda; });
  }

  // Of a phase that makes one file of all.
  const char* usual_output() const {
    if (settings_.linked_as) return settings_.linked_as == Phase::cubin ? "a_dlink.cubin" : "a_dlink.fatbin";
    switch (settings_.phase) {
      case Phase::device_link: return "a_dlink.o";
      case Phase::library: return "a.a";
      default: return "a.out";
    }
  }

  static bool is_text(const Input& input) {
    return input.kind == InputKind::cuda || input.kind == InputKind::cpp || input.kind == InputKind::c;
  }

  static bool is_device_code(const Input& input) {
    return input.kind == InputKind::ptx || input.kind == InputKind::cubin || input.kind == InputKind::fatbin;
  }

  // What is an object only after this command has made it one.
  static bool is_compiled(const Input& input) { return is_text(input) || is_device_code(input); }

  std::string output(const char* otherwise) const {
    std::string name = settings_.line.value(Opt::output_file).value_or(otherwise);
    if (const auto folder = settings_.line.value(Opt::output_directory);
        folder && !settings_.has(Opt::output_file))
      name = (fs::path(*folder) / name).string();
    return name;
  }

  // A file for every source; what is none of the phase's is left alone, as nvcc does.
  template <class Make>
  bool each(std::string_view suffix, Make make, bool sources_only) {
    for (const Input& input : settings_.inputs) {
      const bool device_code = input.kind == InputKind::cuda || is_device_code(input);
      const bool taken = suffix == ".o" ? is_text(input) || device_code
                         : sources_only ? input.kind == InputKind::cuda
                                        : device_code;
      if (taken && !make(session_, input, output_for(settings_, input, suffix))) return false;
    }
    return true;
  }

  // Two inputs may have one name in different folders: the second's object is name-2.o.
  std::string object_name(std::size_t index) const {
    const std::string stem = stem_of(settings_.inputs[index].path);
    std::size_t number = 1;
    for (std::size_t i = 0; i < index; ++i)
      if (is_compiled(settings_.inputs[i]) && stem_of(settings_.inputs[i].path) == stem) ++number;
    return stem + (number == 1 ? "" : '-' + std::to_string(number)) + ".o";
  }

  bool compile_all(std::vector<Linkable>& linkable) {
    for (std::size_t i = 0; i < settings_.inputs.size(); ++i) {
      const Input& input = settings_.inputs[i];
      if (!is_compiled(input)) {
        linkable.push_back({input.kind, input.path});
        continue;
      }
      const std::string path = session_.between(object_name(i));
      if (session_.status() != 0 || !make_object(session_, input, path)) return false;
      // The host compiler succeeds without an object when it is asked for its version (-Xcompiler --version).
      if (!session_.dry() && !fs::exists(path)) {
        session_.say(Weight::fatal, "Could not open input file '" + path + "'");
        return session_.fail(exit_failed);
      }
      linkable.push_back({InputKind::object, path});
    }
    return join_dependencies(session_);
  }

  bool runs_directly() const {
    return settings_.inputs.size() == 1 && settings_.inputs[0].kind == InputKind::object &&
           !settings_.inputs[0].path.ends_with(".o");
  }

  bool execute(const std::string& program) {
    std::vector<std::string> words{
        fs::path(program).is_absolute() || program.find('/') != std::string::npos ? program : "./" + program};
    for (const std::string& value : settings_.line.values(Opt::run_args))
      for (std::string& word : split_words(value)) words.push_back(std::move(word));
    const char* old = std::getenv("LD_LIBRARY_PATH");
    const std::string path = session_.toolkit() + "/lib64" + (old != nullptr ? std::string(":") + old : "");
    setenv("LD_LIBRARY_PATH", path.c_str(), 1);
    return !session_.announce(shell_quoted(words)) || session_.execute(words);
  }

  // Removes what the same command without -clean-targets makes.
  bool clean() {
    const auto remove = [&](const std::string& path) {
      if (session_.announce("rm " + shell_quoted({path}))) {
        std::error_code ignored;
        fs::remove(path, ignored);
      }
    };
    constexpr std::pair<Phase, const char*> outputs[] = {
        {Phase::ptx, ".ptx"}, {Phase::cubin, ".cubin"}, {Phase::fatbin, ".fatbin"}, {Phase::compile, ".o"}};
    const auto* each_file =
        std::ranges::find_if(outputs, [&](const auto& one) { return one.first == settings_.phase; });
    if (each_file == std::end(outputs))
      remove(output(usual_output()));
    else
      for (const Input& input : settings_.inputs) remove(output_for(settings_, input, each_file->second));
    if (!session_.keeps()) return true;
    for (std::size_t i = 0; i < settings_.inputs.size(); ++i) {
      const Input& input = settings_.inputs[i];
      for (const std::string& name : kept_files(session_, input)) remove(session_.between(name));
      if (each_file == std::end(outputs) && is_compiled(input)) remove(session_.between(object_name(i)));
    }
    if (each_file == std::end(outputs))
      remove(session_.between(stem_of(output(usual_output())) + "_dlink.o"));
    return true;
  }

  const Settings& settings_;
  Session session_;
};

}  // namespace

int nvcc_main(std::vector<std::string> words) {
  const Result<Settings> settings = settle(with_environment(std::move(words)));
  if (!settings) return complain(settings.error().message);
  if (settings->has(Opt::help)) {
    std::cout << options.help(usage);
    return 0;
  }
  if (settings->has(Opt::version)) {
    std::cout << version_text("nvcc", "Cuda compiler driver");
    return 0;
  }
  if (settings->has(Opt::list_gpu_code) || settings->has(Opt::list_gpu_arch))
    return list_architectures(*settings);
  const Status<> for_ptxas = check_ptxas_options(settings->ptxas_options);
  if (!for_ptxas) {
    std::cerr << message("ptxas", Weight::fatal, for_ptxas.error().message + " (-Xptxas)");
    return exit_ptxas;
  }
  // bin/nvcc, and nvvm/bin/cicc by a link to it: the toolkit is the folder above bin/.
  const fs::path toolkit = fs::path(own_path()).parent_path().parent_path();
  return Build(*settings, toolkit.string()).run();
}

}  // namespace heddle::driver::nvcc
