// What lanes of a warp that came together get: PTX ISA 9.7.9.6, 9.7.13.9 to .14, as the reference executor
// has it where the ISA leaves it open.
#pragma once

#include <array>
#include <cstdint>

#include "exec/jit/fiber/fiber.h"

namespace heddle::exec::jit {

using LaneRequests = std::array<Request*, 32>;  // by lane

// Fills the results of the requests of `lanes`, of which there is one at least and which all want the same.
void evaluate_collective(const LaneRequests& requests, uint32_t lanes);

}  // namespace heddle::exec::jit
