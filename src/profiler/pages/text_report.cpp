#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>

#include "profiler/pages/columns.h"
#include "profiler/pages/report.h"
#include "profiler/pages/stall_report.h"
#include "profiler/pages/text.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

namespace {

std::string percent(double part, double whole) {
  return whole == 0 ? "-" : number_text(100 * part / whole, 1) + "%";
}
std::string percent(const Ratio& ratio) { return percent(ratio.part, ratio.whole); }
std::string each(const Ratio& ratio) {
  return ratio.whole == 0 ? "-" : number_text(ratio.part / ratio.whole, 2);
}
std::string count(double value) { return value == 0 ? "-" : grouped(value, 0); }

std::string triple(const std::array<uint32_t, 3>& t) {
  std::string text = std::to_string(t[0]);
  if (t[1] != 1 || t[2] != 1) text += "x" + std::to_string(t[1]);
  if (t[2] != 1) text += "x" + std::to_string(t[2]);
  return text;
}

const std::vector<TextTable::Column> memory_columns{{"loads"},     {"trans/req"},  {"efficiency"}, {"stores"},
                                                    {"trans/req"}, {"efficiency"}, {"atomics"},    {"shared"},
                                                    {"conflicts"}, {"local"}};

// Of a kernel, a launch or a line: what its accesses were.
std::vector<std::string> memory_cells(const Counts& counts) {
  const Columns c(counts);
  return {count(c.loads),
          each(c.load_transactions),
          percent(c.load_bytes),
          count(c.stores),
          each(c.store_transactions),
          percent(c.store_bytes),
          count(c.atomics),
          count(c.shared),
          count(c.conflicts),
          count(c.local)};
}

std::vector<std::string> instruction_cells(const Counts& counts) {
  const Columns c(counts);
  return {count(c.instructions), each(c.threads), count(c.branches), count(c.divergent)};
}

TextTable table_of(std::vector<TextTable::Column> front, const std::vector<TextTable::Column>& behind) {
  front.insert(front.end(), behind.begin(), behind.end());
  return TextTable(std::move(front));
}

std::vector<std::string> joined(std::vector<std::string> front, const std::vector<std::string>& behind) {
  front.insert(front.end(), behind.begin(), behind.end());
  return front;
}

void print_kernels(const std::vector<KernelSum>& kernels, std::ostream& out) {
  TextTable times({{"kernel", false}, {"launches"}, {"host time"}, {"each"}, {"failed"}});
  TextTable memory = table_of({{"kernel", false}}, memory_columns);
  TextTable instructions({{"kernel", false},
                          {"instructions"},
                          {"threads each"},
                          {"branches"},
                          {"divergent"},
                          {"registers"},
                          {"occupancy"},
                          {"limited by", false}});
  for (const KernelSum& kernel : kernels) {
    const auto launches = static_cast<double>(kernel.launches);
    times.row({kernel.kernel, grouped(launches), time_text(static_cast<double>(kernel.host_time)),
               time_text(static_cast<double>(kernel.host_time) / launches),
               kernel.failed == 0 ? "-" : std::to_string(kernel.failed)});
    memory.row(joined({kernel.kernel}, memory_cells(kernel.counts)));
    const Facts& facts = kernel.last.facts;
    const double resident = at(facts, Fact::resident_blocks);
    const std::array limits{std::pair{at(facts, Fact::limit_warps), "warps"},
                            std::pair{at(facts, Fact::limit_blocks), "blocks"},
                            std::pair{at(facts, Fact::limit_registers), "registers"},
                            std::pair{at(facts, Fact::limit_shared), "shared memory"},
                            std::pair{at(facts, Fact::limit_barriers), "barriers"}};
    const auto* limit = std::ranges::find_if(limits, [&](const auto& l) { return l.first == resident; });
    instructions.row(joined(joined({kernel.kernel}, instruction_cells(kernel.counts)),
                            {number_text(at(facts, Fact::registers)),
                             percent(at(facts, Fact::resident_warps), at(facts, Fact::max_warps)),
                             limit == limits.end() ? "" : limit->second}));
  }
  out << "Kernels (time of this host, not of the device)\n";
  times.print(out, "  ");
  if (std::ranges::none_of(kernels, [](const KernelSum& k) { return k.last.counted; })) return;
  out << "\nMemory: exact. Requests of warps to global memory, transactions of each, bytes asked for of "
         "those "
         "moved;\n        times that the banks of shared memory are asked, and how many too often\n";
  memory.print(out, "  ");
  out << "\nInstructions: of warps, counted in PTX; the machine's own and its registers are estimated so\n";
  instructions.print(out, "  ");
}

void print_launches(const Profile& profile, const std::vector<KernelSum>& kernels, std::size_t most,
                    std::ostream& out) {
  TextTable table = table_of({{"#"}, {"kernel", false}, {"grid"}, {"block"}, {"host time"}}, memory_columns);
  std::size_t shown = 0;
  for (const LaunchRecord& launch : profile.launches.brief()) {
    if (shown++ == most) break;
    table.row(joined({std::to_string(launch.number), base_name(launch.kernel), triple(launch.grid),
                      triple(launch.block), time_text(static_cast<double>(launch.time.length()))},
                     memory_cells(launch.counts)));
  }
  out << "\nLaunches\n";
  table.print(out, "  ");
  if (profile.launches.size() > most)
    out << "  and " << profile.launches.size() - most << " more: --launches N shows more, --csv all\n";
  if (std::ranges::none_of(kernels, [](const KernelSum& kernel) { return kernel.failed != 0; })) return;
  for (const LaunchRecord& launch : profile.launches.brief())
    if (!launch.failure.empty()) out << "  launch " << launch.number << " failed: " << launch.failure << '\n';
}

void print_lines(const std::vector<KernelSum>& kernels, std::ostream& out) {
  SourceText sources;
  for (const KernelSum& kernel : kernels) {
    auto columns = memory_columns;
    columns.push_back({"source", false});
    TextTable table =
        table_of({{"line", false}, {"instructions"}, {"threads each"}, {"branches"}, {"divergent"}}, columns);
    bool any = false;
    for (const auto& [place, counts] : kernel.lines) {
      const auto& [file, line] = place;
      any = any || !file.empty();
      std::string text = sources.line(file, line);
      text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
      constexpr std::size_t widest = 60;
      if (text.size() > widest) text = text.substr(0, widest - 3) + "...";
      std::vector<std::string> cells = joined(
          {file.empty() ? "(no line)"
                        : std::filesystem::path(file).filename().string() + ":" + std::to_string(line)},
          instruction_cells(counts));
      cells = joined(cells, memory_cells(counts));
      cells.push_back(text);
      table.row(std::move(cells));
    }
    out << "\nSource lines of " << demangled(kernel.mangled) << '\n';
    if (!any) out << "  none are known: compile with nvcc -lineinfo\n";
    table.print(out, "  ");
  }
}

// The ranges that the program marked, with what ran in them: by the names of those around them.
void print_ranges(const Profile& profile, std::ostream& out) {
  const std::vector<RangeSum> sums = by_range(profile);
  if (sums.empty()) return;
  out << "\nRanges of the program (NVTX)\n";
  TextTable table({{"range", false}, {"times"}, {"time"}, {"launches"}, {"their time"}});
  for (const RangeSum& sum : sums)
    table.row({sum.path, grouped(static_cast<double>(sum.count), 0),
               time_text(static_cast<double>(sum.host_time)), count(static_cast<double>(sum.launches)),
               sum.launches == 0 ? "-" : time_text(static_cast<double>(sum.kernel_time))});
  table.print(out, "  ");
}

void print_advice(const Profile& profile, const std::vector<KernelSum>& kernels, bool lines,
                  std::ostream& out) {
  const std::vector<GivenAdvice> all = advice_for(profile, kernels);
  if (all.empty()) return;
  out << "\nAdvice\n";
  bool placed = false;
  for (const GivenAdvice& one : all) {
    out << "  " << name(one.advice->priority) << ": " << one.advice->title << " [" << one.where() << "]\n"
        << "      " << number_text(one.value, 1) << ' ' << one.advice->means << "; it would save "
        << grouped(one.saves, 0) << ' ' << one.advice->unit << (one.advice->estimated ? " (estimated)" : "")
        << '\n';
    if (!one.file.empty())
      out << "      most at " << std::filesystem::path(one.file).filename().string() << ':' << one.line
          << ": " << grouped(one.of_line, 0) << '\n';
    out << "      " << one.advice->guide << '\n';
    placed = placed || one.advice->line != nullptr;
  }
  if (placed && !lines) out << "  --lines tells the source lines\n";
}

void print_metrics(const Profile& profile, const ReportOptions& options, const MetricsOf& metrics,
                   std::ostream& out) {
  for (const LaunchRecord& launch : options.lines ? profile.launches : profile.launches.brief()) {
    out << "\nlaunch " << launch.number << ": " << demangled(launch.kernel) << ", grid "
        << triple(launch.grid) << ", block " << triple(launch.block) << '\n';
    TextTable table({{"metric", false}, {"unit", false}, {"value"}, {"", false}});
    for (const Metric* metric : metrics(launch.device))
      table.row({std::string(metric->name), std::string(metric->unit), number_text(value(*metric, launch)),
                 std::string(name(metric->kind))});
    table.print(out, "  ");
    if (!options.lines) continue;
    for (const LineCounts& line : launch.lines) {
      out << "  " << (line.file.empty() ? "(no line)" : line.file + ":" + std::to_string(line.line)) << '\n';
      TextTable of_line({{"metric", false}, {"unit", false}, {"value"}, {"", false}});
      for (const Metric* metric : metrics(launch.device))
        if (const double v = metric->value(values(line)); metric->of_lines && v == v && v != 0)
          of_line.row({std::string(metric->name), std::string(metric->unit), number_text(v),
                       std::string(name(metric->kind))});
      if (!of_line.empty()) of_line.print(out, "    ");
    }
  }
}

}  // namespace

void print_text(const std::vector<Profile>& processes, const ReportOptions& options, const MetricsOf& metrics,
                std::ostream& out) {
  for (const Profile& profile : processes) {
    const std::vector<KernelSum> kernels = by_kernel(profile);
    out << "Process " << profile.process << ", " << profile.program << ": " << profile.launches.size()
        << " launches of " << kernels.size() << " kernels";
    if (!profile.launches.empty()) {
      const DeviceRecord device = profile.launches.front().device;
      out << " on " << device.name << " (capability " << to_string(device.capability) << ')';
    }
    out << '\n';
    if (kernels.empty() && profile.copies.empty()) {
      print_ranges(profile, out);
      continue;
    }
    if (options.chosen) {
      print_metrics(profile, options, metrics, out);
      continue;
    }
    out << '\n';
    print_kernels(kernels, out);
    print_launches(profile, kernels, options.most_launches, out);
    if (options.lines) print_lines(kernels, out);
    print_stalls(kernels, options.lines, out);
    print_ranges(profile, out);
    print_advice(profile, kernels, options.lines, out);
  }
}

}  // namespace heddle::profiler
