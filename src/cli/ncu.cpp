// ncu: Nsight Compute's command line, over the same counts as heddle profile (docs/reference/ncu.md).
#include "profiler/pages/ncu.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "cli/look_alike.h"
#include "profiler/pages/report_file.h"
#include "profiler/pages/run_program.h"
#include "profiler/recorder.h"

namespace heddle::cli {

namespace {

using namespace profiler;
using Use = ToolOption::Use;

constexpr std::array table{
    ToolOption{"--csv", "", "", "comma separated values"},
    ToolOption{"--page", "", "details|raw|source", "which page is printed; details without it"},
    ToolOption{"--metrics", "", "NAME[,NAME...]",
               "metrics to collect; regex:EXPRESSION for those that match"},
    ToolOption{"--set", "", "NAME", "the sections of this set: basic, detailed, full"},
    ToolOption{"--section", "", "ID", "a section; may be given several times"},
    ToolOption{"--kernel-name", "-k", "NAME", "kernels of this name, or regex:EXPRESSION"},
    ToolOption{"--kernel-name-base", "", "function|mangled", "which name that is"},
    ToolOption{"--print-kernel-base", "", "demangled|function|mangled", "how kernels are called"},
    ToolOption{"--launch-skip", "-s", "N", "launches of these kernels that are left out first"},
    ToolOption{"--launch-count", "-c", "N", "launches that are profiled"},
    ToolOption{"--profile-from-start", "", "yes|no", "no: from cudaProfilerStart on"},
    ToolOption{"--log-file", "", "FILE", "where the output goes; stdout and stderr are those"},
    ToolOption{"--query-metrics", "", "", "list the metrics of the device"},
    ToolOption{"--list-sections", "", "", "list the sections"},
    ToolOption{"--version", "-v", "", "tell the version"},
    ToolOption{"--help", "-h", "", "tell the options"},
    ToolOption{"--target-processes", "", "all|application-only", "which processes", Use::without_effect},
    ToolOption{"--clock-control", "", "base|none", "clocks", Use::without_effect},
    ToolOption{"--cache-control", "", "all|none", "flushing of caches", Use::without_effect},
    ToolOption{"--replay-mode", "", "MODE", "how passes are replayed: there is one pass",
               Use::without_effect},
    ToolOption{"--nvtx", "", "", "ranges are known always", Use::without_effect},
    ToolOption{"--nvtx-include", "", "EXPRESSION",
               "only launches in these ranges; may be given several times"},
    ToolOption{"--nvtx-exclude", "", "EXPRESSION", "no launches in these ranges"},
    ToolOption{"--import-source", "", "yes|no", "sources in the report", Use::without_effect},
    ToolOption{"--print-units", "", "auto|base", "units: base ones always", Use::without_effect},
    ToolOption{"--export", "-o", "FILE", "write a report file (.ncu-rep) instead of a page"},
    ToolOption{"--force-overwrite", "-f", "", "write over a report file that is there"},
    ToolOption{"--import", "-i", "FILE", "report files (.ncu-rep) are not read", Use::refused},
};

std::string quoted_pattern(std::string_view name) {
  std::string pattern = "^";
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern + '$';
}

// Commas do not divide a regular expression.
std::vector<std::string> names_of(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists)
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      if (end > begin) names.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  return names;
}

struct Asked {
  NcuPage page;
  ProfiledProgram program;
};

// Whether something of the page is of what warps wait for.
bool wants_stalls(const NcuPage& page) {
  const arch::Capability capability = device_of_environment().capability();
  std::string names;
  for (const std::string& name : page.metrics) names += name + ',';
  for (const Section& section : all_sections())
    if (std::ranges::find(page.sections, section.id) != page.sections.end())
      for (const SectionRow& row : section.rows)
        for (const Metric& metric : all_metrics())
          if (metric.name == row.metric && metric.of_stalls) return true;
  const auto list = choose_metrics(names, std::array{Tool::ncu}, capability);
  return list.ok() && std::ranges::any_of(*list, &Metric::of_stalls);
}

Result<Asked> asked(const ToolLine& line) {
  Asked out;
  out.page.csv = line.has("--csv");
  const std::string page = line.value("--page", "details");
  if (page != "details" && page != "raw" && page != "source")
    return Error{"page '" + page + "' is not supported: there are details, raw and source"};
  if (page == "raw") out.page.page = NcuPage::Page::raw;
  if (page == "source") {
    out.page.page = NcuPage::Page::source;
    out.program.options += " lines";
  }
  const std::string base = line.value("--print-kernel-base", "demangled");
  if (base == "function")
    out.page.name = NcuPage::Name::function;
  else if (base == "mangled")
    out.page.name = NcuPage::Name::mangled;
  else if (base != "demangled")
    return Error{"option '--print-kernel-base' takes demangled, function or mangled, not '" + base + "'"};
  if (line.has("--metrics")) out.page.metrics = names_of(line.options.at("--metrics"));
  if (line.has("--section")) {
    for (const std::string& id : line.options.at("--section")) {
      bool known = false;
      for (const Section& section : all_sections()) known = known || section.id == id;
      if (!known)
        return Error{"there is no section '" + id + "'; --list-sections tells those that there are"};
      out.page.sections.push_back(id);
    }
  } else if (out.page.metrics.empty() || line.has("--set")) {
    const std::string set = line.value("--set", "basic");
    for (const Section& section : all_sections())
      if (section.sets.find(' ' + set + ' ') != std::string_view::npos)
        out.page.sections.emplace_back(section.id);
    if (out.page.sections.empty() && set != "none")
      return Error{"there is no set '" + set + "': basic, default, detailed, full, none"};
  }
  for (const char* option : {"--launch-skip", "--launch-count"})
    if (line.has(option) && !parse_count(line.value(option)))
      return Error{"option '" + std::string(option) + "' takes a number, not '" + line.value(option) + "'"};
  if (wants_stalls(out.page)) out.program.options += " stalls";
  if (line.has("--launch-skip")) out.program.options += " skip=" + line.value("--launch-skip");
  if (line.has("--launch-count")) out.program.options += " count=" + line.value("--launch-count");
  const std::string start = line.value("--profile-from-start", "yes");
  if (start == "no" || start == "off" || start == "0") out.program.options += " from-start=0";
  if (line.value("--kernel-name-base", "function") == "mangled") out.program.options += " mangled";
  const std::string kernel = line.value("--kernel-name");
  constexpr std::string_view mark = "regex:";
  if (!kernel.empty())
    out.program.kernel = kernel.starts_with(mark) ? kernel.substr(mark.size()) : quoted_pattern(kernel);
  if (const auto good = parse_options(out.program.options, out.program.kernel); !good)
    return Error{"option '--kernel-name': " + good.error().message};
  for (const char* option : {"--nvtx-include", "--nvtx-exclude"})
    if (line.has(option))
      for (const std::string& expression : line.options.at(option)) {
        const std::string text = std::string(option).substr(7) + ' ' + expression + '\n';
        if (const auto filter = parse_range_filter(text); !filter)
          return Error{"option '" + std::string(option) + "': " + filter.error().message};
        out.program.ranges += text;
      }
  out.program.words = line.program;
  return out;
}

void print_progress(const ProfiledRun& run, std::ostream& out) {
  for (const Profile& process : run.processes) {
    out << "==PROF== Connected to process " << process.process << " (" << process.program << ")\n";
    uint64_t number = 0;
    for (const LaunchRecord& launch : process.launches.brief())
      out << "==PROF== Profiling \"" << base_name(launch.kernel) << "\" - " << number++
          << ": 0%....50%....100% - 1 pass\n";
    out << "==PROF== Disconnected from process " << process.process << '\n';
  }
}

// Opened before the program runs, which may take hours.
Result<std::string> open_report(const ToolLine& line, std::ofstream& file) {
  std::string path = line.value("--export");
  if (path.empty()) return path;
  if (!path.ends_with(".ncu-rep")) path += ".ncu-rep";
  std::error_code ignored;
  if (!line.has("--force-overwrite") && std::filesystem::exists(path, ignored))
    return Error{"the report file '" + path + "' is there already; -f writes over it"};
  file.open(path, std::ios::binary);
  if (!file) return Error{"the report file '" + path + "' cannot be written"};
  return path;
}

int print_answer(const ToolLine& line, std::string_view called, Console& console) {
  if (line.has("--help")) {
    console.out << called
                << ": counts what programs do to a device, with Nsight Compute's options.\n\nusage: "
                << called << " [OPTION...] PROGRAM [ARGUMENT...]\n\n"
                << help_text(table);
  } else if (line.has("--version")) {
    console.out << "Nsight Compute's command line, by Heddle\n";
  } else if (line.has("--list-sections")) {
    for (const Section& section : all_sections()) console.out << section.id << "  " << section.title << '\n';
  } else {
    for (const Metric* metric : metrics_of(std::array{Tool::ncu}, device_of_environment().capability()))
      console.out << metric->name << "  [" << name(metric->kind) << "]  " << metric->title << '\n';
  }
  return 0;
}

}  // namespace

int run_ncu(std::string_view called, std::span<const std::string_view> words, Console& console) {
  const auto wrong = [&](const std::string& why) {
    console.err << "==ERROR== " << why << '\n';
    return 1;
  };
  const auto line = read_line(table, words);
  if (!line) return wrong(line.error().message);
  for (const char* option : {"--help", "--version", "--list-sections", "--query-metrics"})
    if (line->has(option)) return print_answer(*line, called, console);
  if (line->program.empty()) return wrong("no program is given; --help tells the options");
  const auto request = asked(*line);
  if (!request) return wrong(request.error().message);
  std::ofstream file;
  const std::string log = line->value("--log-file", "stdout");
  if (log != "stdout" && log != "stderr") {
    file.open(log);
    if (!file) return wrong("the log file '" + log + "' cannot be written");
  }
  std::ofstream report;
  const auto report_path = open_report(*line, report);
  if (!report_path) return wrong(report_path.error().message);
  std::ostream& out = file.is_open() ? file : log == "stderr" ? console.err : console.out;
  const auto run = run_profiled(request->program);
  if (!run) return wrong(run.error().message);
  if (run->status == 126 || run->status == 127) return run->status;
  bool any = false;
  for (const Profile& process : run->processes) any = any || !process.launches.empty();
  if (!any) {
    print_progress(*run, out);
    out << "==WARNING== No kernels were profiled.\n";
    return run->status;
  }
  const arch::Capability capability = [&] {
    for (const Profile& process : run->processes)
      if (!process.launches.empty()) return process.launches.front().device.capability;
    return arch::Capability{};
  }();
  for (const std::string& metric : request->page.metrics)
    if (const std::string objection = ncu_objection(metric, capability); !objection.empty())
      out << "==WARNING== " << metric << " is n/a: " << objection << '\n';
  // Behind "Disconnected" readers await the table.
  print_progress(*run, out);
  if (report.is_open()) {
    print_report_file(run->processes, report);
    if (!report.flush()) return wrong("the report file '" + *report_path + "' cannot be written");
    out << "==PROF== Report: " << *report_path << '\n';
    if (!line->has("--page")) return run->status;
  }
  print_ncu(run->processes, request->page, out);
  return run->status;
}

}  // namespace heddle::cli
