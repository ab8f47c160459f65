// Atomic operations on memory (PTX ISA 9.7.13.5 and 9.7.13.6). Lanes are served in ascending order: one of
// the orders that the ISA allows, and the one that the other executor takes as well.

#include "exec/interp/eval/atomic.h"

#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Type;
using isa::Word;

// One atomic change of one element; gives the old value.
uint64_t change(Step& s, std::byte* at, Word op, Type type, bool flush, uint64_t b) {
  bool same = true;
  const uint64_t before = atomic_change(at, isa::info(type).bits / 8u, [&](uint64_t old) {
    const uint64_t result = atomic_result(op, type, flush, old, b);
    same = result == old;
    return result;
  });
  if (!same) s.leaves_another_value();
  return before;
}

// `d` is the operand of the old values, or -1; `a` the address, `b` the values. Vectors change element by
// element: each of them is atomic, the whole is not (9.7.13.5).
void change_memory(Step& s, int d, int a, int b) {
  const Word op = s.word(Slot::op);
  const Type type = s.type();
  const uint32_t bytes = isa::info(type).bits / 8u;
  s.polls();
  s.changes();
  fence_before(s);
  s.each([&](int lane) {
    if (s.faulted()) return;
    const auto values = s.parts(s.operand(b));
    const Step::Place place = s.place(s.operand(a), lane, bytes * static_cast<uint32_t>(values.size()), true);
    if (place.host == nullptr) return;
    if (bytes == 16) {
      const Wide value = s.get<Wide>(values[0], lane);
      const Wide old = atomic_change_wide(place.host, [&](Wide) { return value; });  // exch is the only one
      if (!(old == value)) s.leaves_another_value();
      if (d >= 0) s.set<Wide>(d, lane, old);
      return;
    }
    const bool flush = place.space != module::Space::shared;
    uint64_t old[8] = {};
    for (std::size_t i = 0; i < values.size(); ++i)
      old[i] = change(s, place.host + i * bytes, op, type, flush, s.get<uint64_t>(values[i], lane));
    if (d < 0) return;
    const auto results = s.parts(s.operand(d));
    for (std::size_t i = 0; i < results.size(); ++i) s.set<uint64_t>(results[i], lane, old[i]);
  });
  fence_after(s);
}

}  // namespace

void eval_atom(Step& s) { change_memory(s, 0, 1, 2); }
void eval_atom_vec(Step& s) { change_memory(s, 0, 1, 2); }
void eval_red(Step& s) { change_memory(s, -1, 0, 1); }
void eval_red_vec(Step& s) { change_memory(s, -1, 0, 1); }
// Asynchronous and complete at once: one of the moments at which it may complete.
void eval_red_async_global(Step& s) { change_memory(s, -1, 0, 1); }

// d = [a]; [a] = d == b ? c : d.
void eval_atom_cas(Step& s) {
  const uint32_t bytes = isa::info(s.type()).bits / 8u;
  s.polls();
  s.changes();
  fence_before(s);
  s.each([&](int lane) {
    if (s.faulted()) return;
    const Step::Place place = s.place(s.operand(1), lane, bytes, true);
    if (place.host == nullptr) return;
    if (bytes == 16) {
      const Wide expected = s.get<Wide>(2, lane), value = s.get<Wide>(3, lane);
      const Wide found =
          atomic_change_wide(place.host, [&](Wide old) { return old == expected ? value : old; });
      s.compared(lane, found == expected);
      if (found == expected && !(value == expected)) s.leaves_another_value();
      s.set<Wide>(0, lane, found);
      return;
    }
    const uint64_t mask = bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes) - 1;
    const uint64_t expected = s.get<uint64_t>(2, lane) & mask, value = s.get<uint64_t>(3, lane);
    const uint64_t found =
        atomic_change(place.host, bytes, [&](uint64_t old) { return old == expected ? value : old; });
    s.compared(lane, found == expected);
    if (found == expected && value != expected) s.leaves_another_value();
    s.set<uint64_t>(0, lane, found);
  });
  fence_after(s);
}

}  // namespace heddle::exec::interp
