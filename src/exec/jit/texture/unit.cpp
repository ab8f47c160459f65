#include "exec/jit/texture/unit.h"

#include <algorithm>
#include <bit>

#include "exec/cube_scale.h"
#include "exec/guest_memory.h"
#include "exec/jit/texture/registers.h"
#include "exec/texel_address.h"

namespace heddle::exec::jit::texture {

namespace {

const Codes& codes_of(VectorLevel level) {
  switch (level) {
    case VectorLevel::avx512: return avx512::codes();
    case VectorLevel::avx2: return avx2::codes();
    case VectorLevel::v2: break;
  }
  return plain::codes();
}

}  // namespace

void Unit::begin(const Launch& launch, const Forms& forms, VectorLevel level, bool looks) {
  looks_ = looks;
  launch_ = &launch;
  forms_ = &forms;
  codes_ = &codes_of(level);
  fetches_.clear();
  for (const FetchForm& form : forms.fetches) fetches_.emplace_back().form = &form;
  surfaces_.clear();
  for (const SurfaceForm& form : forms.surfaces) surfaces_.emplace_back().form = &form;
}

Unit::Answer Unit::step(uint32_t site, uint32_t lanes, uint64_t* registers) {
  looked_ = false;
  const std::vector<Forms::Entry>& known = forms_->of_site;
  if (site >= known.size() || launch_->services == nullptr) return Answer::unknown;
  const auto [kind, index] = known[site];
  const auto done = [](bool well) { return well ? Answer::done : Answer::unknown; };
  switch (kind) {
    case Forms::Kind::fetch: return done(fetch(fetches_[index], lanes, registers));
    case Forms::Kind::surface: return done(reach(surfaces_[index], lanes, registers));
    case Forms::Kind::query: {
      for (const uint32_t slot : forms_->queries[index].asked)
        if (slot != module::none && equal_lanes(lanes_of(registers, slot), lanes) != lanes)
          return Answer::unknown;
      return Answer::first;
    }
    case Forms::Kind::none: break;
  }
  return Answer::unknown;
}

void Unit::tell(uint32_t site, uint32_t lanes, uint64_t* registers) {
  uint64_t* answer = lanes_of(registers, forms_->queries[forms_->of_site[site].index].result);
  const uint64_t said = answer[std::countr_zero(lanes)];
  std::fill_n(answer, warp_lanes, said);
}

bool Unit::fetch(Instruction& instruction, uint32_t lanes, uint64_t* registers) {
  const FetchForm& form = *instruction.form;
  const auto ready = [&](uint32_t some) {
    const int lane = std::countr_zero(some);
    return prepare(instruction, handle(form.texture, lane, registers),
                   form.has_sampler ? handle(form.sampler, lane, registers) : 0);
  };
  Out out;
  seen_.clear();
  const uint32_t first = alike(form, lanes, registers);
  if (first == lanes) {
    if (!ready(lanes)) return false;
    for (std::size_t c = 0; c < 4; ++c)
      out.component[c] = form.result[c] == module::none ? nullptr : lanes_of(registers, form.result[c]);
    return looked_ = look(instruction, lanes, registers, out);
  }
  // Different textures: nothing may change before all are known to be there.
  for (uint32_t rest = lanes, some = first; rest != 0; rest &= ~some) {
    some = alike(form, rest, registers);
    if (!ready(some)) return false;
  }
  uint64_t results[4][warp_lanes];
  for (std::size_t c = 0; c < 4; ++c)
    out.component[c] = form.result[c] == module::none ? nullptr : scratch_.component[c];
  for (uint32_t rest = lanes, some = first; rest != 0; rest &= ~some) {
    some = alike(form, rest, registers);
    ready(some);
    if (!look(instruction, some, registers, out)) return false;
    for (std::size_t c = 0; c < 4; ++c)
      if (out.component[c] != nullptr) each(some, [&](int l) { results[c][l] = out.component[c][l]; });
  }
  for (std::size_t c = 0; c < 4; ++c)
    if (out.component[c] != nullptr)
      each(lanes, [&](int l) { lanes_of(registers, form.result[c])[l] = results[c][l]; });
  return looked_ = true;
}

bool Unit::is_whole(const TextureObject& texture) const {
  const MipLevel& level = texture.image.mip[0];
  const uint64_t rows = std::max<uint64_t>(1, level.height);
  const uint64_t bytes = (rows - 1) * level.row_pitch + level.width * texture.image.texel.bytes();
  return launch_->memory->accessible(reinterpret_cast<uintptr_t>(level.data), bytes, false);
}

bool Unit::prepare(Instruction& instruction, uint64_t texture, uint64_t sampler) {
  const TextureObject* found = launch_->services->texture(texture);
  if (found == nullptr || found->image.mip[0].data == nullptr) return false;
  const Sampler* how = &found->sampler;
  if (instruction.form->has_sampler) how = launch_->services->sampler(sampler);
  if (how == nullptr) return false;
  // Objects stay where they are, and as they are, while a kernel runs.
  if (found != instruction.texture || how != instruction.sampler) {
    instruction.plan = make_plan(*codes_, *instruction.form, *found, *how);
    instruction.texture = found;
    instruction.sampler = how;
    instruction.ends_early = is_open_ended(found->image) && launch_->memory != nullptr && !is_whole(*found);
  }
  return instruction.plan.usable;
}

// Corners that the filter leaves out (look) have no weight in any lane.
void Unit::see(const Instruction& instruction, uint32_t lanes, int between) {
  const Plan& plan = instruction.plan;
  const TexelArray& image = instruction.texture->image;
  const bool filtered = plan.add != nullptr;
  for (int i = 0; i < (filtered ? plan.blending.corners : 1); ++i) {
    if ((i & ~between) != 0) continue;
    each(lanes, [&](int l) {
      const int64_t place = scratch_.corners.place[i][l];
      if (place < 0 || (filtered && scratch_.corners.weight[i][l] == 0)) return;
      seen_.push_back({texel_address(image, image.mip[0], static_cast<uint64_t>(place)), image.texel.bytes(),
                       static_cast<uint16_t>(l)});
    });
  }
}

// Of a texture that ends early. Lanes between those that look must not touch what is not there: they look at
// the border, which stands for the first texel.
bool Unit::are_there(const Instruction& instruction, uint32_t lanes, Range range) {
  const Plan& plan = instruction.plan;
  const uint64_t bytes = instruction.texture->image.texel.bytes();
  const auto base = reinterpret_cast<uintptr_t>(plan.base);
  const auto is_there = [&](int64_t place) {
    return launch_->memory->accessible(base + static_cast<uint64_t>(place), bytes, false);
  };
  bool all = is_there(0);
  for (int i = 0; i < (plan.add == nullptr ? 1 : plan.blending.corners); ++i)
    for (int l = range.first; l < range.end; ++l) {
      int64_t& place = scratch_.corners.place[i][l];
      if ((lanes >> l & 1) == 0) place = -1;
      if (place >= 0) all = all && is_there(place);
    }
  return all;
}

bool Unit::look(const Instruction& instruction, uint32_t lanes, const uint64_t* registers, const Out& out) {
  const Range range = range_of(lanes);
  const FetchForm& form = *instruction.form;
  const Plan& plan = instruction.plan;
  const uint64_t* at[3] = {};
  // A row that is filtered has a second axis, on which it lies at 0 (plan.cpp).
  const unsigned axes = std::max(form.coordinates, plan.axes);
  for (unsigned i = 0; i < axes; ++i) at[i] = values(form.coordinate[i], range, registers, i);
  if (plan.cube) {
    const auto coordinate = [&](int axis, int l) {
      return std::bit_cast<float>(static_cast<uint32_t>(at[axis][l]));
    };
    for (int l = range.first; l < range.end; ++l)
      scratch_.scale[l] = cube_scale(coordinate(0, l), coordinate(1, l), coordinate(2, l));
    codes_->faces(at, scratch_.scale, range, scratch_.faces);
    at[0] = scratch_.faces.s;
    at[1] = scratch_.faces.t;
  }
  for (unsigned i = 0; i < plan.axes; ++i) plan.axis[i](at[i], plan.setting[i], range, scratch_.axis[i]);
  plan.corners(scratch_.axis, slices(instruction, range, registers), range, scratch_.corners);
  if (instruction.ends_early && !are_there(instruction, lanes, range)) return false;
  Scratch& s = scratch_;
  if (plan.add == nullptr) {
    if (looks_) see(instruction, lanes, 0);
    plan.gather(plan.base, s.corners.place[0], range, s.raw[0]);
    plan.decode(s.raw[0], s.corners.place[0], plan.decoding, range, out);
    return true;
  }
  int between = 0;
  for (unsigned i = 0; i < plan.axes; ++i) between |= (s.axis[i].between ? 1 : 0) << i;
  if (looks_) see(instruction, lanes, between);
  for (int slice = 0; slice < plan.blending.corners; slice += 4) {
    // What looks at the middles of texels needs no neighbours.
    if ((slice & ~between) != 0) continue;
    Corner corners[4];
    int count = 0;
    for (int i = slice; i < std::min(slice + 4, plan.blending.corners); ++i) {
      if ((i & ~between) != 0) continue;
      plan.gather(plan.base, s.corners.place[i], range, s.raw[count]);
      corners[count] = {&s.raw[count], s.corners.place[i], s.corners.weight[i]};
      ++count;
    }
    plan.add(corners, count, plan.blending, slice == 0, range, s.sums);
  }
  codes_->finish(s.sums, plan.blending, plan.decoding, range, out);
  return true;
}

// Layers clamp (PTX ISA 9.7.10.3); faces of a cube map are slices of its layer.
const int64_t* Unit::slices(const Instruction& instruction, Range range, const uint64_t* registers) {
  const FetchForm& form = *instruction.form;
  if (!form.array && !form.cube) return nullptr;
  const Plan& plan = instruction.plan;
  const uint64_t* layer = form.array ? values(form.layer, range, registers, 3) : nullptr;
  const int64_t faces = form.cube ? 6 : 1, last = std::max<int64_t>(1, plan.slices / faces) - 1;
  for (int l = range.first; l < range.end; ++l) {
    int64_t slice = 0;
    if (form.array) {
      const auto bits = static_cast<uint32_t>(layer[l]);
      const int64_t number = form.signed_layer ? static_cast<int32_t>(bits) : int64_t{bits};
      slice = std::clamp<int64_t>(number, 0, last) * faces;
    }
    if (form.cube) slice = std::min(slice + scratch_.faces.face[l], plan.slices - 1);
    scratch_.slice[l] = slice * plan.slice_pitch;
  }
  return scratch_.slice;
}

const uint64_t* Unit::values(const Source& source, Range range, const uint64_t* registers, unsigned place) {
  if (source.slot != module::none) return lanes_of(registers, source.slot);
  uint64_t* constant = scratch_.constant[place];
  for (int l = range.first; l < range.end; ++l) constant[l] = source.value;
  return constant;
}

uint64_t Unit::handle(const Reference& reference, int lane, const uint64_t* registers) const {
  if (reference.symbol != module::none)
    return launch_->module->symbol_handle[reference.symbol] + reference.offset;
  return reference.offset + (reference.slot == module::none ? 0 : lanes_of(registers, reference.slot)[lane]);
}

uint32_t Unit::equal_lanes(const uint64_t* values, uint32_t lanes) const {
  if (codes_->all_equal(values)) return lanes;
  const uint64_t first = values[std::countr_zero(lanes)];
  uint32_t equal = 0;
  each(lanes, [&](int l) { equal |= (values[l] == first ? 1U : 0U) << l; });
  return equal;
}

uint32_t Unit::alike(const FetchForm& form, uint32_t lanes, const uint64_t* registers) const {
  if (form.texture.slot != module::none) lanes = equal_lanes(lanes_of(registers, form.texture.slot), lanes);
  if (form.has_sampler && form.sampler.slot != module::none)
    lanes = equal_lanes(lanes_of(registers, form.sampler.slot), lanes);
  return lanes;
}

}  // namespace heddle::exec::jit::texture
