#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "arch/device.h"
#include "model/occupancy_curves.h"
#include "profiler/pages/columns.h"
#include "profiler/pages/html_page.h"
#include "profiler/pages/report.h"
#include "profiler/pages/text.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

namespace {

constexpr int digits = 3;
// A page is read by a browser: of launches, copies and ranges it has the first ones; sums are of all.
constexpr std::size_t most_events = 10000;

std::string number(double value) { return std::isnan(value) ? "null" : number_text(value, digits); }

// In a script, where no "</" may stand.
std::string text(std::string_view plain) {
  std::string quoted = json_text(plain);
  for (std::size_t at = 0; (at = quoted.find("</", at)) != std::string::npos; at += 3)
    quoted.insert(at + 1, "\\");
  return quoted;
}

// The columns that the page's tables have.
std::string cells(const Counts& counts) {
  const Columns c(counts);
  const auto each = [](const Ratio& ratio) { return over(ratio.part, ratio.whole); };
  std::string out = "[";
  for (const double value : {c.loads, each(c.load_transactions), 100 * each(c.load_bytes), c.stores,
                             each(c.store_transactions), 100 * each(c.store_bytes), c.atomics, c.shared,
                             c.conflicts, c.local, c.instructions, each(c.threads), c.branches, c.divergent})
    out += (out.size() == 1 ? "" : ",") + number(value);
  return out + ']';
}

// What the memory chart shows, in its script's order.
std::string chart_cells(const Counts& counts) {
  using enum Counter;
  std::string out = "[";
  for (const Counter counter : {global_load_requests,
                                global_load_bytes,
                                global_load_transaction_bytes,
                                global_store_requests,
                                global_store_bytes,
                                global_store_transaction_bytes,
                                global_atom_requests,
                                global_red_requests,
                                global_copy_requests,
                                global_copy_bytes,
                                global_copy_transaction_bytes,
                                local_load_requests,
                                local_load_transaction_bytes,
                                local_store_requests,
                                local_store_transaction_bytes,
                                shared_load_requests,
                                shared_load_wavefronts,
                                shared_store_requests,
                                shared_store_wavefronts,
                                shared_atom_requests,
                                shared_atom_wavefronts,
                                constant_load_requests,
                                constant_load_words,
                                texture_inst,
                                surface_inst})
    out += (out.size() == 1 ? "" : ",") + std::to_string(at(counts, counter));
  return out + ']';
}

std::string curve_text(const char* title, const model::Curve& curve, double now) {
  std::string points;
  for (const model::Stretch& stretch : curve.stretches)
    points += (points.empty() ? "[" : ",[") + std::to_string(stretch.first) + ',' +
              std::to_string(stretch.last) + ',' + std::to_string(stretch.occupancy.warps) + ']';
  return "{\"title\":" + text(title) + ",\"now\":" + number(now) +
         ",\"limit\":" + std::to_string(curve.limit) + ",\"points\":[" + points + "]}";
}

std::string curves_text(const KernelSum& kernel) {
  const auto device = arch::find_device(kernel.device.id);
  if (!device.ok()) return "null";  // one of the user's own
  const Facts& facts = kernel.last.facts;
  const auto whole = [&](Fact fact) { return static_cast<uint32_t>(at(facts, fact)); };
  model::BlockNeeds needs;
  needs.threads = whole(Fact::threads_per_block);
  needs.registers = whole(Fact::registers);
  needs.shared_bytes = whole(Fact::static_shared) + whole(Fact::dynamic_shared);
  const arch::Architecture& arch = (*device)->arch;
  const model::Curves all = model::curves(arch, needs);
  return "{\"max\":" + number(at(facts, Fact::max_warps)) +
         ",\"by\":" + text(model::name(model::occupancy(arch, needs).limiter)) + ",\"all\":[" +
         curve_text("threads of a block", all.threads, needs.threads) + ',' +
         curve_text("registers of a thread (estimated)", all.registers, needs.registers) + ',' +
         curve_text("bytes of shared memory of a block", all.shared,
                    static_cast<double>(needs.shared_bytes)) +
         "]}";
}

std::string triple(const std::array<uint32_t, 3>& t) {
  return std::to_string(t[0]) + 'x' + std::to_string(t[1]) + 'x' + std::to_string(t[2]);
}

void print_kernel(const KernelSum& kernel, SourceText& sources, std::ostream& out) {
  const Facts& facts = kernel.last.facts;
  out << "{\"name\":" << text(kernel.kernel) << ",\"full\":" << text(demangled(kernel.mangled))
      << ",\"launches\":" << kernel.launches << ",\"time\":" << kernel.host_time
      << ",\"registers\":" << number(at(facts, Fact::registers))
      << ",\"occupancy\":" << number(100 * over(at(facts, Fact::resident_warps), at(facts, Fact::max_warps)))
      << ",\"c\":" << cells(kernel.counts) << ",\"m\":" << chart_cells(kernel.counts)
      << ",\"curves\":" << curves_text(kernel) << ",\"lines\":[";
  const char* separator = "";
  for (const auto& [place, counts] : kernel.lines) {
    out << separator << "\n{\"f\":" << text(place.first) << ",\"n\":" << place.second
        << ",\"s\":" << text(sources.line(place.first, place.second)) << ",\"c\":" << cells(counts) << '}';
    separator = ",";
  }
  out << "]}";
}

void print_advice(const Profile& profile, const std::vector<KernelSum>& kernels, std::ostream& out) {
  const char* separator = "";
  for (const GivenAdvice& one : advice_for(profile, kernels)) {
    out << separator << "\n{\"title\":" << text(one.advice->title) << ",\"kernel\":" << text(one.where())
        << ",\"k\":" << (one.kernel == nullptr ? -1 : one.kernel - kernels.data())
        << ",\"priority\":" << text(name(one.advice->priority)) << ",\"value\":" << number(one.value)
        << ",\"means\":" << text(one.advice->means) << ",\"saves\":" << number(one.saves)
        << ",\"unit\":" << text(std::string(one.advice->unit) + (one.advice->estimated ? " (estimated)" : ""))
        << ",\"guide\":" << text(one.advice->guide)
        << ",\"file\":" << text(std::filesystem::path(one.file).filename().string())
        << ",\"line\":" << one.line << ",\"there\":" << number(one.of_line) << '}';
    separator = ",";
  }
}

// Rows of ranges in the timeline; what lies deeper shares the last one.
constexpr uint32_t most_depth = 5;

}  // namespace

void print_html(const Profile& profile, std::ostream& out) {
  const std::vector<KernelSum> kernels = by_kernel(profile);
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  for (std::size_t i = 0; i < kernels.size(); ++i) place[{kernels[i].mangled, kernels[i].device.id}] = i;
  SourceText sources;
  out << html_begin << "{\"program\":" << text(profile.program) << ",\"process\":" << profile.process
      << ",\"device\":" << text(kernels.empty() ? "no device" : kernels.front().device.name)
      << ",\"kernels\":[";
  const char* separator = "\n";
  for (const KernelSum& kernel : kernels) {
    out << separator;
    print_kernel(kernel, sources, out);
    separator = ",\n";
  }
  out << "],\"advice\":[";
  print_advice(profile, kernels, out);
  out << "],\"launched\":" << profile.launches.size() << ",\"copied\":" << profile.copies.size()
      << ",\"launches\":[";
  separator = "\n";
  std::size_t shown = 0;
  for (const LaunchRecord& launch : profile.launches.brief()) {
    if (shown++ == most_events) break;
    out << separator << '[' << launch.number << ',' << place[{launch.kernel, launch.device.id}] << ','
        << text(triple(launch.grid) + ", " + triple(launch.block)) << ',' << launch.time.began - profile.began
        << ',' << launch.time.ended - profile.began << ',' << cells(launch.counts) << ','
        << text(launch.failure) << ',' << launch.stream << ']';
    separator = ",\n";
  }
  out << "],\"copies\":[";
  separator = "\n";
  shown = 0;
  for (const CopyRecord& copy : profile.copies) {
    if (shown++ == most_events) break;
    out << separator << '[' << text(copy.kind) << ',' << copy.bytes << ',' << copy.time.began - profile.began
        << ',' << copy.time.ended - profile.began << ',' << copy.stream << ']';
    separator = ",\n";
  }
  out << "],\"ranges\":[";
  separator = "\n";
  const std::map<uint64_t, RangePlace> places = range_places(profile);
  shown = 0;
  for (const RangeRecord& range : profile.ranges) {
    if (range.kind == 'm') continue;
    if (shown++ == most_events) break;
    const RangePlace& where = places.at(range.id);
    out << separator << '[' << text(where.path) << ',' << range.time.began - profile.began << ','
        << range.time.ended - profile.began << ',' << std::min(where.depth, most_depth) << ']';
    separator = ",\n";
  }
  out << "]}" << html_end;
}

}  // namespace heddle::profiler
