#include "driver/nvcc/link.h"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iostream>

#include "driver/device_link.h"
#include "driver/message.h"
#include "driver/nvcc/arguments.h"
#include "driver/nvcc/register_source.h"
#include "elf/object_file.h"

namespace heddle::driver::nvcc {

namespace fs = std::filesystem;

namespace {

// -lfoo -L/x of the command line, for device code in archives.
std::vector<std::string> named_archives(const Settings& settings) {
  std::vector<std::string> found;
  for (const std::string& library : settings.line.values(Opt::library)) {
    for (const std::string& folder : settings.line.values(Opt::library_path)) {
      const fs::path path = fs::path(folder) / ("lib" + library + ".a");
      std::error_code ignored;
      if (!fs::exists(path, ignored)) continue;
      found.push_back(path.string());
      break;
    }
  }
  return found;
}

// Names of functions __cudaRegisterLinkedBinary* that the objects call and nobody defines.
bool find_registrations(Session& session, const std::vector<Linkable>& inputs,
                        std::vector<std::string>& names) {
  std::vector<std::string> paths;
  for (const Linkable& input : inputs)
    if (input.kind == InputKind::object || input.kind == InputKind::archive) paths.push_back(input.path);
  for (std::string& path : named_archives(session.settings())) paths.push_back(std::move(path));
  std::vector<std::string> defined;
  for (const std::string& path : paths) {
    const Result<std::string> bytes = read_file(path);
    if (!bytes) {
      session.say(Weight::fatal, bytes.error().message);
      return session.fail(exit_failed);
    }
    const auto objects = elf::read_objects(path, *bytes);
    if (!objects) continue;  // the host linker says what it thinks of it
    for (const elf::ObjectFile& object : *objects)
      for (const elf::ObjectSymbol& symbol : object.symbols)
        if (symbol.name.starts_with(registration_prefix))
          (symbol.defined ? defined : names).emplace_back(symbol.name);
  }
  std::erase_if(names, [&](const std::string& name) {
    return std::find(defined.begin(), defined.end(), name) != defined.end();
  });
  // In the order of the command line, each once.
  for (std::size_t i = 0; i < names.size(); ++i)
    names.erase(std::remove(names.begin() + static_cast<std::ptrdiff_t>(i) + 1, names.end(), names[i]),
                names.end());
  return true;
}

// All objects, also those in archives. What cannot be read is the host linker's to complain of.
struct Objects {
  std::deque<std::string> contents;  // which the objects are views of
  std::vector<elf::ObjectFile> all;
};
Objects read_all(const Session& session, const std::vector<Linkable>& inputs) {
  std::vector<std::string> paths;
  for (const Linkable& input : inputs)
    if (input.kind == InputKind::object || input.kind == InputKind::archive) paths.push_back(input.path);
  for (std::string& path : named_archives(session.settings())) paths.push_back(std::move(path));
  Objects objects;
  for (const std::string& path : paths) {
    Result<std::string> bytes = read_file(path);
    if (!bytes) continue;
    const auto found = elf::read_objects(path, objects.contents.emplace_back(std::move(*bytes)));
    if (found) objects.all.insert(objects.all.end(), found->begin(), found->end());
  }
  return objects;
}

bool check_device_code(Session& session, const std::vector<elf::ObjectFile>& objects) {
  std::vector<std::string> problems = undefined_device_symbols(objects);
  if (problems.empty()) problems = shared_memory_problems(objects);
  for (const std::string& text : problems) std::cerr << message("nvlink", Weight::error, text);
  return problems.empty() || session.fail(exit_ptxas);
}

bool compile_registrations(Session& session, const std::vector<std::string>& names,
                           const std::string& output) {
  frontend::Job job;
  const std::string name = fs::path(output).filename().string() + ".reg.cpp";
  job.files = {{name, registration_source(names)}};
  job.arguments = {"-x", "c++", "-std=c++17", "-O1", "-fPIC", "-fno-exceptions", "-c", name};
  frontend::Product product = frontend::compile(job);
  session.show(product);
  if (product.ok) return session.write(output, product.output);
  session.say(Weight::fatal, "Could not compile the registration of linked device code: " + product.failure);
  return session.fail(exit_failed);
}

std::string paths_of(const std::vector<Linkable>& inputs) {
  std::string paths;
  for (const Linkable& input : inputs) paths += (paths.empty() ? "" : " ") + input.path;
  return paths;
}

bool run_device_link(Session& session, const std::vector<Linkable>& inputs, const std::string& output,
                     bool always, bool& made) {
  made = false;
  std::vector<std::string> words{"nvlink", "-m64"};
  for (const Linkable& input : inputs) words.push_back(input.path);
  words.insert(words.end(), {"-o", output});
  std::vector<std::string> names;
  if (!session.dry() && !find_registrations(session, inputs, names)) return false;
  if (!always && names.empty() && !(session.dry() && session.settings().relocatable)) return true;
  made = true;
  if (!session.announce(shell_quoted(words))) return true;
  const Timed timed = session.timed({"", "nvlink", paths_of(inputs), output, ""});
  if (!check_device_code(session, read_all(session, inputs).all)) return false;
  return compile_registrations(session, names, output);
}

// -dlink -cubin, -dlink -fatbin: a program loads the result itself.
bool make_linked_image(Session& session, const std::vector<Linkable>& inputs, const std::string& output) {
  std::vector<ArchName> architectures;
  for (const Generation& one : session.settings().generations)
    for (ArchName arch : one.kept) {
      arch.real = true;
      if (std::ranges::find(architectures, arch) == architectures.end())
        architectures.push_back(std::move(arch));
    }
  std::vector<std::string> words{"nvlink", "-m64"};
  for (const ArchName& arch : architectures) words.push_back("--arch=" + spelled(arch));
  for (const Linkable& input : inputs) words.push_back(input.path);
  words.insert(words.end(), {"-o", output});
  if (!session.announce(shell_quoted(words))) return true;
  const Timed timed = session.timed({"", "nvlink", paths_of(inputs), output, ""});
  const Objects objects = read_all(session, inputs);
  if (!check_device_code(session, objects.all)) return false;
  const Result<std::string> image = linked_image(objects.all, architectures);
  if (image) return session.write(output, *image);
  std::cerr << message("nvlink", Weight::fatal, image.error().message);
  return session.fail(exit_failed);
}

}  // namespace

bool device_link(Session& session, const std::vector<Linkable>& inputs, const std::string& output) {
  if (session.settings().linked_as) return make_linked_image(session, inputs, output);
  bool made = false;
  return run_device_link(session, inputs, output, true, made);
}

bool link(Session& session, const std::vector<Linkable>& inputs, const std::string& output) {
  const Settings& settings = session.settings();
  std::string linked;
  if (!settings.has(Opt::no_device_link)) {
    bool made = false;
    linked = session.between(stem_of(output) + "_dlink.o");
    if (session.status() != 0 || !run_device_link(session, inputs, linked, false, made)) return false;
    if (!made) linked.clear();
  }
  const std::string lib = session.toolkit() + "/lib64";
  std::vector<std::string> words{settings.host_compiler};
  if (const auto level = settings.line.number(Opt::optimize)) words.push_back("-O" + std::to_string(*level));
  const std::string openmp = wants_openmp(settings) ? clang_openmp_library() : "";
  for (const std::string& word : settings.host_options)
    if (openmp.empty() || !word.starts_with("-fopenmp")) words.push_back(word);
  words.push_back("-m64");
  if (settings.has(Opt::o_debug)) words.push_back("-g");
  if (settings.has(Opt::profile)) words.push_back("-pg");
  words.push_back("-Wl,--start-group");
  if (!linked.empty()) words.push_back(linked);
  for (const Linkable& input : inputs) words.push_back(input.path);
  if (settings.has(Opt::o_shared)) words.push_back("-shared");
  if (settings.has(Opt::relocatable_link)) words.push_back("-r");
  words.insert(words.end(), settings.linker_options.begin(), settings.linker_options.end());
  for (const std::string& path : settings.line.values(Opt::library_path)) words.push_back("-L" + path);
  for (const std::string& name : settings.line.values(Opt::library)) words.push_back("-l" + name);
  if (!openmp.empty()) words.push_back(openmp);
  // Build systems look for these two behind LIBRARIES= and here.
  std::string text = shell_quoted(words) + "   \"-L" + lib + "/stubs\" \"-L" + lib + '"';
  words.insert(words.end(), {"-L" + lib + "/stubs", "-L" + lib});
  std::vector<std::string> rest;
  const std::string runtime = settings.line.value(Opt::cudart).value_or("static");
  const bool partial = settings.has(Opt::relocatable_link);
  if (!partial) {
    if (runtime != "none" && settings.line.value(Opt::cudadevrt).value_or("static") != "none")
      rest.push_back("-lcudadevrt");
    if (runtime == "static") rest.insert(rest.end(), {"-lcudart_static", "-lrt", "-lpthread", "-ldl"});
    if (runtime == "shared") rest.push_back("-lcudart");
    // The program shall find these libraries and not those of a CUDA toolkit that the system's linker knows;
    // LD_LIBRARY_PATH still goes first.
    rest.insert(rest.end(), {"-Wl,--enable-new-dtags", "-Wl,-rpath," + lib});
  }
  rest.insert(rest.end(), {"-Wl,--end-group", "-o", output});
  text += ' ' + shell_quoted(rest);
  words.insert(words.end(), rest.begin(), rest.end());
  if (!session.announce(text)) return true;
  const Timed timed =
      session.timed({"", settings.host_compiler + " (linking)", paths_of(inputs), output, ""});
  return session.execute(words);
}

bool make_library(Session& session, const std::vector<Linkable>& inputs, const std::string& output) {
  std::vector<std::string> words{session.settings().line.value(Opt::archiver_binary).value_or("ar")};
  std::string flags;
  for (const std::string& value : session.settings().line.values(Opt::archive_options))
    for (std::string& word : split_words(value)) words.push_back(std::move(word));
  words.insert(words.end(), {"cr", output});
  for (const Linkable& input : inputs) words.push_back(input.path);
  if (!session.announce(shell_quoted(words))) return true;
  const Timed timed = session.timed({"", words[0], paths_of(inputs), output, ""});
  return session.execute(words);
}

}  // namespace heddle::driver::nvcc
