// Loads and stores of surfaces.
#include <bit>

#include "exec/jit/texture/registers.h"
#include "exec/jit/texture/unit.h"

namespace heddle::exec::jit::texture {

bool Unit::reach(SurfaceInstruction& instruction, uint32_t lanes, uint64_t* registers) {
  const SurfaceForm& form = *instruction.form;
  if (form.surface.slot != module::none &&
      equal_lanes(lanes_of(registers, form.surface.slot), lanes) != lanes)
    return false;
  const SurfaceObject* found =
      launch_->services->surface(handle(form.surface, std::countr_zero(lanes), registers));
  if (found == nullptr || found->image.mip[0].data == nullptr) return false;
  SurfacePlan& plan = instruction.plan;
  if (found != instruction.surface) {
    plan = make_plan(*codes_, form, *found);
    instruction.surface = found;
  }
  if (!plan.usable) return false;
  const Range range = range_of(lanes);
  const uint64_t* at[3];
  for (unsigned i = 0; i < 3; ++i) at[i] = values(form.coordinate[i], range, registers, i);
  int64_t* place = scratch_.slice;
  plan.places(at, form.unsigned_slice, plan.setting, range, place);
  bool good = true;
  each(lanes, [&](int l) { good &= place[l] != bad_place; });
  if (!good) return false;
  if (form.store)
    store(instruction, range, lanes, place, registers);
  else
    load(instruction, range, place, registers);
  return true;
}

void Unit::load(const SurfaceInstruction& instruction, Range range, const int64_t* place,
                uint64_t* registers) {
  const SurfacePlan& plan = instruction.plan;
  const SurfaceForm& form = *instruction.form;
  plan.gather(plan.base, place, range, scratch_.raw[0]);
  for (int i = 0; i < form.elements; ++i) {
    const uint32_t slot = form.result[static_cast<std::size_t>(i)];
    if (slot != module::none)
      codes_->unpack(scratch_.raw[0], place, form.element_bits, i, range, lanes_of(registers, slot));
  }
}

void Unit::store(const SurfaceInstruction& instruction, Range range, uint32_t lanes, const int64_t* place,
                 const uint64_t* registers) {
  const SurfacePlan& plan = instruction.plan;
  const SurfaceForm& form = *instruction.form;
  for (int i = 0; i < plan.channels; ++i) {
    const int8_t source = plan.source[i];
    if (source < 0) {
      codes_->pack[std::countr_zero(static_cast<unsigned>(plan.bits)) - 3](
          values({}, range, registers, 0), i * plan.bits, range, scratch_.raw[0]);
    } else {
      plan.encode(values(form.value[static_cast<std::size_t>(source)], range, registers, 0), i * plan.bits,
                  range, scratch_.raw[0]);
    }
  }
  plan.scatter(plan.base, place, lanes, scratch_.raw[0]);
}

}  // namespace heddle::exec::jit::texture
