// heddle profile: what a program does to its devices.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <ostream>

#include "arch/device.h"
#include "cli/commands.h"
#include "cli/look_alike.h"
#include "machine/machine.h"
#include "profiler/pages/report.h"
#include "profiler/pages/run_program.h"
#include "profiler/recorder.h"

namespace heddle::cli {

namespace {

using namespace profiler;

constexpr std::array tools{Tool::ncu, Tool::nvprof, Tool::events, Tool::compute_profile};

Result<const arch::Device*> first_device(const Arguments& arguments) {
  if (!arguments.has("--device")) return &device_of_environment();
  const auto devices = machine::devices_of_list(arguments.value("--device"));
  if (!devices.ok()) return devices.error();
  if ((*devices).empty()) return Error{"names no device"};
  return (*devices).front();
}

// Every metric of a device, with its formula.
Exit query(const Arguments& arguments, Console& console) {
  const auto found = first_device(arguments);
  if (!found.ok()) {
    complain(console, "--device: " + found.error().message);
    return Exit::usage;
  }
  const arch::Device* device = *found;
  console.out << "Metrics of " << device->name << " (capability " << to_string(device->capability()) << ")\n";
  for (const Tool tool : tools) {
    const MetricList list = metrics_of(std::array{tool}, device->capability());
    if (list.empty()) continue;
    console.out << "\nby the names of " << name(tool) << '\n';
    for (const Metric* metric : list) {
      console.out << "  " << metric->name << "  [" << name(metric->kind);
      if (!metric->unit.empty()) console.out << ", " << metric->unit;
      console.out << "]  " << metric->title << "\n      = " << metric->formula << '\n';
    }
  }
  return Exit::ok;
}

std::optional<uint64_t> count_of(const Arguments& arguments, std::string_view option, Console& console,
                                 bool& good) {
  if (!arguments.has(option)) return std::nullopt;
  const auto number = parse_count(arguments.value(option));
  if (!number) {
    complain(console,
             std::string(option) + " takes a number, not '" + std::string(arguments.value(option)) + "'");
    good = false;
  }
  return number;
}

// Metrics that no device has are found before the program runs; what the device of a launch has, afterwards.
class Chosen {
 public:
  Chosen(const Arguments& arguments)
      : names_(arguments.value("--metrics")), stalls_(arguments.has("--stalls")) {}
  std::optional<std::string> objection(const Arguments& arguments) const {
    if (names_.empty()) return std::nullopt;
    const auto device = first_device(arguments);
    if (!device.ok()) return std::nullopt;  // heddle run says so
    const auto list = choose_metrics(names_, tools, (*device)->capability());
    return list ? std::nullopt : std::optional(list.error().message);
  }
  // Whether one of them is of memory accesses, on any device that the program sees.
  bool of_accesses(const Arguments& arguments) const {
    if (names_.empty()) return true;
    const auto devices = arguments.has("--device") ? machine::devices_of_list(arguments.value("--device"))
                                                   : machine::devices_of_host();
    if (!devices.ok()) return true;
    return std::ranges::any_of(*devices, [&](const arch::Device* device) {
      const auto list = choose_metrics(names_, tools, device->capability());
      return list.ok() && std::ranges::any_of(*list, &Metric::of_accesses);
    });
  }
  // Whether one of them is of what warps wait for.
  bool of_stalls(const Arguments& arguments) const {
    const auto devices = arguments.has("--device") ? machine::devices_of_list(arguments.value("--device"))
                                                   : machine::devices_of_host();
    return devices.ok() && std::ranges::any_of(*devices, [&](const arch::Device* device) {
             const auto list = choose_metrics(names_, tools, device->capability());
             return list.ok() && std::ranges::any_of(*list, &Metric::of_stalls);
           });
  }
  const MetricList& of(const DeviceRecord& device) {
    const auto [found, is_new] = lists_.try_emplace(device.capability);
    if (is_new) {
      if (names_.empty()) {
        found->second = usual_metrics(device.capability);
        if (!stalls_) std::erase_if(found->second, [](const Metric* metric) { return metric->of_stalls; });
      } else if (auto list = choose_metrics(names_, tools, device.capability)) {
        found->second = std::move(*list);
      }
    }
    return found->second;
  }

 private:
  const std::string names_;
  const bool stalls_;
  std::map<arch::Capability, MetricList> lists_;
};

// The first process with launches goes to the file, each further one to a file with its number behind.
// Whether all could be written.
bool print_pages(const std::vector<Profile>& processes, const std::string& path, std::ofstream& page,
                 Console& console) {
  bool first = true, good = true;
  const auto written = [&](std::ofstream& file, const std::string& name) {
    if (file.flush()) return;
    good = false;
    complain(console, "--html: '" + name + "' cannot be written");
  };
  for (const Profile& process : processes) {
    if (process.launches.empty() && &process != &processes.back()) continue;
    if (first) {
      print_html(process, page);
      written(page, path);
      first = false;
      continue;
    }
    const std::string name = path + '.' + std::to_string(process.process) + ".html";
    std::ofstream further(name);
    print_html(process, further);
    written(further, name);
  }
  return good;
}

Exit run_profile(const Arguments& arguments, Console& console) {
  if (arguments.has("--query-metrics")) return query(arguments, console);
  if (arguments.operands().empty()) {
    complain(console, "which program? `heddle profile --help` says more");
    return Exit::usage;
  }
  bool good = true;
  const auto skip = count_of(arguments, "--launch-skip", console, good);
  const auto count = count_of(arguments, "--launch-count", console, good);
  const auto each = count_of(arguments, "--of-each-kernel", console, good);
  const auto launches = count_of(arguments, "--launches", console, good);
  if (!good) return Exit::usage;
  Chosen chosen(arguments);
  if (const auto objection = chosen.objection(arguments)) {
    complain(console, "--metrics: " + *objection);
    return Exit::usage;
  }
  ReportOptions report;
  report.lines = arguments.has("--lines");
  report.chosen = arguments.has("--metrics");
  if (launches) report.most_launches = *launches;
  ProfiledProgram program;
  program.words.assign(arguments.operands().begin(), arguments.operands().end());
  program.devices = arguments.value("--device");
  program.kernel = arguments.value("--kernel");
  const std::string trace(arguments.value("--trace"));
  // A timeline alone wants no counts, which would make kernels slower than they are.
  const bool counts = trace.empty() || report.chosen || report.lines || arguments.has("--html") ||
                      arguments.has("--stalls") || arguments.has("--csv") || arguments.has("--json");
  if (!trace.empty()) program.options += counts ? " calls" : " calls no-counts";
  for (const char* option : {"--nvtx-include", "--nvtx-exclude"})
    if (arguments.has(option))
      program.ranges += std::string(option).substr(7) + ' ' + std::string(arguments.value(option)) + '\n';
  if (const auto filter = parse_range_filter(program.ranges); !filter.ok()) {
    complain(console, "--nvtx-include, --nvtx-exclude: " + filter.error().message);
    return Exit::usage;
  }
  // A terminal that shows nothing for long looks as if nothing happened.
  const std::string progress(arguments.value("--progress"));
  const auto seconds = progress.empty() || progress == "off" ? std::nullopt : parse_count(progress);
  if (!progress.empty() && progress != "off" && !seconds) {
    complain(console, "--progress takes seconds, or off, not '" + progress + "'");
    return Exit::usage;
  }
  if (seconds || (progress.empty() && isatty(STDERR_FILENO) != 0))
    program.progress = std::chrono::seconds(seconds.value_or(10));
  program.tell = [&console](std::string_view text) {
    console.err << "heddle profile: " << text << std::endl;
  };
  if (report.lines || arguments.has("--html")) program.options += " lines";
  if (arguments.has("--reuse")) program.options += " reuse";
  if (arguments.has("--stalls") || chosen.of_stalls(arguments)) program.options += " stalls";
  if (arguments.value("--from-start", "on") == "off") program.options += " from-start=0";
  if (skip) program.options += " skip=" + std::to_string(*skip);
  if (count) program.options += " count=" + std::to_string(*count);
  if (!arguments.has("--html") && !arguments.has("--json") && !arguments.has("--reuse") &&
      !chosen.of_accesses(arguments))
    program.options += " no-accesses";
  if (each) program.options += " each=" + std::to_string(*each);
  if (const auto parsed = parse_options(program.options, program.kernel); !parsed.ok()) {
    complain(console, "--kernel: " + parsed.error().message);
    return Exit::usage;
  }
  std::ofstream file;
  if (arguments.has("--output")) {
    file.open(std::string(arguments.value("--output")));
    if (!file) {
      complain(console, "--output: '" + std::string(arguments.value("--output")) + "' cannot be written");
      return Exit::failed;
    }
  }
  const std::string html(arguments.value("--html"));
  std::ofstream page;
  if (!html.empty()) {
    page.open(html);
    if (!page) {
      complain(console, "--html: '" + html + "' cannot be written");
      return Exit::failed;
    }
  }
  std::ofstream timeline;
  if (!trace.empty()) {
    timeline.open(trace);
    if (!timeline) {
      complain(console, "--trace: '" + trace + "' cannot be written");
      return Exit::failed;
    }
  }
  std::ostream& out = file.is_open() ? file : console.out;
  const auto run = run_profiled(program);
  if (!run.ok()) {
    complain(console, run.error().message);
    return Exit::failed;
  }
  const MetricsOf metrics = [&](const DeviceRecord& device) -> const MetricList& {
    return chosen.of(device);
  };
  bool any = false;
  for (const Profile& process : run->processes) any = any || !process.launches.empty();
  bool pages = !page.is_open() || print_pages(run->processes, html, page, console);
  if (timeline.is_open()) {
    print_trace(run->processes, timeline);
    if (!timeline.flush()) {
      complain(console, "--trace: '" + trace + "' cannot be written");
      pages = false;
    }
  }
  if (arguments.has("--csv"))
    print_csv(run->processes, report, metrics, out);
  else if (arguments.has("--json"))
    print_json(run->processes, report, metrics, out);
  else if ((!page.is_open() && counts) || file.is_open())
    print_text(run->processes, report, metrics, out);
  out.flush();
  if (!any && run->status != 126 && run->status != 127)
    console.err << "heddle: warning: "
                << (program.kernel.empty() ? "no kernel was launched"
                                           : "no launch matches '" + program.kernel + "'")
                << '\n';
  return pages || run->status != 0 ? static_cast<Exit>(run->status) : Exit::failed;
}

constexpr std::array options{
    Option{"--device", "NAME[,NAME...]",
           "the device that the program sees, or several; `heddle devices` lists them"},
    Option{"--lines", "", "what each source line did, too; compile with nvcc -lineinfo"},
    Option{"--reuse", "", "what blocks load more than once, too, for the advice about it; it costs more"},
    Option{"--stalls", "",
           "what warps wait for, too, by the timing model; with --lines of each source line; it costs more"},
    Option{"--metrics", "NAME[,NAME...]",
           "show these metrics of each launch: names of ncu, nvprof or COMPUTE_PROFILE that the device has, "
           "`all`, or `regex:EXPRESSION`"},
    Option{"--query-metrics", "", "run nothing; list the metrics of the device, with their formulas"},
    Option{"--csv", "", "a row a launch and metric"},
    Option{"--json", "", "the same as JSON"},
    Option{"--html", "FILE", "a page for browsers instead, with sources, curves, timeline and advice"},
    Option{"--trace", "FILE",
           "a timeline of kernels, copies, calls and NVTX ranges, which chrome://tracing and Perfetto open"},
    Option{"--nvtx-include", "EXPRESSION",
           "only launches in these NVTX ranges: `range`, `outer/inner`, `domain@outer/` (as ncu has it)"},
    Option{"--nvtx-exclude", "EXPRESSION", "no launches in these"},
    Option{"--progress", "SECONDS|off",
           "how often to tell on the error output how far PROGRAM is; on a terminal 10, else off"},
    Option{"--output", "FILE", "where the report goes instead of the standard output"},
    Option{"--kernel", "EXPRESSION", "only kernels whose name this regular expression finds"},
    Option{"--launch-skip", "N", "leave out the first N launches (of those kernels)"},
    Option{"--launch-count", "N", "measure so many launches, and no more"},
    Option{"--of-each-kernel", "N", "measure so many launches of each kernel, and no more"},
    Option{"--launches", "N", "rows of the table of launches; default: 40"},
    Option{"--from-start", "on|off", "off: measure only between cudaProfilerStart and cudaProfilerStop"},
};

}  // namespace

constexpr Command profile_command{"profile",
                                  "PROGRAM [ARGUMENT...]",
                                  0,
                                  kNoLimit,
                                  "count what a program does to its devices, for each launch and source line",
                                  "Runs PROGRAM as `heddle run` does, and shows for each kernel and launch "
                                  "what it did to memory, banks and "
                                  "branches,\n"
                                  "as the device that it ran on would have: exact counts, and apart from "
                                  "them those that are estimated from "
                                  "PTX.\n"
                                  "What it returns is what PROGRAM returns.",
                                  options,
                                  run_profile,
                                  true};

}  // namespace heddle::cli
