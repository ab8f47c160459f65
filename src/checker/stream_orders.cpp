#include "checker/stream_orders.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "checker/in_order.h"
#include "checker/order_difference.h"
#include "checker/partial_order.h"
#include "checker/place_text.h"
#include "checker/quiet_services.h"
#include "checker/record.h"
#include "checker/word_writers.h"
#include "runtime/alone.h"
#include "runtime/context.h"
#include "runtime/rehearsal.h"
#include "runtime/system.h"
#include "runtime/watcher.h"
#include "support/fault_signals.h"

namespace heddle::checker {

namespace {

using std::chrono::steady_clock;
using Order = std::vector<uint32_t>;

constexpr std::size_t most_words = 4096;  // that differ and are looked at one by one
constexpr auto patience = std::chrono::seconds(2);
// An order may let a kernel take longer, or wait for ever.
constexpr auto least_time = std::chrono::seconds(2);
constexpr int64_t times_longer = 20;
// Of one kernel in the program's own order: it may wait for another one, which here stands behind it.
constexpr auto longest = std::chrono::seconds(20);

// Of the batch's work that is looked at: no marks, and nothing that cannot be done again.
struct Piece {
  const runtime::Task* task = nullptr;
  const runtime::Rehearsal* rehearsal = nullptr;
  runtime::Context* context = nullptr;
  std::optional<exec::Launch> launch;
  std::string name() const {
    if (launch) return function_text(launch->module->image->functions[launch->function].name);
    const runtime::Submission* submission = task->submission();
    return submission != nullptr && submission->function != nullptr ? submission->function : "a copy";
  }
  const char* when() const { return launch ? "at kernel launch time" : "at the call's time"; }
  std::vector<const void*> stack() const {
    return task->submission() != nullptr ? task->submission()->stack : std::vector<const void*>();
  }
};

struct Selection {
  std::vector<Piece> pieces;
  PartialOrder order;
};

// All of the batch's work, with what orders it, but for marks. `pieces` have no more than the task.
Selection all_work(std::span<const runtime::HeldWork::Item> items) {
  Selection all;
  std::vector<Order> reached(items.size());  // by item: work that it comes behind, or is
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const uint32_t before : items[i].after)
      reached[i].insert(reached[i].end(), reached[before].begin(), reached[before].end());
    std::ranges::sort(reached[i]);
    reached[i].erase(std::ranges::unique(reached[i]).begin(), reached[i].end());
    if (items[i].gate == nullptr) continue;
    const runtime::Submission* submission = items[i].task->submission();
    reached[i] = {all.order.add(submission != nullptr ? submission->stream : 0, reached[i])};
    all.pieces.emplace_back().task = items[i].task.get();
  }
  return all;
}

// Those that can be done again, and stand behind nothing that cannot.
Selection repeatable(std::span<const runtime::HeldWork::Item> items, const ReachableMemory& memory) {
  Selection some;
  const auto end = steady_clock::now() + patience;
  std::vector<Order> reached(items.size());
  std::vector<bool> blocked(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const runtime::TaskRef& before : items[i].outside) {
      while (!before->done() && steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      blocked[i] = blocked[i] || !before->done();
    }
    for (const uint32_t before : items[i].after) {
      blocked[i] = blocked[i] || blocked[before];
      reached[i].insert(reached[i].end(), reached[before].begin(), reached[before].end());
    }
    if (blocked[i] || items[i].gate == nullptr) continue;
    const runtime::Task& task = *items[i].task;
    Piece piece{.task = &task,
                .rehearsal = dynamic_cast<const runtime::Rehearsal*>(task.operation().get()),
                .context = task.context().get(),
                .launch = {}};
    blocked[i] = piece.rehearsal == nullptr || !piece.context->check();
    if (blocked[i]) continue;
    if (piece.rehearsal->is_kernel()) {
      piece.launch = piece.rehearsal->launch(*piece.context);
      blocked[i] = !piece.launch;
    } else if (const auto range = piece.rehearsal->written();
               range.bytes != 0 && !memory.around(range.address)) {
      // Of the host's own memory there may be nothing between rows.
      blocked[i] = !can_be_read(reinterpret_cast<const void*>(range.address), range.bytes);
    }
    if (blocked[i]) continue;
    std::ranges::sort(reached[i]);
    reached[i].erase(std::ranges::unique(reached[i]).begin(), reached[i].end());
    reached[i] = {some.order.add(task.submission() != nullptr ? task.submission()->stream : 0, reached[i])};
    some.pieces.push_back(std::move(piece));
  }
  return some;
}

// Parts that overlap are one.
void join(std::vector<MemoryPart>& parts) {
  std::ranges::sort(parts, {}, &MemoryPart::address);
  std::vector<MemoryPart> joined;
  for (const MemoryPart& part : parts) {
    if (joined.empty() || part.address >= joined.back().address + joined.back().bytes) {
      joined.push_back(part);
      continue;
    }
    MemoryPart& last = joined.back();
    last.bytes = std::max(last.address + last.bytes, part.address + part.bytes) - last.address;
    last.is_heap = last.is_heap && part.is_heap;
  }
  parts = std::move(joined);
}

}  // namespace

// Work of which some can run in another order.
class StreamOrders::Batch {
 public:
  Batch(StreamOrders& tool, Selection selection)
      : tool_(tool), pieces_(std::move(selection.pieces)), partial_(std::move(selection.order)) {}

  void run() {
    std::vector<MemoryPart> parts = memory_parts();
    uint64_t bytes = 0;
    for (const MemoryPart& part : parts) bytes += part.bytes;
    if (bytes > tool_.settings_.schedule_bytes / 2)
      return tool_.reports_->notice("large streams",
                                    "work of several streams runs in one order only: it may write " +
                                        std::to_string(bytes >> 20) +
                                        " MiB, which would be kept twice (--schedule-memory, " +
                                        std::to_string(tool_.settings_.schedule_bytes >> 20) + " MiB)");
    if (!memory_.keep(std::move(parts))) return no_memory();
    const Order own = PartialOrder::on_the_way(partial_.of_seed(0), 0);
    const steady_clock::time_point start = steady_clock::now();
    const bool done = play(own, nullptr, longest);
    own_time_ = steady_clock::now() - start;
    const bool kept = !done || memory_.keep_result();
    memory_.restore();
    if (!kept) return no_memory();
    if (!done && fault_ && fault_->kind == exec::FaultKind::timeout)
      tool_.reports_->notice("alone " + pieces_[failed_].name(),
                             "work of several streams runs in one order only: " + pieces_[failed_].name() +
                                 " does not end in 20 s while nothing runs beside it");
    if (!done) return;  // the work itself will tell
    memory_.set_heaps(tool_.memory_->heaps());
    std::set<Order> tried{own};
    bool repeats = false;
    for (uint64_t i = 0; i < tool_.settings_.schedules; ++i) {
      const uint64_t seed = tool_.settings_.seed + i;
      const Order order = partial_.of_seed(seed);
      if (!tried.insert(order).second) continue;
      if (!other_result(order)) continue;
      // Work that reads a clock differs each time, and takes its time at each run: nobody is looked for then.
      if (!repeats && other_result(own)) return differs_each_time(names());
      repeats = true;
      if (!judge(order, seed)) break;
    }
    memory_.restore();
  }

 private:
  void no_memory() {
    memory_.restore();
    tool_.reports_->notice(
        "memory of streams",
        "work of several streams runs in one order only: the host has no memory to keep what it may write");
  }

  void differs_each_time(const std::string& what) {
    tool_.reports_->notice(
        "clock of streams",
        "the work of several streams leaves something else behind each time, in one and the "
        "same order too: " +
            what);
  }

  // Of the first few pieces that differ in it.
  std::string names() const {
    constexpr std::size_t most = 4;
    std::vector<std::string> all;
    for (const Piece& piece : pieces_)
      if (std::ranges::find(all, piece.name()) == all.end()) all.push_back(piece.name());
    std::string text;
    for (std::size_t i = 0; i < std::min(all.size(), most); ++i) text += (i == 0 ? "" : ", ") + all[i];
    return all.size() > most ? text + " ..." : text;
  }

  std::vector<MemoryPart> memory_parts() {
    std::vector<MemoryPart> parts;
    for (const Piece& piece : pieces_) {
      if (piece.launch) {
        const auto more = tool_.memory_->of(*piece.launch, *piece.context, tool_.written(*piece.launch));
        parts.insert(parts.end(), more.begin(), more.end());
        continue;
      }
      const runtime::Rehearsal::Range range = piece.rehearsal->written();
      if (range.bytes == 0) continue;
      const auto whole = tool_.memory_->around(range.address);
      parts.push_back({range.address, range.bytes, whole ? whole->address : range.address,
                       whole ? whole->bytes : range.bytes, false});
    }
    join(parts);
    return parts;
  }

  // All of it, in this order. What it leaves behind is to be put back. False: something failed (fault_).
  bool play(const Order& order, WordWriters* writers, std::optional<steady_clock::duration> limit) {
    std::map<runtime::Context*, QuietServices> quiet;
    InOrder plain(nullptr);
    fault_.reset();
    for (const uint32_t number : order) {
      const Piece& piece = pieces_[number];
      if (!piece.launch) {
        const runtime::Rehearsal::Range range = piece.rehearsal->written();
        if (!piece.rehearsal->rehearse()) return false;
        if (writers != nullptr && range.bytes != 0) writers->wrote(number, range.address, range.bytes);
        continue;
      }
      exec::Launch launch = *piece.launch;
      launch.services = &quiet.try_emplace(piece.context, *launch.services).first->second;
      launch.observer = &plain;
      if (writers != nullptr) {
        writers->begins(number, *launch.module->image);
        launch.observer = writers;
      }
      if (limit) launch.deadline = steady_clock::now() + *limit;
      auto report = piece.context->system().executor().run(launch);
      if (report) continue;
      fault_ = std::move(report.error());
      failed_ = number;
      return false;
    }
    return true;
  }

  std::optional<steady_clock::duration> limit(int64_t times = 1) const {
    return std::max<steady_clock::duration>(least_time, own_time_ * times_longer) * times;
  }
  bool other_result(const Order& order) {
    const bool differs = !play(order, nullptr, limit()) || memory_.compare(1).bytes != 0;
    memory_.restore();
    return differs;
  }

  // On the way to that order there are two neighbours in it which make the difference: found by halves.
  // False: no further order shall be tried.
  bool judge(const Order& order, uint64_t seed) {
    uint64_t same = 0, other = PartialOrder::exchanges(order);
    while (other - same > 1) {
      const uint64_t middle = same + (other - same) / 2;
      (other_result(PartialOrder::on_the_way(order, middle)) ? other : same) = middle;
    }
    const Order before = PartialOrder::on_the_way(order, same),
                behind = PartialOrder::on_the_way(order, other);
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(before, behind).in1 - before.begin());
    const uint32_t first = before[at], second = before[at + 1];
    // Once more in both, to see who writes there, and that it comes out so again.
    const bool done = play(behind, nullptr, limit());
    if (!done) {
      memory_.restore();
      return failed(first, second, seed);
    }
    const LaunchMemory::Difference difference = memory_.compare(most_words);
    memory_.restore();
    std::vector<uint64_t> words;
    for (const LaunchMemory::Word& word : difference.words) words.push_back(word.address);
    WordWriters now(nullptr, words), own(nullptr, words);
    const bool again = play(behind, &now, limit(10)) && memory_.compare(most_words) == difference;
    memory_.restore();
    const bool same_again = play(before, &own, limit(10)) && memory_.compare(1).bytes == 0;
    memory_.restore();
    if (difference.bytes == 0 || !again || !same_again) {
      differs_each_time(pieces_[first].name() + ", " + pieces_[second].name());
      return false;
    }
    tell(first, second, seed, difference, OrderDifference(memory_, difference, own, now));
    return true;
  }

  bool failed(uint32_t first, uint32_t second, uint64_t seed) {
    if (fault_ && fault_->kind == exec::FaultKind::cancelled) return false;
    if (fault_ && fault_->kind == exec::FaultKind::timeout) {
      tool_.reports_->notice("endless " + pieces_[failed_].name(),
                             pieces_[failed_].name() + " does not end in time when " +
                                 pieces_[second].name() + " runs before " + pieces_[first].name() +
                                 ", which nothing orders");
      return true;
    }
    std::string detail = "\n    when the second one runs first";
    if (fault_) detail += ": " + fault_->message();
    report(first, second, seed, OrderDifference::Kind::different, "fails", detail, {});
    return true;
  }

  std::string writer_text(const WordWriter* writer) const {
    if (writer == nullptr) return ", as it was before";
    const Piece& piece = pieces_[writer->work];
    if (writer->image == nullptr) return ", written by " + piece.name();
    return ", written by thread " + triple(thread_index(piece.launch->shape.block, writer->thread)) +
           " in block " + triple(writer->block) + " at " + place_text(*writer->image, writer->place).text();
  }

  void tell(uint32_t first, uint32_t second, uint64_t seed, const LaunchMemory::Difference& difference,
            const OrderDifference& found) {
    using Kind = OrderDifference::Kind;
    const MemoryPart& part = memory_.parts()[found.part()];
    std::string detail = "\n    " + with_commas(difference.bytes) +
                         (difference.bytes == 1 ? " byte differs" : " bytes differ") + ", first at " +
                         hex(found.address());
    if (part.allocation <= found.address() && found.address() - part.allocation < part.allocation_bytes)
      detail += ", " + with_commas(found.address() - part.allocation) + " bytes inside the memory at " +
                hex(part.allocation) + " of size " + with_commas(part.allocation_bytes) + " bytes";
    detail += "\n    in the program's own order: " + found.own_value() + writer_text(found.own_writer());
    detail += "\n    when the second one runs first: " + found.value() + writer_text(found.writer());
    if (found.kind() == Kind::rounding)
      detail +=
          "\n    the numbers agree in half of their digits and more: sums in another order, most likely";
    if (found.kind() == Kind::permuted) detail += "\n    the same elements are there in another order";
    const WordWriter* writer = found.own_writer() != nullptr ? found.own_writer() : found.writer();
    std::string where;
    if (writer != nullptr && writer->image != nullptr) where = where_record(*writer->image, writer->place);
    const char* what = found.kind() == Kind::rounding   ? "Order of rounding"
                       : found.kind() == Kind::permuted ? "Order of elements"
                                                        : "Result depends on the order";
    report(first, second, seed, found.kind(), what, detail, where);
  }

  void report(uint32_t first, uint32_t second, uint64_t seed, OrderDifference::Kind kind, std::string what,
              std::string detail, const std::string& where) {
    const Piece &a = pieces_[first], &b = pieces_[second];
    const bool warning = kind != OrderDifference::Kind::different;
    const std::string pair = a.name() + " and " + b.name();
    const std::string text =
        what == "fails" ? "Error: Fails in another order of " + pair + ", which nothing orders"
                        : (warning ? "Warning: " : "Error: ") + what +
                              (kind == OrderDifference::Kind::different ? " of " : " in the results of ") +
                              pair + ", which nothing orders";
    detail += "\n    missing: an event, or one stream for both";
    detail += "\n    to see it again: --schedules 1 --seed " + std::to_string(seed) + " (" +
              std::string(PartialOrder::text_of_seed(seed)) + ")";
    detail += host_frames(a.stack(), a.when()) + host_frames(b.stack(), b.when());
    tool_.reports_->tell(
        "streams " + what + pair,
        {.text = text,
         .detail = detail,
         .record = value("kind", "Schedule") + value("level", warning ? "Warning" : "Error") +
                   element("what", value("text", what + " of streams") + value("seed", seed)) + where +
                   host_stack_record(a.stack(), "?", "hostAccessStack") +
                   host_stack_record(b.stack(), "?", "hostMemOpStack"),
         .one = "time",
         .warning = warning});
  }

  StreamOrders& tool_;
  const std::vector<Piece> pieces_;
  const PartialOrder partial_;
  steady_clock::duration own_time_{};
  LaunchMemory memory_;
  std::optional<exec::Fault> fault_;
  uint32_t failed_ = 0;
};

const analysis::WrittenMemory& StreamOrders::written(const exec::Launch& launch) {
  const std::shared_ptr<const module::Image>& image = launch.module->image;
  const auto [found, fresh] = written_.try_emplace({image.get(), launch.function});
  if (fresh) found->second = {image, analysis::written_memory(*image, launch.function)};
  return found->second.memory;
}

std::vector<uint32_t> StreamOrders::order(std::span<const Item> batch) {
  const Selection all = all_work(batch);
  if (all.order.is_total()) return {};
  if (settings_.schedules != 0) {
    explore(batch);
    return {};
  }
  std::vector<uint32_t> numbers, order;  // of items, by piece
  for (uint32_t i = 0; i < batch.size(); ++i)
    if (batch[i].gate != nullptr) numbers.push_back(i);
  for (const uint32_t piece : all.order.of_seed(settings_.seed)) order.push_back(numbers[piece]);
  return order;
}

void StreamOrders::explore(std::span<const Item> items) {
  if (spent_ > static_cast<int64_t>(settings_.schedule_seconds) * 1'000'000'000)
    return reports_->notice("time of streams",
                            "work of several streams runs in one order only from now on: " +
                                std::to_string(settings_.schedule_seconds) +
                                " s were spent on it before (--schedule-time)");
  const auto began = steady_clock::now();
  Selection some = repeatable(items, *memory_);
  if (!some.order.is_total()) {
    const runtime::Alone::Task counted;
    if (runtime::Alone::begin(patience)) {
      Batch(*this, std::move(some)).run();
      runtime::Alone::end();
    } else {
      reports_->notice("alone of streams",
                       "work of several streams runs in one order only: other work of the process does not "
                       "end before it");
    }
  }
  spent_ += std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now() - began).count();
}

void StreamOrders::missed(std::span<const Item> batch) {
  if (all_work(batch).order.is_total()) return;
  reports_->notice(
      "missed streams",
      "work of several streams ran as it came: the host waited for none of it for half a second");
}

void StreamOrders::gave_up() {
  reports_->notice("given up",
                   "work of several streams ran as it came, from a piece on that did not end in 20 s");
}

}  // namespace heddle::checker
