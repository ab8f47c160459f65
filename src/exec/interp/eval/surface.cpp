// Loads, stores and reductions on surfaces (PTX ISA 9.7.11). Cache operators change no value.
#include "exec/interp/texture/surface.h"

#include <array>
#include <cstring>

#include "exec/interp/eval/atomic.h"
#include "exec/interp/step.h"
#include "exec/interp/texture/reference.h"
#include "exec/interp/texture/texel.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Type;
using isa::Word;
using module::Operand;

// f(lane, surface, place) for each lane; place is nullptr where nothing lies.
template <class F>
void on_surface(Step& s, int where, SurfaceUnit unit, uint32_t bytes, F&& f) {
  const auto parts = s.children(s.operand(where));  // surface, coordinates
  const auto coords = elements_of(s, parts.back());
  s.each([&](int lane) {
    if (s.faulted()) return;
    const SurfaceObject* surface = surface_of(s, parts.front(), lane);
    if (surface == nullptr) return;
    const uint32_t size = bytes != 0 ? bytes : surface->image.texel.bytes();
    std::byte* place = surface_place(s, *surface, coords, lane, unit, size);
    if (!s.faulted()) f(lane, *surface, place);
  });
}

uint32_t bytes_of(Type type) { return isa::info(type).bits / 8u; }

void reduce(Step& s, std::byte* at, Type type, uint64_t value) {
  const Word op = s.word(Slot::op);
  atomic_change(at, bytes_of(type), [&](uint64_t old) { return atomic_result(op, type, false, old, value); });
}

// The type of .b32 and .b64 is the surface's (9.7.11.3).
Type type_on(const Texel& texel, Type type) {
  const bool is_signed = texel.kind == ChannelKind::signed_;
  if (type == Type::b64) return is_signed ? Type::s64 : Type::u64;
  return is_signed ? Type::s32 : Type::u32;
}

}  // namespace

void eval_suld_b(Step& s) {
  const uint32_t bytes = bytes_of(s.type());
  const auto results = elements_of(s, s.operand(0));
  const auto count = static_cast<uint32_t>(results.size());
  on_surface(s, 1, SurfaceUnit::bytes, bytes * count, [&](int lane, const SurfaceObject&, std::byte* at) {
    std::array<uint64_t, 4> values{};
    for (uint32_t i = 0; i < count && at != nullptr; ++i) std::memcpy(&values[i], at + i * bytes, bytes);
    for (uint32_t i = 0; i < count; ++i) s.set<uint64_t>(results[i], lane, values[i]);
  });
}

void eval_sust_b(Step& s) {
  const uint32_t bytes = bytes_of(s.type());
  const auto values = elements_of(s, s.operand(1));
  on_surface(s, 0, SurfaceUnit::bytes, bytes * static_cast<uint32_t>(values.size()),
             [&](int lane, const SurfaceObject&, std::byte* at) {
               for (std::size_t i = 0; i < values.size() && at != nullptr; ++i) {
                 const auto value = s.get<uint64_t>(values[i], lane);
                 std::memcpy(at + i * bytes, &value, bytes);
               }
             });
}

void eval_sust_p(Step& s) {
  const auto values = elements_of(s, s.operand(1));
  on_surface(s, 0, SurfaceUnit::elements, 0, [&](int lane, const SurfaceObject& surface, std::byte* at) {
    if (at == nullptr) return;
    Words components{};
    for (std::size_t i = 0; i < values.size() && i < 4; ++i) components[i] = s.get<uint32_t>(values[i], lane);
    store_texel(surface.image, at, components, static_cast<unsigned>(values.size()));
  });
}

void eval_sured_b(Step& s) {
  const Type type = s.type();
  s.polls();
  on_surface(s, 0, SurfaceUnit::bytes, bytes_of(type), [&](int lane, const SurfaceObject&, std::byte* at) {
    if (at != nullptr) reduce(s, at, type, s.get<uint64_t>(1, lane));
  });
}

void eval_sured_p(Step& s) {
  const uint32_t bytes = bytes_of(s.type());
  s.polls();
  on_surface(s, 0, SurfaceUnit::elements, 0, [&](int lane, const SurfaceObject& surface, std::byte* at) {
    const Texel& texel = surface.image.texel;
    if (texel.bytes() != bytes) {
      s.fault(FaultKind::illegal_instruction, lane,
              "the surface's elements have " + std::to_string(texel.bytes()) + " bytes, the reduction " +
                  std::to_string(bytes));
      return;
    }
    if (at != nullptr) reduce(s, at, type_on(texel, s.type()), s.get<uint64_t>(1, lane));
  });
}

}  // namespace heddle::exec::interp
