// Where a number goes from an instruction on: what executors told of those that read it, found by the
// program's text. Followed through registers and the variables around calls; not through memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/float_events.h"
#include "module/image.h"

namespace heddle::checker {

struct FlowStep {
  enum class Kind : uint8_t { carried, becomes_nan, lost, compared, tested, converted, stored, passed, kept };
  Kind kind{};
  observe::Place place;
  uint64_t count = 0;  // 0: not told, by the text alone
};

class FloatFlow {
 public:
  FloatFlow(const module::Image& image, const std::map<observe::Place, FloatEvents>& events)
      : image_(image), numbers_(image), events_(events) {}
  // From the results of the instruction on, in the order of the program's text.
  std::vector<FlowStep> from(observe::Place place, bool infinite);
  // Somebody sees it: it is stored, decides something, becomes another number or leaves the function.
  static bool is_seen(const std::vector<FlowStep>& steps);
  // Something was made of it, or asked about it; else it was computed ahead of a choice, and not chosen.
  static bool is_used(const std::vector<FlowStep>& steps);

 private:
  using Name = uint64_t;  // a register's slot, or a variable in the frame
  struct Function {
    std::unordered_map<Name, std::vector<uint32_t>> readers;
    std::vector<std::vector<Name>> writes;  // by instruction
  };
  const Function& function(uint32_t index);

  const module::Image& image_;
  exec::ToldNumbers numbers_;
  const std::map<observe::Place, FloatEvents>& events_;
  std::map<uint32_t, Function> functions_;
};

}  // namespace heddle::checker
