"""approx/bounds.gen.h: the documented error bounds, for the tests."""

import math

from gen import SpecError

HEAD = """#pragma once

#include <limits>
#include <string_view>

namespace heddle::approx {

struct Beyond {
  std::string_view instruction;
  unsigned input;
};

struct Bound {
  enum class Kind { ulp, relative, absolute };
  std::string_view instruction;
  Kind kind;
  double limit;
  double from, to;  // of which arguments
};

"""
INFINITY = "std::numeric_limits<double>::infinity()"


def number(text: str) -> float:
    """A number, a power "2^-22.9", or a multiple of pi "2 pi"."""
    base, power, exponent = text.partition("^")
    if power:
        return float(base) ** float(exponent)
    if text.endswith(" pi"):
        return float(text[:-3]) * math.pi
    return float(text)


def show(value: float) -> str:
    return value.hex() if math.isfinite(value) else ("-" if value < 0 else "") + INFINITY


def header(instructions: list[dict]) -> str:
    rows = ""
    for instruction in instructions:
        for bound in instruction["bound"]:
            if bound["kind"] not in ("ulp", "relative", "absolute"):
                raise SpecError(f"spec/approx: {instruction['name']}: unknown kind of bound '{bound['kind']}'")
            limits = (bound["limit"], bound.get("from", "-inf"), bound.get("to", "inf"))
            numbers = ", ".join(show(number(text)) for text in limits)
            rows += f'    {{"{instruction["name"]}", Bound::Kind::{bound["kind"]}, {numbers}}},\n'
    beyond = ""
    for instruction in instructions:
        for bits in instruction.get("device_exceeds", []):
            beyond += f'    {{"{instruction["name"]}", {bits:#x}}},\n'
    text = HEAD + f"inline constexpr Bound bounds[] = {{\n{rows}}};\n\n"
    text += f"// Where the device itself is beyond the bound.\ninline constexpr Beyond device_exceeds[] = {{\n{beyond}}};\n"
    return text + "\n}  // namespace heddle::approx\n"
