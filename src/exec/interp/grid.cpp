#include "exec/interp/grid.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "analysis/residency.h"
#include "exec/interp/fault_site.h"
#include "exec/interp/team.h"

namespace heddle::exec::interp {

namespace {

// Clusters that are resident together.
class Residents {
 public:
  explicit Residents(Run& run) : run_(run) {}
  void add(Dim3 first) {
    clusters_.push_back(std::make_unique<Cluster>(run_, first));
    for (const auto& block : clusters_.back()->blocks())
      for (const auto& warp : block->warps()) warps_.push_back(warp.get());
  }

  void run() {
    while (!run_.fault && !warps_.empty()) {
      if (run_.interleaved()) shuffle();
      bool progress = false;
      std::size_t kept = 0;
      quiet_ = true;
      for (std::size_t i = 0; i < warps_.size(); ++i) {
        Warp* warp = warps_[i];
        if (warp->runnable()) {
          progress = true;
          warp->run_slice();
          polled_ |= warp->has_polled();
          quiet_ &= warp->has_polled() && !warp->finished();
          if (run_.fault) return;
          if (const auto kind = run_.interruption()) return interrupt(*warp, *kind);
        } else {
          warp->wait_a_round();
        }
        if (!warp->finished()) warps_[kept++] = warp;
      }
      warps_.resize(kept);
      quiet_ &= !std::exchange(run_.memory_changed, false) && progress;
      // Then what lanes wait for may be for those to do that wait for them.
      if (quiet_)
        for (Warp* warp : warps_) warp->wait_a_round();
      if (next_) next_(*this);
      if (!progress && !release()) return deadlock();
    }
  }

  // Called when each warp has had a turn: may add clusters in the place of those that have ended.
  void refill(std::function<void(Residents&)> next) { next_ = std::move(next); }
  // In the last round everybody who could run looked at what others write, and did nothing that others see.
  bool is_quiet() const { return quiet_; }
  // Since the last question somebody looked so.
  bool have_polled() { return std::exchange(polled_, false); }
  // So many are there that have not ended; the others' memory is given back.
  std::size_t living() {
    std::erase_if(clusters_, [](const auto& cluster) { return cluster->finished(); });
    return clusters_.size();
  }

 private:
  void shuffle() {
    for (std::size_t i = warps_.size(); i > 1; --i) std::swap(warps_[i - 1], warps_[run_.draw->below(i)]);
  }

  // Nothing runs: lanes that only wait for others go ahead of them.
  bool release() {
    bool any = false;
    for (Warp* warp : warps_) any |= warp->runnable() || warp->release_waiting();
    return any;
  }

  // Says where a warp is that was running: in an endless loop, most likely.
  void interrupt(Warp& warp, FaultKind kind) {
    const Group* at = nullptr;
    for (const Group& group : warp.groups())
      if (group.state != GroupState::none && (at == nullptr || group.state == GroupState::ready)) at = &group;
    const std::string why = kind == FaultKind::timeout ? "the launch ran past the device's time limit"
                                                       : "the host ended the launch";
    if (at != nullptr) {
      raise(warp, *at->activation, at->pc, std::countr_zero(at->lanes), kind, why);
      return;
    }
    Fault& fault = run_.fault.emplace();  // the warp has just finished
    fault.kind = kind;
    fault.kernel = fault.function = run_.entry.name;
    fault.detail = why;
  }

  void deadlock() {
    if (warps_.empty()) return;
    Warp& warp = *warps_.front();
    std::string waiting;
    for (const auto& cluster : clusters_) {
      waiting = cluster->describe_waiting();
      if (!waiting.empty()) break;
    }
    const Group* at = nullptr;  // one that is blocked, if there is one; else one that waits for others
    for (const Group& group : warp.groups()) {
      if (group.state == GroupState::none) continue;
      if (at == nullptr || group.state != GroupState::ready) at = &group;
    }
    if (at == nullptr) return;
    const bool blocked = at->state != GroupState::ready;
    raise(warp, *at->activation, blocked ? at->blocked_at : at->pc, std::countr_zero(at->lanes),
          FaultKind::illegal_barrier, "no thread can go on: " + waiting);
  }

  Run& run_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::vector<Warp*> warps_;  // that have not finished
  std::function<void(Residents&)> next_;
  bool quiet_ = false, polled_ = false;
};

constexpr uint64_t few_clusters = 8;

// So many clusters at once as the device has room for.
uint64_t room_for_clusters(const Run& run) {
  constexpr uint64_t most = 8192;  // what the host has memory for
  const Launch& launch = run.launch;
  if (launch.device == nullptr) return few_clusters;
  const uint64_t room = uint64_t{launch.device->board.multiprocessors} *
                        analysis::resident_blocks(run.image, launch.function, launch.device->arch,
                                                  static_cast<uint32_t>(launch.shape.block.count()),
                                                  launch.shape.dynamic_shared) /
                        launch.shape.cluster.count();
  return std::clamp<uint64_t>(room, 1, most);
}

// Where blocks do not wait for others few will do, and one warp meets more of the others' instructions.
uint64_t resident_clusters(const Run& run) {
  const uint64_t room = room_for_clusters(run);
  return run.schedule->keeps_blocks ? room : std::min(room, few_clusters);
}

// The clusters of the grid in ascending order, or in the one that somebody asked for (observe/schedule.h).
// Any thread may take one.
class Clusters final : public UnstartedClusters {
 public:
  explicit Clusters(const Run& run) : shape_(run.launch.shape) {
    if (run.schedule) order_.emplace(*run.schedule, count_);
  }
  uint64_t count() const { return count_; }
  bool all_begun() const { return begun_.load(std::memory_order_relaxed) >= count_; }
  // The first block of the next one.
  std::optional<Dim3> next() {
    if (all_begun()) return std::nullopt;
    const uint64_t place = begun_.fetch_add(1, std::memory_order_relaxed);
    if (place >= count_) return std::nullopt;
    const uint64_t cluster = order_ ? (*order_)[place] : place;
    return Dim3{static_cast<uint32_t>(cluster % columns_ * shape_.cluster.x),
                static_cast<uint32_t>(cluster / columns_ % rows_ * shape_.cluster.y),
                static_cast<uint32_t>(cluster / columns_ / rows_ * shape_.cluster.z)};
  }
  std::optional<Dim3> cancel() override { return next(); }

 private:
  const LaunchShape& shape_;
  const uint64_t columns_ = shape_.grid.x / shape_.cluster.x, rows_ = shape_.grid.y / shape_.cluster.y,
                 count_ = columns_ * rows_ * (shape_.grid.z / shape_.cluster.z);
  std::optional<observe::BlockOrder> order_;
  std::atomic<uint64_t> begun_{0};  // and some more, of threads that came too late
};

void run_in_order(Run& run, Clusters& clusters) {
  uint64_t at_once = run.interleaved() ? resident_clusters(run) : 1;
  if (run.launch.shape.cooperative) at_once = clusters.count();
  Residents residents(run);
  const auto fill = [&](Residents& all) {
    if (clusters.all_begun()) return;
    for (std::size_t living = all.living(); living < at_once && !clusters.all_begun(); ++living)
      all.add(*clusters.next());
  };
  fill(residents);
  residents.refill(fill);
  residents.run();
}

// When clusters that are there wait for others (grid.h).
class Patience {
 public:
  Patience(const Run& run, Residents& all) : run_(run), all_(all) {}
  // So many further ones, after a round.
  std::size_t wanted() {
    quiet_rounds_ = all_.is_quiet() ? quiet_rounds_ + 1 : 0;
    if (quiet_rounds_ >= enough_rounds) {
      quiet_rounds_ = 0;
      return all_.living();
    }
    if (run_.warp_instructions - since_ < patience_) return 0;
    since_ = run_.warp_instructions;
    const std::size_t living = all_.living();
    const bool wants = all_.have_polled() && living == living_;
    patience_ = wants ? patience_ * 2 : first_patience;
    living_ = living;
    return wants ? living : 0;
  }
  void begun() { ++living_; }

 private:
  // Enough for lanes that wait for others of their warp to go ahead of them (warp.cpp).
  static constexpr unsigned enough_rounds = 5;
  // Instructions of warps in which nobody ended, doubled each time: one more for as many.
  static constexpr uint64_t first_patience = 1 << 14;
  const Run& run_;
  Residents& all_;
  unsigned quiet_rounds_ = 0;
  std::size_t living_ = 1;
  uint64_t since_ = run_.warp_instructions, patience_ = first_patience;
};

// `look` is called after each round.
void run_one_by_one(Run& run, Clusters& clusters, const std::function<void()>& look = nullptr) {
  uint64_t room = 0;
  while (!run.fault) {
    const auto first = clusters.next();
    if (!first) break;
    Residents some(run);
    some.add(*first);
    Patience patience(run, some);
    some.refill([&](Residents& all) {
      if (look) look();
      std::size_t wanted = patience.wanted();
      if (wanted == 0 || clusters.all_begun()) return;
      if (room == 0) room = room_for_clusters(run);
      for (std::size_t there = all.living(); wanted != 0 && there < room; --wanted, ++there) {
        const auto further = clusters.next();
        if (!further) break;
        all.add(*further);
        patience.begun();
      }
    });
    some.run();
  }
}

// Who watches is told by one thread. Kernels that ask where they run may keep memory by place, which the next
// block has only when the one before it has ended (docs/reference/execution.md).
bool may_have_a_team(const Run& run) {
  return run.launch.observer == nullptr && !analysis::reads_place(run.image, run.launch.function);
}

void run_by_team(Run& run, Clusters& clusters, unsigned threads) {
  Team team(run, threads, [&clusters](Run& own) { run_one_by_one(own, clusters); });
  run_one_by_one(run, clusters, [&team] { team.look(); });
  team.end();
}

}  // namespace

void run_grid(Run& run, unsigned threads) {
  Clusters clusters(run);
  run.unstarted = &clusters;
  if (run.schedule) {
    run_in_order(run, clusters);
  } else if (run.launch.shape.cooperative) {
    Residents all(run);
    while (const auto first = clusters.next()) all.add(*first);
    all.run();
  } else if (threads > 1 && clusters.count() > 1 && may_have_a_team(run)) {
    run_by_team(run, clusters, threads);
  } else {
    run_one_by_one(run, clusters);
  }
  run.unstarted = nullptr;
}

}  // namespace heddle::exec::interp
