#include "profiler/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "observe/several.h"
#include "profiler/collect.h"
#include "profiler/launch_facts.h"
#include "profiler/reuse.h"
#include "profiler/stalls.h"
#include "profiler/tally.h"
#include "runtime/context.h"
#include "runtime/module.h"
#include "runtime/stream.h"

namespace heddle::profiler {

namespace {

std::atomic<bool> collecting{true};

struct LineKey {
  uint32_t file = 0, line = 0;
  auto operator<=>(const LineKey&) const = default;
};

// The innermost line: of a function that was inlined, its own.
LineKey line_of(const module::Function& function, uint32_t instruction) {
  const uint32_t number = function.code[instruction].line;
  if (number == 0 || number >= function.lines.size()) return {};
  return {function.lines[number].file, function.lines[number].line};
}

void add_to(Counts& sum, const Counts& counts) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += counts[i];
}

void fill_counts(LaunchRecord& record, const module::Image& image, const Tally& tally, const Stalls* stalls,
                 bool lines) {
  std::map<LineKey, Counts> by_line;
  const auto add = [&](observe::Place place, const Counts& counts) {
    add_to(record.counts, counts);
    if (lines) add_to(by_line[line_of(image.functions[place.function], place.instruction)], counts);
  };
  tally.each(add);
  if (stalls != nullptr) stalls->each(add);
  record.counted = true;
  for (const auto& [key, counts] : by_line)
    record.lines.push_back({key.file < image.files.size() ? image.files[key.file] : "", key.line, counts});
}

uint64_t call_of(const runtime::Submission* submission) {
  return submission == nullptr ? 0 : submission->call;
}

std::string function_of(const runtime::Submission* submission) {
  return submission == nullptr || submission->function == nullptr ? "" : submission->function;
}

DeviceRecord device_of(const runtime::Context& context) {
  const runtime::Device& device = context.device();
  return {device.index, std::string(device.facts.id), std::string(device.facts.name),
          device.facts.capability()};
}

// "H", "D", "A": as nvprof has them.
char side(const runtime::TouchedPlace& place) {
  if (place.memory == nullptr) return 'H';
  switch (place.memory->kind) {
    case runtime::MemoryKind::pinned:
    case runtime::MemoryKind::registered: return 'H';
    case runtime::MemoryKind::array: return 'A';
    default: return 'D';
  }
}

bool is_pinned(const runtime::TouchedPlace& place) { return place.memory != nullptr && side(place) == 'H'; }

}  // namespace

void collect(bool on) { collecting.store(on, std::memory_order_relaxed); }
bool collects() { return collecting.load(std::memory_order_relaxed); }

Result<RecorderOptions> parse_options(std::string_view words, std::string_view kernel) {
  RecorderOptions options;
  options.kernel = kernel;
  while (!words.empty()) {
    const std::size_t blank = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, blank);
    words.remove_prefix(std::min(blank + 1, words.size()));
    if (word.empty()) continue;
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    uint64_t value = 0;
    const std::string_view digits = word.substr(std::min(equals + 1, word.size()));
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool number =
        !digits.empty() && read.ec == std::errc() && read.ptr == digits.data() + digits.size();
    if (word == "lines")
      options.lines = true;
    else if (word == "reuse")
      options.reuse = true;
    else if (word == "stalls")
      options.stalls = true;
    else if (word == "calls")
      options.calls = true;
    else if (word == "no-counts")
      options.counts = false;
    else if (word == "no-accesses")
      options.accesses = false;
    else if (word == "mangled")
      options.mangled = true;
    else if (name == "from-start" && number)
      options.from_start = value != 0;
    else if (name == "skip" && number)
      options.skip = value;
    else if (name == "count" && number)
      options.count = value;
    else if (name == "each" && number)
      options.each = value;
    else
      return Error{"there is no option '" + std::string(word) + "' of the profiler"};
  }
  try {
    const std::regex good(options.kernel);
  } catch (const std::regex_error& error) {
    return Error{"'" + options.kernel + "' is no regular expression: " + error.what()};
  }
  return options;
}

namespace {

// What was understood when the options were read is so again.
RangeFilter filter_of(const std::string& lines) {
  Result<RangeFilter> filter = parse_range_filter(lines);
  return filter ? std::move(*filter) : RangeFilter{};
}

}  // namespace

class Recorder::Launch final : public runtime::LaunchWatch {
 public:
  Launch(Recorder& recorder, const runtime::LaunchFacts& facts, std::vector<uint64_t> ranges)
      : recorder_(recorder), image_(facts.kernel.module().image()) {
    const exec::LaunchShape& shape = facts.launch.shape;
    record_.number = recorder.launches_.load(std::memory_order_relaxed);
    record_.correlation = call_of(facts.submission);
    record_.call = function_of(facts.submission);
    record_.parent = facts.parent;
    record_.kernel = facts.kernel.function().name;
    record_.device = device_of(facts.context);
    record_.context = facts.context.id();
    record_.stream = facts.submission == nullptr ? 0 : facts.submission->stream;
    record_.thread = facts.submission == nullptr ? 0 : facts.submission->thread;
    record_.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
    record_.block = {shape.block.x, shape.block.y, shape.block.z};
    record_.ranges = std::move(ranges);
    record_.facts = launch_facts(facts.kernel, facts.launch);
    if (recorder.options_.counts)
      tally_.emplace(image_, facts.launch.device->arch, recorder.options_.accesses);
    if (!tally_) return;
    std::vector<observe::Observer*> all{&*tally_};
    if (recorder.options_.reuse) all.push_back(&reuse_.emplace(image_, BlockSample{record_.grid}));
    if (recorder.options_.stalls && stalls_.emplace(facts).observer() != nullptr)
      all.push_back(stalls_->observer());
    if (all.size() > 1) all_.emplace(std::move(all));
  }
  observe::Observer* observer() override {
    if (all_) return &*all_;
    return tally_ ? &*tally_ : nullptr;
  }
  void ended(const runtime::LaunchEnd& end) override {
    record_.time = {end.time.began, end.time.ended};
    if (end.failure != nullptr) record_.failure = end.failure->message;
    if (tally_)
      fill_counts(record_, image_, *tally_, stalls_ ? &*stalls_ : nullptr, recorder_.options_.lines);
    if (reuse_) {
      const ReuseCounts reuse = reuse_->counts();
      at(record_.facts, Fact::sampled_sectors) = static_cast<double>(reuse.loaded);
      at(record_.facts, Fact::distinct_sectors) = static_cast<double>(reuse.distinct);
    }
    recorder_.hand_over(record_);
  }

 private:
  Recorder& recorder_;
  const module::Image& image_;
  LaunchRecord record_;
  std::optional<Tally> tally_;
  std::optional<Reuse> reuse_;
  std::optional<Stalls> stalls_;
  std::optional<observe::Several> all_;
};

Recorder::Recorder(RecorderOptions options, std::unique_ptr<Output> output)
    : options_(std::move(options)),
      kernel_(options_.kernel),
      filter_(filter_of(options_.ranges)),
      output_(std::move(output)) {
  collect(options_.from_start);
}

Recorder::~Recorder() = default;

void Recorder::submitted(const runtime::Submission& submission, const runtime::Context&) {
  const bool on = collects();
  std::vector<ranges::Mark> open;
  if (submission.works && (ranges::any_open() || !filter_.empty())) open = ranges::open_ranges();
  const std::lock_guard lock(mutex_);
  if (submission.works && (!open.empty() || !filter_.empty())) {
    Within& within = within_[submission.number];
    for (const ranges::Mark& mark : open) within.ranges.push_back(mark.id);
    within.wanted = filter_.wants(open);
  }
  if (turns_.empty() || turns_.back().on != on) turns_.push_back({submission.number, on});
  if (on && submission.works) output_->submitted(submission.call);
}

void Recorder::stream_made(const runtime::Stream& stream) {
  if (!stream.is_default()) return;
  const std::lock_guard lock(mutex_);
  default_streams_.insert(stream.id());
}

void Recorder::end() {
  const std::lock_guard lock(mutex_);
  output_->end();
}

bool Recorder::collected(const runtime::Submission* submission) {
  if (submission == nullptr) return collects();
  const std::lock_guard lock(mutex_);
  const auto later = std::ranges::upper_bound(turns_, submission->number, {}, &Turn::number);
  return later == turns_.begin() ? collects() : std::prev(later)->on;
}

Recorder::Within Recorder::take_within(const runtime::Submission* submission) {
  const std::lock_guard lock(mutex_);
  const auto found = submission == nullptr ? within_.end() : within_.find(submission->number);
  if (found == within_.end()) return {{}, filter_.empty()};
  Within within = std::move(found->second);
  within_.erase(found);
  return within;
}

bool Recorder::wants(const runtime::Submission* submission, const std::string& kernel, bool in_ranges) {
  if (!in_ranges || !collected(submission)) return false;
  if (!options_.kernel.empty()) {
    const bool matches =
        options_.mangled ? std::regex_search(kernel, kernel_) : std::regex_search(base_name(kernel), kernel_);
    if (!matches) return false;
  }
  const std::lock_guard lock(mutex_);
  const uint64_t place = matched_++;
  if (place < options_.skip || (options_.count && place - options_.skip >= *options_.count)) return false;
  return !options_.each || measured_[kernel]++ < *options_.each;
}

std::unique_ptr<runtime::LaunchWatch> Recorder::launch(const runtime::LaunchFacts& facts) {
  launches_.fetch_add(1, std::memory_order_relaxed);
  Within within = take_within(facts.submission);
  if (!wants(facts.submission, facts.kernel.function().name, within.wanted)) return nullptr;
  return std::make_unique<Launch>(*this, facts, std::move(within.ranges));
}

// A launch of one thread of which nothing is counted.
void Recorder::worked(const runtime::WorkFacts& facts) {
  const uint64_t number = launches_.fetch_add(1, std::memory_order_relaxed) + 1;
  Within within = take_within(facts.submission);
  if (facts.submission == nullptr || !wants(facts.submission, facts.name, within.wanted)) return;
  LaunchRecord record;
  record.ranges = std::move(within.ranges);
  record.number = number;
  record.correlation = call_of(facts.submission);
  record.call = function_of(facts.submission);
  record.kernel = facts.name;
  record.device = device_of(facts.context);
  record.context = facts.context.id();
  record.stream = facts.submission->stream;
  record.thread = facts.submission->thread;
  record.grid = record.block = {1, 1, 1};
  record.time = {facts.time.began, facts.time.ended};
  if (facts.failure != nullptr) record.failure = facts.failure->message;
  hand_over(record);
}

void Recorder::copied(const runtime::CopyFacts& facts) {
  if (facts.submission == nullptr) return;
  (void)take_within(facts.submission);
  if (!collected(facts.submission)) return;
  CopyRecord record;
  record.correlation = call_of(facts.submission);
  record.call = function_of(facts.submission);
  record.bytes = facts.bytes();
  record.kind = facts.from == nullptr ? "memset" : std::string{side(*facts.from), 't', 'o', side(facts.to)};
  record.from = facts.from == nullptr ? 0 : facts.from->address;
  record.to = facts.to.address;
  record.from_pinned = facts.from != nullptr && is_pinned(*facts.from);
  record.to_pinned = is_pinned(facts.to);
  record.device = device_of(facts.context);
  record.context = facts.context.id();
  record.stream = facts.submission->stream;
  {
    const std::lock_guard lock(mutex_);
    record.default_stream = default_streams_.contains(record.stream);
  }
  record.time = {facts.time.began, facts.time.ended};
  hand_over(record);
}

void Recorder::ended(const entry::CallFacts& facts) {
  if (!collects()) return;
  CallRecord record;
  record.number = facts.number;
  record.name = facts.record.name;
  record.thread = gettid();
  record.succeeded = facts.succeeded;
  record.time = {facts.began, facts.ended};
  hand_over(record);
}

namespace {

RangeRecord range_record(const ranges::Mark& mark) {
  RangeRecord record;
  record.id = mark.id;
  record.kind = mark.kind == ranges::Kind::thread ? 't' : mark.kind == ranges::Kind::free ? 'f' : 'm';
  record.domain = mark.description.domain;
  record.message = mark.description.message;
  record.category = mark.description.category;
  record.color = mark.description.color;
  record.payload = mark.description.payload;
  record.thread = mark.thread;
  record.time = {mark.began, mark.ended};
  return record;
}

}  // namespace

void Recorder::range_began(const ranges::Mark& mark) {
  const std::lock_guard lock(mutex_);
  output_->began(range_record(mark));
}

void Recorder::range_ended(const ranges::Mark& mark) {
  const RangeRecord record = range_record(mark);
  const std::lock_guard lock(mutex_);
  if (mark.kind == ranges::Kind::moment) output_->began(record);
  output_->ended(record);
}

void Recorder::thread_named(int32_t thread, std::string_view name) {
  const std::lock_guard lock(mutex_);
  output_->named(thread, std::string(name));
}

std::string base_name(const std::string& name) {
  std::string text = demangled(name);
  if (text == name) return text;
  // The parameters begin at the last parenthesis of the outermost level; templates have a result in front.
  int depth = 0;
  std::size_t end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == '(' && depth == 0 && text.compare(i, 21, "(anonymous namespace)") != 0) {
      end = i;
      break;
    }
  }
  text.resize(end);
  if (text.ends_with('>')) {
    depth = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
      if (text[i] == '>') ++depth;
      if (text[i] == '<' && --depth == 0) {
        text.resize(i);
        break;
      }
    }
  }
  depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (depth == 0 && (text[i] == ' ' || (text[i] == ':' && text.compare(i, 2, "::") == 0 && ++i != 0)))
      begin = i + 1;
  }
  return text.substr(begin);
}

}  // namespace heddle::profiler
