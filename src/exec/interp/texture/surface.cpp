#include "exec/interp/texture/surface.h"

#include <algorithm>
#include <array>
#include <string>

#include "exec/interp/texture/reference.h"

namespace heddle::exec::interp {

std::byte* surface_place(Step& s, const SurfaceObject& surface, std::span<const module::Operand> coords,
                         int lane, SurfaceUnit unit, uint32_t bytes) {
  const Geometry geometry = geometry_of(s);
  const TexelArray& image = surface.image;
  const MipLevel& mip = image.mip[0];
  const int64_t texel_bytes = image.texel.bytes();
  // x in bytes, y, and a slice: z or the layer.
  std::array<int64_t, 3> at{};
  std::size_t next = 0;
  if (geometry.array) at[2] = layer_at(s, coords[next++], lane);
  for (std::size_t i = 0; i < geometry.axes && next < coords.size(); ++i, ++next)
    at[i] = s.get<int32_t>(coords[next], lane);
  if (unit == SurfaceUnit::elements) at[0] *= texel_bytes;

  const int64_t row = static_cast<int64_t>(mip.width) * texel_bytes;
  const std::array<int64_t, 3> last{row - bytes, std::max<int64_t>(1, static_cast<int64_t>(mip.height)) - 1,
                                    std::max<int64_t>(1, static_cast<int64_t>(mip.depth)) - 1};
  bool inside = true;
  for (std::size_t i = 0; i < 3; ++i) inside &= at[i] >= 0 && at[i] <= last[i];
  if (!inside) {
    switch (s.word(isa::Slot::outside)) {
      case isa::Word::zero: return nullptr;
      case isa::Word::clamp:
        if (last[0] < 0) return nullptr;  // the surface is narrower than the access
        for (std::size_t i = 0; i < 3; ++i) at[i] = std::clamp<int64_t>(at[i], 0, last[i]);
        at[0] -= at[0] % bytes;
        break;
      default:  // .trap, which is also what instructions without the word do
        s.fault(FaultKind::illegal_address, lane,
                "(byte " + std::to_string(at[0]) + ", row " + std::to_string(at[1]) + ", slice " +
                    std::to_string(at[2]) + ") lies outside the surface of " + std::to_string(row) +
                    " bytes, " + std::to_string(last[1] + 1) + " rows and " + std::to_string(last[2] + 1) +
                    " slices");
        return nullptr;
    }
  }
  if (at[0] % bytes != 0) {
    s.fault(FaultKind::misaligned_address, lane,
            "byte " + std::to_string(at[0]) + " of a row is no multiple of the access's " +
                std::to_string(bytes));
    return nullptr;
  }
  return mip.data + static_cast<uint64_t>(at[2]) * mip.slice_pitch +
         static_cast<uint64_t>(at[1]) * mip.row_pitch + static_cast<uint64_t>(at[0]);
}

}  // namespace heddle::exec::interp
