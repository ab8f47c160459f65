"""spec/isa -> sweep/sweep.ptx and sweep/index.txt: one kernel for every way to spell every instruction on plain values.

Each kernel applies one instruction to 1024 tuples of edge and random operands and stores every result. tests/hw runs the
kernels on a real GPU and keeps hashes of what it answered; the executors' tests run the same kernels and compare.

index.txt, one line a kernel:   name | mnemonic | result types | operand types, with fixed immediates as #value, and selectors
of a register's part after the type: s32.b2
The operands of thread i are made by a formula that tests/hw/sweep.py and sweep_inputs.h both state.
"""

import itertools
import zlib

import isa_model
import isa_records
from gen import Spec

PTX, INDEX = "sweep/sweep.ptx", "sweep/index.txt"
TARGET, VERSION = "sm_90a", (9, 0)
THREADS = 1024
# Approximate instructions are judged in src/approx, over far more inputs.
LEFT_OUT_WORDS = {"approx", "full"}
# Instructions whose result is not a function of the operands alone (a carry, a stack, a clock, a window, other lanes).
LEFT_OUT_IDS = {"addc", "subc", "madc", "stacksave", "stackrestore", "alloca", "nanosleep", "setmaxnreg", "mapa", "getctarank",
                "isspacep", "cvta", "activemask", "bar_red", "bar_red_popc", "mbarrier_pending_count", "istypep",
                "movmatrix", "createpolicy_fractional", "createpolicy_cvt"}
# Devices have emulated the scalar video instructions since sm_50, and not as the ISA defines them: on an H200
# vadd.u32.u32.u32.sat does not saturate. The ISA's text rules; its examples are tests.
LEFT_OUT_IDS |= {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset", "vmad"}
PLAIN_SHAPES = {"value", "register_", "immediate", "vector", "fragment"}
IMMEDIATES = {"lut": (0x96, 0xE8, 0x1B)}
IMMEDIATE = (0, 1, 3)
MOST_SOURCES = 24  # arrays of operands, one after the other, that a kernel is given


def outputs(spec: Spec) -> list[str]:
    return [PTX, INDEX]


def met(needs: isa_model.Needs) -> bool:
    sms = [(int(sm.rstrip("af")), sm.lstrip("0123456789")) for sm in needs.sm]
    reached = any(sm == 90 and suffix == "a" or not suffix and sm <= 90 for sm, suffix in sms)
    return reached and needs.ptx <= VERSION <= needs.last_ptx and needs.last_sm >= 90


def spellings(form: isa_model.Form):
    """Every choice of words, as [(slot, word or None)]."""
    choices = [([None] if rule.optional else []) + list(rule.words) for rule in form.slots]
    for words in itertools.product(*choices):
        chosen = [(rule.slot, word) for rule, word in zip(form.slots, words) if word is not None]
        allowed = {(slot, word) for slot, word, needs in form.word_needs if not met(needs)}
        if allowed.intersection(chosen) or LEFT_OUT_WORDS.intersection(w for _, w in chosen):
            continue
        # .or and .xor join a comparison's result like .and does: two comparisons of each are enough
        named = dict(chosen)
        if named.get("bool") in ("or", "xor") and named.get("cmp", "eq") not in ("eq", "lt"):
            continue
        yield chosen


class Kernel:
    def __init__(self, model: isa_model.Model, form: isa_model.Form, chosen: list, round_: int = 0):
        self.round = round_
        self.model, self.form, self.chosen = model, form, dict(chosen)
        self.mnemonic = ".".join([form.opcode] + [word for _, word in chosen])
        self.results, self.sources, self.texts = [], [], []
        self.declarations, self.before, self.after = [], [], []

    def type(self, rule) -> str | None:
        """A fundamental type's name, or None where this kernel cannot make one."""
        types = self.model.types
        if rule.kind == "fixed":
            return rule.name
        if rule.kind == "pointer":
            return "b64"
        if rule.kind == "one_of":
            return rule.choices[0]
        if rule.kind == "any":
            return None
        base = types.get(self.chosen.get(rule.name, ""))
        if base is None:
            return None
        if rule.kind == "of_slot":
            return base.name
        bits = {"bits_of": 1, "wide_of": 2, "half_of": 0.5, "quarter_of": 0.25}[rule.kind] * base.bits
        letter = "b" if rule.kind == "bits_of" or base.kind in ("floating", "untyped") else base.kind[0]
        return f"{letter}{int(bits)}" if f"{letter}{int(bits)}" in types else None

    def container(self, type_name: str) -> int | None:
        bits = self.model.types[type_name].bits
        if self.model.types[type_name].kind == "opaque" or bits > 64:
            return None
        if type_name == "pred":
            return 0
        return bits if type_name in ("b8", "s8", "u8") or bits in (16, 32, 64) else 16 if bits >= 8 else None

    def operand(self, operand, vector: int) -> bool:
        type_name = self.type(operand.type)
        if operand.shape == "fragment" and type_name is not None:
            return self.fragment(operand, type_name)
        if operand.shape not in ("value", "register_", "vector") or type_name is None:
            return False
        if operand.shape == "vector" and not vector:
            return False
        if self.chosen.get("sparse") and operand.name == "e":
            return self.metadata()
        size = self.container(type_name)
        if size is None:
            return False
        names = []
        for _ in range(vector if operand.shape == "vector" else 1):
            if operand.access == "write":
                names.append(self.result(type_name, size))
            elif operand.access == "read":
                names.append(self.source(type_name, size))
            else:
                return False
        text = "{" + ", ".join(names) + "}" if operand.shape == "vector" else names[0]
        if operand.suffix and self.round:
            # some selector of a part: a different one for every operand and spelling
            seed = zlib.crc32(f"{self.mnemonic} {operand.name} {self.round}".encode())
            suffix = operand.suffix[seed % len(operand.suffix)]
            text += "." + suffix
            (self.results if operand.access == "write" else self.sources)[-1] += "." + suffix
        if operand.piped:
            self.texts[-1] += "|" + text
        else:
            self.texts.append(text)
        return True

    def metadata(self) -> bool:
        """Which elements a sparse matrix keeps: nibbles that are allowed."""
        self.texts.append(self.source("tile_one_of_two" if self.chosen["atype"] == "tf32" else "tile_two_of_four", 32))
        return True

    def fragment(self, operand, type_name: str) -> bool:
        """The registers of a matrix operand: tile_f16 holds small whole numbers as f16, so that sums are exact in any order."""
        place = self.form.operands.index(operand)
        count = next((f.count for f in self.form.fragments if f.operand == place and all(
            word in self.chosen.values() if not slot else self.chosen.get(slot) == word for slot, word in f.when)), None)
        size = self.container(type_name)
        if count is None or not size:
            return False
        if operand.access == "write":
            names = [self.result(type_name, size) for _ in range(count)]
        else:
            element = self.chosen.get(operand.name + "type", self.chosen.get("atype", ""))
            names = [self.source("tile_" + element, size) for _ in range(count)]
        self.texts.append("{" + ", ".join(names) + "}")
        return True

    def result(self, type_name: str, size: int) -> str:
        name = f"%d{len(self.results)}"
        at = f"[%out+{8 * len(self.results)}]"
        self.results.append(type_name)
        if size == 0:
            self.declarations.append(f".reg .pred {name};")
            self.after.append(f"selp.u64 %wide, 1, 0, {name};")
        else:
            self.declarations.append(f".reg .b{size} {name};")
            self.after.append(f"mov.b64 %wide, {name};" if size == 64 else f"cvt.u64.u{size} %wide, {name};")
        self.after.append(f"st.global.u64 {at}, %wide;")
        return name

    def source(self, type_name: str, size: int) -> str:
        index = len([s for s in self.sources if s[0] != "#"])
        name = f"%s{index}"
        self.sources.append(type_name)
        self.before += [f"ld.global.u64 %wide, [%in+{8 * THREADS * index}];"]
        if size == 0:
            self.declarations.append(f".reg .pred {name};")
            self.before.append(f"setp.ne.u64 {name}, %wide, 0;")
        else:
            self.declarations.append(f".reg .b{size} {name};")
            self.before.append(f"mov.b64 {name}, %wide;" if size == 64 else f"cvt.u{size}.u64 {name}, %wide;")
        return name

    def text(self, name: str) -> str:
        count = max(len(self.results), 1)
        lines = [f".visible .entry {name}(.param .u64 in, .param .u64 out)",
                 "{", ".reg .b64 %wide, %in, %out;", ".reg .b32 %i, %n, %b;", *self.declarations,
                 "mov.u32 %i, %tid.x;", "mov.u32 %b, %ctaid.x;", "mov.u32 %n, %ntid.x;", "mad.lo.u32 %i, %b, %n, %i;",
                 "ld.param.u64 %in, [in];", "mad.wide.u32 %in, %i, 8, %in;",
                 "ld.param.u64 %out, [out];", f"mad.wide.u32 %out, %i, {8 * count}, %out;",
                 *self.before, f"{self.mnemonic} {', '.join(self.texts)};", *self.after, "ret;", "}"]
        return "\n".join(lines) + "\n"


def kernels(model: isa_model.Model):
    for form in model.forms:
        if form.status != "executed" or form.id in LEFT_OUT_IDS or not met(form.needs) or form.leaves:
            continue
        if not any(o.access == "write" for o in form.operands) or any(o.name == "membermask" for o in form.operands):
            continue
        if any(o.shape not in PLAIN_SHAPES for o in form.operands) or form.opcode == "wmma":  # opaque fragments
            continue
        # the longest tail of optional operands, and none of it
        groups = sorted({o.group for o in form.operands})
        for last in groups:
            operands = [o for o in form.operands if o.group <= last]
            for chosen in spellings(form):
                yield from variants(model, form, chosen, operands)


def variants(model, form, chosen, operands):
    rounds = range(2) if any(o.suffix for o in operands) else [0]
    vectors = [2, 4] if any(o.shape == "vector" for o in operands) else [0]
    fixed = [o for o in operands if o.shape == "immediate"]
    values = [[v for v in IMMEDIATES.get(o.name, IMMEDIATE)
               if not o.allowed or any(low <= v <= high for low, high in o.allowed)] for o in fixed]
    for vector in vectors:
        for immediates, round_ in itertools.product(itertools.product(*values), rounds):
            kernel = Kernel(model, form, chosen, round_)
            supply = iter(immediates)
            good = True
            for operand in operands:
                if operand.shape == "immediate":
                    value = next(supply)
                    kernel.sources.append(f"#{value}")
                    kernel.texts.append(str(value))
                elif not kernel.operand(operand, vector):
                    good = False
                    break
            if good and kernel.results and len([s for s in kernel.sources if s[0] != "#"]) <= MOST_SOURCES:
                if vector and not fits(model, kernel, vector):
                    continue
                yield kernel


def fits(model, kernel, vector) -> bool:
    """mov.b64 {x, y}: the parts make up the whole."""
    total = model.types[kernel.chosen["type"]].bits if "type" in kernel.chosen else 0
    parts = kernel.sources if len(kernel.sources) > len(kernel.results) else kernel.results
    return len(parts) == vector and sum(model.types[p].bits for p in parts) == total


def generate(spec: Spec) -> dict[str, str]:
    model = isa_records.load(spec)
    texts, lines, seen = [], [], set()
    for kernel in kernels(model):
        line = f"{kernel.mnemonic} | {' '.join(kernel.results)} | {' '.join(kernel.sources)}"
        if line in seen:
            continue
        seen.add(line)
        name = f"k{len(lines)}"
        texts.append(kernel.text(name))
        lines.append(f"{name} | {line}")
    header = f".version {VERSION[0]}.{VERSION[1]}\n.target {TARGET}\n.address_size 64\n\n"
    return {PTX: header + "\n".join(texts), INDEX: "\n".join(lines) + "\n"}
