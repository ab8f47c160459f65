// Places on a surface (PTX ISA 9.7.11).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/interp/step.h"
#include "exec/texture.h"

namespace heddle::exec::interp {

enum class SurfaceUnit : uint8_t { bytes, elements };  // what the first coordinate of a row counts

// Where the `bytes` bytes at the coordinates lie. nullptr: nowhere; a load gives zeros and a store is
// dropped, unless the step has faulted.
std::byte* surface_place(Step& s, const SurfaceObject& surface, std::span<const module::Operand> coords,
                         int lane, SurfaceUnit unit, uint32_t bytes);

}  // namespace heddle::exec::interp
