"""The records of spec/isa as checked Python values; everything wrong with a record is found here and named."""

import itertools
import pathlib
import re
from dataclasses import dataclass, field

import isa_syntax
from gen import Spec, SpecError

TABLES = {"slots", "types", "special_registers", "directives", "targets", "versions"}
FORM_KEYS = {"id", "syntax", "ptx", "sm", "until", "status", "needs", "relaxed", "leaves", "check", "fragments",
             "implies", "special", "symbol"}
INSTRUCTION_KEYS = {"name", "title", "section", "form"}
STATUSES = {"executed", "refused"}
TYPE_KINDS = {"untyped", "unsigned", "signed", "floating", "predicate", "opaque"}
CLASS = re.compile(r"\[([0-9a-z])-([0-9a-z])\]")
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


def expand_pattern(pattern: str) -> list[str]:
    """`b[0-7][0-7]` stands for 64 words."""
    ranges = [[chr(c) for c in range(ord(a), ord(b) + 1)] for a, b in CLASS.findall(pattern)]
    parts = CLASS.sub("\0", pattern).split("\0")
    return ["".join(itertools.chain(*itertools.zip_longest(parts, choice, fillvalue="")))
            for choice in itertools.product(*ranges)]


class Loader:
    def __init__(self, spec: Spec):
        self.spec = spec
        self.model = Model()
        self.id_owner: dict[str, Form] = {}

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

    # ---- instructions -----------------------------------------------------------------------------------------------
    def load(self) -> Model:
        self.load_tables()
        forms: list[Form] = []
        titles: dict[str, str] = {}
        for path, data in self.spec.records("isa"):
            if path.stem in TABLES:
                continue
            if set(data) - {"instruction"}:
                raise SpecError(f"{path}: only [[instruction]] may stand here, found {' '.join(set(data))}")
            for record in data.get("instruction", []):
                self.load_instruction(path, record, forms, titles)
        for opcode in sorted(titles):
            if not titles[opcode]:
                raise SpecError(f"instruction {opcode}: no record of it has a title")
            self.model.titles[opcode] = titles[opcode]
        order = {opcode: i for i, opcode in enumerate(self.model.titles)}
        self.model.forms = sorted(forms, key=lambda form: order[form.opcode])
        return self.model

    def load_instruction(self, path: pathlib.Path, record: dict, forms: list[Form], titles: dict[str, str]) -> None:
        name = record.get("name", "")
        where = f"{path}: {name or 'an instruction without a name'}"
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise SpecError(f"{where}: name is the word before the first dot, in lower case")
        if set(record) - INSTRUCTION_KEYS:
            raise SpecError(f"{where}: unknown key '{(set(record) - INSTRUCTION_KEYS).pop()}'; an instruction has "
                            "name, title, section and forms")
        if not record.get("form"):
            raise SpecError(f"{where}: no [[instruction.form]]")
        titles[name] = titles.get(name) or record.get("title", "")
        for row in record["form"]:
            forms += self.load_form(path.stem, where, name, record.get("section", ""), row)

    def load_form(self, family: str, where: str, opcode: str, section: str, row: dict) -> list[Form]:
        id_ = row.get("id", "")
        where = f"{where}: form {id_ or 'without an id'}"
        if not re.fullmatch(r"[a-z][a-z0-9_]*", id_):
            raise SpecError(f"{where}: id is a C identifier in lower case")
        for key in row:
            if key not in FORM_KEYS and key not in self.model.slots:
                raise SpecError(f"{where}: '{key}' is neither a key of a form nor a slot of slots.toml")
        status = row.get("status", "executed")
        if status not in STATUSES:
            raise SpecError(f"{where}: status '{status}' is none of {', '.join(sorted(STATUSES))}")
        needs = self.needs(where, {k: row[k] for k in ("ptx", "sm", "until") if k in row})
        texts = row.get("syntax", "")
        forms = []
        for text in texts if isinstance(texts, list) else [texts]:
            try:
                parsed = isa_syntax.parse(text)
            except isa_syntax.SyntaxProblem as problem:
                raise SpecError(f"{where}: syntax: {problem}") from problem
            for syntax in parsed:
                form = Form(family, where, opcode, id_, syntax.text, section, self.slot_rules(where, row, syntax),
                            syntax.operands, needs, [], [], self.implied(where, row), [], status,
                            row.get("relaxed", False), row.get("special", False), row.get("symbol", False),
                            row.get("leaves", False),
                            row.get("check", ""))
                for operand in form.operands:
                    self.check_operand(where, form, operand)
                forms.append(form)
        used = {rule.slot for form in forms for rule in form.slots}
        for key in row:
            if key not in FORM_KEYS and key not in used:
                raise SpecError(f"{where}: words for slot '{key}', which its syntax does not name")
        self.word_needs(where, row, forms)
        for form in forms:
            self.fragments(where, row, form)
            self.check_shared_id(where, form)
        for name in row.get("fragments", {}):
            if not any(name == o.name and o.shape == "fragment" for f in forms for p in f.operands for o in [p, *p.inner]):
                raise SpecError(f"{where}: fragments names '{name}', which is no frag() operand")
        return forms

    def slot_rules(self, where: str, row: dict, syntax: isa_syntax.Syntax) -> list[SlotRule]:
        rules = []
        for modifier in syntax.modifiers:
            slot = self.model.slots.get(modifier.slot)
            if slot is None:
                raise SpecError(f"{where}: syntax names '.{modifier.slot}', which is no slot of slots.toml")
            if any(rule.slot == slot.name for rule in rules):
                raise SpecError(f"{where}: slot '{slot.name}' stands twice in '{syntax.text}'")
            if modifier.words is not None:
                words = self.expand(where, " ".join(modifier.words))
            elif slot.name in row:
                words = self.expand(f"{where}: {slot.name}", row[slot.name])
            else:
                words = slot.words
            if not words:
                raise SpecError(f"{where}: no words for slot '{slot.name}', neither here nor in slots.toml")
            rules.append(SlotRule(slot.name, modifier.optional, words))
        return rules

    def implied(self, where: str, row: dict) -> list[tuple[str, str]]:
        for slot, word in row.get("implies", {}).items():
            if slot not in self.model.slots:
                raise SpecError(f"{where}: implies names '{slot}', which is no slot of slots.toml")
            self.expand(f"{where}: implies {slot}", word)
        return list(row.get("implies", {}).items())

    def check_operand(self, where: str, form: Form, operand: isa_syntax.Operand) -> None:
        rule = operand.type
        slots = {r.slot for r in form.slots}

        def of_slot() -> None:
            if rule.name not in slots:
                raise SpecError(f"{where}: operand '{operand.name}' takes its type from '{rule.name}', which is neither "
                                f"a slot of '{form.text}' nor a type of types.toml")
            words = next(r.words for r in form.slots if r.slot == rule.name)
            for word in words:
                if word not in self.model.types:
                    raise SpecError(f"{where}: operand '{operand.name}' takes its type from slot '{rule.name}', whose "
                                    f"word '{word}' is no type")

        if rule.kind == "named":
            if rule.name in self.model.types:
                rule.kind = "fixed"
            else:
                rule.kind = "of_slot"
                of_slot()
        elif rule.kind in isa_syntax.OF_SLOT:
            of_slot()
        if operand.tied and operand.tied not in self.model.slots:
            raise SpecError(f"{where}: operand '{operand.name}' depends on '{operand.tied}', which is no slot")
        operand.suffix = self.expand(f"{where}: operand '{operand.name}'", " ".join(operand.suffix))
        for choice in rule.choices:
            if choice not in self.model.types:
                raise SpecError(f"{where}: operand '{operand.name}': unknown type '{choice}'")
        if rule.kind == "fixed" and self.model.types[rule.name].kind == "predicate" and operand.access == "read":
            operand.negate = True
        if "pred" in rule.choices and operand.access == "read":
            operand.negate = True
        for inner in operand.inner:
            self.check_operand(where, form, inner)

    def word_needs(self, where: str, row: dict, forms: list[Form]) -> None:
        """Keys: words separated by blanks, each `word`, `slot=word`, `slot=*` (any word), `slot=` (none) or `{operand}`."""
        for keys, table in row.get("needs", {}).items():
            needs = self.needs(f"{where}: needs '{keys}'", table)
            for key in [k for pattern in keys.split() for k in expand_pattern(pattern)]:
                if not any([self.one_need(form, key, needs) for form in forms]):
                    raise SpecError(f"{where}: needs names '{key}', which none of its slots takes")
        for form in forms:
            named = {(slot, word) for slot, word, _ in form.word_needs}
            for rule in form.slots:
                for word, needs in self.model.slots[rule.slot].needs.items():
                    if word in rule.words and (rule.slot, word) not in named:
                        form.word_needs.append((rule.slot, word, needs))

    @staticmethod
    def one_need(form: Form, key: str, needs: Needs) -> bool:
        if key.startswith("{"):
            hits = [i for i, operand in enumerate(form.operands) if key == f"{{{operand.name}}}"]
            form.operand_needs += [(i, "", needs) for i in hits]
            return bool(hits)
        suffixed = [i for i, operand in enumerate(form.operands) if key in operand.suffix]
        form.operand_needs += [(i, key, needs) for i in suffixed]
        slot, equals, word = key.rpartition("=")
        hits = []
        for rule in form.slots:
            if slot not in ("", rule.slot) or not slot and equals:
                continue
            if equals and not word:
                hits += [(rule.slot, "")] if rule.optional else []
            else:
                hits += [(rule.slot, w) for w in rule.words if word in ("*", w)]
        if equals and not word and slot not in {rule.slot for rule in form.slots}:
            hits.append((slot, ""))
        form.word_needs += [(s, w, needs) for s, w in hits]
        return bool(hits or suffixed)

    def fragments(self, where: str, row: dict, form: Form) -> None:
        table = row.get("fragments", {})
        frags = {}
        for i, operand in enumerate(form.operands):
            frags |= {o.name: i for o in [operand, *operand.inner] if o.shape == "fragment"}
        for name in frags:
            if name not in table:
                raise SpecError(f"{where}: fragments says nothing about operand '{name}'")
        slots = {rule.slot: rule.words for rule in form.slots}
        for name, text in table.items():
            if name not in frags:
                continue
            for entry in text.split():
                match = re.fullmatch(r"(.+?):(\d+)(?:\|(\d+))?", entry)
                if not match:
                    raise SpecError(f"{where}: fragments.{name}: '{entry}' is not 'word+slot=word:count' or '...:count|count'")
                when = []
                for condition in match.group(1).split("+") if match.group(1) != "*" else []:
                    slot, _, word = condition.rpartition("=")
                    if slot and word not in slots.get(slot, []) or not any(word in words for words in slots.values()):
                        break  # another syntax of the form
                    when.append((slot, word))
                else:
                    form.fragments.append(Fragment(frags[name], when, int(match.group(2)), int(match.group(3) or 0)))

    def check_shared_id(self, where: str, form: Form) -> None:
        """Forms of one id share one eval, which counts operands: the same place must mean the same operand."""
        other = self.id_owner.setdefault(form.id, form)
        mine, theirs = ([o.name for o in f.operands] for f in (form, other))
        if any(m != t and "_" not in (m, t) for m, t in zip(mine, theirs)):
            raise SpecError(f"{where}: '{form.text}' and '{other.text}' ({other.where}) share an id, so their operands "
                            f"must have the same names in the same order")
        if form.status != other.status:
            raise SpecError(f"{where}: one form with this id is {form.status}, another {other.status}")
        if len(mine) > len(theirs):
            self.id_owner[form.id] = form


def load(spec: Spec) -> Model:
    return Loader(spec).load()
