// From the operands of texture and surface instructions to the objects and coordinates that they stand for.
#pragma once

#include <array>
#include <span>

#include "exec/interp/step.h"
#include "exec/texture.h"

namespace heddle::exec::interp {

// nullptr: there is none, and the step has faulted.
const TextureObject* texture_of(Step& s, const module::Operand& reference, int lane);
const Sampler* sampler_of(Step& s, const module::Operand& reference, int lane);
const SurfaceObject* surface_of(Step& s, const module::Operand& reference, int lane);

// The elements of a vector operand, or the operand itself.
std::span<const module::Operand> elements_of(const Step& s, const module::Operand& o);

struct Geometry {
  unsigned axes = 2;  // coordinates; of a cube map the three of the direction
  bool array = false, cube = false, samples = false;
};
Geometry geometry_of(const Step& s);

// The layer of an array geometry: an unsigned number, but of a signed register what it says.
int64_t layer_at(const Step& s, const module::Operand& o, int lane);

}  // namespace heddle::exec::interp
