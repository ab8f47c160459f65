// For who wants to know which texels a program looks at. It is no need of observer.h: a sink says so itself.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "observe/observer.h"

namespace heddle::observe {

// A texel that a lane looks at. Addresses are those of a device (exec/texel_address.h): texels of an array
// do not lie in rows there.
struct Texel {
  uint64_t address = 0;
  uint16_t bytes = 0;
  uint16_t lane = 0;
};

// One texture instruction of one warp, and each texel that counts for its results: those of weight 0 do not,
// and beyond a border there is none. Lanes may come in any order, and a lane may look at a texel twice.
struct Look {
  Place place;
  std::array<uint32_t, 3> block{};
  uint32_t warp = 0;  // of the block
  Mask lanes = 0;     // that look
  std::span<const Texel> texels;
};

// A base of a Sink. It is told of looks in the order of Sink::access.
class TexelSink {
 public:
  virtual bool wants_texels() const { return true; }
  virtual void look(const Look&) = 0;

 protected:
  ~TexelSink() = default;
};

// nullptr: the sink wants no texels.
inline TexelSink* texel_sink(Sink* sink) {
  auto* found = dynamic_cast<TexelSink*>(sink);
  return found != nullptr && found->wants_texels() ? found : nullptr;
}

}  // namespace heddle::observe
