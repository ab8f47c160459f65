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
    cluster_.emplace(run_, Dim3{0, 0, 0});
  }

  void enter(Dim3 block, std::span<std::byte> shared, std::byte* local, uint64_t local_stride) override {
    the_block().stand_for(block, shared);
    local_ = local;
    local_stride_ = local_stride;
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
      const Dim3 block = the_block().index();
      const std::span<std::byte> shared = the_block().shared();
      cluster_.emplace(run_, Dim3{0, 0, 0});  // the old one's lanes are anywhere
      the_block().stand_for(block, shared);
    }
    return !run_.fault;
  }

  Fault take_fault() override {
    Fault fault = run_.fault ? std::move(*run_.fault) : Fault{};
    run_.fault.reset();
    return fault;
  }

 private:
  Block& the_block() { return *cluster_->blocks().front(); }

  Run run_;
  std::optional<Cluster> cluster_;  // of one block, which stands for each in turn
  Activation activation_;           // of every function in turn
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
