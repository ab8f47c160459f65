// Changes of tensor maps in memory (PTX ISA 9.7.9.26, 9.7.13.16).
#include "exec/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

constexpr uint32_t half_map = 64;  // maps are aligned to it

bool transfer(Step& s, const module::Operand& o, int lane, TensorMap& map, bool write) {
  auto* bytes = reinterpret_cast<std::byte*>(&map);
  for (uint32_t at = 0; at < sizeof map; at += half_map) {
    const Step::Place place = s.place(s.address_of(o, lane) + at, o.space, lane, half_map, write);
    if (place.host == nullptr) return false;
    if (write)
      std::memcpy(place.host, bytes + at, half_map);
    else
      std::memcpy(bytes + at, place.host, half_map);
  }
  return true;
}

// A value that the field cannot hold: the map would mean something else.
bool out_of_range(Step& s, int lane, uint64_t value) {
  s.fault(FaultKind::illegal_instruction, lane,
          "tensormap.replace of '" + std::string(isa::spelling(s.word(Slot::field))) + "' with " +
              std::to_string(value));
  return false;
}

template <class T>
bool choose(Step& s, int lane, uint64_t value, T& field) {
  if (value >= static_cast<uint64_t>(T::count)) return out_of_range(s, lane, value);
  field = static_cast<T>(value);
  return true;
}

bool set_field(Step& s, int lane, std::size_t ordinal, uint64_t value, TensorMap& map) {
  switch (s.word(Slot::field)) {
    case Word::global_address: map.address = value; return true;
    case Word::rank:  // one less than the rank
      if (value >= max_tensor_rank) return out_of_range(s, lane, value);
      map.rank = static_cast<uint8_t>(value + 1);
      return true;
    case Word::elemtype: return choose(s, lane, value, map.element);
    case Word::interleave_layout: return choose(s, lane, value, map.interleave);
    case Word::swizzle_mode: return choose(s, lane, value, map.swizzle);
    case Word::swizzle_atomicity: return choose(s, lane, value, map.atom);
    case Word::fill_mode: return choose(s, lane, value, map.fill);
    case Word::box_dim:
      if (value == 0 || value > 256) return out_of_range(s, lane, value);
      map.box[ordinal] = static_cast<uint16_t>(value);
      return true;
    case Word::global_dim: map.sizes[ordinal] = static_cast<uint32_t>(value) - 1; return true;
    case Word::element_stride:
      if (value == 0 || value > 8) return out_of_range(s, lane, value);
      map.steps[ordinal] = static_cast<uint8_t>(value);
      return true;
    default:  // global_stride
      if (ordinal >= map.strides.size()) return out_of_range(s, lane, value);
      map.strides[ordinal] = value;
      return true;
  }
}

// Programs may begin with 128 bytes of zeros instead of a map that the driver encoded, as Triton's tensor
// descriptors do: `.tile` says what the map is, and what is not replaced has its smallest value.
void begin_tiled(TensorMap& map) {
  if (map.mode != TensorMode::none) return;
  map.mode = TensorMode::tiled;
  map.rank = std::max<uint8_t>(map.rank, 1);
  for (uint16_t& box : map.box) box = std::max<uint16_t>(box, 1);
  for (uint8_t& step : map.steps) step = std::max<uint8_t>(step, 1);
}

// Operands: [a], perhaps an ordinal, a value.
void replace(Step& s, bool has_ordinal) {
  s.each([&](int lane) {
    if (s.faulted()) return;
    TensorMap map;
    if (!transfer(s, s.operand(0), lane, map, false)) return;
    begin_tiled(map);
    const std::size_t ordinal = has_ordinal ? s.get<uint32_t>(1, lane) : 0;
    const int value = has_ordinal ? 2 : 1;
    const bool wide = s.type() == isa::Type::b64;
    if (set_field(s, lane, ordinal, wide ? s.get<uint64_t>(value, lane) : s.get<uint32_t>(value, lane), map))
      transfer(s, s.operand(0), lane, map, true);
  });
}

}  // namespace

void eval_tensormap_replace(Step& s) { replace(s, false); }
void eval_tensormap_replace_dim(Step& s) { replace(s, true); }

// The lanes of the warp copy one map together: where they name several, each copies its own.
void eval_tensormap_cp_fenceproxy(Step& s) {
  if (!s.collect_warp()) return;
  s.each([&](int lane) {
    if (s.faulted()) return;
    TensorMap map;
    if (transfer(s, s.operand(1, lane), lane, map, false)) transfer(s, s.operand(0, lane), lane, map, true);
  });
}

}  // namespace heddle::exec::interp
