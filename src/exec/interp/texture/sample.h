// One look at a texture: which level, which texels, and what they add up to.
//
// What a filter adds up, and how it rounds, is in filter.h. Anisotropy is not: a footprint is as long as the
// longer of the two derivatives and never more than one probe.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "exec/guest_memory.h"
#include "exec/interp/texture/texel.h"
#include "exec/texture.h"

namespace heddle::exec::interp {

struct Lookup {
  unsigned axes = 2;   // coordinates: 1, 2 or 3
  bool cube = false;   // they are a direction
  bool whole = false;  // they are texels: not normalised, not filtered
  std::array<double, 3> at{};
  int64_t layer = 0, sample = 0;
  std::array<int, 3> offset{};  // in texels
  double level = 0;
  bool levels = false;  // a level was asked for: bias and limits of the sampler apply
  std::optional<std::array<std::array<double, 3>, 2>> slopes;  // by which the level is to be found
  std::optional<float> reference;         // compared with each texel: 1 where the relation holds, 0 elsewhere
  std::vector<uint64_t>* seen = nullptr;  // addresses of the texels that count are put there
  // What is asked when an image is open-ended, and where the first texel was missed that is not there.
  const GuestMemory* memory = nullptr;
  mutable uint64_t missed = 0;
};

Words sample(const TextureObject& texture, const Sampler& sampler, const Lookup& lookup);

// One component of the four texels that linear filtering would take, counter-clockwise from the lower left:
// (i, j+1), (i+1, j+1), (i+1, j), (i, j) (PTX ISA 9.7.10.4).
Words gather(const TextureObject& texture, const Sampler& sampler, const Lookup& lookup, unsigned component);

}  // namespace heddle::exec::interp
