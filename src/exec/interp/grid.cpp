#include "exec/interp/grid.h"

#include "exec/interp/fault_site.h"

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
      bool progress = false;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < warps_.size(); ++i) {
        Warp* warp = warps_[i];
        if (warp->runnable()) {
          progress = true;
          warp->run_slice();
          if (run_.fault) return;
          if (const auto kind = run_.interruption()) return interrupt(*warp, *kind);
        } else {
          warp->wait_a_round();
        }
        if (!warp->finished()) warps_[kept++] = warp;
      }
      warps_.resize(kept);
      if (!progress && !release()) return deadlock();
    }
  }

 private:
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
};

}  // namespace

void run_grid(Run& run) {
  const LaunchShape& shape = run.launch.shape;
  std::unique_ptr<Residents> all;
  if (shape.cooperative) all = std::make_unique<Residents>(run);
  for (uint32_t z = 0; z < shape.grid.z; z += shape.cluster.z)
    for (uint32_t y = 0; y < shape.grid.y; y += shape.cluster.y)
      for (uint32_t x = 0; x < shape.grid.x; x += shape.cluster.x) {
        if (all != nullptr) {
          all->add({x, y, z});
        } else {
          Residents one(run);
          one.add({x, y, z});
          one.run();
        }
        if (run.fault) return;
      }
  if (all != nullptr) all->run();
}

}  // namespace heddle::exec::interp
