// Looking textures up (PTX ISA 9.7.10.3 and 9.7.10.4). All of a texture is resident: the predicate that asks
// is true.
#include <bit>

#include "exec/interp/block.h"
#include "exec/interp/number/half.h"
#include "exec/interp/run.h"
#include "exec/interp/step.h"
#include "exec/interp/texture/reference.h"
#include "exec/interp/texture/sample.h"
#include "exec/interp/warp.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Type;
using isa::Word;
using module::Operand;
using module::OperandKind;

// Where the operands behind [t, s, coords] stand; -1: the instruction has none.
struct Places {
  int level = -1, slopes = -1, offset = -1, reference = -1;
};
constexpr int result = 0, resident = 1, where = 2;

bool has(const Step& s, int i) { return i >= 0 && s.present(i); }

// The coordinates and what else says which texels.
Lookup lookup_of(Step& s, const Places& places, std::span<const Operand> coords, int lane) {
  const Geometry geometry = geometry_of(s);
  Lookup lookup;
  lookup.axes = geometry.axes;
  lookup.cube = geometry.cube;
  std::size_t next = 0;
  if (geometry.array) lookup.layer = layer_at(s, coords[next++], lane);
  if (geometry.samples) lookup.sample = layer_at(s, coords[next++], lane);
  lookup.whole = s.type(Slot::ctype) == Type::s32;
  for (std::size_t i = 0; i < geometry.axes && next < coords.size(); ++i, ++next)
    lookup.at[i] = lookup.whole ? s.get<int32_t>(coords[next], lane) : s.get<float>(coords[next], lane);
  if (has(s, places.level)) {
    lookup.levels = true;
    lookup.level =
        lookup.whole ? s.get<int32_t>(places.level, lane) : double{s.get<float>(places.level, lane)};
  }
  if (has(s, places.slopes)) {
    lookup.slopes.emplace();
    for (std::size_t of = 0; of < 2; ++of) {
      const auto parts = elements_of(s, s.operand(places.slopes + static_cast<int>(of)));
      for (std::size_t i = 0; i < parts.size() && i < 3; ++i)
        (*lookup.slopes)[of][i] = s.get<float>(parts[i], lane);
    }
  }
  if (has(s, places.offset)) {
    const auto parts = elements_of(s, s.operand(places.offset));
    for (std::size_t i = 0; i < parts.size() && i < geometry.axes; ++i)
      lookup.offset[i] = s.get<int32_t>(parts[i], lane);
  }
  if (has(s, places.reference)) lookup.reference = s.get<float>(places.reference, lane);
  return lookup;
}

// Of a number its f16; of an integer the low half.
uint16_t half_of(bool real, uint32_t word) {
  return real ? to_f16(std::bit_cast<float>(word)) : static_cast<uint16_t>(word);
}

void set_result(Step& s, int lane, bool real, const Words& words) {
  const auto parts = elements_of(s, s.operand(result));
  switch (s.type(Slot::dtype)) {
    case Type::f16:
      for (std::size_t i = 0; i < parts.size() && i < 4; ++i)
        s.set<uint16_t>(parts[i], lane, half_of(real, words[i]));
      return;
    case Type::f16x2:
      for (std::size_t i = 0; i < parts.size() && i < 2; ++i)
        s.set<uint32_t>(parts[i], lane,
                        half_of(real, words[2 * i]) | uint32_t{half_of(real, words[2 * i + 1])} << 16);
      return;
    default:
      for (std::size_t i = 0; i < parts.size() && i < 4; ++i) s.set<uint32_t>(parts[i], lane, words[i]);
  }
}

void tell_look(Step& s, Watch& watch) {
  Warp& warp = s.warp();
  watch.tell_look({static_cast<uint32_t>(&s.function() - s.image().functions.data()),
                   static_cast<uint32_t>(&s.instruction() - s.function().code.data())},
                  warp.block().index(), warp.index(), s.lanes());
}

template <class F>
void look_up(Step& s, const Places& places, F&& find) {
  const auto parts = s.children(s.operand(where));  // texture, sampler or absent, coordinates
  Watch& watch = s.warp().run().watch;
  std::vector<uint64_t> seen;
  s.each([&](int lane) {
    if (s.faulted()) return;
    const TextureObject* texture = texture_of(s, parts.front(), lane);
    if (texture == nullptr) return;
    const Sampler* sampler = &texture->sampler;
    if (parts.size() > 2 && parts[1].kind != OperandKind::absent) sampler = sampler_of(s, parts[1], lane);
    if (sampler == nullptr) return;
    Lookup lookup = lookup_of(s, places, elements_of(s, parts.back()), lane);
    if (watch.looks()) lookup.seen = &seen;
    lookup.memory = s.launch().memory;
    const Words found = find(*texture, *sampler, lookup);
    if (lookup.missed != 0) {  // faults as a load of that address does
      s.place(lookup.missed, module::Space::global, lane, texture->image.texel.bytes(), false);
      return;
    }
    set_result(s, lane, reading_of(*texture).real(), found);
    if (s.present(resident)) s.set_predicate(resident, lane, true);
    for (const uint64_t address : seen) watch.note_texel(lane, address, texture->image.texel.bytes());
    seen.clear();
  });
  if (watch.looks()) tell_look(s, watch);
}

unsigned component_of(Word word) {
  switch (word) {
    case Word::g: return 1;
    case Word::b: return 2;
    case Word::a: return 3;
    default: return 0;
  }
}

}  // namespace

void eval_tex(Step& s) { look_up(s, {.offset = 3, .reference = 4}, sample); }
void eval_tex_level(Step& s) { look_up(s, {.level = 3, .offset = 4, .reference = 5}, sample); }
void eval_tex_grad(Step& s) { look_up(s, {.slopes = 3, .offset = 5, .reference = 6}, sample); }

void eval_tld4(Step& s) {
  const unsigned component = component_of(s.word(Slot::comp));
  look_up(s, {.offset = 3, .reference = 4},
          [&](const TextureObject& texture, const Sampler& sampler, const Lookup& lookup) {
            return gather(texture, sampler, lookup, component);
          });
}

}  // namespace heddle::exec::interp
