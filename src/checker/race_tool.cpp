#include "checker/race_tool.h"

#include <algorithm>
#include <cstring>

#include "checker/place_text.h"
#include "checker/record.h"
#include "exec/device_call.h"
#include "module/calls.h"
#include "runtime/allocation.h"
#include "runtime/module.h"
#include "runtime/stream.h"

namespace heddle::checker {

namespace {

const char* kind_text(const RaceSide& side, bool atomic) {
  if (atomic) return "Atomic";
  return side.writes ? "Write" : "Read";
}

std::string missing_text(const Race& race, const Places& places) {
  const PlaceFacts &first = places[race.first.place], &second = places[race.second.place];
  switch (race.missing) {
    case Missing::warp_barrier:
      return "no __syncwarp() between them: from compute capability 7.0 on lanes of a warp go their own ways";
    case Missing::block_barrier: return "no __syncthreads() between them, which both threads come to";
    case Missing::cluster_barrier:
      return "no barrier of the cluster between them, which both threads come to";
    case Missing::copy_wait:
      return "the asynchronous copy has not been waited for by the thread that asked for it "
             "(cp.async.wait_group, "
             "__pipeline_wait_prior(), cuda::barrier)";
    case Missing::grid_order:
      return "nothing orders the two blocks: a flag with __threadfence() before it is raised and behind the "
             "wait for it, a grid-wide barrier, or atomic operations for both";
    case Missing::launch_order:
      return race.first.call == 0 && race.second.call == 0
                 ? "nothing orders the two kernels: an event, or one stream for both"
             : race.first.call != 0 && race.second.call != 0
                 ? "nothing orders the two copies: an event, or one stream for both"
                 : "nothing orders the kernel and the copy: an event, or one stream for both";
    case Missing::family_order:
      return "one kernel has launched the other one: before that comes what the launching thread did, and "
             "was "
             "ordered behind (__syncthreads()), up to the launch, and nothing else; behind it a launch into "
             "cudaStreamTailLaunch, or cudaDeviceSynchronize() of the first generation";
    case Missing::acquire_fence:
      return "the second thread has read the flag, but without __threadfence() (or an acquire) behind it";
    case Missing::lock_acquire:
      return "one of the threads takes their lock without a fence behind it that reaches the other one";
    case Missing::lock_release:
      return "one of the threads gives their lock back without a fence before it that reaches the other one";
    case Missing::atomic_scope: {
      const bool narrow =
          first.scope == observe::FenceScope::block || second.scope == observe::FenceScope::block;
      return std::string("an atomic operation whose scope (") + (narrow ? "block" : "cluster") +
             ") does not have both threads";
    }
    case Missing::atomicity:
      return "one is an atomic operation, the other one is not, and nothing orders them";
  }
  return {};
}

const char* missing_word(Missing missing) {
  switch (missing) {
    case Missing::warp_barrier: return "warp barrier";
    case Missing::block_barrier: return "block barrier";
    case Missing::cluster_barrier: return "cluster barrier";
    case Missing::copy_wait: return "wait for a copy";
    case Missing::grid_order: return "order of blocks";
    case Missing::launch_order: return "order of work";
    case Missing::family_order: return "order of a kernel and its child";
    case Missing::acquire_fence: return "acquire fence";
    case Missing::lock_acquire: return "fence behind taking a lock";
    case Missing::lock_release: return "fence before releasing a lock";
    case Missing::atomic_scope: return "scope";
    case Missing::atomicity: return "atomic operation";
  }
  return "";
}

// As the tools call it, in the order in which they came.
const char* hazard_word(const Race& race) {
  if (race.first.writes && race.second.writes) return "write after write";
  return race.first.writes ? "read after write" : "write after read";
}

}  // namespace

class RaceTool::Watch final : public runtime::LaunchWatch {
 public:
  // `looks`: false where there is nothing to see.
  Watch(RaceTool& tool, std::unique_ptr<LaunchRaces> races, bool looks)
      : tool_(tool), races_(std::move(races)), looks_(looks) {}
  ~Watch() override {
    if (races_ != nullptr) tool_.forget(*races_);
  }
  observe::Observer* observer() override { return looks_ ? races_.get() : nullptr; }
  void ended(const runtime::LaunchEnd& end) override {
    const uint32_t number = races_->number();
    tool_.forget(*races_);
    races_.reset();
    tool_.ended(number);
    if (end.failure != nullptr) tool_.failed(end.failure->message);
  }

 private:
  RaceTool& tool_;
  std::unique_ptr<LaunchRaces> races_;
  const bool looks_;
};

RaceTool::RaceTool(const Settings& settings, std::shared_ptr<Reporter> reporter)
    : settings_(settings),
      reporter_(std::move(reporter)),
      detector_({.most_shadow_bytes = settings.shadow_bytes,
                 .each = settings.hazards
                             ? [this](const Race& race, const Places& places) { tell_hazard(race, places); }
                             : std::function<void(const Race&, const Places&)>()}) {}

// mutex_ comes before the detector's lock. A launch keeps that one from event to event, and may be of this
// thread.
std::unique_lock<std::mutex> RaceTool::locked() {
  detector_.let_go();
  return std::unique_lock(mutex_);
}

std::unique_ptr<runtime::LaunchWatch> RaceTool::launch(const runtime::LaunchFacts& facts) {
  if (!filter_.wants(facts.kernel.function().name)) return nullptr;
  const std::unique_lock lock = locked();
  retire();
  std::vector<uint32_t> launches = unordered(launched_, facts.submission, &Launched::races),
                        copies = unordered(copied_, facts.submission, &Copied::number);
  const bool alone = launches.empty() && copies.empty();
  tell_unkept(launches);
  Ancestors ancestors;
  if (const auto asked = asked_.find(facts.asked); asked != asked_.end()) {
    ancestors = std::move(asked->second);
    asked_.erase(asked);
  }
  auto races = detector_.launch(facts.launch, std::move(launches), std::move(ancestors));
  races->meets(copies);
  const bool knows_all = alone && nothing_else_runs(facts);
  const analysis::OwnPlaces own = knows_all ? own_places(facts) : analysis::OwnPlaces{};
  std::optional<OwnWrites> writes = own.known ? OwnWrites{} : knows_all ? own_writes(facts) : std::nullopt;
  launched_.push_back({.races = races->number(),
                       .work = facts.submission != nullptr
                                   ? WorkOrder::Work{facts.submission->number, facts.submission->stream}
                                   : WorkOrder::Work{},
                       .keeps_reads = !writes,
                       .keeps_writes = !own.known});
  if (own.known)
    races->leave_out_global(areas_);
  else if (writes)
    races->leave_out_reads(areas_, std::move(*writes));
  races->leave_out_quiet_stretches(quiet_stretches(facts.launch));
  running_.insert(races.get());
  if (settings_.hazards)
    texts_[facts.grid_id] = {facts.launch.shape.block, facts.submission != nullptr
                                                           ? facts.submission->stack
                                                           : std::vector<const void*>()};
  return std::make_unique<Watch>(*this, std::move(races), !own.known || own.accesses_shared);
}

const analysis::QuietStretches& RaceTool::quiet_stretches(const exec::Launch& launch) {
  const std::shared_ptr<const module::Image>& image = launch.module->image;
  const auto [found, fresh] = quiet_.try_emplace({image.get(), launch.function});
  if (fresh) {
    images_.push_back(image);
    found->second = analysis::quiet_stretches(*image, launch.function);
  }
  return found->second;
}

// The program has used one stream so far, in which work waits for what is before it.
bool RaceTool::nothing_else_runs(const runtime::LaunchFacts& facts) const {
  return facts.submission != nullptr && facts.parent == 0 && streams_.size() <= 1 &&
         !order_.is_loose({facts.submission->number, facts.submission->stream});
}

// If each byte that a kernel writes is one thread's, and no stream was made in which somebody else could meet
// it, there is nothing to look at in global memory.
analysis::OwnPlaces RaceTool::own_places(const runtime::LaunchFacts& facts) {
  for (const uint64_t stream : made_streams_)
    if (stream != facts.submission->stream) return {};
  const exec::Launch& launch = facts.launch;
  const module::Image& image = *launch.module->image;
  // A kernel for which it was not known so often is not asked about again.
  constexpr uint32_t enough = 16;
  uint32_t& met = met_[{&image, launch.function}];
  if (met >= enough) return {};
  const auto array = [](const exec::Dim3& d) { return std::array<uint32_t, 3>{d.x, d.y, d.z}; };
  const analysis::LaunchValues values{.grid = array(launch.shape.grid),
                                      .block = array(launch.shape.block),
                                      .parameters = launch.params,
                                      .environment = launch.environment,
                                      .symbol_address = launch.module->symbol_address};
  const auto find = [&](uint64_t address) -> std::optional<analysis::MemoryRange> {
    const Area* area = areas_.find(address);
    using enum runtime::MemoryKind;
    // Others may be there under a second address.
    if (area == nullptr || (area->kind() != device && area->kind() != managed && area->kind() != variable))
      return std::nullopt;
    return analysis::MemoryRange{area->begin(), area->bytes()};
  };
  const analysis::OwnPlaces own = analysis::own_places(image, launch.function, values, find);
  if (!own.known) {
    ++met;
    images_.push_back(launch.module->image);
  }
  return own;
}

// What is only read while a kernel runs needs nobody to remember its readers, if nothing else can be under
// way. Nothing: the kernel may write anywhere, or launches others.
std::optional<OwnWrites> RaceTool::own_writes(const runtime::LaunchFacts& facts) {
  const exec::Launch& launch = facts.launch;
  const std::shared_ptr<const module::Image>& image = launch.module->image;
  const auto [found, fresh] = written_.try_emplace({image.get(), launch.function});
  if (fresh) {
    images_.push_back(image);
    const auto launches = [&](uint32_t f) {
      return exec::find_device_function(image->functions[f].name).has_value();
    };
    if (std::ranges::none_of(module::reachable_functions(*image, launch.function), launches))
      found->second = analysis::written_memory(*image, launch.function);
  }
  const analysis::WrittenMemory& memory = found->second;
  if (!memory.known) return std::nullopt;
  OwnWrites writes;
  const auto add = [&](uint64_t address) {
    if (const Area* area = areas_.find(address)) writes.areas.push_back(area->begin());
  };
  for (const uint32_t offset : memory.parameters) {
    uint64_t address = 0;
    if (offset + sizeof address > launch.params.size()) return std::nullopt;
    std::memcpy(&address, launch.params.data() + offset, sizeof address);
    add(address);
  }
  for (const uint32_t symbol : memory.variables) add(launch.module->symbol_address[symbol]);
  return writes;
}

LaunchRaces* RaceTool::running(uint64_t grid_id) const {
  const auto found =
      std::ranges::find_if(running_, [&](const LaunchRaces* races) { return races->grid_id() == grid_id; });
  return found == running_.end() ? nullptr : *found;
}

void RaceTool::launched(const runtime::ThreadOfGrid& by, uint64_t number, bool tail) {
  const std::unique_lock lock = locked();
  LaunchRaces* parent = running(by.grid_id);
  if (parent == nullptr) return;
  // Behind the whole grid, in its place.
  if (tail)
    asked_[number] = parent->ancestors();
  else
    asked_[number] = parent->launches({by.block.x, by.block.y, by.block.z}, by.thread);
}

void RaceTool::waited(const runtime::ThreadOfGrid& who) {
  const std::unique_lock lock = locked();
  if (LaunchRaces* parent = running(who.grid_id))
    parent->waited({who.block.x, who.block.y, who.block.z}, who.thread);
}

void RaceTool::forget(LaunchRaces& races) {
  const std::unique_lock lock = locked();
  running_.erase(&races);
}

void RaceTool::tell_unkept(const std::vector<uint32_t>& launches) {
  const auto any = [&](bool Launched::* keeps) {
    return std::ranges::any_of(launched_, [&](const Launched& l) {
      return !(l.*keeps) && std::ranges::find(launches, l.races) != launches.end();
    });
  };
  const bool writes = any(&Launched::keeps_writes);
  if ((!writes && !any(&Launched::keeps_reads)) || !told_.try_emplace("reads", 0U, 0).second) return;
  reporter_->tell(MessageKind::notice,
                  std::string("a kernel ran before the program used a second stream, and nothing orders it "
                              "with what runs there: what it ") +
                      (writes ? "did" : "only read") + " was not remembered");
}

// Of a queue that is not in order it is known of what has ended only.
template <class T>
std::vector<uint32_t> RaceTool::unordered(const std::vector<T>& all, const runtime::Submission* submission,
                                          uint32_t T::* number) const {
  std::vector<uint32_t> found;
  if (submission == nullptr) return found;
  const WorkOrder::Work own{submission->number, submission->stream};
  for (const T& other : all) {
    if (order_.before(other.work, own) || order_.before(own, other.work)) continue;
    if ((order_.is_loose(own) || order_.is_loose(other.work)) && other.newest_at_end != 0 &&
        other.newest_at_end < own.number)
      continue;
    found.push_back(other.*number);
  }
  return found;
}

// What the host knows to have ended comes before all that it will ask for.
void RaceTool::retire() {
  std::vector<uint32_t> launches, copies;
  std::erase_if(launched_, [&](const Launched& l) {
    const bool known = l.newest_at_end != 0 && (l.work.number == 0 || order_.host_knows(l.work));
    if (known) launches.push_back(l.races);
    return known;
  });
  std::erase_if(copied_, [&](const Copied& copy) {
    if (order_.host_knows(copy.work)) copies.push_back(copy.number);
    return order_.host_knows(copy.work);
  });
  detector_.retire(launches, copies);
}

void RaceTool::stream_made(const runtime::Stream& stream) {
  const std::unique_lock lock = locked();
  if (!stream.options().in_order) order_.out_of_order(stream.id());
  if (!stream.is_default()) made_streams_.insert(stream.id());
}

void RaceTool::stream_ended(const runtime::Stream& stream) {
  const std::unique_lock lock = locked();
  made_streams_.erase(stream.id());
}

void RaceTool::submitted(const runtime::Submission& submission, const runtime::Context&) {
  const std::unique_lock lock = locked();
  streams_.insert(submission.stream);
  order_.submitted(submission);
}

void RaceTool::host_waited(std::span<const uint64_t> submissions) {
  const std::unique_lock lock = locked();
  order_.host_waited(submissions);
}

void RaceTool::copied(const runtime::CopyFacts& facts) {
  if (facts.submission == nullptr || facts.bytes() == 0) return;
  const std::unique_lock lock = locked();
  RaceDetector::Copy copy;
  copy.call.function = facts.submission->function != nullptr ? facts.submission->function : "a copy";
  copy.call.stack = facts.submission->stack;
  const auto region = [&](const runtime::TouchedPlace& place) {
    return CopyRegion(place, facts.row_bytes, facts.rows, facts.slices);
  };
  if (facts.from != nullptr) copy.from = region(*facts.from);
  copy.to = region(facts.to);
  retire();
  const std::vector<uint32_t> launches = unordered(launched_, facts.submission, &Launched::races);
  tell_unkept(launches);
  const uint32_t number =
      detector_.copied(copy, launches, unordered(copied_, facts.submission, &Copied::number));
  copied_.push_back({number, {facts.submission->number, facts.submission->stream}, order_.newest()});
  if (settings_.analysis) tell();
}

void RaceTool::allocated(const runtime::Allocation& allocation) {
  areas_.add(std::make_shared<Area>(allocation, false));
  detector_.forget(allocation.address, allocation.bytes);
}

void RaceTool::released(const runtime::Allocation& allocation) {
  areas_.remove(allocation.address);
  const std::unique_lock lock = locked();
  for (LaunchRaces* races : running_) races->close_windows();
}

void RaceTool::ended(uint32_t races) {
  const std::unique_lock lock = locked();
  for (Launched& l : launched_)
    if (l.races == races) l.newest_at_end = std::max<uint64_t>(order_.newest(), 1);
  const auto tell_rest = [this](uint64_t& hazards, bool warning) {
    if (const uint64_t count = std::exchange(hazards, 0); count != 0)
      reporter_->tell(MessageKind::hazard, {}, {}, warning, 0, count);
  };
  tell_rest(errors_, false), tell_rest(warnings_, true);
  if (settings_.analysis) tell();
}

// The rest of it, and what stood behind it, did not run.
void RaceTool::failed(const std::string& why) {
  const std::unique_lock lock = locked();
  if (!told_.try_emplace("failed", 0U, 0).second) return;
  reporter_->tell(MessageKind::notice,
                  "a kernel failed, and the context with it: only what ran before was checked for races",
                  "\n    " + why);
}

// Each byte is one, as NVIDIA's tool counts. Of very many only the number is told.
void RaceTool::tell_hazard(const Race& race, const Places& places) {
  constexpr uint64_t most = 10000;
  const bool warning = race.severity == Severity::warning;
  const PlaceFacts &first = places[race.first.place], &second = places[race.second.place];
  const char* kind = race.first.writes && race.second.writes ? "WAW" : race.first.writes ? "RAW" : "WAR";
  const auto text = texts_.find(race.second.launch);
  if (text == texts_.end() || hazards_told_ >= most) {
    (warning ? warnings_ : errors_) += race.hazards;
    return;
  }
  const auto side = [&](const RaceSide& one, const PlaceFacts& facts) {
    if (one.call != 0)
      return std::string("\n    ") + (one.writes ? "Write" : "Read") + " by " +
             detector_.call(one.call).function;
    const auto block = texts_.find(one.launch);
    const bool far = one.block != race.second.block || one.launch != race.second.launch;
    return std::string("\n    ") + (one.writes ? "Write" : "Read") + " Thread " +
           triple(
               thread_index(block == texts_.end() ? text->second.block : block->second.block, one.thread)) +
           (far ? " in block " + triple(one.block) : "") + " at " +
           place_text(*facts.image, facts.place).text();
  };
  // The writer first.
  std::string sides = side(race.first, first), other = side(race.second, second);
  if (!race.first.writes) std::swap(sides, other);
  for (uint64_t byte = 0; byte < race.hazards; ++byte) {
    ++hazards_told_;
    reporter_->tell(MessageKind::hazard,
                    std::string(warning ? "Warning: (Warp Level Programming) " : "Error: ") + "Potential " +
                        kind + " hazard detected at " +
                        (race.space == observe::Space::shared ? "__shared__ " : "__global__ ") +
                        hex(race.address + byte) + " in block " + triple(race.second.block) + " :" + sides +
                        other + host_frames(text->second.stack, "at kernel launch time"),
                    {}, warning, 0, 1);
  }
}

RaceTool::SideText RaceTool::side_text(const RaceSide& side, const Places& places) const {
  if (side.call != 0) {
    const RaceDetector::Call& call = detector_.call(side.call);
    return {"of " + call.function, call.function + ' ' + std::to_string(side.call)};
  }
  const PlaceFacts& facts = places[side.place];
  const PlaceText text = place_text(*facts.image, facts.place);
  return {"at " + text.text(), text.place()};
}

// Pairs of instructions of the same two lines are one.
void RaceTool::tell() {
  const uint64_t reports = detector_.reports(), left_out = detector_.left_out();
  if (reports == reports_told_ && left_out == left_out_told_) return;
  reports_told_ = reports, left_out_told_ = left_out;
  struct Group {
    Race race;
    std::string text;
  };
  std::map<std::string, Group> groups;
  const Places& places = detector_.places();
  for (Race race : detector_.races()) {
    // The writer first, and of two the kernel, whichever came first.
    if (!race.first.writes || (race.second.writes && race.first.call != 0 && race.second.call == 0))
      std::swap(race.first, race.second);
    const PlaceFacts &first = places[race.first.place], &second = places[race.second.place];
    const std::string kind_a = kind_text(race.first, first.atomic),
                      kind_b = kind_text(race.second, second.atomic);
    const SideText a = side_text(race.first, places), b = side_text(race.second, places);
    std::string one = kind_a + a.key, other = kind_b + b.key;
    if (kind_a == kind_b && other < one) std::swap(one, other);
    Group& group = groups[one + '\n' + other];
    if (group.text.empty()) {
      group.race = race;
      group.text = "Race reported between " + kind_a + " access " + a.text + "\n    and " + kind_b +
                   " access " + b.text;
    } else {
      group.race.hazards += race.hazards;
      group.race.severity = std::max(group.race.severity, race.severity);
      if (race.missing > group.race.missing) group.race.missing = race.missing;
    }
  }
  for (const auto& [key, group] : groups) {
    const auto [known, fresh] = told_.try_emplace(key, static_cast<uint32_t>(told_.size()), 0);
    if (known->second.second == group.race.hazards) continue;
    known->second.second = group.race.hazards;
    const Race& race = group.race;
    const auto who = [&](const RaceSide& side) {
      if (side.call != 0) return "the host's " + detector_.call(side.call).function;
      return "block " + triple(side.block) + " thread " + triple(thread_index(side.shape, side.thread));
    };
    std::string detail = std::string("\n    ") + hazard_word(race) + ": first by " + who(race.first) +
                         ", second by " + who(race.second) + ", both at " +
                         (race.space == observe::Space::shared ? "__shared__ " : "__global__ ") +
                         hex(race.address) + "\n    missing (" + missing_word(race.missing) +
                         "): " + missing_text(race, places);
    for (const RaceSide* side : {&race.first, &race.second})
      if (side->call != 0) detail += host_frames(detector_.call(side->call).stack, "of the copy");
    const auto side_record = [&](const RaceSide& side, const std::string& kind) {
      const PlaceFacts& facts = places[side.place];
      return value("direction", kind) + (side.call != 0 ? value("api", detector_.call(side.call).function)
                                                        : where_record(*facts.image, facts.place));
    };
    const std::string record =
        value("kind", "Analysis") + value("level", race.severity == Severity::error ? "Error" : "Warning") +
        element(
            "what",
            value("text", "Race condition") +
                element("source",
                        side_record(race.first, kind_text(race.first, places[race.first.place].atomic))) +
                element("destination",
                        side_record(race.second, kind_text(race.second, places[race.second.place].atomic)) +
                            value("count", race.hazards)));
    const bool no_lines = group.text.find(" in ") == std::string::npos;
    if (no_lines) detail += how_to_see_lines;
    reporter_->tell(MessageKind::race,
                    std::string(race.severity == Severity::error ? "Error: " : "Warning: ") + group.text +
                        " [" + std::to_string(race.hazards) + " hazards]",
                    detail, race.severity == Severity::warning, known->second.first, race.hazards, record);
  }
  if (detector_.left_out() != 0 && told_.try_emplace("shadow", 0U, 0).second)
    reporter_->tell(MessageKind::notice,
                    "racecheck remembers " + std::to_string(detector_.shadow_bytes() >> 20) +
                        " MiB, and no more is allowed: accesses to further memory are not checked "
                        "(--shadow-memory, --kernel-name)");
}

}  // namespace heddle::checker
