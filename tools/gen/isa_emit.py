"""The model of spec/isa as C++: the enums of isa/isa.gen.h and the tables of isa/isa.gen.cpp."""

from isa_model import Model, Needs
from isa_names import identifier, perfect_hash
from isa_syntax import OF_SLOT, Operand, TypeRule

NOTICE = "// Made by tools/gen from spec/isa; not to be edited.\n"
SUFFIX = {"": "none", "a": "a", "f": "f"}
KINDS = {"untyped": "untyped", "unsigned": "unsigned_", "signed": "signed_", "floating": "floating",
         "predicate": "predicate", "opaque": "opaque"}


# ---- isa.gen.h ------------------------------------------------------------------------------------------------------
def enum(name: str, base: str, names: list[str], first_none: bool = True) -> str:
    lines = [f"enum class {name} : {base} {{"]
    lines += ["  none,"] if first_none else []
    lines += [f"  {identifier(n)}," for n in names]
    if len({identifier(n) for n in names}) != len(names):
        raise AssertionError(f"{name}: two words have one C++ name")
    return "\n".join([*lines, "};"])


def header(model: Model) -> str:
    enums = {
        "Opcode": ("uint16_t", list(model.titles)),
        "Word": ("uint16_t", model.words()),
        "Form": ("uint16_t", model.ids()),
        "Type": ("uint8_t", list(model.types)),
        "SpecialRegister": ("uint8_t", [r.name.removeprefix("%") for r in model.special_registers]),
        "Directive": ("uint8_t", [d.name for d in model.directives]),
    }
    parts = [NOTICE + "#pragma once\n\n#include <cstddef>\n#include <cstdint>\n\nnamespace heddle::isa {\n"]
    for name, (base, names) in enums.items():
        parts.append(enum(name, base, names))
    parts.append(enum("Slot", "uint8_t", list(model.slots), first_none=False))
    counts = {"opcode": "Opcode", "word": "Word", "form": "Form", "type": "Type",
              "special_register": "SpecialRegister", "directive": "Directive"}
    parts.append("// Counts include `none`.")
    for prefix, name in counts.items():
        parts.append(f"inline constexpr std::size_t {prefix}_count = {len(enums[name][1]) + 1};")
    parts.append(f"inline constexpr std::size_t slot_count = {len(model.slots)};")
    parts.append(f"inline constexpr std::size_t syntax_count = {len(model.forms)};  // entries of all_forms()")
    parts.append(f"inline constexpr std::size_t target_count = {len(model.targets)};")
    parts.append(f"inline constexpr std::size_t version_count = {len(model.versions)};")
    parts.append("\n}  // namespace heddle::isa\n")
    return "\n".join(parts)


# ---- isa.gen.cpp ----------------------------------------------------------------------------------------------------
class Pool:
    """Arrays that several rows share: equal contents are written once."""

    def __init__(self, type_: str, prefix: str):
        self.type = type_
        self.prefix = prefix
        self.known: dict[tuple[str, ...], str] = {}

    def span(self, items: list[str]) -> str:
        if not items:
            return "{}"
        return self.known.setdefault(tuple(items), f"{self.prefix}{len(self.known)}")

    def text(self) -> str:
        return "\n".join(f"constexpr {self.type} {name}[] = {{{', '.join(items)}}};" for items, name in self.known.items())


def quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def version(value: tuple[int, int]) -> str:
    return f"{{{value[0]}, {value[1]}}}"


def array(type_: str, name: str, rows: list[str]) -> str:
    return f"constinit const {type_} {name}[] = {{\n" + "".join(f"  {row},\n" for row in rows) + "};"


class Tables:
    def __init__(self, model: Model):
        self.model = model
        self.targets = Pool("TargetNeed", "n")
        self.words = Pool("Word", "w")
        self.types = Pool("Type", "t")
        self.slots = Pool("SlotRule", "s")
        self.inner = Pool("OperandRule", "i")
        self.operands = Pool("OperandRule", "o")
        self.word_needs = Pool("WordNeeds", "m")
        self.conditions = Pool("WordCondition", "c")
        self.fragments = Pool("FragmentRule", "f")
        self.operand_needs = Pool("OperandNeeds", "q")
        self.ranges = Pool("ImmediateRange", "r")
        self.implied = Pool("SlotWord", "p")

    def needs(self, needs: Needs) -> str:
        def target(sm: str) -> str:
            number, suffix = sm.rstrip("af"), sm.lstrip("0123456789")
            family = next(t.family for t in self.model.targets if t.sm == int(number))
            return f"{{{number}, TargetNeed::Suffix::{SUFFIX[suffix]}, {family}}}"
        others = self.targets.span([target(sm) for sm in needs.sm[1:]])
        return (f"{{{version(needs.ptx)}, {target(needs.sm[0])}, {version(needs.last_ptx)}, {needs.last_sm}, {others}}}")

    def type_rule(self, rule: TypeRule) -> str:
        slot = f"Slot::{identifier(rule.name)}" if rule.kind in OF_SLOT else "Slot{}"
        type_ = f"Type::{rule.name}" if rule.kind == "fixed" else "Type::none"
        choices = self.types.span([f"Type::{c}" for c in rule.choices])
        return f"{{TypeRule::Kind::{rule.kind}, {slot}, {type_}, {choices}}}"

    def operand(self, operand: Operand) -> str:
        inner = self.inner.span([self.operand(o) for o in operand.inner])
        coordinates = next((f"Type::{o.type.name}" for o in operand.inner
                            if o.shape in ("vector", "fragment") and o.type.kind == "fixed"), "Type::none")
        flags = "".join("true, " if f else "false, " for f in (operand.piped, operand.sink, operand.negate))
        space = f"Word::{identifier(operand.space)}" if operand.space else "Word::none"
        return (f"{{{quote(operand.name)}, OperandShape::{operand.shape}, Access::{operand.access}, "
                f"{self.type_rule(operand.type)}, {operand.count}, {operand.group}, {operand.parent}, {flags}{space}, "
                f"{coordinates}, {inner}, "
                f"{self.words.span([f'Word::{identifier(w)}' for w in operand.suffix])}, "
                f"{self.ranges.span([f'{{{a}, {b}}}' for a, b in operand.allowed])}, "
                f"{str(operand.bare).lower()}, {str(bool(operand.tied)).lower()}, "
                f"Slot{f'::{identifier(operand.tied)}' if operand.tied else '{}'}}}")

    def form(self, form) -> str:
        slots = [f"{{Slot::{identifier(r.slot)}, {str(r.optional).lower()}, "
                 f"{self.words.span([f'Word::{identifier(w)}' for w in r.words])}}}" for r in form.slots]
        word_needs = [f"{{Slot::{identifier(slot)}, Word::{identifier(word or 'none')}, {self.needs(needs)}}}"
                      for slot, word, needs in form.word_needs]
        implied = [f"{{Slot::{identifier(slot)}, Word::{identifier(word)}}}" for slot, word in form.implied]
        operand_needs = [f"{{{operand}, Word::{identifier(suffix or 'none')}, {self.needs(needs)}}}"
                         for operand, suffix, needs in form.operand_needs]
        fragments = []
        for fragment in form.fragments:
            when = [f"{{{f'Slot::{identifier(slot)}' if slot else 'Slot{}'}, {'false' if slot else 'true'}, "
                    f"Word::{identifier(word)}}}" for slot, word in fragment.when]
            fragments.append(f"{{{fragment.operand}, {fragment.count}, {fragment.other}, {self.conditions.span(when)}}}")
        flags = ", ".join("true" if f else "false" for f in (form.relaxed, form.special, form.symbol, form.leaves))
        return (f"{{Form::{identifier(form.id)}, Opcode::{identifier(form.opcode)}, {quote(form.id)}, "
                f"{quote(form.text)}, {quote(form.section)}, {self.slots.span(slots)}, "
                f"{self.operands.span([self.operand(o) for o in form.operands])}, {self.needs(form.needs)}, "
                f"{self.word_needs.span(word_needs)}, {self.operand_needs.span(operand_needs)}, "
                f"{self.implied.span(implied)}, {self.fragments.span(fragments)}, "
                f"Status::{form.status}, {flags}, {quote(form.check)}}}")


def hash_table(name: str, keys: list[str]) -> str:
    bits, bucket_bits, seeds, places = perfect_hash(keys)

    def numbers(values: list[int]) -> str:
        return ",".join(map(str, values))
    return (f"constexpr uint16_t {name}_seeds[] = {{{numbers(seeds)}}};\n"
            f"constexpr uint16_t {name}_places[] = {{{numbers(places)}}};\n"
            f"constinit const PerfectHash {name}_hash{{{bits}, {bucket_bits}, {name}_seeds, {name}_places}};")


def type_rows(model: Model) -> list[str]:
    """Name, kind, bits, elements; then the untyped one of that width, the twice, half and quarter as wide ones."""
    def find(kind: str, bits: int, elements: int) -> str:
        return next((t.name for t in model.types.values()
                     if (t.kind, t.bits, t.elements) == (kind, bits, elements) and t.name.rstrip("0123456789x") in "bsuf"),
                    "none")
    rows = ['{{"none", TypeKind::none, 0, 0}, Type::none, Type::none, Type::none, Type::none}']
    for t in model.types.values():
        bits = t.name if t.kind in ("predicate", "opaque") else find("untyped", t.bits, 1)
        wide, half, quarter = (find(t.kind, b, t.elements) for b in (t.bits * 2, t.bits // 2, t.bits // 4))
        rows.append(f"{{{{{quote(t.name)}, TypeKind::{KINDS[t.kind]}, {t.bits}, {t.elements}}}, Type::{bits}, "
                    f"Type::{wide}, Type::{half}, Type::{quarter}}}")
    return rows


def source(model: Model) -> str:
    tables = Tables(model)
    words = model.words()
    rows = [tables.form(form) for form in model.forms]
    registers = [f"{{{quote(r.name)}, Type::{r.type}, {r.components}, {r.least_bits}, {tables.needs(r.needs)}}}"
                 for r in model.special_registers]
    directives = [f"{{{quote(d.name)}, {' | '.join(f'place_{p}' for p in d.place)}, {d.values[0]}, {d.values[1]}, "
                  f"{tables.needs(d.needs)}}}" for d in model.directives]
    none_needs = tables.needs(Needs())
    first_of_form: dict[str, int] = {}
    ranges: dict[str, list[int]] = {opcode: [] for opcode in model.titles}
    for index, form in enumerate(model.forms):
        first_of_form.setdefault(form.id, index)
        ranges[form.opcode].append(index)
    parts = [NOTICE + '#include "isa/isa.h"\n#include "isa/tables.h"\n\nnamespace heddle::isa::tables {\nnamespace {\n']
    parts += [pool.text() for pool in (tables.targets, tables.words, tables.types, tables.slots, tables.ranges,
                                       tables.inner, tables.operands, tables.word_needs, tables.operand_needs, tables.implied,
                                       tables.conditions, tables.fragments)]
    parts.append("\n}  // namespace\n")
    parts.append(array("TypeRow", "types", type_rows(model)))
    parts.append(array("std::string_view", "words", ['""', *map(quote, words)]))
    parts.append(array("Type", "word_types", ["Type::none", *(f"Type::{w if w in model.types else 'none'}" for w in words)]))
    parts.append(hash_table("word", words))
    parts.append(array("std::string_view", "slots", [quote(s) for s in model.slots]))
    parts.append(array("OpcodeRow", "opcodes", ['{"", "", 0, 0}'] + [
        f"{{{quote(o)}, {quote(title)}, {ranges[o][0]}, {ranges[o][-1] + 1}}}" for o, title in model.titles.items()]))
    parts.append(hash_table("opcode", list(model.titles)))
    parts.append(array("FormInfo", "forms", rows))
    parts.append(array("uint16_t", "first_of_form", ["0", *(str(first_of_form[i]) for i in model.ids())]))
    parts.append(array("SpecialRegisterInfo", "special_registers", [f'{{"", Type::none, 0, 0, {none_needs}}}', *registers]))
    parts.append(hash_table("special_register", [r.name for r in model.special_registers]))
    parts.append(array("DirectiveInfo", "directives", [f'{{"", 0, 0, 0, {none_needs}}}', *directives]))
    parts.append(hash_table("directive", [d.name for d in model.directives]))
    parts.append(array("TargetInfo", "targets", [
        f"{{{quote(t.name)}, {t.sm}, TargetNeed::Suffix::{SUFFIX[t.suffix]}, {t.family}, {version(t.ptx)}}}" for t in model.targets]))
    parts.append(array("Version", "versions", [version(v) for v in model.versions]))
    parts.append("\n}  // namespace heddle::isa::tables\n")
    return "\n".join(parts)
