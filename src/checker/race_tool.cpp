#include "checker/race_tool.h"

#include <algorithm>

#include "checker/place_text.h"
#include "runtime/allocation.h"
#include "runtime/module.h"

namespace heddle::checker {

namespace {

// Of so many tasks it is known what they come after: a launch rarely meets older ones.
constexpr std::size_t most_kept = 4096;

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
    case Missing::launch_order: return "nothing orders the two kernels: an event, or one stream for both";
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
    case Missing::launch_order: return "order of kernels";
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
  Watch(RaceTool& tool, std::unique_ptr<LaunchRaces> races) : tool_(tool), races_(std::move(races)) {}
  observe::Observer* observer() override { return races_.get(); }
  void ended(const runtime::LaunchEnd&) override {
    const uint32_t number = races_->number();
    races_.reset();
    tool_.ended(number);
  }

 private:
  RaceTool& tool_;
  std::unique_ptr<LaunchRaces> races_;
};

RaceTool::RaceTool(const Settings& settings, std::shared_ptr<Reporter> reporter)
    : settings_(settings),
      reporter_(std::move(reporter)),
      detector_({.most_shadow_bytes = settings.shadow_bytes,
                 .each = settings.hazards
                             ? [this](const Race& race, const Places& places) { tell_hazard(race, places); }
                             : std::function<void(const Race&, const Places&)>()}) {}

std::unique_ptr<runtime::LaunchWatch> RaceTool::launch(const runtime::LaunchFacts& facts) {
  if (!filter_.wants(facts.kernel.function().name)) return nullptr;
  const std::lock_guard lock(mutex_);
  auto races = detector_.launch(facts.launch, unordered(facts.submission));
  launched_.push_back({.races = races->number(),
                       .submission = facts.submission != nullptr ? facts.submission->number : 0,
                       .stream = facts.submission != nullptr ? facts.submission->stream : 0});
  if (settings_.hazards)
    texts_[facts.grid_id] = {facts.launch.shape.block, facts.submission != nullptr
                                                           ? facts.submission->stack
                                                           : std::vector<const void*>()};
  return std::make_unique<Watch>(*this, std::move(races));
}

// A launch comes after another one when its task waits for that one's, directly or not, and when that one had
// ended before this one was submitted: the host may have waited for it.
std::vector<uint32_t> RaceTool::unordered(const runtime::Submission* submission) {
  std::vector<uint32_t> found;
  if (submission == nullptr) return found;
  const auto before = before_.find(submission->number);
  std::erase_if(launched_, [&](const Launched& l) {
    return l.newest_at_end != 0 && launched_.size() > 64 && l.newest_at_end + most_kept < newest_;
  });
  for (const Launched& other : launched_) {
    if (other.submission == 0 || other.submission == submission->number) continue;
    if (other.newest_at_end != 0 && other.newest_at_end < submission->number) continue;
    if (other.stream == submission->stream) continue;
    if (before == before_.end()) continue;
    const auto newest = before->second.find(other.stream);
    if (newest == before->second.end() || newest->second < other.submission) found.push_back(other.races);
  }
  return found;
}

void RaceTool::submitted(const runtime::Submission& submission, const runtime::Context&) {
  const std::lock_guard lock(mutex_);
  newest_ = std::max(newest_, submission.number);
  Before& before = before_[submission.number];
  for (const uint64_t other : submission.after)
    if (const auto known = before_.find(other); known != before_.end())
      for (const auto& [stream, newest] : known->second) before[stream] = std::max(before[stream], newest);
  before[submission.stream] = submission.number;
  kept_.push_back(submission.number);
  if (kept_.size() <= most_kept) return;
  before_.erase(kept_.front());
  kept_.pop_front();
}

void RaceTool::allocated(const runtime::Allocation& allocation) {
  detector_.forget(allocation.address, allocation.bytes);
}

void RaceTool::ended(uint32_t races) {
  const std::lock_guard lock(mutex_);
  for (Launched& l : launched_)
    if (l.races == races) l.newest_at_end = std::max<uint64_t>(newest_, 1);
  const auto tell_rest = [this](uint64_t& hazards, bool warning) {
    if (const uint64_t count = std::exchange(hazards, 0); count != 0)
      reporter_->tell(MessageKind::hazard, {}, {}, warning, 0, count);
  };
  tell_rest(errors_, false), tell_rest(warnings_, true);
  if (settings_.analysis) tell();
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

// Pairs of instructions of the same two lines are one.
void RaceTool::tell() {
  struct Group {
    Race race;
    std::string text;
  };
  std::map<std::string, Group> groups;
  const Places& places = detector_.places();
  for (Race race : detector_.races()) {
    // The writer first.
    if (!race.first.writes) std::swap(race.first, race.second);
    const PlaceFacts &first = places[race.first.place], &second = places[race.second.place];
    const PlaceText a = place_text(*first.image, first.place), b = place_text(*second.image, second.place);
    const std::string kind_a = kind_text(race.first, first.atomic),
                      kind_b = kind_text(race.second, second.atomic);
    std::string one = kind_a + a.place(), other = kind_b + b.place();
    if (kind_a == kind_b && other < one) std::swap(one, other);
    Group& group = groups[one + '\n' + other];
    if (group.text.empty()) {
      group.race = race;
      group.text = "Race reported between " + kind_a + " access at " + a.text() + "\n    and " + kind_b +
                   " access at " + b.text();
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
      return "block " + triple(side.block) + " thread " + triple(thread_index(side.shape, side.thread));
    };
    std::string detail = std::string("\n    ") + hazard_word(race) + ": first by " + who(race.first) +
                         ", second by " + who(race.second) + ", both at " +
                         (race.space == observe::Space::shared ? "__shared__ " : "__global__ ") +
                         hex(race.address) + "\n    missing (" + missing_word(race.missing) +
                         "): " + missing_text(race, places);
    const bool no_lines = group.text.find(" in ") == std::string::npos;
    if (no_lines) detail += "\n    compile with -lineinfo to see lines";
    reporter_->tell(MessageKind::race,
                    std::string(race.severity == Severity::error ? "Error: " : "Warning: ") + group.text +
                        " [" + std::to_string(race.hazards) + " hazards]",
                    detail, race.severity == Severity::warning, known->second.first, race.hazards);
  }
  if (detector_.left_out() != 0 && told_.try_emplace("shadow", 0U, 0).second)
    reporter_->tell(MessageKind::notice,
                    "racecheck remembers " + std::to_string(detector_.shadow_bytes() >> 20) +
                        " MiB, and no more is allowed: accesses to further memory are not checked "
                        "(--shadow-memory, --kernel-name)");
}

}  // namespace heddle::checker
