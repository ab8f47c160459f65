// Memory of several devices at one address (PTX ISA 9.7.9.14): what a host that has such addresses answers
// besides what every host does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "exec/launch.h"

namespace heddle::exec {

class MultimemServices : public Services {
 public:
  // use(places): where memory that a multimem address points to lies, a place for each device, while the
  // places are what they are. Gives why it cannot be, or nothing.
  using Use = std::function<void(std::span<std::byte* const>)>;
  virtual std::string multimem(uint64_t address, uint32_t bytes, bool write, const Use& use) = 0;
};

}  // namespace heddle::exec
