#include "exec/interp/lanes.h"

#include <algorithm>
#include <bit>

#include "exec/interp/cluster.h"
#include "exec/interp/evaluate.h"
#include "exec/interp/fault_site.h"
#include "exec/interp/run.h"

namespace heddle::exec::interp {

namespace {

class Lanes final : public ReferenceLanes {
 public:
  Lanes(const Launch& launch, observe::Sink* sink, UnstartedClusters* unstarted) : run_(launch, sink, true) {
    run_.unstarted = unstarted;
    std::size_t slots = 1;
    for (const module::Function& function : run_.image.functions)
      slots = std::max<std::size_t>(slots, function.register_slots);
    activation_.registers.resize(slots * warp_size);
    (void)enter_number(0, 0);
  }

  void enter(const Place& place) override {
    const Dim3 &size = run_.launch.shape.cluster, &at = place.block;
    const Dim3 first{at.x - at.x % size.x, at.y - at.y % size.y, at.z - at.z % size.z};
    Cluster& cluster = enter_number(place.number, place.rank);
    const bool others_before = cluster.blocks().front()->index() != first;
    for (const auto& block : cluster.blocks()) {
      const uint32_t rank = block->rank();
      block->stand_for(
          {first.x + rank % size.x, first.y + rank / size.x % size.y, first.z + rank / size.x / size.y},
          {place.shared + shared_address(rank, 0), place.shared_bytes});
      if (others_before) block->tensor_memory().reset();
    }
    local_ = place.local;
    local_stride_ = place.local_stride;
  }

  uint64_t* registers() override { return activation_.registers.data(); }

  bool execute(uint32_t function, uint32_t instruction, uint32_t warp_index, uint32_t lanes, uint64_t frame,
               uint32_t& carry) override {
    Warp& warp = *the_block().warps()[warp_index];
    const uint32_t pc = instruction + 1;
    activation_.function = &run_.image.functions[function];
    activation_.lanes = lanes;
    activation_.frame.fill(frame);
    for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      warp.local(lane).borrow(local_ + warp.thread_of(lane) * local_stride_, local_stride_);
    }
    warp.carry() = carry;
    warp.borrow(activation_, lanes, pc);
    Step step(warp, activation_, activation_.function->code[instruction], lanes);
    evaluate(step);
    carry = warp.carry();
    if (!run_.fault && !warp.stayed(lanes, pc)) {
      raise(warp, activation_, instruction, std::countr_zero(lanes), FaultKind::illegal_instruction,
            "an instruction that moves lanes cannot be executed on its own");
      renew_cluster();  // the old one's lanes are anywhere
    }
    return !run_.fault;
  }

  Fault take_fault() override {
    Fault fault = run_.fault ? std::move(*run_.fault) : Fault{};
    run_.fault.reset();
    return fault;
  }

 private:
  Block& the_block() { return *clusters_[number_]->blocks()[rank_]; }

  Cluster& enter_number(uint32_t number, uint32_t rank) {
    while (number >= clusters_.size()) clusters_.push_back(std::make_unique<Cluster>(run_, Dim3{0, 0, 0}));
    number_ = number;
    rank_ = rank;
    return *clusters_[number];
  }
  void renew_cluster() {
    auto fresh = std::make_unique<Cluster>(run_, Dim3{0, 0, 0});
    for (std::size_t rank = 0; rank < fresh->blocks().size(); ++rank) {
      Block& before = *clusters_[number_]->blocks()[rank];
      fresh->blocks()[rank]->stand_for(before.index(), before.shared());
    }
    clusters_[number_] = std::move(fresh);
  }

  Run run_;
  // Those that are there at once; they, and without clusters the one, stand for others in turn.
  std::vector<std::unique_ptr<Cluster>> clusters_;
  uint32_t number_ = 0, rank_ = 0;
  Activation activation_;  // of every function in turn
  std::byte* local_ = nullptr;
  uint64_t local_stride_ = 0;
};

class Factory final : public ReferenceLanesFactory {
 public:
  std::unique_ptr<ReferenceLanes> make(const Launch& launch, observe::Sink* sink,
                                       UnstartedClusters* unstarted) override {
    return std::make_unique<Lanes>(launch, sink, unstarted);
  }
};

}  // namespace

std::unique_ptr<ReferenceLanesFactory> make_reference_lanes_factory() { return std::make_unique<Factory>(); }

}  // namespace heddle::exec::interp
