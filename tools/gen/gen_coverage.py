"""spec/isa, the evals below src/exec/interp and the lower functions below src/exec/jit -> docs/reference/ptx-coverage.md: what of
PTX is executed, parsed, refused, and how.

The page is committed; tools/check/pages.py holds it to what this writes.
"""

import itertools

import isa_evals
import isa_lowers
import isa_model
import isa_records
from gen import Spec

PAGE = "docs/reference/ptx-coverage.md"
STATES = ("executed", "not executed", "refused")
HEAD = """# PTX coverage

Made by tools/gen from the records in [spec/isa](../../spec/isa/README.md), the evals below src/exec/interp and the lower functions below
src/exec/jit (lower/instructions, texture/form.cpp, matrix/form.cpp); renew it with `tools/check/pages.py --write`. Every instruction here is parsed and verified. *Executed*: the
reference executor runs it. *Refused*: it is an "illegal instruction" at run time that names the family. *Not executed*: meant to run, but
its eval is not written yet; a kernel that meets one ends the same way.

The last column says how the fast executor does what is executed. *Code*: as vector code of its own. *Warp*: by a
function for all lanes of a warp ([textures.md](textures.md), [matrices.md](matrices.md)). *Helper*: the reference executor is called for this one instruction and a
warp. *Kernel*: the reference executor runs a kernel that has it, from end to end. Some forms give up
only in rare cases, which `heddle ptx jit` names: those are *code*.

One spelling is an instruction with one choice of types; other modifiers are not counted.
"""


def outputs(spec: Spec) -> list[str]:
    return [PAGE]


def states(spec: Spec, model: isa_model.Model) -> dict[str, str]:
    """form id -> one of STATES"""
    found = isa_evals.written(spec)
    return {form.id: "refused" if form.status == "refused" else "executed" if form.id in found else "not executed"
            for form in model.forms}


def type_slots(model: isa_model.Model, form: isa_model.Form) -> list[isa_model.SlotRule]:
    return [rule for rule in form.slots if all(word in model.types for word in rule.words)]


def spellings(model: isa_model.Model, forms: list[isa_model.Form]) -> set[tuple[str, ...]]:
    """The choices of types of several syntaxes of one form, each once."""
    result = set()
    for form in forms:
        result |= set(itertools.product(*(rule.words for rule in type_slots(model, form))))
    return result


def types_text(model: isa_model.Model, forms: list[isa_model.Form]) -> str:
    """`u32 s32`, or, with several types, `u32 s32 . f32 f64`."""
    columns: list[list[str]] = []
    for form in forms:
        for i, rule in enumerate(type_slots(model, form)):
            while len(columns) <= i:
                columns.append([])
            columns[i] += [word for word in rule.words if word not in columns[i]]
    return " . ".join(" ".join(column) for column in columns)


def first(forms: list[isa_model.Form]) -> tuple[str, str]:
    """Least version and targets of the forms of one id; "to 1.3" when all of them are gone since."""
    least = min(forms, key=lambda f: (f.needs.ptx, [int(s.rstrip("af")) for s in f.needs.sm]))
    version = "{}.{}".format(*least.needs.ptx)
    if all(form.needs.last_ptx != isa_model.LAST for form in forms):
        version += " to {}.{}".format(*max(form.needs.last_ptx for form in forms))
    return version, " ".join(least.needs.sm)


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]]


def page(model: isa_model.Model, state: dict[str, str], ways: dict[str, str]) -> str:
    counts: dict[str, dict[str, int]] = {}
    sections: dict[str, list[list[str]]] = {}
    missing = []
    by_id: dict[tuple[str, str, str], list[isa_model.Form]] = {}
    for form in model.forms:
        by_id.setdefault((form.family, form.opcode, form.id), []).append(form)
    for (family, opcode, id_), forms in sorted(by_id.items()):
        number = len(spellings(model, forms))
        count = counts.setdefault(family, dict.fromkeys(("forms", *STATES, *isa_lowers.WAYS), 0))
        count["forms"] += 1
        count[state[id_]] += number
        way = ways[id_] if state[id_] == "executed" else ""
        if way:
            count[way] += number
        if state[id_] == "not executed":
            missing.append(f"{opcode} ({id_})")
        sections.setdefault(family, []).append(
            [opcode, id_, types_text(model, forms), str(number), *first(forms), state[id_], way])
    lines = [HEAD, "## Totals", ""]
    columns = ("forms", *STATES, *isa_lowers.WAYS)
    rows = [[family, str(len({row[0] for row in sections[family]})), *(str(counts[family][k]) for k in columns)]
            for family in sorted(counts)]
    total = {k: sum(count[k] for count in counts.values()) for k in columns}
    rows.append(["**all**", str(len(model.titles)), *(str(total[k]) for k in columns)])
    lines += table(["family", "instructions", "forms", *(f"spellings {s}" for s in STATES), *(f"by {w}" for w in isa_lowers.WAYS)],
                   rows)
    lines += ["", "## Not executed", "", ", ".join(missing) + "." if missing else "None."]
    for family in sorted(sections):
        lines += ["", f"## {family}", ""]
        lines += table(["instruction", "form", "types", "spellings", "PTX", "sm", "state", "fast"], sections[family])
    return "\n".join(lines) + "\n"


def generate(spec: Spec) -> dict[str, str]:
    model = isa_records.load(spec)
    return {PAGE: page(model, states(spec, model), isa_lowers.ways(spec, model))}
