// What a run tells its observer (observe/observer.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "exec/launch.h"
#include "exec/told_numbers.h"
#include "observe/operands.h"
#include "observe/texels.h"
#include "observe/time.h"

namespace heddle::exec::interp {

class Watch {
 public:
  // Native code tells values itself, also of the steps that it leaves to this executor.
  Watch(const Launch& launch, observe::Sink* sink, bool for_another_executor);

  bool counts() const { return counts_; }
  bool accesses() const { return accesses_; }
  bool syncs() const { return syncs_; }
  bool looks() const { return texel_sink_ != nullptr; }
  bool values() const { return values_ != observe::no_values; }
  observe::Sink& sink() const { return *sink_; }

  bool comes() const { return counts_ || visits_; }

  void come(observe::Place place, const Dim3& block, uint32_t warp, observe::Mask lanes) {
    if (counts_) count(place.function, place.instruction).come(lanes);
    if (visits_) sink_->visit({place, {block.x, block.y, block.z}, warp, lanes});
  }
  void take(uint32_t function, uint32_t instruction, observe::Mask lanes, observe::Mask taken) {
    count(function, instruction).take(lanes, taken);
  }
  void tell_counts();

  // The instruction that runs accesses memory: noted for each lane, told when the instruction is over.
  void note(int lane, module::Space space, uint64_t address, uint32_t bytes, bool write);
  void changes() { changes_ = true; }  // its accesses are of an atomic operation
  void begin_instruction() { noted_ = 0, next_.fill(0), changes_ = false, swapped_ = unequal_ = 0; }
  // A lane's compare and swap: told behind its access.
  void compared(int lane, bool equal) { (equal ? swapped_ : unequal_) |= observe::Mask{1} << lane; }
  void end_instruction(observe::Place place, const Dim3& block, uint32_t warp);
  void sync(const observe::Sync& what) { sink_->sync(what); }

  // Of a texture instruction: noted lane by lane, told when it is over.
  void note_texel(int lane, uint64_t address, uint32_t bytes) {
    texels_.push_back({address, static_cast<uint16_t>(bytes), static_cast<uint16_t>(lane)});
  }
  void tell_look(observe::Place place, const Dim3& block, uint32_t warp, observe::Mask lanes) {
    texel_sink_->look({place, {block.x, block.y, block.z}, warp, lanes, texels_});
    texels_.clear();
  }

  // Who tells the program the time; nullptr: the host's clock does.
  observe::TimeSink* time_teller() const { return time_sink_; }

  // Who follows the operands of each instruction; nullptr: nobody.
  observe::OperandSink* operand_sink() const { return operand_sink_; }

  // The numbers of an instruction, and where each lane's go: 32 of one behind 32 of another.
  ToldNumbers& numbers() { return *numbers_; }
  std::vector<uint64_t>& number_bits() { return bits_; }
  // When it is over, told if one is exceptional.
  void tell_values(observe::Place place, const Dim3& block, uint32_t warp, observe::Mask lanes);

 private:
  struct Noted {
    module::Space space;
    uint32_t bytes;
    bool write;
    observe::Mask lanes;
    std::array<uint64_t, observe::warp_lanes> addresses;
  };
  observe::Count& count(uint32_t function, uint32_t instruction);
  void tell_compared(observe::Place place, const Dim3& block, uint32_t warp);

  const Launch& launch_;
  observe::Sink* const sink_;
  observe::TexelSink* const texel_sink_;
  observe::TimeSink* const time_sink_;
  const bool counts_, accesses_, visits_, syncs_;
  std::vector<std::vector<observe::Count>> counted_;  // by function and instruction
  std::vector<Noted> list_;
  std::size_t noted_ = 0;                             // of the list, in use
  std::array<uint32_t, observe::warp_lanes> next_{};  // of each lane: how many of its accesses are noted
  bool changes_ = false;
  observe::Mask swapped_ = 0, unequal_ = 0;
  std::vector<observe::Texel> texels_;
  const uint8_t values_;  // observe::ValueKinds
  observe::OperandSink* const operand_sink_;
  std::optional<ToldNumbers> numbers_;
  std::vector<uint64_t> bits_;
};

}  // namespace heddle::exec::interp
