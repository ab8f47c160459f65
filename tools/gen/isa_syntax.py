"""Reads the `syntax` strings of spec/isa: the little language that spec/isa/README.md describes.

parse() turns one string into one or more Syntax values: an optional group of several modifiers, `{.xorsign.abs}`, and a
choice, `(.op=add.type=u32|.op=and.type=b32)`, are expanded here, so that whoever reads the tables meets only single
optional slots.
"""

import copy
import re
from dataclasses import dataclass, field

CODE_SHAPES = {"label": "label", "func": "function", "proto": "prototype", "targets": "targets"}
BRACKETS = {"tex": "texture", "surf": "surface", "tensor": "tensor"}
OF_SLOT = ("of_slot", "bits_of", "wide_of", "half_of", "quarter_of")
DERIVED = {"bits": "bits_of", "wide": "wide_of", "half": "half_of", "quarter": "quarter_of"}
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class SyntaxProblem(Exception):
    """What is wrong, and where in the string; the caller adds file and record."""


@dataclass
class Modifier:
    slot: str
    optional: bool
    words: list[str] | None  # written in the syntax itself: `.type=s32`


@dataclass
class TypeRule:
    kind: str  # fixed of_slot bits_of wide_of half_of quarter_of pointer any one_of; `named` until model.py knows which
    name: str = ""
    choices: list[str] = field(default_factory=list)


@dataclass
class Operand:
    name: str
    shape: str
    access: str = "read"
    type: TypeRule = field(default_factory=lambda: TypeRule("any"))
    count: int = 0
    group: int = 0
    parent: int = 0
    piped: bool = False
    sink: bool = False
    negate: bool = False
    space: str = ""
    suffix: list[str] = field(default_factory=list)  # words that may follow it: a.b0, [a].unified
    allowed: list[tuple[int, int]] = field(default_factory=list)  # first and last of each range an immediate may have
    bare: bool = False  # a fragment of one needs no braces
    tied: str = ""  # the slot that says whether it is there
    inner: list["Operand"] = field(default_factory=list)


@dataclass
class Syntax:
    text: str
    modifiers: list[Modifier]
    operands: list[Operand]


class Reader:
    def __init__(self, text: str):
        self.text = text
        self.at = 0

    def problem(self, what: str) -> SyntaxProblem:
        return SyntaxProblem(f"{what} at column {self.at + 1} of '{self.text}'")

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at] == " ":
            self.at += 1

    def done(self) -> bool:
        self.skip()
        return self.at == len(self.text)

    def looking_at(self, *parts: str) -> bool:
        """The parts come next, blanks between them allowed."""
        at = self.at
        for part in parts:
            while at < len(self.text) and self.text[at] == " ":
                at += 1
            if not self.text.startswith(part, at):
                return False
            at += len(part)
        return True

    def take(self, part: str) -> bool:
        if not self.looking_at(part):
            return False
        self.skip()
        self.at += len(part)
        return True

    def need(self, part: str) -> None:
        if not self.take(part):
            raise self.problem(f"expected '{part}'")

    def name(self, what: str) -> str:
        self.skip()
        match = NAME.match(self.text, self.at)
        if not match:
            raise self.problem(f"expected {what}")
        self.at = match.end()
        return match.group()


# ---- modifiers ------------------------------------------------------------------------------------------------------
def parse_modifiers(reader: Reader) -> list[list[Modifier]]:
    """Every combination that choices and optional groups of more than one slot give."""
    variants: list[list[Modifier]] = [[]]
    while reader.at < len(reader.text) and reader.text[reader.at] in ".{(":
        if reader.text[reader.at] == ".":
            single = parse_modifier(reader)
            variants = [v + [single] for v in variants]
            continue
        optional = reader.text[reader.at] == "{"
        if not reader.text.startswith(("{.", "(."), reader.at):
            break  # the operands start with an optional one, or with a call list
        close = "}" if optional else ")"
        choices: list[list[Modifier]] = []
        while not choices or reader.text.startswith("|", reader.at):
            reader.at += 1
            choices += parse_modifiers(reader)
        if not reader.text.startswith(close, reader.at):
            raise reader.problem(f"expected '{close}'")
        reader.at += 1
        if optional and len(choices) == 1 and len(choices[0]) == 1:
            choices[0][0].optional = True
        elif optional:
            choices.append([])
        variants = [v + c for v in variants for c in choices]
    return variants


def parse_modifier(reader: Reader) -> Modifier:
    reader.at += 1
    slot = reader.name("a slot's name")
    words = None
    if reader.text.startswith("=", reader.at):
        match = re.compile(r"=([\w:\[\]-]+(?:\|[\w:\[\]-]+)*)").match(reader.text, reader.at)
        if not match:
            raise reader.problem("expected words after '='")
        words = match.group(1).split("|")
        reader.at = match.end()
    return Modifier(slot, False, words)


# ---- operands -------------------------------------------------------------------------------------------------------
class OperandParser:
    def __init__(self, reader: Reader):
        self.reader = reader
        self.groups = 0

    def sequence(self, group: int, parent: int, end: str) -> list[Operand]:
        """Operands up to `end` ('' for the end of the text)."""
        reader = self.reader
        found: list[Operand] = []
        expect_comma = False
        while not (reader.done() if not end else reader.looking_at(end)):
            if reader.done():
                raise reader.problem(f"expected '{end}'")
            if reader.looking_at("{", ","):  # an optional tail
                reader.need("{")
                reader.need(",")
                self.groups += 1
                found += self.sequence(self.groups, group, "}")
                reader.need("}")
                expect_comma = True
                continue
            if expect_comma:
                reader.need(",")
                expect_comma = False
                continue
            if reader.take("{"):  # an optional head: {x, }y
                self.groups += 1
                found += self.operand(self.groups, group)
                reader.need(",")
                reader.need("}")
                continue
            found += self.operand(group, parent)
            expect_comma = True
            if group and reader.take("if "):
                found[-1].tied = reader.name("a slot's name")
        return found

    def operand(self, group: int, parent: int) -> list[Operand]:
        reader = self.reader
        first = self.single()
        first.group, first.parent = group, parent
        result = [first]
        if reader.looking_at("{", "|"):
            reader.need("{")
            reader.need("|")
            self.groups += 1
            second = self.single()
            second.group, second.parent = self.groups, group
            reader.need("}")
        elif reader.looking_at("|"):
            reader.need("|")
            second = self.single()
            second.group, second.parent = group, parent
        else:
            return result
        second.piped = True
        return result + [second]

    def single(self) -> Operand:
        reader = self.reader
        if reader.take("@"):
            kind = reader.name("label, func, proto or targets")
            if kind not in CODE_SHAPES:
                raise reader.problem(f"'@{kind}' is none of @label, @func, @proto, @targets")
            return Operand(kind, CODE_SHAPES[kind])
        if reader.take("("):
            access = "write" if reader.take(">") else "read"
            name = reader.name("the name of a call list")
            reader.need(")")
            return Operand(name, "call_list", access)
        if reader.take("["):
            name = reader.name("an address operand's name")
            space = reader.name("a state space") if reader.take(":") else ""
            reader.need("]")
            return Operand(name, "address", type=TypeRule("pointer"), space=space, suffix=self.suffix())
        reader.skip()
        if re.match(r"_(?!\w)", reader.text[reader.at:]):
            reader.at += 1
            return Operand("_", "sink", "write", sink=True)
        start = reader.at
        if not reader.looking_at(">") and not reader.looking_at("<") and not reader.looking_at("#"):
            if not reader.looking_at("~"):
                name = reader.name("an operand")
                if reader.looking_at("[") and name in BRACKETS:
                    return self.bracket(name)
                if reader.looking_at("("):
                    return self.wrapped(name)
        reader.at = start
        operand = self.plain()
        if operand.sink and operand.access == "read":
            raise reader.problem(f"'{operand.name}' is a source: only in a vector may it be '_'")
        return operand

    def plain(self) -> Operand:
        """[>|<>|#|~] name [suffix] : type [!] [?] [= values]"""
        reader = self.reader
        operand = Operand("", "value")
        if reader.take("<>"):
            operand.access = "read_write"
        elif reader.take(">"):
            operand.access = "write"
        if reader.take("#"):
            operand.shape = "immediate"
        if reader.take("~"):
            operand.negate = True
        operand.name = reader.name("an operand's name")
        operand.suffix = self.suffix()
        if reader.take(":"):
            operand.type = self.type()
        if reader.take("!"):
            operand.shape = "register_"
        if reader.take("?"):
            operand.sink = True
        if reader.take("="):
            operand.allowed = self.values()
        if operand.access != "read":
            operand.shape = "register_"
        return operand

    def suffix(self) -> list[str]:
        """{.b0|b1}"""
        match = re.compile(r"\{\.([\w\[\]|-]+)\}").match(self.reader.text, self.reader.at)
        if not match:
            return []
        self.reader.at = match.end()
        return match.group(1).split("|")

    def values(self) -> list[tuple[int, int]]:
        """4|8|16, 0..15"""
        number = r"-?\d+(?:\.\.-?\d+)?"
        match = re.compile(rf"{number}(?:\|{number})*").match(self.reader.text, self.reader.at)
        if not match:
            raise self.reader.problem("expected numbers after '='")
        self.reader.at = match.end()
        ranges = [part.split("..") for part in match.group().split("|")]
        return [(int(r[0]), int(r[-1])) for r in ranges]

    def type(self) -> TypeRule:
        reader = self.reader
        name = reader.name("a type")
        if reader.take("("):
            if name not in DERIVED:
                raise reader.problem(f"'{name}(...)' is none of {', '.join(DERIVED)}")
            of = reader.name("a slot's name")
            reader.need(")")
            return TypeRule(DERIVED[name], of)
        if name == "ptr":
            return TypeRule("pointer")
        if name == "any":
            return TypeRule("any")
        names = [name]
        while reader.looking_at("|") and not reader.looking_at("|", ">"):
            reader.need("|")
            names.append(reader.name("a type"))
        return TypeRule("named", name) if len(names) == 1 else TypeRule("one_of", choices=names)

    def wrapped(self, wrapper: str) -> Operand:
        reader = self.reader
        reader.need("(")
        operand = self.plain()
        reader.need(")")
        if wrapper in ("frag", "coords"):
            operand.shape = "fragment"
            operand.bare = wrapper == "coords"
        elif wrapper == "vec":
            operand.shape = "vector"
        elif re.fullmatch(r"v[0-9]+", wrapper):
            operand.shape = "vector"
            operand.count = int(wrapper[1:])
        else:
            raise reader.problem(f"'{wrapper}(...)' is none of vec, v<n>, frag, coords")
        return operand

    def bracket(self, kind: str) -> Operand:
        reader = self.reader
        reader.need("[")
        inner = OperandParser(reader).sequence(0, 0, "]")
        reader.need("]")
        if not inner:
            raise reader.problem(f"an empty {kind}[]")
        return Operand(inner[0].name, BRACKETS[kind], type=TypeRule("any"), inner=inner)


def parse(text: str) -> list[Syntax]:
    reader = Reader(text.strip())
    variants = parse_modifiers(reader)
    if not reader.done() and reader.at != 0 and reader.text[reader.at - 1] != " ":
        raise reader.problem("expected a blank between modifiers and operands")
    operands = OperandParser(reader).sequence(0, 0, "")
    return [Syntax(reader.text, modifiers, copy.deepcopy(operands)) for modifiers in variants]
