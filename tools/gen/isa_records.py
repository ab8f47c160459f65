"""The instructions of spec/isa; everything wrong with a record is found here and named."""

import pathlib
import re

import isa_syntax
from gen import Spec, SpecError
from isa_model import Form, Fragment, Model, Needs, SlotRule
from isa_tables import FILES, FORM_KEYS, Tables, expand_pattern

INSTRUCTION_KEYS = {"name", "title", "section", "form"}
STATUSES = {"executed", "refused"}


class Loader(Tables):
    def __init__(self, spec: Spec):
        super().__init__(spec)
        self.id_owner: dict[str, Form] = {}

    def load(self) -> Model:
        self.load_tables()
        forms: list[Form] = []
        titles: dict[str, str] = {}
        for path, data in self.spec.records("isa"):
            if path.stem in FILES:
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
        named = set()
        for keys, table in row.get("needs", {}).items():
            needs = self.needs(f"{where}: needs '{keys}'", table)
            for key in [k for pattern in keys.split() for k in expand_pattern(pattern)]:
                if not any([self.one_need(form, key, needs) for form in forms]):
                    raise SpecError(f"{where}: needs names '{key}', which none of its slots takes")
                slot, _, word = key.rpartition("=")
                named |= {(s, word) for s in ([slot] if slot else self.model.slots)}
        # What slots.toml asks for stands unless the form names that very word: `sem=*` comes on top of it.
        for form in forms:
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
