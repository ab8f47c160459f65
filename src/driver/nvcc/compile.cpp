#include "driver/nvcc/compile.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <thread>

#include "driver/assemble.h"
#include "driver/nvcc/arguments.h"

namespace heddle::driver::nvcc {

namespace fs = std::filesystem;

namespace {

// A device's pass over one input.
struct DevicePass {
  const Generation* generation;
  Cicc step;
  frontend::Product product;
};

std::string part_name(const Session& session, const Input& input, const Generation& generation) {
  const bool several = session.settings().generations.size() > 1;
  return stem_of(input.path) + (several ? '.' + as_virtual(generation.from) : "");
}

std::string cubin_name(const std::string& part, const ArchName& code) {
  return part + '.' + spelled(code) + ".cubin";
}

// Where a step's result would lie. Results are handed on in memory, so without -keep it only matters when it
// is shown.
std::string shown_path(Session& session, const std::string& name) {
  return session.keeps() || session.prints() ? session.between(name) : name;
}

// Prints what the compiler said; false when there were errors.
bool judge(Session& session, const Input& input, const frontend::Product& product) {
  const int errors = session.show(product);
  if (product.ok) return true;
  if (!product.failure.empty()) {
    session.say(Weight::error, "'cicc' failed on '" + input.path + "': " + product.failure);
    return session.fail(exit_failed);
  }
  session.error_output(std::to_string(errors) + (errors == 1 ? " error" : " errors") +
                       " detected in the compilation of \"" + input.path + "\".\n");
  return session.fail(exit_errors);
}

std::size_t thread_count(const Session& session, std::size_t most) {
  auto count = static_cast<std::size_t>(session.settings().line.number(Opt::threads).value_or(1));
  if (count == 0) count = std::max(1u, std::thread::hardware_concurrency());
  return std::min(count, most);
}

// All devices' passes, several at a time with -t.
bool compile_for_devices(Session& session, const Input& input, std::vector<DevicePass>& passes) {
  const std::size_t threads = thread_count(session, passes.size());
  for (std::size_t first = 0; first < passes.size(); first += threads) {
    const std::size_t end = std::min(passes.size(), first + threads);
    std::vector<std::future<void>> running;
    for (std::size_t i = first; i < end; ++i) {
      DevicePass& pass = passes[i];
      if (!session.announce(pass.step.text())) continue;
      const auto compile = [&] {
        const Timed timed =
            session.timed({input.path, "cicc", input.path, pass.step.output, spelled(pass.generation->from)});
        pass.product = pass.step.run();
      };
      if (threads == 1)
        compile();
      else
        running.push_back(std::async(std::launch::async, compile));
    }
    for (std::future<void>& one : running) one.get();
    if (session.dry()) continue;
    for (std::size_t i = first; i < end; ++i)
      if (!judge(session, input, passes[i].product)) return false;
  }
  return true;
}

// 0 is no limit (nvcc does not hand it to ptxas).
std::optional<int64_t> register_limit(const Settings& settings) {
  const std::optional<int64_t> given = settings.line.number(Opt::maxrregcount);
  return given && *given != 0 ? given : std::nullopt;
}

AssembleOptions assemble_options(const Session& session, const ArchName& arch, const std::string& name) {
  const Settings& settings = session.settings();
  AssembleOptions options;
  const Result<CommandLine> line = CommandLine::parse(ptxas::options, settings.ptxas_options);
  if (line)  // checked before
    if (auto read = read_assembler(*line)) options = std::move(*read);
  options.arch = arch;
  options.name = name;
  options.relocatable = settings.relocatable;
  options.quiet |= settings.has(Opt::disable_warnings);
  options.verbose |= settings.has(Opt::resource_usage);
  if (!line || !line->has(ptxas::Opt::maxrregcount)) options.max_registers = register_limit(settings);
  return options;
}

std::string ptxas_text(const Session& session, const AssembleOptions& options, const std::string& input,
                       const std::string& output) {
  std::vector<std::string> words{"ptxas", "-arch=" + spelled(options.arch), "-m64"};
  if (options.relocatable) words.push_back("--compile-only");
  if (session.settings().has(Opt::resource_usage)) words.push_back("-v");
  words.insert(words.end(), session.settings().ptxas_options.begin(), session.settings().ptxas_options.end());
  if (const auto count = register_limit(session.settings()))
    words.push_back("-maxrregcount=" + std::to_string(*count));
  words.insert(words.end(), {input, "-o", output});
  return shell_quoted(words);
}

// PTX is checked for every architecture that it is kept for as if it were machine code.
std::optional<std::string> assemble_for(Session& session, const Input& input, const ArchName& arch,
                                        const std::string& ptx, const std::string& ptx_path,
                                        const std::string& cubin_path) {
  const AssembleOptions options = assemble_options(session, arch, ptx_path);
  if (!session.announce(ptxas_text(session, options, ptx_path, cubin_path))) return std::string();
  const Timed timed = session.timed({input.path, "ptxas", ptx_path, cubin_path, spelled(arch)});
  Assembly assembly = assemble(ptx, options);
  session.error_output(assembly.log);
  if (assembly.ok) return std::move(assembly.cubin);
  session.fail(exit_ptxas);
  return std::nullopt;
}

FatOptions fat_options(const Session& session) {
  const Settings& settings = session.settings();
  FatOptions options;
  options.compression = compression_of(settings.line.value(Opt::compress_mode).value_or("default"));
  if (settings.has(Opt::no_compress)) options.compression = fatbin::Compression::none;
  if (const Result<CommandLine> line = CommandLine::parse(fatbinary::options, settings.fatbinary_options)) {
    if (!line->is_true(fatbinary::Opt::compress, true)) options.compression = fatbin::Compression::none;
    if (const auto mode = line->value(fatbinary::Opt::compress_mode))
      options.compression = compression_of(*mode);
  }
  for (const std::string& word : settings.ptxas_options)
    if (word != "-v" && word != "--verbose")
      options.ptxas_options += (options.ptxas_options.empty() ? "" : " ") + word;
  if (const auto count = register_limit(settings))
    options.ptxas_options +=
        (options.ptxas_options.empty() ? "-maxrregcount " : " -maxrregcount ") + std::to_string(*count);
  return options;
}

// Every image of one input, as one fat binary.
std::optional<std::string> fat_binary_of(Session& session, const Input& input, const std::string& path) {
  const Settings& settings = session.settings();
  std::vector<DeviceFile> files;
  std::vector<std::string> words{"fatbinary", "-64", "--create=" + path};
  words.insert(words.end(), settings.fatbinary_options.begin(), settings.fatbinary_options.end());
  if (settings.relocatable) words.push_back("--device-c");
  const auto add = [&](const ArchName& arch, std::string name, std::string content) {
    words.push_back(std::string("--image3=kind=") + (arch.real ? "elf" : "ptx") + ",sm=" + arch.name +
                    ",file=" + name);
    files.push_back({arch, std::move(name), std::move(content)});
  };
  const auto keep_codes = [&](const Generation& generation, const std::string& ptx,
                              const std::string& ptx_path, const std::string& part) {
    for (const ArchName& code : generation.kept) {
      if (!code.real) {
        add(code, ptx_path, ptx);
        continue;
      }
      const std::string name = cubin_name(part, code), path = shown_path(session, name);
      std::optional<std::string> cubin = assemble_for(session, input, code, ptx, ptx_path, path);
      if (!cubin || (!session.dry() && !session.keep(name, *cubin))) return false;
      add(code, path, std::move(*cubin));
    }
    return true;
  };
  if (input.kind == InputKind::cuda) {
    std::vector<DevicePass> passes;
    for (const Generation& generation : settings.generations) {
      DevicePass pass{&generation, device_step(session, input, generation), {}};
      pass.step.output = shown_path(session, part_name(session, input, generation) + ".ptx");
      passes.push_back(std::move(pass));
    }
    if (!compile_for_devices(session, input, passes)) return std::nullopt;
    if (settings.has(Opt::fdevice_syntax_only)) return std::string();
    for (const DevicePass& pass : passes) {
      const std::string part = part_name(session, input, *pass.generation);
      if (!session.dry() && !session.keep(part + ".ptx", pass.product.output)) return std::nullopt;
      if (!keep_codes(*pass.generation, pass.product.output, pass.step.output, part)) return std::nullopt;
    }
  } else {
    Result<std::string> content = session.dry() ? std::string() : read_file(input.path);
    if (!content) {
      session.say(Weight::fatal, content.error().message);
      session.fail(exit_failed);
      return std::nullopt;
    }
    for (const Generation& generation : settings.generations) {
      if (input.kind == InputKind::ptx) {
        if (!keep_codes(generation, *content, input.path, stem_of(input.path))) return std::nullopt;
      } else {
        add(generation.kept.front(), input.path, *content);
      }
    }
  }
  if (!session.announce(shell_quoted(words))) return std::string();
  std::string names;
  for (const DeviceFile& file : files) names += (names.empty() ? "" : " ") + file.name;
  const Timed timed = session.timed({input.path, "fatbinary", names, path, ""});
  Result<std::string> made = make_fat_binary(files, fat_options(session));
  if (made) return std::move(*made);
  session.say(Weight::fatal, made.error().message);
  session.fail(exit_failed);
  return std::nullopt;
}

// The file of the rules (-MD), and what they are for.
struct Rule {
  std::string file, target;
};

bool wants_rules(const Settings& settings) {
  return settings.has(Opt::generate_dependencies_with_compile) ||
         settings.has(Opt::generate_nonsystem_dependencies_with_compile);
}

// One rule file for a program of several sources (-o, -MF): each source's is a part of it.
bool joins_rules(const Settings& settings) {
  return is_linking(settings.phase) && settings.inputs.size() > 1 &&
         (settings.has(Opt::output_file) || settings.has(Opt::dependency_output));
}
std::string rule_file(const Settings& settings, const std::string& output) {
  const auto given = settings.line.value(Opt::dependency_output);
  return given ? *given : fs::path(output).replace_extension(".d").string();
}
std::string part_of_rules(Session& session, const Input& input) {
  std::string name = input.path + ".d";
  std::ranges::replace(name, '/', '_');
  return session.between(name);
}

Rule rule_for(Session& session, const Input& input, const std::string& output) {
  const Settings& settings = session.settings();
  // Objects of a link are nobody's targets: the program is, or what the object would be called.
  const std::string target = is_linking(settings.phase) ? output_for(settings, input, ".o") : output;
  return {joins_rules(settings) ? part_of_rules(session, input) : rule_file(settings, target), target};
}

void add_dependencies(Session& session, const Input& input, const std::string& output,
                      std::vector<std::string>& words) {
  const Settings& settings = session.settings();
  if (!wants_rules(settings)) return;
  const Rule rule = rule_for(session, input, output);
  words.insert(words.end(),
               {settings.has(Opt::generate_dependencies_with_compile) ? "-MD" : "-MMD", "-MF", rule.file});
  const auto targets = settings.line.values(Opt::dependency_target_name);
  for (const std::string& target : targets) words.insert(words.end(), {"-MT", target});
  if (targets.empty()) words.insert(words.end(), {"-MT", rule.target});
  if (settings.has(Opt::generate_dependency_targets)) words.push_back("-MP");
}

bool compile_with_host_compiler(Session& session, const Input& input, const std::string& output) {
  std::vector<std::string> words = host_compiler_words(session, input.kind == InputKind::c);
  add_dependencies(session, input, output, words);
  words.insert(words.end(), {input.path, "-o", output});
  if (!session.announce(shell_quoted(words))) return true;
  const Timed timed = session.timed({input.path, words[0] + " (compiling)", input.path, output, ""});
  return session.execute(words);
}

}  // namespace

bool make_ptx(Session& session, const Input& input, const std::string& output) {
  const Generation& generation = session.settings().generations.front();
  std::vector<DevicePass> passes{{&generation, device_step(session, input, generation), {}}};
  passes[0].step.output = output;
  add_dependencies(session, input, output, passes[0].step.source.own);
  if (!compile_for_devices(session, input, passes)) return false;
  if (session.dry()) return true;
  // Shown for real architectures: nvcc runs ptxas to check, too.
  const ArchName arch{true, generation.from.name, generation.from.number};
  AssembleOptions options = assemble_options(session, arch, output);
  options.relocatable = true;
  const Assembly assembly = assemble(passes[0].product.output, options);
  session.error_output(assembly.log);
  if (!assembly.ok) return session.fail(exit_ptxas);
  return session.write(output, passes[0].product.output);
}

bool make_cubin(Session& session, const Input& input, const std::string& output) {
  const Generation& generation = session.settings().generations.front();
  ArchName arch = generation.kept.front();
  arch.real = true;
  std::string ptx, ptx_path = input.path;
  if (input.kind == InputKind::cuda) {
    std::vector<DevicePass> passes{{&generation, device_step(session, input, generation), {}}};
    ptx_path = passes[0].step.output = session.between(stem_of(input.path) + ".ptx");
    if (session.status() != 0 || !compile_for_devices(session, input, passes)) return false;
    ptx = std::move(passes[0].product.output);
    if (!session.keep(stem_of(input.path) + ".ptx", ptx)) return false;
  } else if (!session.dry()) {
    Result<std::string> content = read_file(input.path);
    if (!content) {
      session.say(Weight::fatal, content.error().message);
      return session.fail(exit_failed);
    }
    ptx = std::move(*content);
  }
  const std::optional<std::string> cubin = assemble_for(session, input, arch, ptx, ptx_path, output);
  return cubin && (session.dry() || session.write(output, *cubin));
}

bool make_fat_binary_file(Session& session, const Input& input, const std::string& output) {
  const std::optional<std::string> made = fat_binary_of(session, input, output);
  return made && (session.dry() || session.write(output, *made));
}

bool make_object(Session& session, const Input& source, const std::string& output) {
  if (source.kind == InputKind::c || source.kind == InputKind::cpp)
    return compile_with_host_compiler(session, source, output);
  Input input = source;
  const std::string stem = stem_of(input.path);
  const std::string fat_name = stem + ".fatbin";
  const std::string fat_path = shown_path(session, fat_name);
  std::optional<std::string> fat = fat_binary_of(session, input, fat_path);
  if (!fat || (!session.dry() && !session.keep(fat_name, *fat))) return false;
  if (session.settings().has(Opt::fdevice_syntax_only)) return true;
  Cicc step = host_step(session, input);
  step.source.job.arguments.push_back("-c");
  step.output = output;
  if (input.kind != InputKind::cuda) {
    // Compiled device code has no host side of its own: an empty one carries it.
    input.path = step.source.path = stem + ".host.cu";
    step.source.job.files.push_back({input.path, ""});
  }
  add_dependencies(session, input, output, step.source.own);
  step.source.own.insert(step.source.own.end(), {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", fat_path});
  step.source.job.files.push_back({fat_path, std::move(*fat)});
  if (!session.announce(step.text())) return true;
  const Timed timed = session.timed({input.path, "clang (compiling)", input.path, output, ""});
  const frontend::Product product = step.run();
  return judge(session, input, product) && session.write(output, product.output);
}

bool join_dependencies(Session& session) {
  const Settings& settings = session.settings();
  if (!wants_rules(settings) || !joins_rules(settings) || session.dry()) return true;
  std::string text, file;
  for (const Input& input : settings.inputs) {
    if (input.kind != InputKind::cuda && input.kind != InputKind::cpp && input.kind != InputKind::c) continue;
    const Result<std::string> part = read_file(part_of_rules(session, input));
    if (!part) {
      session.say(Weight::fatal, part.error().message);
      return session.fail(exit_failed);
    }
    text += *part;
    file = rule_file(settings, output_for(settings, input, ".o"));
  }
  return file.empty() || session.write(file, text);
}

std::vector<std::string> kept_files(const Session& session, const Input& input) {
  std::vector<std::string> names;
  if (input.kind == InputKind::cuda || input.kind == InputKind::ptx)
    for (const Generation& generation : session.settings().generations) {
      const std::string part =
          input.kind == InputKind::ptx ? stem_of(input.path) : part_name(session, input, generation);
      if (input.kind == InputKind::cuda) names.push_back(part + ".ptx");
      for (const ArchName& code : generation.kept)
        if (code.real) names.push_back(cubin_name(part, code));
    }
  if (input.kind == InputKind::cuda) names.push_back(stem_of(input.path) + ".fatbin");
  return names;
}

bool preprocess(Session& session, const Input& input) {
  const std::string output = session.settings().line.value(Opt::output_file).value_or("-");
  if (input.kind != InputKind::cuda) {
    std::vector<std::string> words = host_compiler_words(session, input.kind == InputKind::c);
    words[1] = "-E";
    words.push_back(input.path);
    if (output != "-") words.insert(words.end(), {"-o", output});
    return !session.announce(shell_quoted(words)) || session.execute(words);
  }
  Cicc step = device_step(session, input, session.settings().generations.front());
  step.source.own.push_back("-E");
  for (const std::string& word : session.settings().host_options)
    if (word == "-P" || word == "-C" || word == "-CC" || (word.size() == 3 && word.starts_with("-d")))
      step.source.own.push_back(word);
  step.source.job.to_memory = false;
  step.output = output;
  if (!session.announce(step.text())) return true;
  const Timed timed = session.timed({input.path, "clang (preprocessing)", input.path, output, ""});
  return judge(session, input, step.run());
}

bool make_dependencies(Session& session, const Input& input) {
  const Settings& settings = session.settings();
  const bool all = settings.has(Opt::generate_dependencies);
  std::string target = settings.line.value(Opt::dependency_target_name).value_or("");
  if (target.empty()) {
    target = stem_of(input.path) + ".o";
    if (const auto folder = settings.line.value(Opt::output_directory))
      target = (fs::path(*folder) / target).string();
  }
  std::string output = settings.line.value(Opt::dependency_output).value_or("");
  if (output.empty()) output = settings.line.value(Opt::output_file).value_or("-");
  std::vector<std::string> rule{all ? "-M" : "-MM", "-MF", output, "-MT", target};
  if (settings.has(Opt::generate_dependency_targets)) rule.push_back("-MP");
  if (input.kind != InputKind::cuda) {
    std::vector<std::string> words = host_compiler_words(session, input.kind == InputKind::c);
    words.erase(words.begin() + 1);
    words.insert(words.end(), rule.begin(), rule.end());
    words.push_back(input.path);
    return !session.announce(shell_quoted(words)) || session.execute(words);
  }
  Cicc step = host_step(session, input);
  step.source.own.insert(step.source.own.end(), rule.begin(), rule.end());
  step.source.job.to_memory = false;
  if (!session.announce(step.text())) return true;
  const Timed timed = session.timed({input.path, "clang (dependencies)", input.path, output, ""});
  return judge(session, input, step.run());
}

}  // namespace heddle::driver::nvcc
