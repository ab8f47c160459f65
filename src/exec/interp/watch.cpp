#include "exec/interp/watch.h"

#include "exec/told_access.h"
#include "observe/values_of.h"

namespace heddle::exec::interp {

namespace {

bool wants(const Launch& launch, const observe::Sink* sink, observe::Needs need) {
  return sink != nullptr && launch.observer != nullptr && (launch.observer->needs() & need) != 0;
}

}  // namespace

Watch::Watch(const Launch& launch, observe::Sink* sink, bool for_another_executor)
    : launch_(launch),
      sink_(sink),
      texel_sink_(observe::texel_sink(sink)),
      time_sink_(observe::time_sink(sink)),
      counts_(wants(launch, sink, observe::counts)),
      accesses_(wants(launch, sink, observe::accesses)),
      visits_(wants(launch, sink, observe::visits)),
      syncs_(wants(launch, sink, observe::syncs)),
      values_(sink == nullptr || for_another_executor ? uint8_t{observe::no_values}
                                                      : observe::value_kinds_of(launch.observer, sink)),
      operand_sink_(values() ? dynamic_cast<observe::OperandSink*>(sink) : nullptr) {
  if (values()) numbers_.emplace(*launch.module->image);
  if (counts_) counted_.resize(launch.module->image->functions.size());
}

observe::Count& Watch::count(uint32_t function, uint32_t instruction) {
  auto& counted = counted_[function];
  if (counted.empty()) counted.resize(launch_.module->image->functions[function].code.size() + 1);
  return counted[instruction];
}

void Watch::tell_counts() {
  for (uint32_t function = 0; function < counted_.size(); ++function)
    for (uint32_t i = 0; i < counted_[function].size(); ++i)
      if (counted_[function][i] != observe::Count{}) sink_->count({function, i}, counted_[function][i]);
}

void Watch::note(int lane, module::Space space, uint64_t address, uint32_t bytes, bool write) {
  // The n-th access of each lane belongs to the n-th access of the warp.
  const std::size_t n = next_[static_cast<std::size_t>(lane)]++;
  if (n == list_.size()) list_.emplace_back();
  Noted& noted = list_[n];
  if (n == noted_) {
    ++noted_;
    noted.space = space, noted.bytes = bytes, noted.write = write, noted.lanes = 0;
  }
  noted.lanes |= observe::Mask{1} << lane;
  noted.addresses[static_cast<std::size_t>(lane)] = address;
}

void Watch::tell_values(observe::Place place, const Dim3& block, uint32_t warp, observe::Mask lanes) {
  const std::span<const Number> numbers = numbers_->of(place.function, place.instruction);
  const NumberUse use = numbers_->use(place.function, place.instruction);
  if (exceptional_lanes(numbers, use, values_, lanes, bits_.data()) == 0) return;
  static_cast<observe::ValueSink*>(sink_)->value({.place = place,
                                                  .block = {block.x, block.y, block.z},
                                                  .warp = warp,
                                                  .lanes = lanes,
                                                  .bits = bits_.data()});
}

void Watch::end_instruction(observe::Place place, const Dim3& block, uint32_t warp) {
  if (noted_ == 0) return;
  const WindowMap& map = windows(launch_.module->image->address_bits);
  for (const bool write : {false, true})  // what it reads before what it writes
    for (std::size_t n = 0; n < noted_; ++n) {
      Noted& noted = list_[n];
      if (noted.write != write) continue;
      const auto kind = changes_ ? observe::AccessKind::change
                        : write  ? observe::AccessKind::store
                                 : observe::AccessKind::load;
      tell(*sink_,
           {.place = place,
            .block = {block.x, block.y, block.z},
            .warp = warp,
            .lanes = noted.lanes,
            .bytes = noted.bytes,
            .kind = kind},
           noted.space, map, noted.addresses.data());
    }
  noted_ = 0;
  if (syncs_) tell_compared(place, block, warp);
}

// Of lanes that differ the first one's kind comes first, as native code tells it.
void Watch::tell_compared(observe::Place place, const Dim3& block, uint32_t warp) {
  const observe::Mask all = swapped_ | unequal_;
  const bool unequal_first = (unequal_ & (all & (~all + 1))) != 0;
  for (const bool unequal : {unequal_first, !unequal_first}) {
    const observe::Mask lanes = unequal ? unequal_ : swapped_;
    if (lanes == 0) continue;
    sink_->sync({.place = place,
                 .block = {block.x, block.y, block.z},
                 .warp = warp,
                 .lanes = lanes,
                 .kind = observe::SyncKind::compared,
                 .a = unequal ? 1U : 0U});
  }
}

}  // namespace heddle::exec::interp
