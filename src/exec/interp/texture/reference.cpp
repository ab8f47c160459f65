#include "exec/interp/texture/reference.h"

#include <cstdio>

namespace heddle::exec::interp {
namespace {

using isa::Word;
using module::Operand;

void missing(Step& s, const Operand& reference, int lane, const char* what, uint64_t handle) {
  if (s.faulted()) return;  // the handle could not be read
  char number[32];
  std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(handle));
  std::string detail = "there is no " + std::string(what) + " of handle " + number;
  if (reference.index != module::none)
    detail += ", to which '" + s.image().symbols[reference.index].name + "' is bound";
  s.fault(FaultKind::illegal_address, lane, std::move(detail));
}

}  // namespace

const TextureObject* texture_of(Step& s, const Operand& reference, int lane) {
  const uint64_t handle = s.handle(reference, lane);
  Services* services = s.launch().services;
  const TextureObject* found = services == nullptr ? nullptr : services->texture(handle);
  if (found == nullptr || found->image.mip[0].data == nullptr) {
    missing(s, reference, lane, "texture", handle);
    return nullptr;
  }
  return found;
}

const Sampler* sampler_of(Step& s, const Operand& reference, int lane) {
  const uint64_t handle = s.handle(reference, lane);
  Services* services = s.launch().services;
  const Sampler* found = services == nullptr ? nullptr : services->sampler(handle);
  if (found == nullptr) missing(s, reference, lane, "sampler", handle);
  return found;
}

const SurfaceObject* surface_of(Step& s, const Operand& reference, int lane) {
  const uint64_t handle = s.handle(reference, lane);
  Services* services = s.launch().services;
  const SurfaceObject* found = services == nullptr ? nullptr : services->surface(handle);
  if (found == nullptr || found->image.mip[0].data == nullptr) {
    missing(s, reference, lane, "surface", handle);
    return nullptr;
  }
  return found;
}

std::span<const Operand> elements_of(const Step& s, const Operand& o) {
  if (o.kind == module::OperandKind::vector) return s.children(o);
  return {&o, 1};
}

Geometry geometry_of(const Step& s) {
  switch (s.word(isa::Slot::geom)) {
    case Word::_1d: return {.axes = 1};
    case Word::_3d: return {.axes = 3};
    case Word::a1d: return {.axes = 1, .array = true};
    case Word::a2d: return {.axes = 2, .array = true};
    case Word::cube: return {.axes = 3, .cube = true};
    case Word::acube: return {.axes = 3, .array = true, .cube = true};
    case Word::_2dms: return {.axes = 2, .samples = true};
    case Word::a2dms: return {.axes = 2, .array = true, .samples = true};
    default: return {.axes = 2};
  }
}

int64_t layer_at(const Step& s, const Operand& o, int lane) {
  const auto bits = s.get<uint32_t>(o, lane);
  const bool is_signed = isa::info(o.declared).kind == isa::TypeKind::signed_;
  return is_signed ? static_cast<int32_t>(bits) : int64_t{bits};
}

}  // namespace heddle::exec::interp
