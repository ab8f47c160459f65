// heddle check: a program under the checkers (docs/reference/heddle-check.md).
#include "cli/check.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "checker/session.h"
#include "cli/commands.h"
#include "cli/start_program.h"

namespace heddle::cli {

namespace {

using checker::SessionOptions;

struct Asked {
  SessionOptions session;
  std::string log_file, read_file;
  std::string device;
  std::vector<std::string> tools;
};

// What one option does; an empty answer is fine, else it says what is wrong with the value.
using Take = std::string (*)(Asked&, std::string_view value);

struct CheckOption {
  Option option;
  std::string_view letter;  // "-t"; empty: none
  Take take;
  bool of_nvidia = true;  // compute-sanitizer has it, too
};

std::string yes_or_no(std::string_view value, bool& to) {
  if (value != "yes" && value != "no" && value != "full") return "is yes or no";
  to = value != "no";
  return {};
}

std::string count(std::string_view value, uint64_t& to) {
  const auto number = parse_count(value);
  if (!number) return "is a number";
  to = *number;
  return {};
}

std::string count_up_to(uint64_t most, std::string_view value, uint64_t& to) {
  std::string wrong = count(value, to);
  if (wrong.empty() && to > most) wrong = "is at most " + std::to_string(most);
  return wrong;
}

constexpr uint64_t most_seconds = 1000000;

std::string take_tool(Asked& asked, std::string_view value) {
  std::string_view rest = value;
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    asked.tools.emplace_back(rest.substr(0, comma));
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  for (const std::string& tool : asked.tools)
    if (tool != "memcheck" && tool != "racecheck" && tool != "initcheck" && tool != "synccheck" &&
        tool != "leakcheck" && tool != "fpcheck" && tool != "intcheck" && tool != "all")
      return "is memcheck, racecheck, initcheck, synccheck, leakcheck, fpcheck, intcheck or all";
  return {};
}

// kernel_name=NAME, kne=NAME, kernel_substring=PART, kns=PART; a value without a key is a name.
std::string take_names(std::string_view value, std::vector<std::string>& names,
                       std::vector<std::string>& parts) {
  const std::size_t equals = value.find('=');
  const std::string_view key = value.substr(0, equals);
  if (equals == value.npos) {
    names.emplace_back(value);
    return {};
  }
  const std::string text(value.substr(equals + 1));
  if (key == "kernel_name" || key == "kne" || key == "regex")
    names.push_back(text);
  else if (key == "kernel_substring" || key == "kns")
    parts.push_back(text);
  else
    return "is kernel_name=NAME or kernel_substring=TEXT";
  return {};
}

// What fpcheck looks for, by the numbers of checker::Birth.
std::string take_float_kinds(Asked& asked, std::string_view value) {
  constexpr std::string_view names[] = {"nan", "inf", "div0", "subnormal", "cancellation"};
  unsigned kinds = 0;
  for (std::string_view rest = value;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view name = rest.substr(0, comma);
    const auto* found = std::ranges::find(names, name);
    if (name == "all")
      kinds = (1U << std::size(names)) - 1;
    else if (found == std::end(names))
      return "is nan, inf, div0, subnormal, cancellation or all, with commas between";
    else
      kinds |= 1U << (found - std::begin(names));
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  asked.session.settings.float_kinds = kinds;
  return {};
}

std::string ignored(Asked&, std::string_view) { return {}; }

// What may stand in names of files: %p is the process, %q{NAME} a variable of the environment, %% a percent
// sign.
std::string file_name(std::string_view value, std::string& to) {
  std::string name;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '%') {
      name += value[i];
      continue;
    }
    const std::string_view rest = value.substr(i + 1);
    const std::size_t end = rest.find('}');
    if (rest.starts_with('%')) {
      name += '%', ++i;
    } else if (rest.starts_with('p')) {
      name += std::to_string(getpid()), ++i;
    } else if (rest.starts_with("q{") && end != rest.npos) {
      const char* variable = std::getenv(std::string(rest.substr(2, end - 2)).c_str());
      if (variable != nullptr) name += variable;
      i += end + 1;
    } else {
      return "has a percent sign with something else behind it than p, q{NAME} or another one";
    }
  }
  to = name;
  return {};
}

std::optional<std::string> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// A file that cannot be read suppresses nothing, and is told; the program runs all the same.
std::string take_suppressions(Asked& asked, std::string_view value) {
  const std::string path(value);
  const auto why = [&](const std::string& text) {
    asked.session.opening = "Error reading " + path + ": <unspecified file>" + text;
    return std::string();
  };
  const auto bytes = bytes_of(path);
  if (!bytes) return why(": read error");
  auto read = checker::read_elements(*bytes);
  if (!read.ok()) return why(read.error());
  asked.session.suppressions.emplace(std::move(read.value()));
  return {};
}

constexpr std::array check_options{
    CheckOption{{"--tool", "NAME[,NAME...]",
                 "what to look for: memcheck (the default), racecheck, initcheck, synccheck, leakcheck, "
                 "fpcheck, intcheck; "
                 "heddle check takes several, "
                 "and all (but for intcheck)"},
                "-t",
                take_tool},
    CheckOption{
        {"--error-exitcode", "N", "what to return when something was found and the program succeeded (0)"},
        "",
        [](Asked& a, std::string_view v) {
          uint64_t code = 0;
          std::string wrong = count(v, code);
          a.session.error_exitcode = static_cast<int>(code);
          return wrong;
        }},
    CheckOption{{"--leak-check", "full|no", "memcheck: tell what was not freed at the end (no)"},
                "",
                [](Asked& a, std::string_view v) { return yes_or_no(v, a.session.settings.leaks); }},
    CheckOption{{"--print-limit", "N", "print at most so many findings (100); 0: all"},
                "",
                [](Asked& a, std::string_view v) { return count(v, a.session.print_limit); }},
    CheckOption{{"--print-level", "info|warn|error|fatal|auto",
                 "print findings of that severity and above (auto: all)"},
                "",
                [](Asked& a, std::string_view v) {
                  a.session.print_warnings = v != "error" && v != "fatal";
                  return std::string();
                }},
    CheckOption{{"--racecheck-detect-level", "info|warn|error", "racecheck: the same (warn)"},
                "",
                [](Asked& a, std::string_view v) {
                  a.session.print_warnings = v != "error";
                  return std::string();
                }},
    CheckOption{
        {"--racecheck-report", "analysis|hazard|all",
         "racecheck: tell pairs of lines with the number of their hazards, each hazard, or both (analysis)"},
        "",
        [](Asked& a, std::string_view v) {
          if (v != "analysis" && v != "hazard" && v != "all")
            return std::string("is analysis, hazard or all");
          a.session.settings.hazards = v != "analysis";
          a.session.settings.analysis = v != "hazard";
          return std::string();
        }},
    CheckOption{{"--initcheck-address-space", "global|shared|local|all", "initcheck: where to look"},
                "",
                [](Asked& asked, std::string_view v) {
                  if (v != "global" && v != "shared" && v != "local" && v != "all")
                    return std::string("is global, shared, local or all");
                  checker::Settings& s = asked.session.settings;
                  s.global_init = v == "global" || v == "all";
                  s.shared_init = v == "shared" || v == "all";
                  s.local_init = v == "local" || v == "all";
                  return std::string();
                }},
    CheckOption{{"--kernel-name", "kernel_name=NAME|kernel_substring=TEXT",
                 "check only these kernels; may be given several times"},
                "-k",
                [](Asked& a, std::string_view v) {
                  return take_names(v, a.session.settings.kernel_names, a.session.settings.kernel_parts);
                }},
    CheckOption{
        {"--kernel-name-exclude", "kernel_name=NAME|kernel_substring=TEXT", "check all kernels but these"},
        "",
        [](Asked& a, std::string_view v) {
          return take_names(v, a.session.settings.exclude_names, a.session.settings.exclude_parts);
        }},
    CheckOption{{"--launch-skip", "N", "check no launch before the N-th, of those that would be checked (0)"},
                "-s",
                [](Asked& a, std::string_view v) { return count(v, a.session.settings.launch_skip); }},
    CheckOption{{"--launch-count", "N", "check so many launches (0: all)"},
                "-c",
                [](Asked& a, std::string_view v) { return count(v, a.session.settings.launch_count); }},
    CheckOption{{"--log-file", "FILE", "write findings to FILE"},
                "",
                [](Asked& a, std::string_view v) { return file_name(v, a.log_file); }},
    CheckOption{{"--save", "FILE", "save what is found in FILE, for --read, or with --xml as records"},
                "",
                [](Asked& a, std::string_view v) { return file_name(v, a.session.save_file); }},
    CheckOption{{"--xml", "", "save XML, which --suppressions takes back, too"},
                "",
                [](Asked& a, std::string_view) {
                  a.session.saves_records = true;
                  return std::string();
                }},
    CheckOption{{"--read", "FILE", "run no program, tell what was saved in FILE"},
                "",
                [](Asked& a, std::string_view v) {
                  a.read_file = v;
                  return std::string();
                }},
    CheckOption{{"--suppressions", "FILE",
                 "do not tell API errors, reads of unset memory, pairs of racing lines and exceptional "
                 "numbers that FILE "
                 "has (XML)"},
                "",
                take_suppressions},
    CheckOption{{"--prefix", "TEXT", "what each line begins with (\"========= \")"},
                "",
                [](Asked& a, std::string_view v) {
                  a.session.prefix = std::string(v) + ' ';
                  return std::string();
                }},
    CheckOption{{"--quiet", "", "print findings only"},
                "-q",
                [](Asked& a, std::string_view) {
                  a.session.quiet = true;
                  return std::string();
                }},
    CheckOption{
        {"--require-cuda-init", "yes|no", "say so when the program calls no CUDA or OpenCL function (yes)"},
        "",
        [](Asked& a, std::string_view v) { return yes_or_no(v, a.session.require_init); }},
    CheckOption{{"--report-api-errors", "all|extended|explicit|no",
                 "memcheck: tell calls that fail (extended); anything but no is the same"},
                "",
                [](Asked& a, std::string_view v) {
                  if (v != "all" && v != "extended" && v != "explicit" && v != "no")
                    return std::string("is all, extended, explicit or no");
                  a.session.settings.api_errors = v != "no";
                  return std::string();
                }},
    CheckOption{
        {"--track-stream-ordered-races", "all|use-before-alloc|use-after-free|no",
         "memcheck: tell who uses memory of cudaMallocAsync without being ordered behind its allocation, "
         "or before its end (no; heddle check: all)"},
        "",
        [](Asked& a, std::string_view v) {
          if (v != "all" && v != "use-before-alloc" && v != "use-after-free" && v != "no")
            return std::string("is all, use-before-alloc, use-after-free or no");
          a.session.settings.use_before_alloc = v == "all" || v == "use-before-alloc";
          a.session.settings.use_after_free = v == "all" || v == "use-after-free";
          return std::string();
        }},
    CheckOption{{"--show-backtrace", "yes|host|device|no", "tell the host's frames: yes, host (yes)"},
                "",
                [](Asked& a, std::string_view v) {
                  if (v != "yes" && v != "host" && v != "device" && v != "no")
                    return std::string("is yes, host, device or no");
                  a.session.host_frames = v == "yes" || v == "host";
                  return std::string();
                }},
    CheckOption{{"--check-exit-code", "yes|no",
                 "taken and without effect: the program's own exit code is always told"},
                "",
                ignored},
    CheckOption{
        {"--target-processes", "all|application-only", "taken and without effect: all processes are checked"},
        "",
        ignored},
    CheckOption{
        {"--padding", "BYTES", "taken and without effect: allocations lie 16 MiB apart"}, "", ignored},
    CheckOption{
        {"--demangle", "full|simple|no", "taken and without effect: names are told as they were written"},
        "",
        ignored},
    CheckOption{
        {"--strip-paths", "yes|no", "taken and without effect: files are told without folders"}, "", ignored},
    CheckOption{{"--destroy-on-device-error", "context|kernel",
                 "compute-sanitizer: what a stray access ends that no device would notice (context)"},
                "",
                [](Asked& a, std::string_view v) {
                  if (v != "context" && v != "kernel") return std::string("is context or kernel");
                  a.session.settings.contexts_stay = v == "kernel";
                  return std::string();
                }},
    CheckOption{
        {"--force-blocking-launches", "yes|no", "taken and without effect: each launch is told on its own"},
        "",
        ignored},
    CheckOption{{"--check-device-heap", "yes|no",
                 "taken and without effect: the heap of kernels is checked as a whole"},
                "",
                ignored},
    CheckOption{{"--fpcheck-kinds", "KIND[,KIND...]",
                 "fpcheck: what to look for: nan, inf, div0 (these three), subnormal, cancellation, all"},
                "",
                take_float_kinds,
                false},
    CheckOption{
        {"--schedules", "N",
         "run kernels in N other orders of their blocks and warps, and work of several streams in N other "
         "orders, and tell where a result depends on the order (0); without --tool that alone"},
        "",
        [](Asked& a, std::string_view v) { return count(v, a.session.settings.schedules); },
        false},
    CheckOption{
        {"--seed", "N",
         "--schedules: begin with the N-th order (0); without --schedules: run kernels and streams in that "
         "order"},
        "",
        [](Asked& a, std::string_view v) {
          a.session.settings.seeded = true;
          return count(v, a.session.settings.seed);
        },
        false},
    CheckOption{{"--schedule-memory", "MIB",
                 "--schedules: the most memory to keep what a kernel may write, which is kept twice (2048)"},
                "",
                [](Asked& a, std::string_view v) {
                  uint64_t mib = 0;
                  std::string wrong = count_up_to(uint64_t{1} << 40, v, mib);
                  a.session.settings.schedule_bytes = mib << 20;
                  return wrong;
                },
                false},
    CheckOption{{"--schedule-time", "SECONDS",
                 "--schedules: the most time to spend on one kernel, and on the order of streams (60)"},
                "",
                [](Asked& a, std::string_view v) {
                  return count_up_to(most_seconds, v, a.session.settings.schedule_seconds);
                },
                false},
    CheckOption{{"--shadow-memory", "MIB", "racecheck: the most memory to remember accesses in (4096)"},
                "",
                [](Asked& a, std::string_view v) {
                  uint64_t mib = 0;
                  std::string wrong = count(v, mib);
                  a.session.settings.shadow_bytes = mib << 20;
                  return wrong;
                },
                false},
    CheckOption{{"--time-limit", "SECONDS",
                 "end a program that has not ended by then, and tell what it was at (0: no limit)"},
                "",
                [](Asked& a, std::string_view v) {
                  return count_up_to(most_seconds, v, a.session.settings.time_limit);
                },
                false},
    CheckOption{{"--device", "NAME[,NAME...]", "the device that the program sees, as heddle run has it"},
                "",
                [](Asked& a, std::string_view v) {
                  a.device = v;
                  return std::string();
                },
                false},
};

void choose_tools(Asked& asked, bool several) {
  checker::Settings& s = asked.session.settings;
  const bool orders = s.schedules != 0 || s.seeded;
  if (asked.tools.empty() && !orders) asked.tools.push_back("memcheck");
  if (!several && !asked.tools.empty()) asked.tools.erase(asked.tools.begin(), asked.tools.end() - 1);
  for (const std::string& tool : asked.tools) {
    const bool all = tool == "all";
    s.memcheck |= all || tool == "memcheck";
    s.racecheck |= all || tool == "racecheck";
    s.initcheck |= all || tool == "initcheck";
    s.synccheck |= all || tool == "synccheck";
    s.intcheck |= tool == "intcheck";
    s.fpcheck |= all || tool == "fpcheck";
    s.leaks |= all || tool == "leakcheck";
  }
}

int read_saved(Asked& asked, Console& console) {
  const auto bytes = bytes_of(asked.read_file);
  if (bytes && checker::Session(asked.session, console.out).read_saved(*bytes)) return 0;
  complain(console, "'" + asked.read_file + "' " +
                        (bytes ? "was not saved by --save without --xml" : "cannot be read"));
  return static_cast<int>(Exit::failed);
}

int check(Asked& asked, const std::vector<std::string>& words, Console& console) {
  if (asked.session.saves_records && asked.session.save_file.empty()) {
    complain(console, "--xml needs --save FILE");
    return static_cast<int>(Exit::usage);
  }
  std::string path;
  if (const auto why = prepare_program(words.front(), asked.device, console, path))
    return static_cast<int>(*why);
  std::ofstream log;
  if (!asked.log_file.empty()) {
    log.open(asked.log_file);
    if (!log) {
      complain(console, "'" + asked.log_file + "' cannot be written");
      return static_cast<int>(Exit::failed);
    }
  }
  console.out.flush();
  return checker::Session(asked.session, asked.log_file.empty() ? console.out : log).run(path, words);
}

constexpr auto table = [] {
  std::array<Option, check_options.size()> all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = check_options[i].option;
  return all;
}();

Exit run_check(const Arguments& arguments, Console& console) {
  Asked asked;
  asked.session.title = "HEDDLE CHECK";
  asked.session.details = true;
  asked.session.error_exitcode = 1;
  asked.session.settings.use_before_alloc = asked.session.settings.use_after_free = true;
  for (const CheckOption& known : check_options)
    for (const std::string_view value : arguments.values(known.option.name))
      if (const std::string wrong = known.take(asked, value); !wrong.empty()) {
        complain(console,
                 std::string(known.option.name) + " " + wrong + ", not '" + std::string(value) + "'");
        return Exit::usage;
      }
  choose_tools(asked, true);
  if (!asked.read_file.empty()) return static_cast<Exit>(read_saved(asked, console));
  if (arguments.operands().empty()) {
    complain(console, "which program? (heddle check [OPTION...] PROGRAM [ARGUMENT...])");
    return Exit::usage;
  }
  const std::vector<std::string> words(arguments.operands().begin(), arguments.operands().end());
  return static_cast<Exit>(check(asked, words, console));
}

}  // namespace

int run_sanitizer(std::string_view name, std::span<const std::string_view> words, Console& console) {
  Asked asked;
  asked.session.title = name == "cuda-memcheck" ? "CUDA-MEMCHECK" : "COMPUTE-SANITIZER";
  asked.session.settings.launches_fail = true;
  const auto wrong = [&](const std::string& why) {
    console.err << asked.session.prefix << "Error: " << why << '\n';
    return 1;
  };
  std::size_t i = 0;
  for (; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (!word.starts_with('-')) break;
    if (word == "--help" || word == "-h") {
      console.out << name << ": finds errors in programs that use CUDA or OpenCL.\n\nusage: " << name
                  << " [OPTION...] PROGRAM [ARGUMENT...]\n\n";
      for (const CheckOption& known : check_options)
        if (known.of_nvidia)
          console.out << "  " << (known.letter.empty() ? "" : std::string(known.letter) + " ")
                      << known.option.name << (known.option.value.empty() ? "" : " ") << known.option.value
                      << "\n      " << known.option.help << '\n';
      return 0;
    }
    if (word == "--version" || word == "-V") {
      console.out << "NVIDIA (R) Compute Sanitizer look-alike of Heddle\n";
      return 0;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    const std::string_view option = word.substr(0, equals);
    const CheckOption* found = nullptr;
    for (const CheckOption& known : check_options)
      if (known.of_nvidia &&
          (known.option.name == option || (!known.letter.empty() && known.letter == option)))
        found = &known;
    if (found == nullptr) return wrong("unrecognised option '" + std::string(option) + "'");
    std::string_view value;
    if (equals != word.npos) {
      value = word.substr(equals + 1);
    } else if (!found->option.value.empty()) {
      if (i + 1 == words.size())
        return wrong("the required argument for option '" + std::string(option) + "' is missing");
      value = words[++i];
    }
    if (const std::string why = found->take(asked, value); !why.empty())
      return wrong("the argument ('" + std::string(value) + "') for option '" + std::string(option) +
                   "' is invalid: it " + why);
  }
  if (!asked.read_file.empty()) {
    choose_tools(asked, false);
    return read_saved(asked, console);
  }
  if (i == words.size())
    return wrong("no target application: usage: " + std::string(name) + " [OPTION...] PROGRAM");
  choose_tools(asked, false);
  return check(asked, {words.begin() + static_cast<std::ptrdiff_t>(i), words.end()}, console);
}

constexpr Command check_command{
    "check",
    "PROGRAM [ARGUMENT...]",
    0,
    kNoLimit,
    "run a program and tell what it does wrong with memory and threads",
    "Runs PROGRAM as `heddle run` does and watches its kernels: accesses outside "
    "of allocations, races, reads of memory that\n"
    "nobody has written, bad barriers, memory that is not freed, NaNs and infinities. Returns what "
    "PROGRAM returns; 1 (--error-exitcode) if that\n"
    "was 0 and something was found. Compile with -lineinfo to see lines.",
    table,
    run_check,
    true};

}  // namespace heddle::cli
