"""Random CUDA C++ for which C++ (two's complement, wrapping conversions) leaves one answer, so that the host's is the right one.

A program is a state a thread, functions that change it (phases), and exchanges between the threads of a block, which the kernel does with shared
memory, shuffles, votes and atomics and the host with a model over all threads (cuda_models.h). Every expression carries the
interval of its values: signed arithmetic is only written where it cannot overflow, a conversion from floating point only where it
fits, an index only where it is inside. Floating-point variables stay finite.
"""

import dataclasses
import random

INTEGERS = {f"{sign}int{bits}_t": ((0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
            for bits in (8, 16, 32, 64) for sign in ("", "u")}
BITS = {name: hi.bit_length() + (lo < 0) for name, (lo, hi) in INTEGERS.items()}
FLOATS = ("float", "double")
BOUND = 1 << 20  # floating-point variables stay within it
TABLE = 1024     # words of the input
MEMORY = 64      # bytes that are a thread's own
NEWEST = 3       # the remainder of seeds that tools/fuzz_oracle.py compiles for sm_90


@dataclasses.dataclass(frozen=True)
class Value:
    text: str
    kind: str
    lo: int
    hi: int


def integer(kind: str, text: str) -> Value:
    return Value(text, kind, *INTEGERS[kind])


def cast(value: Value, kind: str) -> Value:
    lo, hi = INTEGERS[kind]
    if lo <= value.lo and value.hi <= hi:
        lo, hi = value.lo, value.hi
    return Value(f"({kind}){value.text}", kind, lo, hi)


def promoted(kind: str) -> str:
    return "int32_t" if BITS[kind] < 32 else kind


def common(a: str, b: str) -> str:
    """The usual arithmetic conversions."""
    a, b = promoted(a), promoted(b)
    if BITS[a] != BITS[b]:
        return a if BITS[a] > BITS[b] else b
    return a if a.startswith("u") else b


def seen_as(value: Value, kind: str) -> Value:
    """What an operand is after its implicit conversion."""
    lo, hi = INTEGERS[kind]
    return Value(value.text, kind, value.lo, value.hi) if lo <= value.lo and value.hi <= hi else Value(value.text, kind, lo, hi)


class Program:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.names = 0
        self.scope: list[Value] = []      # integers that may be read
        self.targets: list[Value] = []    # integers that may be written
        self.floats: list[Value] = []     # floating-point variables, both read and written
        self.arrays: list[tuple[str, str, int]] = []  # name, type, length; written too
        self.helpers: list[str] = []
        self.calls: list[tuple[str, int]] = []  # helper functions: name, number of arguments
        self.in_loop = 0
        self.budget = 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    # Integers

    def constant(self) -> Value:
        bits = self.pick(1, 3, 5, 8, 12, 16, 24, 31, 32, 40, 64)
        value = self.random.getrandbits(bits)
        if self.random.random() < 0.3:
            value = self.pick(0, 1, 2, 3, 7, 31, 32, 127, 128, 255, 256, 32767, 32768, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63)
        if value < 2**31:
            if self.random.random() < 0.2 and value:
                return Value(f"(-{value})", "int32_t", -value, -value)
            return self.pick(Value(f"{value}", "int32_t", value, value), Value(f"{value}u", "uint32_t", value, value))
        kind = "uint32_t" if value < 2**32 else "uint64_t"
        return Value(f"{value}u" if kind == "uint32_t" else f"{value}ull", kind, value, value)

    def leaf(self) -> Value:
        chance = self.random.random()
        if chance < 0.15:
            return self.constant()
        if chance < 0.25 and self.arrays:
            name, kind, length = self.pick(*self.arrays)
            return integer(kind, f"{name}[{self.index(length, self.pick(0, 1)).text}]")
        if chance < 0.35:
            return self.memory()
        return self.pick(*self.scope)

    def memory(self) -> Value:
        """A read of the input, or of the thread's own bytes."""
        kind = self.pick(*INTEGERS)
        size = BITS[kind] // 8
        if self.random.random() < 0.6:
            return integer(kind, f"reinterpret_cast<const {kind}*>(in)[{self.index(TABLE * 4 // size, self.pick(0, 0, 1)).text}]")
        return integer(kind, f"load<{kind}>(own + {size} * {self.index(MEMORY // size, self.pick(0, 0, 1)).text})")

    def index(self, length: int, depth: int) -> Value:
        """A value inside [0, length): length is a power of two."""
        bits = length.bit_length() - 1
        way = self.random.randrange(8)
        if way < 2:  # sums of what is known to be small
            counters = [v for v in self.scope if v.hi - v.lo < length and -4096 < v.lo and v.hi < 4096]
            lo = hi = 0
            parts = []
            for _ in range(self.random.randrange(1, 4)):
                if counters:
                    v, factor = self.pick(*counters), self.pick(1, 1, 2, 3, 5, -1)
                    ends = sorted((v.lo * factor, v.hi * factor))
                    parts.append(f"({self.pick('int32_t', 'int64_t')})({v.text}) * {factor}")
                    lo, hi = lo + ends[0], hi + ends[1]
            if parts and hi - lo < length:
                shift = self.random.randrange(-lo, length - hi)
                return Value(f"({' + '.join(parts)} + {shift})", "int64_t", lo + shift, hi + shift)
        value = self.value(depth)
        if way == 2 and length <= 256:
            return Value(f"((uint8_t){value.text} % {length})", "int32_t", 0, length - 1)
        if way == 3:  # a hash of 32 bits, widened
            other = self.value(depth)
            return Value(f"((uint64_t)((uint32_t){value.text} * (uint32_t){other.text}) >> {32 - bits})", "uint64_t", 0, length - 1)
        if way == 4:  # the high half of a widening product
            return Value(f"(((uint64_t)(uint32_t){value.text} * {length}u) >> 32)", "uint64_t", 0, length - 1)
        if way == 5 and length >= 256:
            return Value(f"({length // 2} + (int8_t){value.text})", "int32_t", length // 2 - 128, length // 2 + 127)
        if way == 6:
            return Value(f"((int64_t)((uint32_t){value.text} + 1u) & {length - 1})", "int64_t", 0, length - 1)
        return Value(f"({value.text} & {length - 1})", value.kind, 0, length - 1)

    def value(self, depth: int) -> Value:
        if depth <= 0 or self.random.random() < 0.2:
            return self.leaf()
        way = self.pick("arithmetic", "arithmetic", "arithmetic", "bits", "bits", "shift", "divide", "compare", "choose", "cast", "cast", "unary",
                        "intrinsic", "convert", "wide", "call")
        return getattr(self, way)(depth - 1)

    def condition(self, depth: int) -> str:
        if self.random.random() < 0.3:
            return f"({self.value(depth).text} & {self.pick(1, 2, 3, 4, 8)})"
        if self.random.random() < 0.2:
            return f"({self.real(depth, 'float').text} < {self.real(depth, 'float').text})"
        return self.compare(depth).text

    def arithmetic(self, depth: int) -> Value:
        a, b, sign = self.value(depth), self.value(depth), self.pick("+", "-", "*")

        def interval(a: Value, b: Value) -> tuple[int, int]:
            ends = ([a.lo + b.lo, a.hi + b.hi] if sign == "+" else [a.lo - b.hi, a.hi - b.lo] if sign == "-" else
                    [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)])
            return min(ends), max(ends)

        kind = common(a.kind, b.kind)
        lo, hi = interval(seen_as(a, kind), seen_as(b, kind))
        least, most = INTEGERS[kind]
        if not least <= lo or not hi <= most:
            if kind.startswith("u"):
                lo, hi = least, most
            elif self.random.random() < 0.4:
                a, b, kind = cast(a, "u" + kind), cast(b, "u" + kind), "u" + kind
                lo, hi = INTEGERS[kind]
            else:  # halves of its width do not overflow
                half = "int16_t" if kind == "int32_t" else "int32_t"
                a, b = cast(a, half), cast(b, half)
                if kind == "int64_t":
                    a = cast(a, "int64_t")
                kind = common(a.kind, b.kind)
                lo, hi = interval(a, b)
        return Value(f"({a.text} {sign} {b.text})", kind, lo, hi)

    def wide(self, depth: int) -> Value:
        """A product of twice the width, and a part of it."""
        kind = self.pick("int32_t", "uint32_t")
        a, b = cast(self.value(depth), kind), cast(self.value(depth), kind)
        double = kind.replace("32", "64")
        return Value(f"(({double}){a.text} * {b.text} >> {self.pick(0, 7, 16, 31, 32, 40)})", double, *INTEGERS[double])

    def bits(self, depth: int) -> Value:
        a, b, sign = self.value(depth), self.value(depth), self.pick("&", "|", "^")
        kind = common(a.kind, b.kind)
        left, right = seen_as(a, kind), seen_as(b, kind)
        lo, hi = INTEGERS[kind]
        if left.lo >= 0 and right.lo >= 0:
            lo, hi = 0, min(left.hi, right.hi) if sign == "&" else 2 ** max(left.hi.bit_length(), right.hi.bit_length()) - 1
        return Value(f"({a.text} {sign} {b.text})", kind, lo, hi)

    def shift(self, depth: int) -> Value:
        a, b = self.value(depth), self.value(depth)
        kind = promoted(a.kind)
        count = f"({b.text} & {BITS[kind] - 1})"
        if self.random.random() < 0.5:
            return Value(f"({a.text} >> {count})", kind, min(a.lo, 0), max(a.hi, 0))
        unsigned = kind if kind.startswith("u") else "u" + kind
        return Value(f"(({unsigned}){a.text} << {count})", unsigned, *INTEGERS[unsigned])

    def divide(self, depth: int) -> Value:
        a, b, sign = self.value(depth), self.value(depth), self.pick("/", "%")
        mask = self.pick(1, 7, 15, 255, 1023, 65535)
        if self.random.random() < 0.4:
            kind = self.pick("uint8_t", "uint16_t", "uint32_t", "uint64_t")
            a, b = cast(a, kind), Value(f"(({kind}){b.text} | 1)", promoted(kind), 1, INTEGERS[kind][1])
        elif self.random.random() < 0.3 and a.lo > INTEGERS[promoted(a.kind)][0]:
            b = Value(f"(-(int32_t)({b.text} & {mask}) - 1)", "int32_t", -mask - 1, -1)
        else:
            b = Value(f"((int32_t)({b.text} & {mask}) + 1)", "int32_t", 1, mask + 1)
        kind = common(a.kind, b.kind)
        if kind.startswith("u"):
            return Value(f"({a.text} {sign} {b.text})", kind, 0, INTEGERS[kind][1])
        size = max(abs(a.lo), abs(a.hi))
        if sign == "%":
            size = min(size, max(abs(b.lo), abs(b.hi)) - 1)
        lo, hi = INTEGERS[kind]
        return Value(f"({a.text} {sign} {b.text})", kind, max(lo, -size), min(hi, size))

    def compare(self, depth: int) -> Value:
        a, b = self.value(depth), self.value(depth)
        return Value(f"({a.text} {self.pick('<', '<=', '>', '>=', '==', '!=')} {b.text})", "int32_t", 0, 1)

    def choose(self, depth: int) -> Value:
        a, b = self.value(depth), self.value(depth)
        kind = common(a.kind, b.kind)
        left, right = seen_as(a, kind), seen_as(b, kind)
        # Of two operands of the same narrow type the result is not promoted.
        kind = a.kind if a.kind == b.kind else kind
        return Value(f"({self.condition(depth)} ? {a.text} : {b.text})", kind, min(left.lo, right.lo), max(left.hi, right.hi))

    def cast(self, depth: int) -> Value:
        value = cast(self.value(depth), self.pick(*INTEGERS))
        return dataclasses.replace(value, text=f"({value.text})")

    def unary(self, depth: int) -> Value:
        a = self.value(depth)
        kind = promoted(a.kind)
        if self.random.random() < 0.4:
            return Value(f"(~{a.text})", kind, *(INTEGERS[kind] if kind.startswith("u") else (-a.hi - 1, -a.lo - 1)))
        if kind.startswith("u"):
            return Value(f"(-{a.text})", kind, *INTEGERS[kind])
        return Value(f"(-{a.text})", kind, -a.hi, -a.lo) if a.lo > INTEGERS[kind][0] else a

    def intrinsic(self, depth: int) -> Value:
        name, result, lo, hi, *kinds = self.pick(
            ("__popc", "int32_t", 0, 32, "uint32_t"), ("__popcll", "int32_t", 0, 64, "uint64_t"), ("__clz", "int32_t", 0, 32, "int32_t"),
            ("__clzll", "int32_t", 0, 64, "int64_t"), ("__ffs", "int32_t", 0, 32, "int32_t"), ("__ffsll", "int32_t", 0, 64, "int64_t"),
            ("__brev", "uint32_t", None, None, "uint32_t"), ("__brevll", "uint64_t", None, None, "uint64_t"),
            ("__byte_perm", "uint32_t", None, None, "uint32_t", "uint32_t", "uint32_t"),
            ("__funnelshift_l", "uint32_t", None, None, "uint32_t", "uint32_t", "uint32_t"),
            ("__funnelshift_r", "uint32_t", None, None, "uint32_t", "uint32_t", "uint32_t"),
            ("__funnelshift_lc", "uint32_t", None, None, "uint32_t", "uint32_t", "uint32_t"),
            ("__funnelshift_rc", "uint32_t", None, None, "uint32_t", "uint32_t", "uint32_t"),
            ("__mulhi", "int32_t", None, None, "int32_t", "int32_t"), ("__umulhi", "uint32_t", None, None, "uint32_t", "uint32_t"),
            ("__mul64hi", "int64_t", None, None, "int64_t", "int64_t"), ("__umul64hi", "uint64_t", None, None, "uint64_t", "uint64_t"),
            ("__mul24", "int32_t", None, None, "int32_t", "int32_t"), ("__umul24", "uint32_t", None, None, "uint32_t", "uint32_t"),
            ("__hadd", "int32_t", None, None, "int32_t", "int32_t"), ("__rhadd", "int32_t", None, None, "int32_t", "int32_t"),
            ("__uhadd", "uint32_t", None, None, "uint32_t", "uint32_t"), ("__urhadd", "uint32_t", None, None, "uint32_t", "uint32_t"),
            ("__sad", "uint32_t", None, None, "int32_t", "int32_t", "uint32_t"), ("__usad", "uint32_t", None, None, "uint32_t", "uint32_t", "uint32_t"))
        if lo is None:
            lo, hi = INTEGERS[result]
        return Value(f"{name}({', '.join(cast(self.value(depth), kind).text for kind in kinds)})", result, lo, hi)

    def call(self, depth: int) -> Value:
        if not self.calls:
            return self.arithmetic(depth)
        name, arguments = self.pick(*self.calls)
        return integer("uint32_t", f"{name}({', '.join(cast(self.value(depth), 'uint32_t').text for _ in range(arguments))})")

    # Floating point: lo and hi are bounds of the value

    def real(self, depth: int, kind: str) -> Value:
        suffix = "f" if kind == "float" else ""
        way = self.random.randrange(12) if depth > 0 else self.random.randrange(3)
        if way == 0 and self.floats:
            return Value(f"({kind}){self.pick(*self.floats).text}", kind, -2 * BOUND, 2 * BOUND)
        if way <= 1:
            value = self.value(depth - 1)
            size = max(abs(value.lo), abs(value.hi)) * 2
            return Value(f"({kind}){value.text}", kind, -size, size)
        if way == 2 or way == 11:
            number = self.pick("0.5", "1.25", "3.0", "0.1", "1e-3", "65536.0", "1e-20", "7.75", "0.333333333")
            return Value(number + suffix, kind, -65536, 65536)
        a, b = self.real(depth - 1, kind), self.real(depth - 1, kind)
        size, other = a.hi + 1, b.hi + 1
        if way in (3, 4):
            return Value(f"({a.text} {self.pick('+', '-')} {b.text})", kind, -2 * (size + other), 2 * (size + other))
        if way in (5, 6) and size * other < 2**100:
            return Value(f"({a.text} * {b.text})", kind, -2 * size * other, 2 * size * other)
        if way == 7:
            return Value(f"({a.text} / ({kind})(1 + fabs{suffix}({b.text})))", kind, -2 * size, 2 * size)
        if way == 8:
            return Value(f"sqrt{suffix}(fabs{suffix}({a.text}))", kind, -size, size)
        if way == 9:
            return Value(f"{self.pick('floor', 'ceil', 'trunc', 'rint')}{suffix}({a.text})", kind, -2 * size, 2 * size)
        if way == 10 and size * other < 2**100:
            c = self.real(depth - 1, kind)
            bound = 2 * (size * other + c.hi + 1)
            return Value(f"fma{suffix}({a.text}, {b.text}, {c.text})", kind, -bound, bound)
        return Value(f"({a.text} < {b.text} ? {a.text} : {b.text})", kind, -max(size, other), max(size, other))

    def convert(self, depth: int) -> Value:
        """Floating point to an integer it fits in, or its bits."""
        kind = self.pick(*FLOATS)
        value = self.real(depth, kind)
        if self.random.random() < 0.25:
            return integer("uint32_t" if kind == "float" else "uint64_t", f"{'bits32' if kind == 'float' else 'bits64'}({value.text})")
        if self.random.random() < 0.2:
            return integer("uint16_t", f"half_bits((float){value.text})")
        to = self.pick(*INTEGERS)
        lo, hi = INTEGERS[to]
        if lo <= value.lo and value.hi <= hi:
            return Value(f"(({to}){value.text})", to, lo, hi)
        top = 2 ** (hi.bit_length() - (1 if hi.bit_length() > 20 else 0)) - (0 if hi.bit_length() > 20 else 1)
        low = max(lo, -top)
        return Value(f"(({to})within({value.text}, ({kind}){low}ll, ({kind}){top}ull))", to, low, hi)

    # Statements

    def block(self, depth: int, indent: str) -> list[str]:
        lines = []
        kept = list(self.scope)
        for _ in range(self.random.randrange(1, 4)):
            lines += self.statement(depth, indent)
        self.scope = kept
        return lines

    def statement(self, depth: int, indent: str) -> list[str]:
        self.budget -= 1
        inner = indent + "    "
        way = self.random.randrange(16) if depth > 0 and self.budget > 0 else self.random.randrange(7)
        if way < 3:
            target = self.pick(*self.targets)
            return [f"{indent}{target.text} = ({target.kind}){self.value(2).text};"]
        if way == 3:
            name, kind, length = self.pick(*self.arrays)
            place = f"{name}[{self.index(length, self.pick(0, 1)).text}]"
            return [f"{indent}{place} = ({kind})((uint64_t){place} {self.pick('^', '+', '-', '|')} (uint64_t){self.value(2).text});"]
        if way == 4:
            target = self.pick(*self.floats)
            return [f"{indent}{target.text} = within({self.real(2, target.kind).text}, ({target.kind})-{BOUND}, ({target.kind}){BOUND});"]
        if way == 5:
            kind = self.pick(*INTEGERS)
            size = BITS[kind] // 8
            return [f"{indent}store<{kind}>(own + {size} * {self.index(MEMORY // size, self.pick(0, 0, 1)).text}, ({kind}){self.value(2).text});"]
        if way == 6:
            name = self.fresh("w")
            value = self.value(2)
            line = f"{indent}const {value.kind} {name} = {value.text};"
            self.scope = [*self.scope, dataclasses.replace(value, text=name)]
            return [line]
        if way < 10:
            lines = [f"{indent}if ({self.condition(2)}) {{", *self.block(depth - 1, inner)]
            if self.random.random() < 0.6:
                lines += [f"{indent}}} else {{", *self.block(depth - 1, inner)]
            return [*lines, f"{indent}}}"]
        if way < 13:
            return self.loop(depth, indent)
        if way < 15:
            cases = self.pick(2, 3, 4, 8)
            lines = [f"{indent}switch ({self.value(2).text} & {cases - 1}) {{"]
            for case in range(cases - 1):
                lines += [f"{indent}case {case}: {{", *self.block(depth - 1, inner), f"{indent}}}"]
                if self.random.random() < 0.7:
                    lines.append(f"{inner}break;")
            return [*lines, f"{indent}default: {{", *self.block(depth - 1, inner), f"{indent}}}", f"{indent}}}"]
        if self.in_loop and self.random.random() < 0.7:
            return [f"{indent}if ({self.condition(1)}) {self.pick('break', 'continue')};"]
        if self.random.random() < 0.3:
            return [f"{indent}if ({self.condition(1)}) return;"]
        return self.statement(depth, indent)

    def loop(self, depth: int, indent: str) -> list[str]:
        inner = indent + "    "
        name, kind, most = self.fresh("i"), self.pick("int32_t", "uint32_t", "int64_t", "uint8_t", "int16_t", "uint64_t"), self.pick(1, 3, 7, 15)
        count = f"({kind})(1 + ({self.value(2).text} & {most}))"
        if self.random.random() < 0.4:
            count = f"({kind}){most + 1}"
        self.in_loop += 1
        kept = self.scope
        self.scope = [*kept, Value(name, kind, 0, most)]
        way = self.random.randrange(3)
        body = self.block(depth - 1, inner)
        if way == 0:
            end = self.fresh("end")
            lines = [f"{indent}const {kind} {end} = {count};", f"{indent}for ({kind} {name} = 0; {name} < {end}; ++{name}) {{", *body, f"{indent}}}"]
        elif way == 1:
            lines = [f"{indent}for ({kind} {name} = {count}; {name}-- > 0;) {{", *body, f"{indent}}}"]
        else:
            step = self.pick(1, 2, 3)
            lines = [f"{indent}for ({kind} {name} = {self.random.randrange(most + 1)}; {name} <= {most}; {name} += {step}) {{", *body, f"{indent}}}"]
        self.scope = kept
        self.in_loop -= 1
        return lines

    # Whole programs

    def helper(self) -> None:
        """A function of a few words, some with a struct that is passed by value and indexed."""
        name, arguments = self.fresh("helper"), self.pick(1, 2, 3)
        kept = self.scope, self.targets, self.arrays, self.floats
        names = [f"x{i}" for i in range(arguments)]
        self.scope = [integer("uint32_t", x) for x in names]
        self.targets = [integer("uint32_t", x) for x in names]
        self.arrays, self.floats = [("table", "uint16_t", 8)], [Value("f", "float", -BOUND, BOUND)]
        self.budget = 6
        mark = self.pick("ORACLE_NOINLINE ", "")
        self.memory = lambda: self.pick(*self.scope)  # a helper is given neither the input nor the thread's bytes
        lines = [f"struct {name}_s {{", "    uint16_t table[8];", "    float f;", "};"]
        lines += [f"{mark}ORACLE_HD {name}_s {name}_make({name}_s s, uint32_t x0) {{",
                  f"    s.table[{self.pick('x0 & 7', '(x0 >> 29)', 'x0 % 8')}] ^= (uint16_t)x0;", "    s.f = (float)(x0 & 1023) * 0.25f;", "    return s;", "}"]
        body: list[str] = []
        while len(body) < 3:
            body += self.statement(2, "    ")
        del self.memory
        text = "\n".join(body).replace("return;", "return s.table[1];")
        if "store<" in text:
            text = "\n".join(["    x0 = x0 * 2654435761u + 12345u;"])
        words = ", ".join(str(self.random.randrange(65536)) for _ in range(8))
        lines += [f"{self.pick('ORACLE_NOINLINE ', '')}ORACLE_HD uint32_t {name}({', '.join(f'uint32_t {x}' for x in names)}) {{",
                  f"    {name}_s s = {{{{{words}}}, 0.5f}};", f"    s = {name}_make(s, x0);",
                  "    uint16_t(&table)[8] = s.table;", "    float& f = s.f;", text,
                  "    return table[x0 & 7] + 65537u * table[(x0 >> 3) & 7] + (uint32_t)(int32_t)f;", "}", ""]
        self.scope, self.targets, self.arrays, self.floats = kept
        self.helpers += lines
        self.calls.append((name, arguments))

    def exchange(self, newest: bool) -> tuple[str, str]:
        """One exchange: for the kernel, and for the host over all threads of the block."""
        names = ["rotate", "gather", "add", "smallest", "largest", "mix", "either", "both", "cas_add", "scan", "shuffle", "shuffle_up", "shuffle_down",
                 "shuffle_xor", "ballot", "any", "all", "count", "leader", "subset_sum"]
        if newest:
            names += ["match_any", "match_all", "reduce_add", "reduce_min", "reduce_max", "reduce_and", "reduce_or", "reduce_xor", "subset_reduce"]
        name, target = self.pick(*names), self.pick(*self.targets)
        x, a = cast(self.value(2), "uint32_t").text, cast(self.value(1), "uint32_t").text
        kept = self.pick("^", "+")
        store = f"{target.text} = ({target.kind})((uint64_t){target.text} {kept} (uint64_t)%s);"
        device = "{ const uint32_t x = %s, a = %s; %s }" % (x, a, store % f"oracle::{name}(x, a, words)")
        host = (f"{{ uint32_t x[oracle::BLOCK], a[oracle::BLOCK], r[oracle::BLOCK]; ORACLE_EACH {{ x[lane] = {x}; a[lane] = {a}; }} "
                f"oracle::{name}(x, a, r); ORACLE_EACH {{ {store % 'r[lane]'} }} }}")
        return device, host

    def text(self) -> str:
        newest = self.seed // 8 % 4 == NEWEST
        members, self.scope = [], [Value("t", "uint32_t", 0, 95), Value("tid", "uint32_t", 0, 47), Value("lane5", "int32_t", 0, 31)]
        for i in range(self.random.randrange(4, 9)):
            kind = self.pick(*INTEGERS)
            members.append(f"    {kind} v{i};")
            self.targets.append(integer(kind, f"s.v{i}"))
        for i in range(self.random.randrange(1, 3)):
            kind, length = self.pick(*INTEGERS), self.pick(4, 8, 16)
            members.append(f"    {kind} a{i}[{length}];")
            self.arrays.append((f"s.a{i}", kind, length))
        for i in range(2):
            kind = self.pick(*FLOATS)
            members.append(f"    {kind} f{i};")
            self.floats.append(Value(f"s.f{i}", kind, -BOUND, BOUND))
        self.scope += self.targets
        for _ in range(self.random.randrange(0, 3)):
            self.helper()
        phases, device, host = [], [], []
        count = self.random.randrange(1, 3)
        for i in range(count + 1):
            self.budget = self.random.randrange(2, 8)
            body = []
            while self.budget > 0 and len(body) < 24:
                body += self.statement(2, "    ")
                if self.random.random() < 0.1:
                    break
            self.scope = [v for v in self.scope if not v.text.startswith("w")]
            mark = self.pick("ORACLE_NOINLINE ", "", "")
            phases += [f"{mark}ORACLE_HD void phase{i}(State& s, uint32_t t, const uint32_t* in, uint8_t* own) {{",
                       "    const uint32_t tid = t % oracle::BLOCK;", "    const int32_t lane5 = tid % 32;",
                       "    static_cast<void>(lane5);", *body, "}", ""]
            device.append(f"    phase{i}(s, t, in, own);")
            host.append(f"        ORACLE_EACH phase{i}(s, t, in, own);")
            if i < count:
                rounds = self.pick(1, 1, 2, 3)
                exchanges = [self.exchange(newest) for _ in range(self.random.randrange(1, 4))]
                again = f"for (int round = 0; round < {rounds}; ++round) {{"
                device += ["    " + again, *(f"        {d}" for d, _ in exchanges), "    }"]
                host += ["        " + again, *(f"            {h}" for _, h in exchanges), "        }"]
        first = [f"        s.{m.split()[1].rstrip(';')} = ({m.split()[0]})(t * {self.random.getrandbits(16) | 1}u + {self.random.getrandbits(8)}u);"
                 for m in members if "[" not in m and not m.split()[0] in FLOATS]
        sums = [f"        sum = (sum ^ (uint64_t)s.{m.split()[1].rstrip(';')}) * 0x100000001b3u;" for m in members if "[" not in m and m.split()[0] not in FLOATS]
        for m in members:
            name = m.split()[1].rstrip(";")
            if m.split()[0] in FLOATS:
                sums.append(f"        sum = (sum ^ (uint64_t){'bits32' if m.split()[0] == 'float' else 'bits64'}(s.{name})) * 0x100000001b3u;")
            elif "[" in m:
                sums.append(f"        for (int i = 0; i < {name.split('[')[1].rstrip(']')}; ++i) sum = (sum ^ (uint64_t)s.{name.split('[')[0]}[i]) * 0x100000001b3u;")
        return "\n".join([
            f"namespace p{self.seed} {{", "using namespace oracle;", *self.helpers, "struct State {", *members,
            "    ORACLE_HD void start(uint32_t t) {", "        State& s = *this;", "        memset(this, 0, sizeof *this);", *first, "    }",
            "    ORACLE_HD uint64_t sum() const {", "        const State& s = *this;", "        uint64_t sum = 0xcbf29ce484222325u;", *sums, "        return sum;", "    }",
            "};", "", *phases,
            "#ifdef __CUDACC__", "__global__ void kernel(uint64_t* out, const uint32_t* in, uint8_t* memory) {", "    ORACLE_KERNEL_BEGIN", *device, "    ORACLE_KERNEL_END",
            "}", "#else", "static void block(uint64_t* out, const uint32_t* in, uint8_t* memory, uint32_t block) {",
            "    State states[oracle::BLOCK];", "        ORACLE_EACH s.start(t);", *host, "        ORACLE_EACH out[t] = sum_of(s.sum(), own);", "}", "#endif",
            f"ORACLE_PROGRAM_OF_BLOCKS({self.seed})", f"}} // namespace p{self.seed}", ""])


def program(seed: int) -> str | None:
    return Program(seed).text()
