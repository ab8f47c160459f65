#include "checker/float_events.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <span>

namespace heddle::checker {

using exec::Number;
using isa::Slot;

namespace {

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// isnan() and the like: the comparison asks for that alone.
bool is_test(const module::Instruction& instruction, const isa::SlotValues& words) {
  return instruction.opcode == isa::Opcode::testp ||
         (words.has(Slot::cmp) && (words[Slot::cmp] == isa::Word::nan || words[Slot::cmp] == isa::Word::num));
}

}  // namespace

void FloatEvents::add(const FloatEvents& other) {
  for (std::size_t k = 0; k < births; ++k) {
    const FirstBirth& o = other.first[k];
    if (other.born[k] != 0 && (born[k] == 0 || !first[k].before(o.launch, o.block, o.thread))) first[k] = o;
    born[k] += other.born[k];
  }
  for (std::size_t f = 0; f < fates; ++f)
    for (std::size_t c = 0; c < 2; ++c) fate[f][c] += other.fate[f][c];
  nan_of_infinity += other.nan_of_infinity;
  type = other.type;
}

FloatCounter::OfPlace& FloatCounter::of(observe::Place place) {
  auto& places = places_[place.function];
  if (places.empty()) places.resize(image_.functions[place.function].code.size());
  std::unique_ptr<OfPlace>& made = places[place.instruction];
  if (made != nullptr) return *made;
  made = std::make_unique<OfPlace>();
  OfPlace& one = *made;
  const module::Instruction& instruction = image_.functions[place.function].code[place.instruction];
  const isa::SlotValues& words = image_.mnemonics[instruction.mnemonic].values;
  one.numbers = numbers_.of(place.function, place.instruction);
  one.use = numbers_.use(place.function, place.instruction);
  one.flushes = words.has(Slot::ftz);
  one.addend = addend_of(one.numbers, one.use);
  one.events.type = one.numbers[0].type;
  if (one.use.computes)
    one.end = Fate::converted;
  else if (one.use.compares)
    one.end = is_test(instruction, words) ? Fate::tested : Fate::compared;
  return one;
}

void FloatCounter::value(const observe::Value& value) {
  const At at{of(value.place), value};
  if (at.place.use.computes && at.place.numbers[0].result)
    compute(at);
  else
    end(at);
}

void FloatCounter::carried(observe::Place place, const observe::Carried& carried) {
  auto& counts = of(place).events.fate[static_cast<std::size_t>(Fate::carried)];
  counts[0] += carried.nans, counts[1] += carried.infinities;
}

exec::NumberLanes FloatCounter::lanes(const At& at, const Number& number, unsigned element) const {
  const exec::NumberFormat format = number.format();
  const rows::NumberKinds kinds = rows_.kinds({.bits = at.row(number),
                                               .shift = element * format.bits,
                                               .magnitude = format.mask() >> 1,
                                               .exponent = format.exponent(),
                                               .normal = format.least_normal()});
  return exec::NumberLanes{kinds.nan, kinds.infinite, kinds.subnormal, kinds.zero} & at.value.lanes;
}

// Of pairs, the element that the result's comes of; of others all elements. `divisor`: of that alone.
exec::NumberLanes FloatCounter::sources(const At& at, unsigned element, unsigned elements, bool divisor,
                                        const exec::NumberLanes& result) const {
  const bool explains = result.not_finite() == at.value.lanes && !at.place.use.fragments;
  exec::NumberLanes all;
  for (const Number& number : at.place.numbers) {
    if (number.result || (divisor && (number.place == 0 || number.place != at.place.use.divisor))) continue;
    // Two numbers that are made a pair: the first one is its upper half (PTX ISA 9.7.9.21, cvt).
    if (number.elements() == 1 && elements == 2 && number.place != 2 - element) continue;
    for (unsigned e = 0; e < number.elements(); ++e)
      if (number.elements() != elements || e == element) all |= lanes(at, number, e);
    // Nothing is born, and nothing lost.
    if (explains && (result.nan & ~all.nan) == 0 && (result.infinite & ~all.not_finite()) == 0) break;
  }
  return all;
}

void FloatCounter::compute(const At& at) {
  const exec::NumberUse use = at.place.use;
  const auto fate = [&](Fate f, bool infinite, observe::Mask lanes) {
    at.place.events.fate[static_cast<std::size_t>(f)][infinite ? 1 : 0] +=
        static_cast<uint64_t>(std::popcount(lanes));
  };
  for (const Number& number : at.place.numbers) {
    if (!number.result) break;
    for (unsigned e = 0; e < number.elements(); ++e) {
      const exec::NumberLanes result = lanes(at, number, e);
      exec::NumberLanes from = sources(at, e, number.elements(), false, result);
      if (use.fragments) {  // elements of a product come of those of other lanes
        const auto any = [](observe::Mask lanes) { return lanes != 0 ? ~observe::Mask{0} : 0; };
        from = {any(from.nan), any(from.infinite), any(from.subnormal), 0};
      }
      const observe::Mask nans = use.selects ? 0 : result.nan & ~from.nan,
                          infinities = use.selects ? 0 : result.infinite & ~from.not_finite();
      fate(Fate::carried, false, result.nan & ~nans);
      fate(Fate::carried, true, result.infinite & ~infinities);
      if ((nans | infinities) != 0) {
        const exec::NumberLanes by = sources(at, e, number.elements(), true, {});
        const observe::Mask divided = by.zero | (at.place.flushes ? by.subnormal : 0);
        at.place.events.nan_of_infinity += static_cast<uint64_t>(std::popcount(nans & from.infinite));
        born(at, Birth::division, (nans | infinities) & divided, e);
        born(at, Birth::nan, nans & ~divided, e);
        born(at, Birth::infinity, infinities & ~divided, e);
      }
      if (!use.fragments) {  // there, a finite element comes of rows and columns without
        const observe::Mask finite = at.value.lanes & ~result.not_finite();
        fate(Fate::lost, false, finite & from.nan);
        fate(Fate::lost, true, finite & from.infinite & ~from.nan);
      }
      if (!use.selects) born(at, Birth::subnormal, result.subnormal & ~from.subnormal, e);
      if (at.place.addend != nullptr && (kinds_ & bit(Birth::cancellation)) != 0)
        born(at, Birth::cancellation,
             at.value.lanes &
                 cancelled_lanes(number, *at.place.addend, e, at.row(number), at.row(*at.place.addend)),
             e);
    }
  }
}

void FloatCounter::end(const At& at) {
  auto& counts = at.place.events.fate[static_cast<std::size_t>(at.place.end)];
  for (const Number& number : at.place.numbers)
    for (unsigned e = 0; e < number.elements(); ++e) {
      const exec::NumberLanes of = lanes(at, number, e);
      counts[0] += static_cast<uint64_t>(std::popcount(of.nan));
      counts[1] += static_cast<uint64_t>(std::popcount(of.infinite));
    }
}

void FloatCounter::born(const At& at, Birth birth, observe::Mask lanes, unsigned element) {
  if (lanes == 0 || (kinds_ & bit(birth)) == 0) return;
  const auto k = static_cast<std::size_t>(birth);
  const auto& b = at.value.block;
  const uint64_t block = (uint64_t{b[2]} * grid_[1] + b[1]) * grid_[0] + b[0];
  const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
  const uint32_t thread = at.value.warp * observe::warp_lanes + lane;
  FloatEvents& events = at.place.events;
  FirstBirth& first = events.first[k];
  const bool known = events.born[k] != 0 && first.before(launch_, block, thread);
  events.born[k] += static_cast<uint64_t>(std::popcount(lanes));
  if (!known) first = {launch_, block, thread, b, operation_text(at, lane, element)};
}

std::string FloatCounter::operation_text(const At& at, unsigned lane, unsigned element) const {
  const observe::Place place = at.value.place;
  const module::Function& function = image_.functions[place.function];
  const module::Instruction& instruction = function.code[place.instruction];
  std::string text = image_.mnemonics[instruction.mnemonic].text;
  if (at.place.numbers[0].operand == nullptr)
    for (unsigned o = 0; o < instruction.operand_count; ++o)
      if (const module::Operand& operand = function.operands[instruction.first_operand + o];
          operand.kind == module::OperandKind::function)
        text = image_.functions[operand.index].name;
  if (at.place.use.fragments) return text;
  std::string sources;
  for (const Number& number : at.place.numbers) {
    if (number.result) continue;
    const unsigned e = number.elements() == at.place.numbers[0].elements() ? element : 0;
    const uint64_t bits = at.row(number)[lane];
    sources +=
        (sources.empty() ? " of " : ", ") + number_text(number.format().value(number.element(bits, e)));
  }
  return text + sources;
}

}  // namespace heddle::checker
