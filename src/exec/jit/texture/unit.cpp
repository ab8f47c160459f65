#include "exec/jit/texture/unit.h"

#include <algorithm>
#include <bit>

namespace heddle::exec::jit::texture {

namespace {

Range range_of(uint32_t lanes) {
  const int last = 31 - std::countl_zero(lanes);
  return {std::countr_zero(lanes) / range_step * range_step, last / range_step * range_step + range_step};
}

template <class F>
void each(uint32_t lanes, F&& f) {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) f(std::countr_zero(rest));
}

const uint64_t* lanes_of(const uint64_t* registers, uint32_t slot) {
  return registers + std::size_t{slot} * warp_lanes;
}
uint64_t* lanes_of(uint64_t* registers, uint32_t slot) { return registers + std::size_t{slot} * warp_lanes; }

const Codes& codes_of(VectorLevel level) {
  switch (level) {
    case VectorLevel::avx512: return avx512::codes();
    case VectorLevel::avx2: return avx2::codes();
    case VectorLevel::v2: break;
  }
  return plain::codes();
}

}  // namespace

void Unit::begin(const Launch& launch, const CompiledKernel& kernel) {
  launch_ = &launch;
  kernel_ = &kernel;
  codes_ = &codes_of(kernel.level);
  instructions_.clear();
  for (const FetchForm& form : kernel.textures.known) instructions_.emplace_back().form = &form;
}

bool Unit::step(uint32_t site, uint32_t lanes, uint64_t* registers) {
  const std::vector<uint32_t>& known = kernel_->textures.of_site;
  if (site >= known.size() || known[site] == module::none || launch_->services == nullptr) return false;
  return fetch(instructions_[known[site]], lanes, registers);
}

bool Unit::fetch(Instruction& instruction, uint32_t lanes, uint64_t* registers) {
  const FetchForm& form = *instruction.form;
  const auto ready = [&](uint32_t some) {
    const int lane = std::countr_zero(some);
    return prepare(instruction, handle(form.texture, lane, registers),
                   form.has_sampler ? handle(form.sampler, lane, registers) : 0);
  };
  Out out;
  const uint32_t first = alike(form, lanes, registers);
  if (first == lanes) {
    if (!ready(lanes)) return false;
    for (std::size_t c = 0; c < 4; ++c)
      out.component[c] = form.result[c] == module::none ? nullptr : lanes_of(registers, form.result[c]);
    look(instruction, range_of(lanes), registers, out);
    return true;
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
    look(instruction, range_of(some), registers, out);
    for (std::size_t c = 0; c < 4; ++c)
      if (out.component[c] != nullptr) each(some, [&](int l) { results[c][l] = out.component[c][l]; });
  }
  for (std::size_t c = 0; c < 4; ++c)
    if (out.component[c] != nullptr)
      each(lanes, [&](int l) { lanes_of(registers, form.result[c])[l] = results[c][l]; });
  return true;
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
  }
  return instruction.plan.usable;
}

void Unit::look(const Instruction& instruction, Range range, const uint64_t* registers, const Out& out) {
  const FetchForm& form = *instruction.form;
  const Plan& plan = instruction.plan;
  for (unsigned i = 0; i < plan.axes; ++i)
    plan.axis[i](values(form.coordinate[i], range, registers, i), plan.setting[i], range, scratch_.axis[i]);
  plan.corners(scratch_.axis, slices(instruction, range, registers), range, scratch_.corners);
  Scratch& s = scratch_;
  if (plan.add == nullptr) {
    plan.gather(plan.base, s.corners.place[0], range, s.raw);
    return plan.decode(s.raw, s.corners.place[0], plan.decoding, range, out);
  }
  for (int i = 0; i < plan.blending.corners; ++i) {
    const int64_t* place = s.corners.place[i];
    plan.gather(plan.base, place, range, s.raw);
    plan.add(s.raw, place, s.corners.weight[i], plan.blending, i == 0, range, s.sums);
  }
  codes_->finish(s.sums, plan.blending, plan.decoding, range, out);
}

// Layers clamp (PTX ISA 9.7.10.3).
const int64_t* Unit::slices(const Instruction& instruction, Range range, const uint64_t* registers) {
  const FetchForm& form = *instruction.form;
  if (!form.array) return nullptr;
  const uint64_t* layer = values(form.layer, range, registers, 0);
  const Plan& plan = instruction.plan;
  for (int l = range.first; l < range.end; ++l) {
    const auto bits = static_cast<uint32_t>(layer[l]);
    const int64_t number = form.signed_layer ? static_cast<int32_t>(bits) : int64_t{bits};
    scratch_.slice[l] = std::clamp<int64_t>(number, 0, plan.layers - 1) * plan.slice_pitch;
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
