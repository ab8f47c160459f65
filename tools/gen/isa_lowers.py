"""Which lower function makes LLVM IR of which form: the table of the JIT's first stage.

As for the evals of the reference executor (isa_evals.py): a lower function is found by its definition's text,
`void lower_<id>(Lowering&`, in src/exec/jit/lower/instructions. A form without one gets a null entry and becomes the operation
`step` by itself.
"""

import re

from gen import Spec
from isa_emit import NOTICE
from isa_model import Model
from isa_names import identifier

DEFINITION = re.compile(r"^\s*void\s+lower_(\w+)\s*\(\s*Lowering\s*&[^;{]*\{", re.MULTILINE)
# A lower function that does nothing but say so.
GIVES_UP = re.compile(r"^\s*void\s+lower_(\w+)\s*\(\s*Lowering\s*&\s*l\s*\)\s*\{\s*l\.need_reference\([^;]*;\s*\}", re.MULTILINE)
# A form that one of FORMS knows.
FOR_WARPS = re.compile(r"\bcase isa::Form::(\w+):")
FORMS = ("texture/form.cpp", "matrix/form.cpp")
WAYS = ("code", "warp", "helper", "kernel")


def names(spec: Spec, pattern: re.Pattern[str]) -> set[str]:
    folder = spec.root.parent / "src" / "exec" / "jit" / "lower" / "instructions"
    return {name for path in sorted(folder.glob("*.cpp")) for name in pattern.findall(path.read_text(encoding="utf-8"))}


def written(spec: Spec) -> set[str]:
    return names(spec, DEFINITION)


def ways(spec: Spec, model: Model) -> dict[str, str]:
    """form id -> one of WAYS: code of its own, a function for a warp, a helper step, or a kernel that the reference executor
    runs whole"""
    found, given_up, whole_warps = written(spec), names(spec, GIVES_UP), for_warps(spec)
    return {id_: "kernel" if id_ in given_up else "code" if id_ in found else
            "warp" if identifier(id_) in whole_warps else "helper" for id_ in model.ids()}


def for_warps(spec: Spec) -> set[str]:
    folder = spec.root.parent / "src" / "exec" / "jit"
    return {name for path in FORMS for name in FOR_WARPS.findall((folder / path).read_text(encoding="utf-8"))}


def entries(model: Model, found: set[str]) -> dict[str, str]:
    """form id -> lower function's id, or "" """
    return {id_: id_ if id_ in found else "" for id_ in model.ids()}


def lint(spec: Spec, model: Model) -> list[str]:
    known = set(model.ids())
    return [f"src/exec/jit/lower/instructions: lower_{name} is of no form: spec/isa has none with that id"
            for name in sorted(written(spec) - known)]


def header(model: Model, found: set[str]) -> str:
    names = sorted({e for e in entries(model, found).values() if e})
    return "\n".join([
        NOTICE + "#pragma once\n", '#include "isa/isa.h"\n',
        "namespace heddle::exec::jit {\n", "class Lowering;", "using LowerFunction = void (*)(Lowering&);\n",
        *(f"void lower_{name}(Lowering&);" for name in names),
        "\n// nullptr: the reference executor does this form.",
        "LowerFunction find_lower(isa::Form form);",
        "\n}  // namespace heddle::exec::jit\n"])


def source(model: Model, found: set[str]) -> str:
    rows = [f"    {f'lower_{e}' if e else 'nullptr'},  // {identifier(id_)}" for id_, e in entries(model, found).items()]
    return "\n".join([
        NOTICE + '#include "exec/jit/lower/lowers.gen.h"\n', "namespace heddle::exec::jit {\n", "namespace {",
        "const LowerFunction table[isa::form_count] = {", "    nullptr,", *rows, "};", "}  // namespace\n",
        "LowerFunction find_lower(isa::Form form) { return table[static_cast<std::size_t>(form)]; }",
        "\n}  // namespace heddle::exec::jit\n"])
