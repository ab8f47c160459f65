#include "profiler/pages/stall_report.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <string>

#include "profiler/pages/text.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

namespace {

std::string percent(double part, double whole) {
  return whole == 0 ? "-" : number_text(100 * part / whole, 1) + "%";
}

double issuing(const Counts& counts) { return static_cast<double>(at(counts, Counter::stall_selected)); }
double clocks(const Counts& counts) {
  return static_cast<double>(at(counts, Counter::stall_clocks)) + issuing(counts);
}

// "long scoreboard 62 %, wait 20 %": the most frequent reasons.
std::string reasons_text(const Counts& counts) {
  using C = Counter;
  constexpr std::array reasons{std::pair{C::stall_wait, "wait"},
                               std::pair{C::stall_long_scoreboard, "long scoreboard"},
                               std::pair{C::stall_short_scoreboard, "short scoreboard"},
                               std::pair{C::stall_barrier, "barrier"},
                               std::pair{C::stall_math_pipe_throttle, "math pipe throttle"},
                               std::pair{C::stall_mio_throttle, "MIO throttle"},
                               std::pair{C::stall_lg_throttle, "LG throttle"},
                               std::pair{C::stall_tex_throttle, "texture throttle"},
                               std::pair{C::stall_not_selected, "not selected"},
                               std::pair{C::stall_branch_resolving, "branch resolving"},
                               std::pair{C::stall_sleeping, "sleeping"}};
  auto sorted = reasons;
  std::ranges::sort(sorted, [&](const auto& a, const auto& b) {
    return std::pair(at(counts, b.first), a.first) < std::pair(at(counts, a.first), b.first);
  });
  const double all = clocks(counts);
  std::string text;
  constexpr std::size_t most = 4;
  for (std::size_t i = 0; i < most; ++i) {
    const auto of_reason = static_cast<double>(at(counts, sorted[i].first));
    if (all == 0 || of_reason < 0.01 * all) break;
    text += (text.empty() ? "" : ", ") + std::string(sorted[i].second) + ' ' + percent(of_reason, all);
  }
  return text;
}

}  // namespace

void print_stalls(const std::vector<KernelSum>& kernels, bool lines, std::ostream& out) {
  if (std::ranges::none_of(kernels, [&](const KernelSum& kernel) { return clocks(kernel.counts) != 0; }))
    return;
  out << "\nWarps: modelled. Clocks of warps, how many of them issue, and what the others wait for\n";
  TextTable table({{"kernel", false}, {"clocks"}, {"issue"}, {"wait for", false}});
  for (const KernelSum& kernel : kernels)
    table.row({kernel.kernel, grouped(clocks(kernel.counts), 0),
               percent(issuing(kernel.counts), clocks(kernel.counts)), reasons_text(kernel.counts)});
  table.print(out, "  ");
  if (!lines) return;
  SourceText sources;
  for (const KernelSum& kernel : kernels) {
    TextTable of_lines({{"line", false}, {"of all"}, {"issue"}, {"wait for", false}, {"source", false}});
    for (const auto& [place, counts] : kernel.lines) {
      if (clocks(counts) == 0) continue;
      const auto& [file, line] = place;
      std::string text = sources.line(file, line);
      text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
      of_lines.row({file.empty()
                        ? "(no line)"
                        : std::filesystem::path(file).filename().string() + ":" + std::to_string(line),
                    percent(clocks(counts), clocks(kernel.counts)), percent(issuing(counts), clocks(counts)),
                    reasons_text(counts), text.substr(0, 60)});
    }
    out << "\nWarps at source lines of " << demangled(kernel.mangled) << '\n';
    of_lines.print(out, "  ");
  }
}

}  // namespace heddle::profiler
