// The page of `heddle occupancy --html`: the curves as SVG, no script and no file beside it.
#include <algorithm>
#include <array>
#include <cstdio>

#include "arch/allocation.h"
#include "cli/occupancy_report.h"

namespace heddle::cli {

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

constexpr std::string_view style = R"(
:root{--ink:#1b1f24;--soft:#5b6570;--rule:#d6dbe0;--line:#1f6fb2;--fill:#1f6fb222;--now:#c2410c;--paper:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#9aa5b0;--rule:#39424b;--line:#6cb2ee;--fill:#6cb2ee22;--now:#fb923c;--paper:#14181c}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:72rem;margin:2rem auto;padding:0 1.5rem}
h1{font-size:1.5rem;margin:0 0 .2rem}h2{font-size:1.2rem;margin:2.2rem 0 .4rem;overflow-wrap:anywhere}h3{font-size:.95rem;margin:0 0 .3rem;font-weight:600}
p{margin:.3rem 0}.soft{color:var(--soft)}.big{font-size:1.7rem;font-weight:600}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:1.2rem;margin:1rem 0}
figure{margin:0}svg{width:100%;height:auto;display:block}
text{font:11px system-ui,sans-serif;fill:var(--soft)}text.now{fill:var(--now);font-weight:600}
.grid{stroke:var(--rule);stroke-width:1}.curve{fill:none;stroke:var(--line);stroke-width:2}.area{fill:var(--fill)}
.mark{fill:var(--now)}.guide{stroke:var(--now);stroke-dasharray:3 3}.hit{fill:transparent}.hit:hover{fill:var(--fill)}
table{border-collapse:collapse;margin:.6rem 0}td,th{padding:.15rem .9rem .15rem 0;text-align:left;vertical-align:top}th{font-weight:600}
td.n{text-align:right;font-variant-numeric:tabular-nums}tr.least td{color:var(--now);font-weight:600}
)";

// The place of the drawing inside its SVG.
constexpr double left = 34, top = 14, width = 320, height = 170, bottom = top + height, right = left + width;

std::string coordinate(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string label(double x, double y, std::string_view anchor, std::string_view text,
                  std::string_view kind = "") {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\"" + (kind.empty() ? "" : " class=\"" + std::string(kind) + "\"") + ">" +
         escaped(text) + "</text>";
}

std::string segment(std::string_view kind, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + std::string(kind) + "\" x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) +
         "\" x2=\"" + coordinate(x2) + "\" y2=\"" + coordinate(y2) + "\"/>";
}

// A step of round size that divides the axis into four to eight parts.
uint64_t tick(uint64_t limit) {
  for (uint64_t step = 1;; step *= 2)
    if (limit / step <= 8) return step;
}

struct Chart {
  std::string_view title, unit;
  const model::Curve& curve;
  uint64_t here;
  const model::Occupancy& now;
  bool kilobytes = false;
};

std::string value_text(const Chart& chart, uint64_t value) {
  return chart.kilobytes ? std::to_string(value / 1024) + "K" : std::to_string(value);
}

std::string draw(const Chart& chart) {
  const double most = chart.now.max_warps;
  const auto x = [&](uint64_t value) {
    return left +
           width * static_cast<double>(value) / static_cast<double>(std::max<uint64_t>(chart.curve.limit, 1));
  };
  const auto y = [&](uint32_t warps) { return bottom - height * warps / most; };
  std::string out = "<figure><h3>" + escaped(chart.title) +
                    "</h3><svg viewBox=\"0 0 370 228\" role=\"img\" aria-label=\"" + escaped(chart.title) +
                    "\">";
  const uint32_t row = chart.now.max_warps / 4;
  for (uint32_t warps = 0; warps <= chart.now.max_warps; warps += row) {
    out += segment("grid", left, y(warps), right, y(warps));
    out += label(left - 5, y(warps) + 4, "end", std::to_string(warps));
  }
  const uint64_t step = tick(chart.curve.limit);
  for (uint64_t value = 0; value <= chart.curve.limit; value += step) {
    out += segment("grid", x(value), bottom, x(value), bottom + 4);
    out += label(x(value), bottom + 16, "middle", value_text(chart, value));
  }
  out += label((left + right) / 2, bottom + 32, "middle", chart.unit);
  // A value stands for all down to the one before it: steps end at the values.
  std::string path;
  double begin = left;
  for (const model::Stretch& s : chart.curve.stretches) {
    const std::string height_text = coordinate(y(s.occupancy.warps));
    path += (path.empty() ? "M" : "L") + coordinate(begin) + " " + height_text + "L" + coordinate(x(s.last)) +
            " " + height_text;
    begin = x(s.last);
  }
  out += "<path class=\"area\" d=\"" + path + "L" + coordinate(begin) + " " + coordinate(bottom) + "L" +
         coordinate(left) + " " + coordinate(bottom) + "Z\"/><path class=\"curve\" d=\"" + path + "\"/>";
  begin = left;
  for (const model::Stretch& s : chart.curve.stretches) {
    const std::string values = s.first == s.last ? std::to_string(s.first)
                                                 : std::to_string(s.first) + " to " + std::to_string(s.last);
    out += "<rect class=\"hit\" x=\"" + coordinate(begin) + "\" y=\"" + coordinate(top) + "\" width=\"" +
           coordinate(std::max(x(s.last) - begin, 0.5)) + "\" height=\"" + coordinate(height) + "\"><title>" +
           values + ' ' + escaped(chart.unit) + ": " + std::to_string(s.occupancy.blocks) + " blocks, " +
           std::to_string(s.occupancy.warps) + " warps, " + percent(s.occupancy) + "%, limited by " +
           joined(limiters(s.occupancy)) + "</title></rect>";
    begin = x(s.last);
  }
  const double at = x(std::min(chart.here, chart.curve.limit)), high = y(chart.now.warps);
  out += segment("guide", at, bottom, at, high);
  out += "<path class=\"mark\" d=\"M" + coordinate(at) + " " + coordinate(high - 5) + "l5 9h-10z\"/>";
  const bool near_right = at > right - 60;
  out += label(near_right ? at - 8 : at + 8, high < top + 12 ? high + 14 : high - 6,
               near_right ? "end" : "start", std::to_string(chart.here), "now");
  return out + "</svg></figure>";
}

std::string row(std::string_view name, const std::string& text) {
  return "<tr><th>" + escaped(name) + "</th><td>" + escaped(text) + "</td></tr>";
}

std::string limits_table(const OccupancyReport& r) {
  using model::Limiter;
  const auto list = limiters(r.now);
  std::string out = "<table><tr><th>resource</th><th>blocks it admits</th></tr>";
  for (const auto& [limiter, blocks] : {std::pair{Limiter::blocks, r.now.by_blocks},
                                        {Limiter::warps, r.now.by_warps},
                                        {Limiter::registers, r.now.by_registers},
                                        {Limiter::shared, r.now.by_shared},
                                        {Limiter::barriers, r.now.by_barriers}}) {
    const bool least = std::find(list.begin(), list.end(), limiter) != list.end();
    out += std::string("<tr") + (least ? " class=\"least\"" : "") + "><td>" + std::string(name(limiter)) +
           "</td><td class=\"n\">" + std::to_string(blocks) + "</td></tr>";
  }
  return out + "</table>";
}

std::string section(const OccupancyReport& r) {
  const arch::Architecture& a = r.device->arch;
  std::string out = "<section><h2>" +
                    escaped(r.kernel.empty() ? std::string("Block of these numbers") : r.kernel) + "</h2>";
  out += "<p><span class=\"big\">" + percent(r.now) + "%</span> occupancy: " + std::to_string(r.now.blocks) +
         " blocks of " + std::to_string(r.needs.threads) + " threads, " + std::to_string(r.now.warps) +
         " of " + std::to_string(r.now.max_warps) + " warps on each multiprocessor</p><div class=\"charts\">";
  out +=
      draw({"Warps by threads of a block", "threads of a block", r.curves.threads, r.needs.threads, r.now});
  out += draw({"Warps by registers of a thread", "registers of a thread", r.curves.registers,
               r.needs.registers, r.now});
  out += draw({"Warps by shared memory of a block", "bytes of shared memory", r.curves.shared,
               r.needs.shared_bytes, r.now, true});
  out += "</div>" + limits_table(r) + "<table>";
  out += row("registers", std::to_string(r.needs.registers) + " a thread" +
                              (r.estimated ? " (an estimate)" : "") + ", " +
                              std::to_string(r.now.registers_per_block) + " a block of " +
                              std::to_string(a.registers.per_multiprocessor));
  out += row("shared memory", std::to_string(r.needs.shared_bytes) + " bytes, " +
                                  std::to_string(r.now.shared_per_block) + " with what the device adds, of " +
                                  std::to_string(a.shared.per_multiprocessor));
  std::string more;
  for (const model::Gain& gain : r.gains) more += (more.empty() ? "" : "; or ") + in_words(gain);
  out += row("one more block with", more.empty() ? "no change of one resource alone" : more);
  if (r.best.threads != 0) out += row("best block", std::to_string(r.best.threads) + " threads");
  return out + "</table></section>";
}

}  // namespace

std::string occupancy_page(std::span<const OccupancyReport> reports) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>Occupancy</title><style>";
  out += style;
  out += "</style></head><body><h1>Occupancy</h1>";
  if (!reports.empty()) {
    const OccupancyReport& first = reports.front();
    const arch::Device& device = *first.device;
    out += "<p class=\"soft\">" + escaped(device.name) + ", compute capability " +
           arch::to_string(device.capability()) + (first.file.empty() ? "" : ", " + escaped(first.file)) +
           "</p>";
  }
  for (const OccupancyReport& report : reports) out += section(report);
  return out + "</body></html>\n";
}

}  // namespace heddle::cli
