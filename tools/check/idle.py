#!/usr/bin/env python3
"""Functions of the CUDA APIs that look at their arguments and succeed are `idle` in spec/cuda, and only those; so are other names of idle ones."""

import re
import sys
import tomllib

import tree

# Statements without an effect: finding what an argument names, giving up, succeeding. A condition that changes something has one.
FINDING = re.compile(r"(const )?auto \w+ = (find_\w+|\w*context|Process::get\(\)\.device)\([^;]*\);")
GIVING_UP = re.compile(r"if \(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\) return [^;]*;")
CHANGING = re.compile(r"remove|take|set_|add|push|insert|erase|=(?<![=!<>]=)(?!=)")
SUCCEEDING = re.compile(r"return (Unit\{\}|\d+|status_of\(working_context\(\)\)|\w+ \? Status\(Unit\{\}\) : Status\(\w+\.error\(\)\));")


def body_of(text: str, name: str) -> str | None:
    """What stands between the braces of the function's definition; nothing where the room has none."""
    begin = re.search(r"(?m)^[\w:<>*& ]+?[ *&]" + re.escape(name) + r"\([^{;]*\) \{", text)
    if not begin:
        return None
    depth, at = 1, begin.end()
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return " ".join(text[begin.end() : at - 1].split())


def has_effect(body: str) -> bool:
    rest = FINDING.sub("", body)
    rest = GIVING_UP.sub(lambda found: found[0] if CHANGING.search(found[1]) else "", rest)
    return bool(SUCCEEDING.sub("", rest).strip())


def check(records: dict, text: str) -> list[str]:
    """One API's functions against what its room's sources have."""
    text = re.sub(r"//[^\n]*", "", text)
    errors = []
    idle = {name for name, record in records.items() if record.get("state") == "idle"}
    for name, record in records.items():
        meant = re.match(r"\w+::(\w+)\(", record.get("means", ""))
        if "means" in record:
            does_nothing = meant[1] in idle if meant else not has_effect(f"return {record['means']};")
            if does_nothing != (name in idle):
                errors.append(f"{name} means '{record['means']}', which {'does nothing' if does_nothing else 'is not idle'}")
        if record.get("state") not in ("done", "idle") or "means" in record:
            continue
        body = body_of(text, name)
        if body is None:
            errors.append(f"{name} has no body that can be found")
        elif name in idle and has_effect(body):
            errors.append(f"{name} is idle, but does something: {body[:80]}")
        elif name not in idle and not has_effect(body):
            errors.append(f"{name} is done, but has no effect: 'idle', with a note that says why it may, or a stub")
    return errors


# A function that takes something and does nothing hides from the check of those that call it.
EMPTY = re.compile(r"\w+::\w+\([^()]+\)(?: const)? \{\}")


def main() -> int:
    errors = []
    for path in sorted((tree.ROOT / "src/api/cuda_state").glob("*.cpp")):
        for found in EMPTY.finditer(path.read_text(encoding="utf-8")):
            errors.append(f"{tree.relative(path)}:1: {found[0]} does nothing: leave it out, and say so where it was called")
    apis = tomllib.loads((tree.ROOT / "spec/cuda/apis.toml").read_text(encoding="utf-8"))
    for api, of in apis.items():
        records, places = {}, {}
        for path in sorted((tree.ROOT / "spec/cuda" / api).glob("*.toml")):
            for name, record in tomllib.loads(path.read_text(encoding="utf-8")).items():
                if isinstance(record, dict) and "takes" in record:
                    records[name] = record
                    places[name] = tree.relative(path)
        sources = [path for path in sorted((tree.ROOT / "src" / of["room"]).glob("*.cpp")) if not path.stem.endswith("_test")]
        for error in check(records, "\n".join(path.read_text(encoding="utf-8") for path in sources)):
            errors.append(f"{places[error.split()[0]]}:1: {error}")
    return tree.finish("idle", errors)


if __name__ == "__main__":
    sys.exit(main())
