#include "driver/nvcc/arguments.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "frontend/messages.h"

namespace heddle::driver::nvcc {

namespace fs = std::filesystem;

namespace {

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// The same, with folders of headers apart.
void append_apart(std::vector<std::string>& to, std::vector<std::string>& folders,
                  const std::vector<std::string>& from) {
  constexpr std::string_view options[] = {"-I", "-isystem", "-iquote", "-idirafter"};
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::string& word = from[i];
    const bool folder = std::ranges::any_of(options, [&](auto option) { return word.starts_with(option); });
    std::vector<std::string>& place = folder ? folders : to;
    place.push_back(word);
    const bool two = folder ? std::ranges::find(options, word) != std::end(options) : word == "-include";
    if (two && i + 1 < from.size()) place.push_back(from[++i]);
  }
}

// -D, -U, -I, -isystem, -include as they were given. nvcc has all -D before all -U.
std::vector<std::string> preprocessor_words(const Settings& settings) {
  std::vector<std::string> words;
  for (const std::string& value : settings.line.values(Opt::define_macro)) words.push_back("-D" + value);
  for (const std::string& value : settings.line.values(Opt::undefine_macro)) words.push_back("-U" + value);
  for (const std::string& value : settings.line.values(Opt::pre_include)) append(words, {"-include", value});
  for (const std::string& value : settings.line.values(Opt::include_path)) words.push_back("-I" + value);
  for (const std::string& value : settings.line.values(Opt::system_include))
    append(words, {"-isystem", value});
  return words;
}

std::vector<std::string> warning_words(const Settings& settings) {
  std::vector<std::string> words;
  if (settings.has(Opt::disable_warnings)) words.push_back("-w");
  if (settings.has(Opt::wreorder)) words.push_back("-Wreorder");
  if (settings.has(Opt::wdefault_stream_launch)) words.push_back("-Wdefault-stream-launch");
  if (settings.has(Opt::wmissing_launch_bounds)) words.push_back("-Wmissing-launch-bounds");
  if (settings.has(Opt::wext_lambda_captures_this)) words.push_back("-Wext-lambda-captures-this");
  if (settings.has(Opt::wno_deprecated_declarations)) words.push_back("-Wno-deprecated-declarations");
  for (const std::string& kind : settings.line.values(Opt::werror)) {
    if (kind == "all-warnings") words.push_back("-Werror");
    if (kind != "all-warnings") words.push_back("-Werror=" + kind);
  }
  if (settings.line.is_true(Opt::brief_diagnostics, false)) words.push_back("-fno-caret-diagnostics");
  return words;
}

// -diag-suppress 177, and the same for cudafe++, which has them with underlines.
std::vector<std::string> message_words(const Settings& settings) {
  using frontend::MessageWeight;
  std::vector<std::string> words;
  const auto add = [&](std::string_view messages, MessageWeight weight) {
    while (!messages.empty()) {
      const std::size_t comma = std::min(messages.find(','), messages.size());
      append(words, frontend::message_options(messages.substr(0, comma), weight));
      messages.remove_prefix(std::min(messages.size(), comma + 1));
    }
  };
  constexpr std::pair<Opt, MessageWeight> options[] = {{Opt::diag_suppress, MessageWeight::suppressed},
                                                       {Opt::diag_warn, MessageWeight::warning},
                                                       {Opt::diag_error, MessageWeight::error}};
  for (const auto& [option, weight] : options)
    for (const std::string& value : settings.line.values(option)) add(value, weight);
  constexpr std::pair<std::string_view, MessageWeight> of_cudafe[] = {
      {"--diag_suppress=", MessageWeight::suppressed},
      {"--diag_warning=", MessageWeight::warning},
      {"--diag_error=", MessageWeight::error}};
  for (const std::string& value : settings.line.values(Opt::cudafe_options))
    for (const std::string& word : split_words(value))
      for (const auto& [start, weight] : of_cudafe)
        if (word.starts_with(start)) add(std::string_view(word).substr(start.size()), weight);
  return words;
}

std::string standard(const Settings& settings) {
  // nvcc's c++03 is the host compiler's with its extensions.
  return "-std=" + settings.line.value(Opt::o_std).value_or("c++17");
}

// Macros that tell a program how it is compiled, the same for device and host.
std::vector<std::string> mode_macros(const Settings& settings) {
  std::vector<std::string> words{"-D__NVCC__", "-D__CUDA_ARCH_LIST__=" + arch_list(settings)};
  append(words, version_macros());
  if (settings.relocatable) words.push_back("-D__CUDACC_RDC__");
  if (settings.has(Opt::extended_lambda)) words.push_back("-D__CUDACC_EXTENDED_LAMBDA__");
  if (settings.has(Opt::expt_relaxed_constexpr)) words.push_back("-D__CUDACC_RELAXED_CONSTEXPR__");
  if (settings.has(Opt::device_debug)) words.push_back("-D__CUDACC_DEBUG__");
  if (settings.has(Opt::use_fast_math)) words.push_back("-D__USE_FAST_MATH__");
  if (settings.line.value(Opt::default_stream).value_or("legacy") == "per-thread")
    words.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
  return words;
}

// Template limits and the like, which are clang's as they stand.
std::vector<std::string> language_words(const Settings& settings) {
  // clang's headers for CUDA need C++11.
  const std::string chosen = standard(settings);
  std::vector<std::string> words{chosen == "-std=c++03" ? "-std=c++11" : chosen};
  if (const auto limit = settings.line.value(Opt::ftemplate_depth))
    words.push_back("-ftemplate-depth=" + *limit);
  if (const auto limit = settings.line.value(Opt::ftemplate_backtrace_limit))
    words.push_back("-ftemplate-backtrace-limit=" + *limit);
  if (const auto seed = settings.line.value(Opt::frandom_seed)) words.push_back("-frandom-seed=" + *seed);
  return words;
}

bool is_openmp(std::string_view word) { return word == "-fopenmp" || word.starts_with("-fopenmp="); }

// Options for the host compiler that mean something to a compilation of device code: macros, headers,
// warnings.
std::vector<std::string> for_device(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool two = word == "-include" || word == "-isystem" || word == "-I" || word == "-D" ||
                     word == "-U" || word == "-iquote" || word == "-idirafter";
    if (two && i + 1 < words.size()) {
      append(kept, {word, words[++i]});
      continue;
    }
    const bool warning = word.starts_with("-W") && !word.starts_with("-Wl,") && !word.starts_with("-Wa,");
    const bool preprocessor = word.starts_with("-D") || word.starts_with("-U") || word.starts_with("-I") ||
                              word.starts_with("-isystem") || word.starts_with("-iquote");
    const bool language = word.starts_with("-std=") || word.starts_with("-ftemplate") || word == "-w" ||
                          word.starts_with("-fpermissive") || word.starts_with("-fms-extensions");
    if ((warning || preprocessor || language) && frontend::knows_option(word)) kept.push_back(word);
  }
  return kept;
}

bool for_linking(std::string_view word) {
  return word.starts_with("-Wl,") || word.starts_with("-l") || word.starts_with("-L") ||
         word == "-rdynamic" || word == "-shared" || word == "-static";
}

// Those that clang knows; the host compiler's own are for the host compiler alone.
std::vector<std::string> for_clang(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') || for_linking(word) || is_openmp(word)) continue;
    const bool two = word == "-include" || word == "-isystem" || word == "-I" || word == "-D" || word == "-U";
    if (two && i + 1 < words.size()) {
      append(kept, {word, words[++i]});
    } else if (frontend::knows_option(word)) {
      kept.push_back(word);
    }
  }
  return kept;
}

std::string optimisation(const Settings& settings) {
  // Host compilers take what is above 3 as 3, clang with a warning.
  const std::optional<int64_t> level = settings.line.number(Opt::optimize);
  return level ? "-O" + std::to_string(std::min<int64_t>(*level, 3)) : "";
}

frontend::FloatPrecision precision(const Settings& settings) {
  frontend::FloatPrecision wanted;
  using Division = frontend::FloatPrecision::Division;
  wanted.flush_subnormals = settings.line.is_true(Opt::ftz, false);
  wanted.approximate_root = !settings.line.is_true(Opt::prec_sqrt, true);
  if (!settings.line.is_true(Opt::prec_div, true))
    wanted.division = settings.has(Opt::use_fast_math) ? Division::approximate : Division::full_range;
  return wanted;
}

// clang gives kernels and variables of internal linkage a suffix, so that the host's side of this file finds
// its own among all that are linked: the unit's name. Left to itself it makes one from the options, which
// differ between device and host.
std::vector<std::string> relocatable_words(const Settings& settings, const Input& input) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ 0xff) * 0x100000001b3;
  };
  std::error_code unknown;
  add(fs::absolute(input.path, unknown).string());
  for (const std::string& word : settings.words) add(word);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string id;
  for (int shift = 60; shift >= 0; shift -= 4) id += digits[(hash >> shift) & 15];
  // clang's driver hands -cuid on to compilations for devices only.
  return {"-fgpu-rdc", "-cuid=" + id, "-Xclang", "-cuid=" + id};
}

std::vector<std::string> device_code_words(const Settings& settings, const Input& input) {
  std::vector<std::string> words;
  const bool debug = settings.has(Opt::device_debug);
  const bool optimised = !debug || settings.has(Opt::dopt);
  const std::string fast = settings.line.value(Opt::ofast_compile).value_or("0");
  words.push_back(!optimised ? "-O0" : fast == "max" ? "-O1" : fast == "mid" ? "-O2" : "-O3");
  // Lines let faults and profiles name the source. -ptx shows them only when asked, as nvcc does.
  if (debug)
    words.push_back("-g");
  else if (settings.has(Opt::generate_line_info) || settings.phase != Phase::ptx)
    words.push_back("-gline-directives-only");
  if (settings.line.is_true(Opt::ftz, false)) words.push_back("-fgpu-flush-denormals-to-zero");
  if (settings.has(Opt::use_fast_math)) words.push_back("-fgpu-approx-transcendentals");
  // Fusing is an optimisation: without any, -fmad=true asks for nothing (nvcc's -G is the same).
  if (!optimised || !settings.line.is_true(Opt::fmad, true)) words.push_back("-ffp-contract=off");
  if (settings.relocatable) append(words, relocatable_words(settings, input));
  append(words,
         {std::string("-D__CUDA_FTZ=") + (settings.line.is_true(Opt::ftz, false) ? "1" : "0"),
          std::string("-D__CUDA_PREC_DIV=") + (settings.line.is_true(Opt::prec_div, true) ? "1" : "0"),
          std::string("-D__CUDA_PREC_SQRT=") + (settings.line.is_true(Opt::prec_sqrt, true) ? "1" : "0"),
          "-DCUDA_DOUBLE_MATH_FUNCTIONS"});
  if (settings.has(Opt::keep_device_functions)) words.push_back("-fno-discard-value-names");
  for (const std::string& kind : settings.line.values(Opt::optimization_info))
    words.push_back("-Rpass=" + kind);
  if (settings.has(Opt::fdevice_syntax_only)) words.push_back("-fsyntax-only");
  if (const auto file = settings.line.value(Opt::fdevice_time_trace))
    words.push_back("-ftime-trace=" + (*file == "-" ? std::string("trace.json") : *file));
  return words;
}

// What the newest GCC has beside the headers that every compiler has: omp.h, openacc.h, quadmath.h. Programs
// find them with any host compiler, whether or not directives mean something; behind all other folders, since
// clang has its own of the rest.
std::vector<std::string> gcc_own_headers(const Settings& settings) {
  std::string best;
  unsigned long newest = 0;
  std::error_code ignored;
  for (const fs::directory_entry& target : fs::directory_iterator("/usr/lib/gcc", ignored)) {
    std::error_code none;
    if (target.path().filename().string().find("linux") == std::string::npos) continue;
    for (const fs::directory_entry& version : fs::directory_iterator(target.path(), none)) {
      const unsigned long number = std::strtoul(version.path().filename().c_str(), nullptr, 10);
      const fs::path folder = version.path() / "include";
      if (number <= newest || !fs::exists(folder / "omp.h", none)) continue;
      newest = number;
      best = folder.string();
    }
  }
  std::vector<std::string> words;
  // What is linked with clang's library needs clang's omp.h: locks have another size in GCC's.
  if (const std::string openmp = frontend::openmp_directory(); wants_openmp(settings) && !openmp.empty())
    append(words, {"-idirafter", openmp + "/include"});
  if (!best.empty()) append(words, {"-idirafter", best});
  return words;
}

}  // namespace

std::vector<std::string> host_only_options(const Settings& settings) {
  std::vector<std::string> words;
  for (const std::string& word : settings.host_options)
    if (word.starts_with('-') && !for_linking(word) && !frontend::knows_option(word)) words.push_back(word);
  return words;
}

bool wants_openmp(const Settings& settings) {
  return std::any_of(settings.host_options.begin(), settings.host_options.end(), is_openmp);
}

std::string clang_openmp_library() {
  const std::string folder = frontend::openmp_directory();
  return folder.empty() ? folder : (fs::path(folder) / "../../libomp.so").lexically_normal().string();
}

Cicc device_step(const Session& session, const Input& input, const Generation& generation) {
  const Settings& settings = session.settings();
  Cicc step;
  step.source.path = input.path;
  step.target = frontend::find_target(generation.from.name);
  step.source.job.precision = frontend::precision_on(*step.target, precision(settings));
  step.source.job.keeps_shared_order = settings.line.is_true(Opt::warp_synchronous, step.target->is_1x());
  std::vector<std::string>& words = step.source.job.arguments;
  words = frontend::device_arguments(*step.target, session.toolkit());
  append(words, language_words(settings));
  append(words, device_code_words(settings, input));
  append(words, mode_macros(settings));
  append_apart(words, step.source.folders, preprocessor_words(settings));
  append_apart(words, step.source.folders, for_device(settings.host_options));
  append(words, warning_words(settings));
  append(words, message_words(settings));
  append(words, frontend::header_arguments(session.toolkit()));
  append(words, gcc_own_headers(settings));
  append(words, settings.clang_options);
  return step;
}

Cicc host_step(const Session& session, const Input& input) {
  const Settings& settings = session.settings();
  Cicc step;
  step.source.path = input.path;
  std::vector<std::string>& words = step.source.job.arguments;
  words = frontend::host_arguments(session.toolkit());
  append(words, language_words(settings));
  if (const std::string level = optimisation(settings); !level.empty()) words.push_back(level);
  // clang takes more advantage of signed overflow than the host compilers that programs were tested with.
  words.push_back("-fwrapv");
  if (settings.has(Opt::o_debug)) words.push_back("-g");
  if (settings.has(Opt::profile)) words.push_back("-pg");
  if (settings.has(Opt::no_exceptions)) words.push_back("-fno-exceptions");
  // Objects that only this command sees are made for what it links.
  if (settings.phase == Phase::link && settings.has(Opt::o_shared)) words.push_back("-fPIC");
  if (settings.relocatable) append(words, relocatable_words(settings, input));
  if (settings.line.value(Opt::default_stream).value_or("legacy") == "per-thread")
    append(words, {"-Xclang", "-fgpu-default-stream=per-thread"});
  append(words, mode_macros(settings));
  append_apart(words, step.source.folders, preprocessor_words(settings));
  append_apart(words, step.source.folders, for_clang(settings.host_options));
  append(words, warning_words(settings));
  append(words, message_words(settings));
  if (wants_openmp(settings)) {
    if (!clang_openmp_library().empty()) {
      words.push_back("-fopenmp");
    } else {
      words.push_back("-fopenmp-simd");
    }
  }
  append(words, frontend::header_arguments(session.toolkit()));
  append(words, gcc_own_headers(settings));
  append(words, settings.clang_options);
  return step;
}

std::vector<std::string> host_compiler_words(const Session& session, bool is_c) {
  const Settings& settings = session.settings();
  std::vector<std::string> words{settings.host_compiler, "-c", "-x", is_c ? "c" : "c++"};
  if (is_c) {
    // nvcc's compiler for C has the name without the plus signs.
    const std::string& name = words[0];
    if (name.ends_with("g++")) words[0] = name.substr(0, name.size() - 3) + "gcc";
  } else if (settings.line.value(Opt::o_std)) {
    words.push_back(standard(settings));
  }
  append(words, {"-D__CUDA_ARCH_LIST__=" + arch_list(settings), "-D__NVCC__"});
  if (const std::string level = optimisation(settings); !level.empty()) words.push_back(level);
  if (settings.has(Opt::o_debug)) words.push_back("-g");
  if (settings.has(Opt::profile)) words.push_back("-pg");
  if (settings.has(Opt::disable_warnings)) words.push_back("-w");
  if (settings.has(Opt::no_exceptions) && !is_c) words.push_back("-fno-exceptions");
  append(words, preprocessor_words(settings));
  append(words, settings.host_options);
  words.push_back("-I" + session.toolkit() + "/include");
  append(words, version_macros());
  if (settings.line.value(Opt::default_stream).value_or("legacy") == "per-thread")
    words.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
  words.push_back("-m64");
  return words;
}

}  // namespace heddle::driver::nvcc
