#include "checker/schedule_tool.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "checker/in_order.h"
#include "checker/order_difference.h"
#include "checker/place_facts.h"
#include "checker/place_text.h"
#include "checker/quiet_services.h"
#include "checker/record.h"
#include "checker/word_writers.h"
#include "exec/device_call.h"
#include "exec/readable_name.h"
#include "module/calls.h"
#include "runtime/alone.h"
#include "runtime/context.h"
#include "runtime/module.h"
#include "runtime/system.h"

namespace heddle::checker {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t most_words = 4096;  // that differ and are looked at one by one
// An order may let a kernel take longer, or wait for ever.
constexpr auto least_time = std::chrono::seconds(2);
constexpr int64_t times_longer = 20;

int64_t nanoseconds(steady_clock::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

// The launch itself, in the order of a seed.
class Replayed final : public runtime::LaunchWatch {
 public:
  explicit Replayed(const observe::Schedule& schedule) : schedule_(schedule) {}
  observe::Observer* observer() override { return &observer_; }

 private:
  const observe::Schedule schedule_;
  InOrder observer_{&schedule_};
};

// Whether a block may wait for what another one writes: it asks again and again for what is not the block's
// own. Who takes a lock so is not meant, since whoever has it will give it back.
bool may_wait(const module::Image& image, uint32_t entry) {
  for (const uint32_t f : module::reachable_functions(image, entry))
    for (uint32_t i = 0; i < image.functions[f].code.size(); ++i) {
      const module::Instruction& instruction = image.functions[f].code[i];
      const isa::SlotValues& words = image.mnemonics[instruction.mnemonic].values;
      const std::string_view id = isa::info(instruction.form).id;
      if (!id.starts_with("ld") && !id.starts_with("atom")) continue;
      if (isa::spelling(words[isa::Slot::space]).starts_with("shared")) continue;
      const PlaceFacts facts = facts_of(image, {f, i});
      if (facts.polls && !facts.compares) return true;
    }
  return false;
}

std::string order_text(const observe::Schedule& schedule) {
  using Kind = observe::Schedule::Kind;
  switch (schedule.kind) {
    case Kind::blocks_reversed: return "blocks one behind the other, the last one first";
    case Kind::blocks_shuffled: return "blocks one behind the other, in any order";
    default: return "warps of several blocks in turn";
  }
}

std::string name_of(const runtime::LaunchFacts& facts) { return function_text(facts.kernel.function().name); }

}  // namespace

ScheduleTool::ScheduleTool(const Settings& settings, std::shared_ptr<OrderReports> reports,
                           std::shared_ptr<ReachableMemory> memory)
    : settings_(settings), reports_(std::move(reports)), memory_(std::move(memory)) {
  if (settings_.schedules != 0) runtime::Alone::prepare();
}

std::unique_ptr<runtime::LaunchWatch> ScheduleTool::launch(const runtime::LaunchFacts& facts) {
  if (!filter_.wants(facts.kernel.function().name)) return nullptr;
  if (settings_.schedules == 0) {
    observe::Schedule schedule = observe::Schedule::of_seed(settings_.seed);
    const std::lock_guard lock(mutex_);
    schedule.keeps_blocks = facts_of(facts.launch).waits;
    return std::make_unique<Replayed>(schedule);
  }
  constexpr auto patience = std::chrono::seconds(2);
  if (facts.parent != 0) {
    reports_->notice("child", "kernels that kernels launch run in one order only: " + name_of(facts));
  } else if (!runtime::Alone::begin(patience)) {
    reports_->notice(
        "alone " + facts.kernel.function().name,
        name_of(facts) + " runs in one order only: other work of the process does not end before it");
  } else {
    explore(facts);
    runtime::Alone::end();
  }
  return nullptr;
}

ScheduleTool::KernelFacts& ScheduleTool::facts_of(const exec::Launch& launch) {
  const std::shared_ptr<const module::Image>& image = launch.module->image;
  const auto [found, fresh] = kernels_.try_emplace({image.get(), launch.function});
  KernelFacts& facts = found->second;
  if (!fresh) return facts;
  facts.image = image;
  for (const uint32_t f : module::reachable_functions(*image, launch.function))
    facts.launches |= exec::find_device_function(image->functions[f].name).has_value();
  if (!facts.launches) facts.written = analysis::written_memory(*image, launch.function);
  facts.waits = may_wait(*image, launch.function);
  return facts;
}

// One launch, run in several orders.
class ScheduleTool::Exploration {
 public:
  Exploration(ScheduleTool& tool, const runtime::LaunchFacts& facts, KernelFacts& kernel)
      : tool_(tool), facts_(facts), kernel_(kernel), began_(steady_clock::now()) {}
  ~Exploration() { kernel_.spent += nanoseconds(steady_clock::now() - began_); }

  void run(std::vector<MemoryPart> parts) {
    if (!memory_.keep(std::move(parts))) return no_memory();
    const steady_clock::time_point start = steady_clock::now();
    InOrder own(nullptr);
    const std::optional<exec::Fault> fault = run_once(own, nullptr, std::nullopt);
    own_time_ = steady_clock::now() - start;
    const bool kept = fault || memory_.keep_result();
    memory_.restore();
    if (!kept) return no_memory();
    memory_.set_heaps(tool_.memory_->heaps());
    if (fault) return;  // the launch itself will tell
    std::set<observe::Schedule::Kind> told;
    for (uint64_t i = 0; i < tool_.settings_.schedules; ++i) {
      observe::Schedule schedule = observe::Schedule::of_seed(tool_.settings_.seed + i);
      // Native code runs one block behind the other: in ascending order that is what it has done already.
      if (kernel_.waits) schedule.kind = observe::Schedule::Kind::interleaved, schedule.keeps_blocks = true;
      const bool interleaved = schedule.kind == observe::Schedule::Kind::interleaved;
      if (interleaved ? !kernel_.interleaves : facts_.launch.shape.grid.count() == 1) continue;
      const bool goes_on = compare(schedule);
      memory_.restore();
      if (!goes_on) break;
    }
  }

 private:
  void no_memory() {
    memory_.restore();
    tool_.reports_->notice(
        "memory",
        name_of(facts_) + " runs in one order only: the host has no memory to keep what it may write");
  }

  // What it leaves behind is to be put back.
  std::optional<exec::Fault> run_once(observe::ScheduleObserver& observer, const observe::Schedule* schedule,
                                      std::optional<steady_clock::duration> limit) {
    QuietServices services(*facts_.launch.services);
    exec::Launch launch = facts_.launch;
    launch.observer = &observer;
    launch.services = &services;
    if (limit) {
      const auto end = steady_clock::now() + *limit;
      if (!launch.deadline || end < *launch.deadline) launch.deadline = end;
    }
    runtime::System& system = facts_.context.system();
    const bool interleaved = schedule != nullptr && schedule->kind == observe::Schedule::Kind::interleaved;
    auto report = (interleaved ? system.reference() : system.executor()).run(launch);
    if (report) return std::nullopt;
    return std::move(report.error());
  }

  // False: no further order shall be tried.
  bool compare(const observe::Schedule& schedule) {
    const auto limit = std::max<steady_clock::duration>(least_time, own_time_ * times_longer);
    InOrder observer(&schedule);
    if (auto fault = run_once(observer, &schedule, limit)) return failed(schedule, *fault);
    const LaunchMemory::Difference difference = memory_.compare(most_words);
    if (difference.bytes == 0) return true;
    std::vector<uint64_t> words;
    for (const LaunchMemory::Word& word : difference.words) words.push_back(word.address);
    // Once more in both orders, to see who writes there, and that it comes out so again.
    memory_.restore();
    WordWriters now(&schedule, words);
    now.begins(0, *kernel_.image);
    if (run_once(now, &schedule, limit * 10)) return false;
    const LaunchMemory::Difference again = memory_.compare(most_words);
    memory_.restore();
    WordWriters own(nullptr, words);
    own.begins(0, *kernel_.image);
    if (run_once(own, nullptr, std::nullopt)) return false;
    const bool same = memory_.compare(1).bytes == 0;
    if (!same || again != difference) {
      kernel_.repeats = false;
      tool_.reports_->notice(
          "clock " + facts_.kernel.function().name,
          name_of(facts_) + " leaves something else behind each time, in one and the same order too");
      return false;
    }
    told(schedule, difference, OrderDifference(memory_, difference, own, now));
    return true;
  }

  bool failed(const observe::Schedule& schedule, const exec::Fault& fault) {
    if (fault.kind == exec::FaultKind::cancelled) return false;
    const std::string name = facts_.kernel.function().name;
    if (fault.kind == exec::FaultKind::timeout) {
      const bool interleaved = schedule.kind == observe::Schedule::Kind::interleaved;
      if (interleaved) kernel_.interleaves = false;
      tool_.reports_->notice((interleaved ? "slow " : "endless ") + name,
                             interleaved
                                 ? name_of(facts_) +
                                       " takes too long for its warps to run in turn: only its "
                                       "blocks are run in other orders"
                                 : name_of(facts_) + " does not end in time in another order (seed " +
                                       std::to_string(schedule.seed) + ": " + order_text(schedule) + ")");
      return true;
    }
    tell(schedule, OrderDifference::Kind::different,
         "Error: " + name_of(facts_) + " fails in another order of its blocks and warps",
         "\n    in schedule " + std::to_string(schedule.seed) + " (" + order_text(schedule) +
             "): " + fault.message(),
         {}, "fails");
    return true;
  }

  void told(const observe::Schedule& schedule, const LaunchMemory::Difference& difference,
            const OrderDifference& found) {
    using Kind = OrderDifference::Kind;
    const MemoryPart& part = memory_.parts()[found.part()];
    const std::string what = found.kind() == Kind::rounding ? "Warning: Order of rounding in "
                             : found.kind() == Kind::permuted
                                 ? "Warning: Order of elements in the result of "
                                 : "Error: Result depends on the order of blocks and warps in ";
    const auto side = [&](const std::string& order, const std::string& value, const WordWriter* writer) {
      std::string text = "\n    " + order + ": " + value;
      if (writer == nullptr) return text + ", as it was before the launch";
      return text + ", written by thread " + triple(thread_index(facts_.launch.shape.block, writer->thread)) +
             " in block " + triple(writer->block) + " at " + place_text(*kernel_.image, writer->place).text();
    };
    const WordWriter* writer = found.own_writer() != nullptr ? found.own_writer() : found.writer();
    std::string text = what;
    if (writer != nullptr) {
      const CallText calls = call_text(*kernel_.image, writer->place);
      text += calls.at + calls.frames;
    } else {
      text += name_of(facts_);
    }
    std::string detail = "\n    " + with_commas(difference.bytes) +
                         (difference.bytes == 1 ? " byte differs" : " bytes differ") + ", first at " +
                         hex(found.address()) + ", " + with_commas(found.address() - part.allocation) +
                         " bytes inside the allocation at " + hex(part.allocation) + " of size " +
                         with_commas(part.allocation_bytes) + " bytes";
    detail += side("in the program's own order", found.own_value(), found.own_writer());
    detail += side("in schedule " + std::to_string(schedule.seed) + " (" + order_text(schedule) + ")",
                   found.value(), found.writer());
    if (found.kind() == Kind::rounding)
      detail +=
          "\n    the numbers agree in half of their digits and more: sums in another order, most likely";
    if (found.kind() == Kind::permuted) detail += "\n    the same elements are there in another order";
    const std::string record =
        writer == nullptr ? std::string() : where_record(*kernel_.image, writer->place);
    tell(schedule, found.kind(), text, detail, record,
         writer == nullptr ? std::string("?") : place_text(*kernel_.image, writer->place).place(),
         writer == nullptr || !place_text(*kernel_.image, writer->place).file.empty());
  }

  // Once for a line and a kind; more launches of it are counted.
  void tell(const observe::Schedule& schedule, OrderDifference::Kind kind, const std::string& text,
            std::string detail, const std::string& where, const std::string& line, bool has_line = true) {
    const std::string name = facts_.kernel.function().name;
    const std::string key = std::to_string(static_cast<int>(kind)) + name + ' ' + line;
    if (!told_.insert(key).second) return;  // of this launch
    const std::vector<const void*> stack =
        facts_.submission != nullptr ? facts_.submission->stack : std::vector<const void*>();
    detail += "\n    to see it again: --schedules 1 --seed " + std::to_string(schedule.seed);
    if (!has_line) detail += how_to_see_lines;
    detail += host_frames(stack, "at kernel launch time");
    const bool warning = kind != OrderDifference::Kind::different;
    tool_.reports_->tell(
        key, {.text = text,
              .detail = detail,
              .record = value("kind", "Schedule") + value("level", warning ? "Warning" : "Error") +
                        element("what", value("text", text.substr(0, text.find(" in "))) +
                                            value("seed", schedule.seed)) +
                        where + host_stack_record(stack, "kernel launch time"),
              .one = "launch",
              .warning = warning});
  }

  ScheduleTool& tool_;
  const runtime::LaunchFacts& facts_;
  KernelFacts& kernel_;
  const steady_clock::time_point began_;
  steady_clock::duration own_time_{};
  LaunchMemory memory_;
  std::set<std::string> told_;
};

void ScheduleTool::explore(const runtime::LaunchFacts& facts) {
  KernelFacts& kernel = facts_of(facts.launch);
  if (!kernel.repeats) return;
  const std::string& name = facts.kernel.function().name;
  if (kernel.launches) {
    reports_->notice("launches " + name,
                     name_of(facts) + " runs in one order only: it launches other kernels");
    return;
  }
  if (kernel.spent > static_cast<int64_t>(settings_.schedule_seconds) * 1'000'000'000) {
    ++kernel.left_out;
    return;
  }
  std::vector<MemoryPart> parts = memory_->of(facts.launch, facts.context, kernel.written);
  uint64_t bytes = 0;
  for (const MemoryPart& part : parts) bytes += part.bytes;
  if (bytes > settings_.schedule_bytes / 2) {
    reports_->notice("large " + name, name_of(facts) + " runs in one order only: it may write " +
                                          std::to_string(bytes >> 20) +
                                          " MiB, which would be kept twice (--schedule-memory, " +
                                          std::to_string(settings_.schedule_bytes >> 20) + " MiB)");
    return;
  }
  Exploration(*this, facts, kernel).run(std::move(parts));
}

void ScheduleTool::tell_rest() {
  reports_->tell_rest();
  const std::lock_guard lock(mutex_);
  for (const auto& [key, kernel] : kernels_)
    if (kernel.left_out != 0)
      reports_->notice("left out " + kernel.image->functions[key.second].name,
                       std::to_string(kernel.left_out) + " launches of " +
                           function_text(kernel.image->functions[key.second].name) +
                           " ran in one order only: " + std::to_string(settings_.schedule_seconds) +
                           " s were spent on those before (--schedule-time)");
}

}  // namespace heddle::checker
