"""Finds pairs of forms that one and the same line of PTX would fit: the parser could not tell them apart."""

import itertools

from isa_model import LAST, Form, Model
from isa_syntax import Operand

# Which shapes one written operand can fill: a name may be a register, a label or a function, until scopes tell.
NAMES = {"value", "register_", "label", "function", "prototype", "targets"}


def same_words(a: Form, b: Form) -> list[str] | None:
    """A list of words that both take, or None."""
    seen = set()
    stack: list[tuple[int, int, tuple[str, ...]]] = [(0, 0, ())]
    while stack:
        i, j, words = stack.pop()
        if (i, j) in seen:
            continue
        seen.add((i, j))
        if i == len(a.slots) and j == len(b.slots):
            return list(words)
        if i < len(a.slots) and a.slots[i].optional:
            stack.append((i + 1, j, words))
        if j < len(b.slots) and b.slots[j].optional:
            stack.append((i, j + 1, words))
        if i < len(a.slots) and j < len(b.slots):
            common = [w for w in a.slots[i].words if w in b.slots[j].words]
            if common:
                stack.append((i + 1, j + 1, (*words, common[0])))
    return None


def arrangements(form: Form) -> list[list[Operand]]:
    """The operand lists that a form takes, every choice of its optional parts."""
    groups = sorted({o.group for o in form.operands if o.group})
    parent = {o.group: o.parent for o in form.operands}
    result = []
    for present in itertools.product([False, True], repeat=len(groups)):
        here = {0, *(g for g, p in zip(groups, present) if p)}
        if all(parent[g] in here for g in here if g):
            result.append([o for o in form.operands if o.group in here])
    return result


def same_operand(a: Operand, b: Operand) -> bool:
    if a.piped != b.piped:
        return False
    shapes = {a.shape, b.shape}
    if a.sink and b.sink and shapes.isdisjoint({"vector", "fragment"}):
        return True
    if shapes <= NAMES or shapes <= {"value", "immediate"}:
        return True
    if shapes <= {"vector", "fragment"}:
        return not (a.count and b.count and a.count != b.count)
    if shapes <= NAMES | {"vector", "fragment"} and len(shapes) == 2:
        return not (a.count or b.count) and not any(o.shape == "fragment" and not o.bare for o in (a, b))
    return len(shapes) == 1 and (a.space == b.space or not a.space or not b.space)


def apart(a: Form, b: Form) -> bool:
    """No version and no target has both."""
    for x, y in ((a.needs, b.needs), (b.needs, a.needs)):
        if x.last_ptx != LAST and x.last_sm == 65535 and x.last_ptx < y.ptx:
            return True
        if x.last_ptx == LAST and x.last_sm != 65535 and all(x.last_sm < int(s.rstrip("af")) for s in y.sm):
            return True
    return False


def lint(model: Model) -> list[str]:
    errors = []
    for _, group in itertools.groupby(model.forms, key=lambda form: form.opcode):
        for a, b in itertools.combinations(list(group), 2):
            words = same_words(a, b)
            if words is None or apart(a, b):
                continue
            if any(len(x) == len(y) and all(map(same_operand, x, y)) for x in arrangements(a) for y in arrangements(b)):
                errors.append(f"{b.where}: '{'.'.join([b.opcode, *words])}' fits '{b.text}' and also '{a.text}' "
                              f"({a.where}): nothing in the text tells them apart")
    return errors
