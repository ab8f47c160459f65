#include "cli/occupancy_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "arch/allocation.h"
#include "timing/machine.h"

namespace heddle::cli {

namespace {

using model::Limiter;
using model::Occupancy;

uint32_t admitted(const Occupancy& o, Limiter limiter) {
  switch (limiter) {
    case Limiter::blocks: return o.by_blocks;
    case Limiter::warps: return o.by_warps;
    case Limiter::registers: return o.by_registers;
    case Limiter::shared: return o.by_shared;
    case Limiter::barriers: return o.by_barriers;
  }
  return 0;
}

constexpr std::array all_limiters{Limiter::blocks, Limiter::warps, Limiter::registers, Limiter::shared,
                                  Limiter::barriers};

std::string number(uint64_t value) { return std::to_string(value); }
std::string counted(uint64_t value, std::string_view word) {
  return number(value) + ' ' + std::string(word) + (value == 1 ? "" : "s");
}

void line(std::string& out, std::string_view name, const std::string& text) {
  out.append(name);
  out.append(name.size() < 16 ? 16 - name.size() : 1, ' ');
  out += text + '\n';
}

void table(std::string& out, std::string_view title, const model::Curve& curve, uint64_t here) {
  out += '\n';
  std::array<char, 128> row{};
  std::snprintf(row.data(), row.size(), "%-22s %6s %6s %10s  %s\n", std::string(title).c_str(), "blocks",
                "warps", "occupancy", "limited by");
  out += row.data();
  for (const model::Stretch& s : curve.stretches) {
    const std::string values =
        s.first == s.last ? number(s.first) : number(s.first) + " to " + number(s.last);
    const bool now = here <= s.last && here + curve.step > s.first;
    std::snprintf(row.data(), row.size(), "%-22s %6u %6u %9s%%  ", values.c_str(), s.occupancy.blocks,
                  s.occupancy.warps, percent(s.occupancy).c_str());
    out += row.data() + joined(limiters(s.occupancy)) + (now ? "  <- now" : "") + '\n';
  }
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      out += code.data();
    } else {
      out += c;
    }
  }
  return out + '"';
}

// A field of CSV: in quotes where it has a comma or quotes.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\n") == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// Instructions for each access to memory of which the guide's example speaks.
constexpr uint32_t usual_ratio = 10;

Hiding hiding(const arch::Architecture& a, std::string_view of, uint32_t clocks, uint32_t instructions) {
  return {of, clocks, instructions, model::warps_to_hide(a, clocks, instructions),
          (uint64_t{clocks} * a.multiprocessor.cores + instructions - 1) / instructions};
}

struct NamedCurve {
  std::string_view name;
  const model::Curve* curve;
};
std::array<NamedCurve, 3> named(const model::Curves& c) {
  return {NamedCurve{"threads", &c.threads}, {"registers", &c.registers}, {"shared", &c.shared}};
}

}  // namespace

void complete(OccupancyReport& report) {
  const arch::Architecture& a = report.device->arch;
  if (report.latency != 0) {
    report.hiding.push_back(hiding(a, "", report.latency, std::max(1U, report.instructions)));
  } else if (const auto machine = timing::make_machine(*report.device)) {
    const auto clocks = [](double value) { return static_cast<uint32_t>(std::ceil(value)); };
    const timing::Constants& c = *machine->constants;
    report.hiding.push_back(
        hiding(a, "arithmetic", clocks(c.alu_latency), std::max(1U, report.instructions)));
    report.hiding.push_back(hiding(a, "memory", clocks(c.memory_latency),
                                   report.instructions != 0 ? report.instructions : usual_ratio));
  }
  report.now = model::occupancy(a, report.needs);
  report.gains = model::gains(a, report.needs);
  report.curves = model::curves(a, report.needs);
  const uint64_t shared = report.needs.shared_bytes;
  report.best =
      model::best_block(a, report.needs, report.most_threads, [shared](uint32_t) { return shared; });
}

std::string percent(const Occupancy& o) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", o.fraction() * 100);
  return text.data();
}

std::vector<Limiter> limiters(const Occupancy& o) {
  // None admits more than the multiprocessor does: where that is reached, the others say nothing.
  if (o.blocks != 0 && o.by_blocks == o.blocks) return {Limiter::blocks};
  std::vector<Limiter> result;
  for (const Limiter limiter : all_limiters)
    if (admitted(o, limiter) == o.blocks) result.push_back(limiter);
  return result;
}

std::string joined(const std::vector<Limiter>& list) {
  std::string out;
  for (const Limiter limiter : list) out += (out.empty() ? "" : ", ") + std::string(name(limiter));
  return out;
}

std::string in_words(const model::Gain& gain) {
  const std::string blocks = ": " + counted(gain.blocks, "block");
  switch (gain.limiter) {
    case Limiter::warps: return "at most " + counted(gain.most, "thread") + " in a block" + blocks;
    case Limiter::registers: return "at most " + counted(gain.most, "register") + " a thread" + blocks;
    default: return "at most " + counted(gain.most, "byte") + " of shared memory" + blocks;
  }
}

std::string in_words(const Hiding& h) {
  std::string out = counted(h.clocks, "clock") + (h.of.empty() ? "" : " of " + std::string(h.of));
  if (h.instructions != 1) out += " after every " + counted(h.instructions, "instruction");
  out += ": " + counted(h.warps, "warp");
  return out;
}

std::string occupancy_text(const OccupancyReport& r) {
  const arch::Architecture& a = r.device->arch;
  std::string out;
  line(out, "device",
       arch::describe(*r.device) + ": " + counted(a.multiprocessor.max_warps, "warp") + ", " +
           counted(a.multiprocessor.max_blocks, "block") + ", " + number(a.registers.per_multiprocessor) +
           " registers and " + number(a.shared.per_multiprocessor) +
           " bytes of shared memory a multiprocessor");
  if (!r.kernel.empty()) line(out, "kernel", r.kernel + " of " + r.file);
  line(
      out, "block",
      counted(r.needs.threads, "thread") + ", " + counted(arch::warps_per_block(a, r.needs.threads), "warp"));
  line(out, "registers",
       number(r.needs.registers) + " a thread" + (r.estimated ? " (an estimate)" : "") + ", " +
           number(r.now.registers_per_block) + " a block");
  line(out, "shared memory",
       counted(r.needs.shared_bytes, "byte") + ", " + number(r.now.shared_per_block) +
           " with what the device adds");
  if (r.needs.shared_configuration != model::most_shared)
    line(out, "carve-out", number(r.needs.shared_configuration) + " bytes of the multiprocessor");
  if (r.local_bytes != 0) line(out, "local memory", counted(r.local_bytes, "byte") + " a thread");
  line(out, "occupancy",
       percent(r.now) + "%: " + counted(r.now.blocks, "block") + ", " + number(r.now.warps) + " of " +
           counted(r.now.max_warps, "warp"));
  std::string limits;
  for (const Limiter limiter : all_limiters)
    limits +=
        (limits.empty() ? "" : ", ") + std::string(name(limiter)) + ' ' + number(admitted(r.now, limiter));
  line(out, "blocks by", limits);
  line(out, r.now.blocks == 0 ? "impossible by" : "limited by", joined(limiters(r.now)));
  for (std::size_t i = 0; i < r.gains.size(); ++i)
    line(out, i == 0 ? "one more with" : "or", in_words(r.gains[i]));
  if (r.gains.empty()) line(out, "one more with", "no change of threads, registers or shared memory alone");
  if (r.best.threads != 0) {
    model::BlockNeeds best = r.needs;
    best.threads = r.best.threads;
    line(out, "best block",
         counted(r.best.threads, "thread") + ": " + percent(model::occupancy(a, best)) + "%");
  }
  for (const Hiding& h : r.hiding) {
    const uint32_t resident = r.now.warps;
    line(out, &h == r.hiding.data() ? "to hide" : "or",
         in_words(h) +
             (resident >= h.warps ? ", which there are" : ", of which there are " + number(resident)) +
             (h.instructions == 1 ? "; every core busy: " + counted(h.threads, "thread") : ""));
  }
  table(out, "threads of a block", r.curves.threads, arch::round_up(r.needs.threads, a.launch.warp_size));
  table(out, "registers of a thread", r.curves.registers, r.needs.registers);
  table(out, "bytes of shared memory", r.curves.shared,
        arch::round_up(static_cast<uint32_t>(r.needs.shared_bytes), a.shared.allocation_unit));
  return out;
}

std::string occupancy_csv(std::span<const OccupancyReport> reports) {
  std::string out = "kernel,device,resource,value,blocks,warps,occupancy,limited_by,now\n";
  for (const OccupancyReport& r : reports) {
    const std::array<uint64_t, 3> here{r.needs.threads, r.needs.registers, r.needs.shared_bytes};
    const auto row = [&](std::string_view resource, uint64_t value, const Occupancy& o, bool now) {
      out += field(r.kernel) + ',' + std::string(r.device->id) + ',' + std::string(resource) + ',' +
             number(value) + ',' + number(o.blocks) + ',' + number(o.warps) + ',' + percent(o) + ',' +
             field(joined(limiters(o))) + ',' + (now ? '1' : '0') + '\n';
    };
    const auto curves = named(r.curves);
    for (std::size_t i = 0; i < curves.size(); ++i) {
      bool shown = false;
      for (const model::Stretch& s : curves[i].curve->stretches)
        for (uint64_t value = s.first; value <= s.last; value += curves[i].curve->step) {
          if (!shown && value > here[i]) row(curves[i].name, here[i], r.now, true), shown = true;
          if (value == here[i]) shown = true;
          row(curves[i].name, value, s.occupancy, value == here[i]);
        }
    }
  }
  return out;
}

std::string occupancy_json(std::span<const OccupancyReport> reports) {
  std::string out = "[";
  for (const OccupancyReport& r : reports) {
    if (out.size() > 1) out += ',';
    const auto list = [](const std::vector<Limiter>& limits) {
      std::string text = "[";
      for (const Limiter limiter : limits) text += (text.size() > 1 ? "," : "") + quoted(name(limiter));
      return text + "]";
    };
    out += "\n{\"kernel\":" + (r.kernel.empty() ? std::string("null") : quoted(r.kernel)) +
           ",\"device\":" + quoted(r.device->id) + ",\"capability\":" + quoted(r.device->arch.id) +
           ",\n \"threads\":" + number(r.needs.threads) + ",\"registers\":" + number(r.needs.registers) +
           ",\"registers_estimated\":" + (r.estimated ? "true" : "false") +
           ",\"shared_bytes\":" + number(r.needs.shared_bytes) +
           ",\"static_shared_bytes\":" + number(r.static_shared) +
           ",\"local_bytes\":" + number(r.local_bytes) + ",\n \"blocks\":" + number(r.now.blocks) +
           ",\"warps\":" + number(r.now.warps) + ",\"max_warps\":" + number(r.now.max_warps) +
           ",\"occupancy_percent\":" + percent(r.now) +
           ",\"registers_per_block\":" + number(r.now.registers_per_block) +
           ",\"shared_per_block\":" + number(r.now.shared_per_block) + ",\n \"blocks_by\":{";
    for (const Limiter limiter : all_limiters)
      out += (limiter == Limiter::blocks ? "" : ",") + quoted(name(limiter)) + ':' +
             number(admitted(r.now, limiter));
    out += "},\"limited_by\":" + list(limiters(r.now)) + ",\n \"one_more_block\":[";
    for (std::size_t i = 0; i < r.gains.size(); ++i) {
      const Limiter limiter = r.gains[i].limiter;
      out += std::string(i == 0 ? "" : ",") +
             "{\"resource\":" + quoted(limiter == Limiter::warps ? "threads" : name(limiter)) +
             ",\"at_most\":" + number(r.gains[i].most) + ",\"blocks\":" + number(r.gains[i].blocks) + '}';
    }
    out += "],\"best_block\":" + number(r.best.threads) + ",\n \"to_hide\":[";
    for (const Hiding& h : r.hiding)
      out += std::string(&h == r.hiding.data() ? "" : ",") +
             "{\"latency\":" + (h.of.empty() ? std::string("null") : quoted(h.of)) +
             ",\"clocks\":" + number(h.clocks) + ",\"instructions\":" + number(h.instructions) +
             ",\"warps\":" + number(h.warps) + ",\"threads_on_all_cores\":" + number(h.threads) + '}';
    out += "],\n \"curves\":{";
    for (const NamedCurve& curve : named(r.curves)) {
      out += (curve.name == "threads" ? "" : ",\n  ") + quoted(curve.name) + ":[";
      for (const model::Stretch& s : curve.curve->stretches)
        out += std::string(&s == curve.curve->stretches.data() ? "" : ",") + "{\"first\":" + number(s.first) +
               ",\"last\":" + number(s.last) + ",\"blocks\":" + number(s.occupancy.blocks) +
               ",\"warps\":" + number(s.occupancy.warps) + ",\"occupancy_percent\":" + percent(s.occupancy) +
               ",\"limited_by\":" + list(limiters(s.occupancy)) + '}';
      out += ']';
    }
    out += "}}";
  }
  return out + "\n]\n";
}

}  // namespace heddle::cli
