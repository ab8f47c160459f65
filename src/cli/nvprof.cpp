// nvprof: its command line and its output, over the same counts as heddle profile (docs/reference/nvprof.md).
#include "profiler/pages/nvprof.h"

#include <array>
#include <fstream>
#include <ostream>

#include "cli/look_alike.h"
#include "profiler/pages/run_program.h"
#include "profiler/recorder.h"

namespace heddle::cli {

namespace {

using namespace profiler;
using Use = ToolOption::Use;

constexpr std::array table{
    ToolOption{"--print-gpu-trace", "", "", "each kernel, copy and fill, in order"},
    ToolOption{"--print-api-trace", "", "", "each call of the APIs, in order"},
    ToolOption{"--print-gpu-summary", "", "", "kernels and copies by the time that they took"},
    ToolOption{"--print-api-summary", "", "", "calls of the APIs by the time that they took"},
    ToolOption{"--print-summary", "-s", "", "both, as without any option"},
    ToolOption{"--metrics", "-m", "NAME[,NAME...]", "metrics of each kernel, or all"},
    ToolOption{"--events", "-e", "NAME[,NAME...]", "events of each kernel, or all"},
    ToolOption{"--query-metrics", "", "", "list the metrics of the device"},
    ToolOption{"--query-events", "", "", "list the events of the device"},
    ToolOption{"--csv", "", "", "comma separated values"},
    ToolOption{"--log-file", "", "FILE",
               "where the output goes instead of the error output; %p: the process"},
    ToolOption{"--normalized-time-unit", "-u", "s|ms|us|ns|col|auto", "the unit of times"},
    ToolOption{"--demangling", "", "on|off", "names of kernels as in C++, or as the linker has them"},
    ToolOption{"--kernels", "", "NAME", "only kernels whose name this regular expression finds"},
    ToolOption{"--profile-from-start", "", "on|off", "off: from cudaProfilerStart on"},
    ToolOption{"--quiet", "", "", "without the lines that begin with ==PID=="},
    ToolOption{"--version", "-V", "", "tell the version"},
    ToolOption{"--help", "-h", "", "tell the options"},
    ToolOption{"--concurrent-kernels", "", "on|off", "kernels that run at once", Use::without_effect},
    ToolOption{"--profile-child-processes", "", "", "all processes are profiled", Use::without_effect},
    ToolOption{"--profile-all-processes", "", "", "all that the program starts are profiled",
               Use::without_effect},
    ToolOption{"--replay-mode", "", "MODE", "how passes are replayed: there is one pass",
               Use::without_effect},
    ToolOption{"--aggregate-mode", "-a", "on|off", "counts are of the whole device always",
               Use::without_effect},
    ToolOption{"--unified-memory-profiling", "", "MODE", "managed memory", Use::without_effect},
    ToolOption{"--cpu-profiling", "", "on|off", "samples of the host", Use::without_effect},
    ToolOption{"--force-overwrite", "-f", "", "overwrite files", Use::without_effect},
    ToolOption{"--track-memory-allocations", "", "on|off", "allocations", Use::without_effect},
    ToolOption{"--export-profile", "-o", "FILE",
               "profiles (.nvvp) are not written; use --csv --log-file FILE", Use::refused},
    ToolOption{"--import-profile", "-i", "FILE", "profiles (.nvvp) are not read", Use::refused},
    ToolOption{"--analysis-metrics", "", "", "they are of profiles (.nvvp); use --metrics all", Use::refused},
};

std::string joined(const ToolLine& line, std::string_view option) {
  std::string names;
  if (line.has(option))
    for (const std::string& list : line.options.at(option)) names += (names.empty() ? "" : ",") + list;
  return names;
}

struct Asked {
  NvprofPage page;
  ProfiledProgram program;
};

Result<Asked> asked(const ToolLine& line) {
  Asked out;
  NvprofPage& page = out.page;
  page.csv = line.has("--csv");
  page.demangle = line.value("--demangling", "on") != "off";
  page.gpu_trace = line.has("--print-gpu-trace");
  page.api_trace = line.has("--print-api-trace");
  page.metrics = joined(line, "--metrics");
  page.events = joined(line, "--events");
  const bool chosen = page.gpu_trace || page.api_trace || !page.metrics.empty() || !page.events.empty() ||
                      line.has("--print-gpu-summary") || line.has("--print-api-summary");
  page.gpu_summary = line.has("--print-gpu-summary") || line.has("--print-summary") || !chosen;
  page.api_summary = line.has("--print-api-summary") || line.has("--print-summary") || !chosen;
  page.time_unit = line.value("--normalized-time-unit");
  constexpr std::array units{"", "s", "ms", "us", "ns", "col", "auto"};
  if (std::ranges::find(units, page.time_unit) == units.end())
    return Error{"time unit '" + page.time_unit + "' is none of s, ms, us, ns, col, auto"};
  const arch::Capability capability = device_of_environment().capability();
  for (const auto& [option, names, tool] : {std::tuple{"--metrics", page.metrics, Tool::nvprof},
                                            std::tuple{"--events", page.events, Tool::events}}) {
    if (names.empty()) continue;
    const auto list = choose_metrics(names, std::array{tool}, capability);
    if (!list) return Error{std::string(option) + ": " + list.error().message};
    if (list->empty())
      return Error{std::string(option) + ": nvprof has none for devices of capability " +
                   to_string(capability) +
                   ", those of 2.0 to 7.2 have; the device is the first that a program would see"};
    if (std::ranges::any_of(*list, &Metric::of_stalls)) out.program.options += " stalls";
  }
  // What need not be counted isn't.
  if (page.metrics.empty() && page.events.empty()) out.program.options += " no-counts";
  if (page.api_summary || page.api_trace || page.gpu_trace) out.program.options += " calls";
  if (line.value("--profile-from-start", "on") == "off") out.program.options += " from-start=0";
  out.program.kernel = line.value("--kernels");
  if (const auto good = parse_options(out.program.options, out.program.kernel); !good)
    return Error{"--kernels: " + good.error().message};
  out.program.words = line.program;
  return out;
}

int print_answer(const ToolLine& line, Console& console) {
  if (line.has("--help")) {
    console.out
        << "nvprof: tells what programs do to a device, with nvprof's options.\n\nusage: nvprof [OPTION...] "
           "PROGRAM [ARGUMENT...]\n\n"
        << help_text(table);
  } else if (line.has("--version")) {
    console.out << "nvprof: command line profiler, by Heddle\n";
  } else {
    const bool events = line.has("--query-events");
    const arch::Device& device = device_of_environment();
    console.out << (events ? "Available Events:\n" : "Available Metrics:\n")
                << "                            Name   Description\nDevice 0 (" << device.name << "):\n";
    for (const Metric* metric :
         metrics_of(std::array{events ? Tool::events : Tool::nvprof}, device.capability())) {
      const std::string name(metric->name);
      console.out << std::string(32 - std::min<std::size_t>(name.size(), 32), ' ') << name << ":  "
                  << metric->title << " [" << profiler::name(metric->kind) << "]\n\n";
    }
  }
  return 0;
}

std::string with_process(std::string path, int32_t process) {
  for (std::size_t at = 0; (at = path.find("%p", at)) != std::string::npos;)
    path.replace(at, 2, std::to_string(process));
  return path;
}

std::string command_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

int run_nvprof(std::span<const std::string_view> words, Console& console) {
  const auto wrong = [&](const std::string& why) {
    console.err << "======== Error: " << why << '\n';
    return 1;
  };
  const auto line = read_line(table, words);
  if (!line) return wrong(line.error().message);
  for (const char* option : {"--help", "--version", "--query-metrics", "--query-events"})
    if (line->has(option)) return print_answer(*line, console);
  if (line->program.empty()) return wrong("no program is given; --help tells the options");
  const auto request = asked(*line);
  if (!request) return wrong(request.error().message);
  const std::string log = line->value("--log-file");
  if (!log.empty()) {
    // Before the program runs: it may take hours.
    const std::string path = with_process(log, 0);
    std::ofstream attempt(path, std::ios::app);
    if (!attempt) return wrong("the log file '" + path + "' cannot be written");
    attempt.close();
    if (path != log) std::remove(path.c_str());
  }
  const auto run = run_profiled(request->program);
  if (!run) return wrong(run.error().message);
  if (run->status == 126 || run->status == 127) return run->status;
  bool appended = false;
  for (const Profile& process : run->processes) {
    std::ofstream file;
    if (!log.empty()) file.open(with_process(log, process.process), appended ? std::ios::app : std::ios::out);
    appended = true;
    std::ostream& out = file.is_open() ? file : console.err;
    const std::string mark = "==" + std::to_string(process.process) + "== ";
    if (!line->has("--quiet"))
      out << mark << "NVPROF is profiling process " << process.process
          << ", command: " << command_of(request->program.words) << '\n'
          << mark << "Profiling application: " << command_of(request->program.words) << '\n';
    print_nvprof(process, request->page, out);
  }
  if (run->processes.empty()) console.err << "======== Warning: No CUDA application was profiled, exiting\n";
  return run->status;
}

}  // namespace heddle::cli
