// heddle run: a program that somebody else built, on our devices.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>

#include "arch/device.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "cli/start_program.h"

namespace heddle::cli {

namespace {

namespace fs = std::filesystem;

// What shells return for a program that is not there, and for one that cannot be run.
constexpr auto not_found = static_cast<Exit>(127);
constexpr auto not_runnable = static_cast<Exit>(126);
constexpr std::string_view preload = "libheddle_run.so";

constexpr std::string_view hidden_runtime =
    "has a CUDA runtime inside and no symbols, so its calls cannot be led here: keep its symbols (no strip, "
    "no "
    "-s), or link it with nvcc -cudart shared or with this toolkit's libcudart_static.a";

std::string in_quotes(std::string_view text) { return '\'' + std::string(text) + '\''; }

// As a shell finds it: with a slash it is a path, without one it is looked for in PATH.
std::optional<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (fs::exists(name)) return name;
    return std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
  while (true) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(colon == 0 ? "." : rest.substr(0, colon)) / name;
    if (access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate)) return candidate.string();
    if (colon == rest.size()) return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
}

std::optional<std::string> read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The toolkit's libraries, two folders away from this program.
Result<fs::path> library_folder() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  fs::path folder = failed ? fs::path() : self.parent_path().parent_path() / "lib64";
  if (!failed && fs::exists(folder / preload, failed)) return folder;
  return Error{in_quotes((folder / preload).string()) +
               " is missing: this program must lie in the toolkit's bin/"};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text.empty() ? "none" : text;
}

std::string_view words_for(Program::Runtime runtime) {
  switch (runtime) {
    case Program::Runtime::none: return "none of its own";
    case Program::Runtime::shared: return "shared: the toolkit's takes its place";
    case Program::Runtime::ours: return "inside: this toolkit's";
    case Program::Runtime::inside: return "inside: its calls are led to the toolkit's";
    case Program::Runtime::hidden:
      return "inside, and the program has no symbols: its calls cannot be led here";
  }
  return "";
}

void list(const std::string& path, const Program& program, std::ostream& out) {
  out << "program         " << path << '\n' << "CUDA runtime    " << words_for(program.runtime) << '\n';
  out << "libraries       " << joined(program.libraries) << '\n'
      << "PTX             " << joined(program.ptx) << '\n'
      << "machine code    " << joined(program.machine_code) << '\n';
}

std::string machine_code_only(const Program& program) {
  std::string text = "has machine code only (" + joined(program.machine_code) +
                     "), which runs on NVIDIA's devices alone; build it with PTX: nvcc";
  for (const std::string& real : program.machine_code) {
    const std::string number = real.substr(real.find('_') + 1);
    text += " -gencode arch=compute_" + number + ",code=[" + real + ",compute_" + number + "]";
  }
  return text;
}

// What keeps a program from running here, in words; empty: nothing.
std::string obstacle(const Program& program) {
  if (program.runtime == Program::Runtime::hidden) return std::string(hidden_runtime);
  if (program.machine_code_only()) return machine_code_only(program);
  return {};
}

// `first` comes before what the variable has already.
void prepend(const char* variable, const std::string& first, char separator) {
  const char* old = std::getenv(variable);
  const std::string all = old == nullptr || *old == '\0' ? first : first + separator + old;
  setenv(variable, all.c_str(), 1);
}

// The loader takes a library that is loaded for one of the same name that the program asks for, wherever the
// program says it lies; LD_LIBRARY_PATH alone would lose against an RPATH.
void prepare_environment(const fs::path& folder, const Program& program) {
  std::string first = (folder / preload).string();
  for (const std::string& library : program.libraries)
    if (fs::exists(folder / library)) first += ':' + (folder / library).string();
  prepend("LD_PRELOAD", first, ':');
  prepend("LD_LIBRARY_PATH", folder.string(), ':');
  // A runtime of ours inside the program would go to the toolkit that compiled it, which may be an older one.
  setenv("HEDDLE_HOME", folder.parent_path().c_str(), 0);
  // OpenCL's loaders, ocl-icd and Khronos's, take the driver itself too. Who names drivers has a reason to.
  const std::string driver = (folder / "libheddle-opencl.so.1").string();
  setenv("OCL_ICD_VENDORS", driver.c_str(), 0);
  prepend("OCL_ICD_FILENAMES", driver, ':');
}

bool choose_devices(std::string_view names, Console& console) {
  std::string_view rest = names;
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (const auto device = arch::find_device(rest.substr(0, comma)); !device.ok()) {
      complain(console, "--device: " + device.error().message);
      return false;
    }
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  setenv("HEDDLE_DEVICES", std::string(names).c_str(), 1);
  return true;
}

Exit start(const std::string& path, const Arguments& arguments, Console& console) {
  console.out.flush();
  std::vector<std::string> words(arguments.operands().begin(), arguments.operands().end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(path.c_str(), pointers.data());
  complain(console, in_quotes(path) + " cannot be run: " + std::strerror(errno));
  return errno == ENOENT ? not_found : not_runnable;
}

std::optional<Exit> find_and_inspect(const std::string& name, Console& console, std::string& path,
                                     Program& program) {
  const std::optional<std::string> found = find_program(name);
  if (!found) {
    complain(console, "there is no program " + in_quotes(name));
    return not_found;
  }
  path = *found;
  const std::optional<std::string> bytes = fs::is_regular_file(path) ? read_whole(path) : std::nullopt;
  // A program that may be run and not be read is run; what is in it shows then.
  if (!bytes) return std::nullopt;
  Result<Program> inspected = inspect_program(path, *bytes);
  if (!inspected) {
    complain(console, inspected.error().message);
    return not_runnable;
  }
  program = std::move(*inspected);
  return std::nullopt;
}

std::optional<Exit> make_ready(const std::string& path, const Program& program, std::string_view devices,
                               Console& console) {
  if (const std::string reason = obstacle(program); !reason.empty()) {
    complain(console, in_quotes(path) + ' ' + reason);
    return not_runnable;
  }
  const Result<fs::path> folder = library_folder();
  if (!folder) {
    complain(console, folder.error().message);
    return Exit::failed;
  }
  if (!devices.empty() && !choose_devices(devices, console)) return Exit::usage;
  prepare_environment(*folder, program);
  return std::nullopt;
}

Exit run_run(const Arguments& arguments, Console& console) {
  std::string path;
  Program program;
  if (const auto why = find_and_inspect(std::string(arguments.operands().front()), console, path, program))
    return *why;
  if (arguments.has("--list")) {
    list(path, program, console.out);
    return obstacle(program).empty() ? Exit::ok : Exit::failed;
  }
  const std::string_view devices = arguments.value("--device");
  if (arguments.has("--device") && devices.empty()) return choose_devices(devices, console), Exit::usage;
  if (const auto why = make_ready(path, program, devices, console)) return *why;
  return start(path, arguments, console);
}

constexpr std::array options{
    Option{"--device", "NAME[,NAME...]",
           "the device that the program sees, or several; `heddle devices` lists them"},
    Option{"--list", "",
           "run nothing; tell what the program has of CUDA inside, and fail if it cannot run here"},
};

}  // namespace

std::optional<Exit> prepare_program(const std::string& name, std::string_view devices, Console& console,
                                    std::string& path) {
  Program program;
  if (const auto why = find_and_inspect(name, console, path, program)) return why;
  return make_ready(path, program, devices, console);
}

constexpr Command run_command{
    "run",
    "PROGRAM [ARGUMENT...]",
    1,
    kNoLimit,
    "run a program that was built for CUDA, unchanged",
    "Runs PROGRAM with its arguments, and every program that it starts, with this toolkit's CUDA libraries: "
    "those that it\n"
    "loads, and in place of a CUDA runtime that was linked into it, as nvcc does by default; for that it "
    "must have its\n"
    "symbols. OpenCL's loader finds this toolkit's driver. What it returns is what PROGRAM returns; 127 if "
    "there is none, 126 if it cannot be run.",
    options,
    run_run,
    true};

}  // namespace heddle::cli
