"""Which eval function executes which form: the table of the reference executor.

An eval is found by its definition's text, `void eval_<id>(Step&`, below src/exec/interp. A form whose eval is not written
yet gets a null entry (executing it is the fault "illegal instruction"), so that the tree links while evals are being
written, and a definition that cannot be linked is still an error. Weak symbols cannot do this: the linker does not pull
members out of a static library for them.
"""

import re

from gen import Spec
from isa_emit import NOTICE
from isa_model import Model
from isa_names import identifier

DEFINITION = re.compile(r"^\s*void\s+eval_(\w+)\s*\(\s*Step\s*&[^;{]*\{", re.MULTILINE)


def written(spec: Spec) -> set[str]:
    folder = spec.root.parent / "src" / "exec" / "interp"
    return {name for path in sorted(folder.rglob("*.cpp")) for name in DEFINITION.findall(path.read_text(encoding="utf-8"))}


def entries(model: Model, found: set[str]) -> dict[str, str]:
    """form id -> eval's id, or "" """
    status = {form.id: form.status for form in model.forms}
    result = {}
    for id_ in model.ids():
        eval_ = "refused" if status[id_] == "refused" else id_
        result[id_] = eval_ if eval_ in found else ""
    return result


def lint(spec: Spec, model: Model) -> list[str]:
    known = {*model.ids(), "refused"}
    return [f"src/exec/interp: eval_{name} executes no form: spec/isa has none with that id"
            for name in sorted(written(spec) - known)]


def header(model: Model, found: set[str]) -> str:
    names = sorted({e for e in entries(model, found).values() if e})
    return "\n".join([
        NOTICE + "#pragma once\n", '#include "isa/isa.h"\n',
        "namespace heddle::exec::interp {\n", "class Step;", "using Eval = void (*)(Step&);\n",
        *(f"void eval_{name}(Step&);" for name in names),
        "\n// nullptr: no eval is written yet for this form.",
        "Eval find_eval(isa::Form form);",
        "\n}  // namespace heddle::exec::interp\n"])


def source(model: Model, found: set[str]) -> str:
    rows = [f"    {f'eval_{e}' if e else 'nullptr'},  // {identifier(id_)}" for id_, e in entries(model, found).items()]
    return "\n".join([
        NOTICE + '#include "exec/interp/evals.gen.h"\n', "namespace heddle::exec::interp {\n", "namespace {",
        "const Eval table[isa::form_count] = {", "    nullptr,", *rows, "};", "}  // namespace\n",
        "Eval find_eval(isa::Form form) { return table[static_cast<std::size_t>(form)]; }",
        "\n}  // namespace heddle::exec::interp\n"])
