"""The shared tables of spec/isa: versions, targets, types, slots, special registers, directives."""

import itertools
import pathlib
import re

from gen import Spec, SpecError
from isa_model import LAST, Directive, Model, Needs, Slot, SpecialRegister, Target, Type

FILES = {"slots", "types", "special_registers", "directives", "targets", "versions"}
# Keys of a form, which are therefore no names of slots.
FORM_KEYS = {"id", "syntax", "ptx", "sm", "until", "status", "needs", "relaxed", "leaves", "check", "fragments",
             "implies", "special", "symbol"}
TYPE_KINDS = {"untyped", "unsigned", "signed", "floating", "predicate", "opaque"}
CLASS = re.compile(r"\[([0-9a-z])-([0-9a-z])\]")


def expand_pattern(pattern: str) -> list[str]:
    """`b[0-7][0-7]` stands for 64 words."""
    ranges = [[chr(c) for c in range(ord(a), ord(b) + 1)] for a, b in CLASS.findall(pattern)]
    parts = CLASS.sub("\0", pattern).split("\0")
    return ["".join(itertools.chain(*itertools.zip_longest(parts, choice, fillvalue="")))
            for choice in itertools.product(*ranges)]


class Tables:
    """Reads the shared tables into a model; the readers of versions, targets, words and needs serve instructions too."""

    def __init__(self, spec: Spec):
        self.spec = spec
        self.model = Model()

    # ---- small readers ----------------------------------------------------------------------------------------------
    def expand(self, where: str, text) -> list[str]:
        """Words separated by blanks; `b[0-7][0-7]` stands for all of them."""
        if not isinstance(text, str):
            raise SpecError(f"{where}: words are one string, separated by blanks; found {text!r}")
        words = [word for pattern in text.split() for word in expand_pattern(pattern)]
        for word in words:
            if not re.fullmatch(r"[A-Za-z0-9_:]+(?:\[\d+\])?", word):
                raise SpecError(f"{where}: '{word}' is not a word")
        if len(set(words)) != len(words):
            twice = sorted({w for w in words if words.count(w) > 1})
            raise SpecError(f"{where}: written twice: {' '.join(twice)}")
        return words

    def version(self, where: str, text) -> tuple[int, int]:
        match = re.fullmatch(r"(\d+)\.(\d+)", text) if isinstance(text, str) else None
        if not match:
            raise SpecError(f"{where}: '{text}' is no PTX version; write \"7.8\"")
        version = int(match.group(1)), int(match.group(2))
        if version not in self.model.versions:
            raise SpecError(f"{where}: there is no PTX version {text} in versions.toml")
        return version

    def sm(self, where: str, value) -> tuple[str, ...]:
        values = [str(v) for v in (value if isinstance(value, list) else [value])]
        known = {(str(t.sm), t.suffix) for t in self.model.targets}
        for v in values:
            if not re.fullmatch(r"\d+[af]?", v) or (v.rstrip("af"), v.lstrip("0123456789")) not in known:
                raise SpecError(f"{where}: there is no target sm_{v} in targets.toml")
        return tuple(values)

    def needs(self, where: str, table: dict, extra: set[str] = frozenset()) -> Needs:
        for key in table:
            if key not in {"ptx", "sm", "until"} | extra:
                raise SpecError(f"{where}: unknown key '{key}'; a need has ptx, sm, until")
        until = table.get("until", {})
        if not isinstance(until, dict) or not set(until) <= {"ptx", "sm"}:
            raise SpecError(f"{where}: until is a table with ptx, sm; found {until!r}")
        return Needs(
            self.version(where, table["ptx"]) if "ptx" in table else (1, 0),
            self.sm(where, table["sm"]) if "sm" in table else ("10",),
            self.version(where, until["ptx"]) if "ptx" in until else LAST,
            int(until.get("sm", 65535)))

    def table(self, name: str) -> tuple[pathlib.Path, dict]:
        path = self.spec.root / "isa" / f"{name}.toml"
        if not path.exists():
            raise SpecError(f"{path}: missing")
        return path, self.spec.load(path)

    # ---- the shared tables ------------------------------------------------------------------------------------------
    def load_tables(self) -> None:
        model = self.model
        path, data = self.table("versions")
        for text in data["versions"]:
            major, minor = text.split(".")
            model.versions.append((int(major), int(minor)))
        if model.versions != sorted(set(model.versions)):
            raise SpecError(f"{path}: versions stand in ascending order, each once")
        path, data = self.table("targets")
        for name, ptx in data["targets"].items():
            match = re.fullmatch(r"sm_(\d+)([af]?)", name)
            if not match:
                raise SpecError(f"{path}: '{name}' is no target name")
            sm = int(match.group(1))
            family = data.get("families", {}).get(f"sm_{sm}", sm // 10)
            model.targets.append(Target(name, sm, match.group(2), family, self.version(f"{path}: {name}", ptx)))
        path, data = self.table("types")
        for name, row in data["types"].items():
            where = f"{path}: type {name}"
            if row.get("kind") not in TYPE_KINDS or not set(row) <= {"kind", "bits", "elements"}:
                raise SpecError(f"{where}: a type has kind ({', '.join(sorted(TYPE_KINDS))}), bits and perhaps elements")
            model.types[name] = Type(name, row["kind"], row["bits"], row.get("elements", 1))
        path, data = self.table("slots")
        for name, row in data.items():
            where = f"{path}: slot {name}"
            if name in FORM_KEYS or name in model.types:
                raise SpecError(f"{where}: this name means something else already")
            if not set(row) <= {"doc", "words", "needs"} or "doc" not in row:
                raise SpecError(f"{where}: a slot has doc, and perhaps words and needs")
            words = self.expand(where, row.get("words", ""))
            needs = {w: self.needs(f"{where}: needs {w}", n) for w, n in row.get("needs", {}).items()}
            if not set(needs) <= set(words):
                raise SpecError(f"{where}: needs of words that it does not have: {' '.join(set(needs) - set(words))}")
            model.slots[name] = Slot(name, row["doc"], words, needs)
        self.load_special_registers()
        self.load_directives()

    def load_special_registers(self) -> None:
        path, data = self.table("special_registers")
        for row in data["register"]:
            where = f"{path}: register {row.get('name')}"
            if not set(row) <= {"name", "type", "components", "first", "last", "least_bits", "title", "ptx", "sm", "until"}:
                raise SpecError(f"{where}: unknown key among {' '.join(row)}")
            if row["type"] not in self.model.types:
                raise SpecError(f"{where}: unknown type '{row['type']}'")
            needs = self.needs(where, {k: row[k] for k in ("ptx", "sm", "until") if k in row})
            # `%pm*` with first = 0, last = 7 is %pm0 .. %pm7
            names = [row["name"]]
            if "*" in row["name"]:
                names = [row["name"].replace("*", str(i)) for i in range(row["first"], row["last"] + 1)]
            least_bits = row.get("least_bits", self.model.types[row["type"]].bits)
            for name in names:
                self.model.special_registers.append(
                    SpecialRegister(name, row["type"], row.get("components", 1), least_bits, needs))

    def load_directives(self) -> None:
        path, data = self.table("directives")
        for row in data["directive"]:
            where = f"{path}: directive {row.get('name')}"
            if not set(row) <= {"name", "place", "values", "title", "ptx", "sm", "until"}:
                raise SpecError(f"{where}: unknown key among {' '.join(row)}")
            values = row.get("values", [0, 0])
            needs = self.needs(where, {k: row[k] for k in ("ptx", "sm", "until") if k in row})
            self.model.directives.append(Directive(row["name"], row["place"].split(), tuple(values), needs))
