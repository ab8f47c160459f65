// The table of a level's loops.
#pragma once

#include "exec/jit/texture/kernels/axis.h"
#include "exec/jit/texture/kernels/cube.h"
#include "exec/jit/texture/kernels/surface.h"
#include "exec/jit/texture/kernels/texel.h"

namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL {

// Axes without normalised coordinates do not fold (plan.cpp).
template <Coordinate kind>
constexpr void add_axis(Codes& all) {
  constexpr auto k = static_cast<int>(kind);
  constexpr auto clamp = static_cast<int>(Edge::clamp), border = static_cast<int>(Edge::border);
  all.nearest[k][clamp] = nearest_axis<kind, Edge::clamp>;
  all.nearest[k][border] = nearest_axis<kind, Edge::border>;
  if constexpr (kind != Coordinate::whole) {
    all.linear[k][clamp] = linear_axis<kind, Edge::clamp>;
    all.linear[k][border] = linear_axis<kind, Edge::border>;
  }
  if constexpr (kind == Coordinate::normalized) {
    constexpr auto wrap = static_cast<int>(Edge::wrap), mirror = static_cast<int>(Edge::mirror);
    all.nearest[k][wrap] = nearest_axis<kind, Edge::wrap>;
    all.nearest[k][mirror] = nearest_axis<kind, Edge::mirror>;
    all.linear[k][wrap] = linear_axis<kind, Edge::wrap>;
    all.linear[k][mirror] = linear_axis<kind, Edge::mirror>;
  }
}

template <int axes>
constexpr void add_corners(Codes& all) {
  all.one_corner[axes - 1][0] = one_corner<axes, false>;
  all.one_corner[axes - 1][1] = one_corner<axes, true>;
  all.all_corners[axes - 1][0] = all_corners<axes, false>;
  all.all_corners[axes - 1][1] = all_corners<axes, true>;
}

template <Coding coding>
constexpr void add_sums(Codes& all) {
  constexpr auto k = static_cast<int>(coding);
  all.add[k][0] = add<coding, false>;
  all.add[k][1] = add<coding, true>;
}
template <Coding coding>
constexpr void add_coding(Codes& all) {
  constexpr auto k = static_cast<int>(coding);
  all.decode[k] = decode<coding>;
  all.encode[k] = encode<coding>;
  add_sums<coding>(all);
}

constexpr Codes make_codes() {
  Codes all{};
  add_axis<Coordinate::whole>(all);
  add_axis<Coordinate::real>(all);
  add_axis<Coordinate::normalized>(all);
  add_axis<Coordinate::place>(all);
  add_corners<1>(all);
  add_corners<2>(all);
  add_corners<3>(all);
  all.gather[0] = gather<uint8_t>;
  all.gather[1] = gather<uint16_t>;
  all.gather[2] = gather<uint32_t>;
  all.gather[3] = gather<uint64_t>;
  all.gather[4] = gather<unsigned __int128>;
  add_coding<Coding::u8>(all);
  add_coding<Coding::s8>(all);
  add_coding<Coding::u16>(all);
  add_coding<Coding::s16>(all);
  add_coding<Coding::bits32>(all);
  add_coding<Coding::f16>(all);
  add_coding<Coding::unorm8>(all);
  add_coding<Coding::snorm8>(all);
  add_coding<Coding::unorm16>(all);
  add_coding<Coding::snorm16>(all);
  add_sums<Coding::u32>(all);
  add_sums<Coding::s32>(all);
  all.finish = finish;
  all.all_equal = all_equal;
  all.faces = faces;
  all.surface[static_cast<int>(Outside::trap)] = surface<Outside::trap>;
  all.surface[static_cast<int>(Outside::clamp)] = surface<Outside::clamp>;
  all.surface[static_cast<int>(Outside::zero)] = surface<Outside::zero>;
  all.unpack = unpack;
  all.pack[0] = pack<uint8_t>;
  all.pack[1] = pack<uint16_t>;
  all.pack[2] = pack<uint32_t>;
  all.pack[3] = pack<uint64_t>;
  all.scatter[0] = scatter<uint8_t>;
  all.scatter[1] = scatter<uint16_t>;
  all.scatter[2] = scatter<uint32_t>;
  all.scatter[3] = scatter<uint64_t>;
  all.scatter[4] = scatter<unsigned __int128>;
  return all;
}

const Codes& codes() {
  static constexpr Codes all = make_codes();
  return all;
}

}  // namespace heddle::exec::jit::texture::HEDDLE_TEXTURE_LEVEL
