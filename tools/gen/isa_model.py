"""What the records of spec/isa say, as checked Python values; isa_records.load() reads them."""

from dataclasses import dataclass, field

import isa_syntax

LAST = (255, 255)


@dataclass(frozen=True)
class Needs:
    ptx: tuple[int, int] = (1, 0)
    sm: tuple[str, ...] = ("10",)  # any one of these
    last_ptx: tuple[int, int] = LAST
    last_sm: int = 65535


@dataclass
class Slot:
    name: str
    doc: str
    words: list[str]
    needs: dict[str, Needs]


@dataclass
class Type:
    name: str
    kind: str
    bits: int
    elements: int


@dataclass
class SlotRule:
    slot: str
    optional: bool
    words: list[str]


@dataclass
class Fragment:
    operand: int
    when: list[tuple[str, str]]  # (slot or "", word)
    count: int
    other: int  # this many are good too; 0: none


@dataclass
class Form:
    family: str  # the file's name
    where: str
    opcode: str
    id: str
    text: str
    section: str
    slots: list[SlotRule]
    operands: list[isa_syntax.Operand]
    needs: Needs
    word_needs: list[tuple[str, str, Needs]]  # (slot, word, ...); word "": the slot is empty
    operand_needs: list[tuple[int, str, Needs]]  # (operand, its suffix or "" for its presence, ...)
    implied: list[tuple[str, str]]  # (slot, word): what the spelling leaves out
    fragments: list[Fragment]
    status: str
    relaxed: bool
    special: bool
    symbol: bool
    leaves: bool
    check: str


@dataclass
class SpecialRegister:
    name: str  # with the %
    type: str
    components: int
    least_bits: int
    needs: Needs


@dataclass
class Directive:
    name: str
    place: list[str]
    values: tuple[int, int]
    needs: Needs


@dataclass
class Target:
    name: str
    sm: int
    suffix: str
    family: int
    ptx: tuple[int, int]


@dataclass
class Model:
    slots: dict[str, Slot] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    special_registers: list[SpecialRegister] = field(default_factory=list)
    directives: list[Directive] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    versions: list[tuple[int, int]] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)  # by opcode, in alphabetical order
    forms: list[Form] = field(default_factory=list)       # grouped by opcode, then in order of the records

    def words(self) -> list[str]:
        """Every word there is, sorted."""
        found = {w for slot in self.slots.values() for w in slot.words}
        found |= {w for form in self.forms for rule in form.slots for w in rule.words}
        found |= {w for form in self.forms for operand in form.operands for w in operand.suffix}
        found |= {word for form in self.forms for _, word in form.implied}
        return sorted(found | set(self.types))

    def ids(self) -> list[str]:
        """Every form id once, in order."""
        return list(dict.fromkeys(form.id for form in self.forms))
