#include "checker/order_difference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "checker/place_text.h"
#include "exec/told_numbers.h"
#include "isa/isa.h"
#include "module/image.h"

namespace heddle::checker {

namespace {

struct Element {
  unsigned bytes = 4;
  exec::NumberFormat format;  // of no bits: none
  isa::TypeKind kind{};
};

// What an instruction writes there: the type that it names, or that of the number which is stored as bits.
Element element_of(exec::ToldNumbers& numbers, const WordWriter& writer) {
  const module::Image& image = *writer.image;
  const module::Instruction& instruction =
      image.functions[writer.place.function].code[writer.place.instruction];
  const isa::Type type = image.mnemonics[instruction.mnemonic].values.type();
  const isa::TypeInfo& info = isa::info(type);
  Element element;
  element.bytes = std::clamp<unsigned>(info.bits / 8, 1, 8);
  element.kind = info.kind;
  element.format = exec::format_of(type);
  if (element.format.bits == 0) {
    const auto told = numbers.of(writer.place.function, writer.place.instruction);
    if (!told.empty()) element.format = told.front().format();
  }
  if (element.format.bits != 0) element.bytes = element.format.bits / 8;
  return element;
}

uint64_t part_of(uint64_t word, unsigned shift, unsigned bytes) {
  return bytes == 8 ? word : word >> shift & ((uint64_t{1} << (8 * bytes)) - 1);
}

std::string text_of(const Element& element, uint64_t bits) {
  char text[64];
  if (element.format.bits != 0) {
    std::snprintf(text, sizeof text, "%.9g", element.format.value(bits));
    return text;
  }
  if (element.kind == isa::TypeKind::signed_) {
    const unsigned unused = 64 - 8 * element.bytes;
    return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
  }
  return element.kind == isa::TypeKind::unsigned_ ? std::to_string(bits)
                                                  : std::to_string(bits) + " (" + hex(bits) + ")";
}

}  // namespace

OrderDifference::OrderDifference(const LaunchMemory& memory, const LaunchMemory::Difference& difference,
                                 const WordWriters& own, const WordWriters& now) {
  std::map<const module::Image*, exec::ToldNumbers> numbers;
  struct Found {
    uint64_t address;
    uint32_t part;
    uint64_t own, now;
    Element element;
    const WordWriter *own_writer, *writer;
  };
  std::vector<Found> all;
  for (const LaunchMemory::Word& word : difference.words)
    for (unsigned byte = 0; byte < 8;) {
      if ((((word.result ^ word.now) >> (8 * byte)) & 0xff) == 0) {
        ++byte;
        continue;
      }
      const WordWriter *a = own.of(word.address + byte), *b = now.of(word.address + byte);
      Element element;
      const WordWriter* writer = a != nullptr && a->image != nullptr ? a : b;
      if (writer != nullptr && writer->image != nullptr)
        element = element_of(numbers.try_emplace(writer->image, *writer->image).first->second, *writer);
      const unsigned first = byte / element.bytes * element.bytes;
      all.push_back({word.address + first, word.part, part_of(word.result, 8 * first, element.bytes),
                     part_of(word.now, 8 * first, element.bytes), element, a, b});
      byte = first + element.bytes;
    }
  // Of sums the larger ones say how exact the others can be: their addends may have been as large.
  std::vector<double> largest(memory.parts().size());
  for (const Found& f : all)
    if (f.element.format.bits != 0 && f.element.format.is_finite(f.own))
      largest[f.part] = std::max(largest[f.part], std::fabs(f.element.format.value(f.own)));
  const auto agrees = [&](const Found& f) {
    const exec::NumberFormat& format = f.element.format;
    if (format.bits == 0 || !format.is_finite(f.own) || !format.is_finite(f.now)) return false;
    const double a = format.value(f.own), b = format.value(f.now);
    const bool sums =
        f.own_writer != nullptr && f.own_writer->changes && f.writer != nullptr && f.writer->changes;
    const double size = std::max({std::fabs(a), std::fabs(b), sums ? largest[f.part] : 0.0});
    return std::fabs(a - b) <= std::ldexp(size, -static_cast<int>((format.mantissa + 1) / 2));
  };
  // A thread that leaves something else at the same place has computed something else.
  const auto by_the_same = [](const Found& f) {
    return f.own_writer != nullptr && f.writer != nullptr && f.own_writer->work == f.writer->work &&
           f.own_writer->block == f.writer->block && f.own_writer->thread == f.writer->thread;
  };
  const auto worst = std::ranges::find_if_not(all, agrees);
  if (worst == all.end() && !all.empty())
    kind_ = Kind::rounding;
  else if (difference.permuted && std::ranges::none_of(all, by_the_same))
    kind_ = Kind::permuted;
  if (all.empty()) return;
  const Found& first = worst == all.end() ? all.front() : *worst;
  address_ = first.address, part_ = first.part;
  own_value_ = text_of(first.element, first.own), value_ = text_of(first.element, first.now);
  own_writer_ = first.own_writer, writer_ = first.writer;
}

}  // namespace heddle::checker
