#!/usr/bin/env python3
"""Solves the coefficients of spec/approx from a dump of a device (tests/hw/h200/approx/README.md). Needs numpy.

    fit.py DUMP_DIR OUT_DIR [NAME ...]

For one segment every recorded result says lowest <= (value << value_shift) + slope * x + (curve * square << square_shift)
+ bias < highest. Least squares come so close to slope and curve that the few integers around them are tried; all that
satisfy every result of the segment are kept. There must be exactly one, so the coefficients are facts about the device.
The shape (a truncated squarer, widths) follows Oberman and Siu, ARITH-17 (2005); the constants of rounding and the squarer's
cut were first published for the G80 by Marcelina Kościelnicka (envytools, nvhw), and hold for this device unchanged.
"""

import importlib.util
import pathlib
import sys
import tomllib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINADE = 1 << 23  # the f32 numbers of one exponent


class Dump:
    def __init__(self, directory: str):
        path = ROOT / "tests/hw/h200/approx/decode.py"
        spec = importlib.util.spec_from_file_location("decode", path)
        self.decode = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.decode)
        self.directory = directory
        self.sections = [s for s in self.decode.sections(directory) if s["kind"] == "sweep"]

    def sweep(self, function: str, start: int, step: int = 1) -> np.ndarray:
        """The results for every step-th number from start on, over one exponent."""
        for s in self.sections:
            first, stride, count = (int(p, 0) for p in s["params"])
            if s["function"] == function and first == start and step % stride == 0 and count * stride == BINADE:
                return np.array(self.decode.values(self.directory, s), dtype=np.int64)[:: step // stride]
        raise SystemExit(f"no sweep of {function} from {start:#010x}")


def square(x: np.ndarray) -> np.ndarray:
    total = np.zeros_like(x)
    for bit in range(17):
        total += np.where(x >> bit & 1, x >> (18 - bit), 0)
    return total >> 1


def significand(r: np.ndarray) -> np.ndarray:
    return (r & 0x7FFFFF) | 0x800000


def exponent(r: np.ndarray) -> np.ndarray:
    return (r >> 23 & 255) - 127


def floating(argument, r, fraction_bits):
    """Bounds where the result was normalised and cut off: a value with fraction_bits behind the point."""
    shift = fraction_bits - 23 + exponent(r)
    keep = (shift >= 2) & (r & 0x7FFFFFFF != 0)
    argument, r, shift = argument[keep], r[keep], shift[keep]
    return argument, significand(r) << shift, (significand(r) + 1) << shift


def turns(x: np.ndarray) -> np.ndarray:
    """x / (2 pi) as the device multiplies, cut off to 24 bits; quarters of a turn in units of 2^-23."""
    product = significand(x) * 0xA2F983
    carry = product >> 47
    shift = exponent(x) - 3 + carry + 2
    significant = product >> (23 + carry)
    return np.where(shift >= 0, significant << np.maximum(shift, 0), significant >> np.maximum(-shift, 0))


# Each gives argument, lowest, highest; the table's record has what is needed beside that.
def rcp(dump, table):
    r = dump.sweep("rcp_ftz", 0x3F800000)
    y = np.where(r == 0x3F800000, 1 << 24, significand(r))
    return np.arange(BINADE), y << table["result_shift"], (y + 1) << table["result_shift"]


def root(function):
    def bounds(dump, table):
        y = significand(np.concatenate([dump.sweep(function, start) for start in (0x3F800000, 0x40000000)]))
        argument = np.arange(1, 2 * BINADE)  # 1 itself is exact, and has another exponent
        return argument, y[1:] << table["result_shift"], (y[1:] + 1) << table["result_shift"]

    return bounds


def ex2(dump, table):
    y = significand(dump.sweep("ex2_ftz", 0x3F800000))
    return np.arange(BINADE), y << table["result_shift"], (y + 1) << table["result_shift"]


def lg2(dump, table):
    return floating(np.arange(1, BINADE), dump.sweep("lg2_ftz", 0x3F800000)[1:], 36 + table["result_shift"])


def sin(dump, table):
    parts = []
    for start in (0x3F000000, 0x3F800000, 0x40000000):
        position = turns(np.arange(start, start + BINADE))
        for function, quarter in (("sin_", 0), ("cos_", 1)):
            argument = position & 0x7FFFFF
            argument = np.where((position >> 23) + quarter & 1, 0x7FFFFF - argument, argument)
            parts.append(floating(argument, dump.sweep(function, start), 37))
    return [np.concatenate(part) for part in zip(*parts)]


def tanh(dump, table):
    parts, first = [], 0
    for i, segments in enumerate(table["segments_of"]):
        step = 1 << (6 - (segments.bit_length() - 1))  # lower bits of the fraction make no difference
        r = dump.sweep("tanh_", 127 + table["first_exponent"] + i << 23, step)
        argument, low, high = floating((first << 17) + np.arange(len(r)), r, 41)
        parts.append((argument, low, np.where(low >= 1 << 41, 1 << 60, high)))
        first += segments
    return [np.concatenate(part) for part in zip(*parts)]


BOUNDS = {"rcp": rcp, "rsqrt": root("rsqrt_ftz"), "sqrt": root("sqrt_ftz"), "ex2": ex2, "lg2": lg2, "sin": sin, "tanh": tanh}


def solve(x, curve_term, low, high, table) -> list[tuple[int, int, int]]:
    unit, bias = 1 << table["value_shift"], table["bias"]
    weight = 1.0 / np.minimum(high - low, 1 << 50)
    middle = np.minimum((low + high) / 2, low + 1.0 / weight) - bias
    system = np.stack([np.full(len(x), float(unit)), x.astype(float), curve_term.astype(float)], 1)
    _, slope, curve = np.linalg.lstsq(system * weight[:, None], middle * weight, rcond=None)[0]
    found = []
    for c in range(round(curve) - 4, round(curve) + 5):
        for s in range(round(slope) - 4, round(slope) + 5):
            rest = s * x + c * curve_term + bias
            lowest, highest = int((low - rest).max()), int((high - 1 - rest).min())
            found += [(value, s, c) for value in range(-(-lowest // unit), highest // unit + 1)]
    return found


def fit(name: str, dump: Dump, table: dict) -> list[tuple[int, int, int]]:
    argument, low, high = BOUNDS[name](dump, table)
    order = np.argsort(argument, kind="stable")
    argument, low, high = argument[order], low[order], high[order]
    bits = table["x_bits"]
    cuts = np.searchsorted(argument >> bits, np.arange(len(table["segments"]) + 1))
    rows = []
    for i, (a, b) in enumerate(zip(cuts, cuts[1:])):
        x = argument[a:b] & ((1 << bits) - 1)
        term = square(x << table["square_prescale"]) << table["square_shift"]
        found = solve(x, term, low[a:b], high[a:b], table)
        if len(found) != 1:
            raise SystemExit(f"{name}, segment {i}: {len(found)} solutions")
        rows += found
    return rows


def main() -> None:
    dump, out = Dump(sys.argv[1]), pathlib.Path(sys.argv[2])
    for name in sys.argv[3:] or BOUNDS:
        text = (ROOT / f"spec/approx/{name}.toml").read_text(encoding="utf-8")
        table = tomllib.loads(text)["interpolator"]
        rows = fit(name, dump, table)
        pairs = [" ".join(f"[{v}, {s}, {c}]," for v, s, c in rows[i : i + 2]) for i in range(0, len(rows), 2)]
        head = text[: text.index("segments = [")]
        new = head + "segments = [ # value, slope, curve\n" + "".join(f"  {pair}\n" for pair in pairs) + "]\n"
        (out / f"{name}.toml").write_text(new, encoding="utf-8")
        print(f"{name}: {len(rows)} segments, one solution each{'' if new == text else '; differs from the record'}")


if __name__ == "__main__":
    main()
