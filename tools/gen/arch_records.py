"""Reads spec/arch and spec/devices: every record complete, every key known, every value of its type.

Errors name file, key and the expected type: "spec/arch/sm_30.toml: registers.per_block: expected an integer ..., found 'x'". Users' own devices
are read at run time by src/arch/record.cpp, with the same rules and words: src/arch/bad_records.toml is what both are tested with.
"""

from dataclasses import dataclass

from gen import SpecError
from nearest import nearest, unknown

U32, U64 = 2**32 - 1, 2**63 - 1
FLAG = "true or false"
TEXT = "a string"


def is_integer(value, low, high) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def is_list(value, length=None) -> bool:
    return isinstance(value, list) and length in (None, len(value)) and all(is_integer(v, 0, U32) for v in value)


# type in a schema -> (what an error calls it, does a value fit, C++ type)
TYPES = {
    "u32": (f"an integer from 0 to {U32}", lambda v: is_integer(v, 0, U32), "uint32_t"),
    "u64": (f"an integer from 0 to {U64}", lambda v: is_integer(v, 0, U64), "uint64_t"),
    "u32x2": ("a list of 2 integers", lambda v: is_list(v, 2), "std::array<uint32_t, 2>"),
    "u32x3": ("a list of 3 integers", lambda v: is_list(v, 3), "std::array<uint32_t, 3>"),
    "u32s": ("a list of integers", lambda v: is_list(v) and v, "std::span<const uint32_t>"),
    "ratio": ("a ratio [a, b], both above 0", lambda v: is_list(v, 2) and all(v), "Ratio"),
    "flag": (FLAG, lambda v: isinstance(v, bool), "bool"),
    "text": (TEXT, lambda v: isinstance(v, str), "std::string_view"),
}


@dataclass
class Entry:
    type: str
    title: str
    default: object = None  # what a record that says nothing means; None: it has to say something


@dataclass
class Architecture:
    id: str
    major: int
    minor: int
    generation: str
    source: str
    groups: dict
    features: dict  # name -> bool, all of them


@dataclass
class Device:
    id: str
    name: str
    source: str
    default: bool
    arch: Architecture  # with this device's own facts
    groups: dict
    stated: dict  # attribute -> value
    own: dict  # the record's [arch], with those of the records that it is like
    path: object = None


class Nothing:
    """Stands for a key that is not there."""

    def __repr__(self):
        return "nothing"


NOTHING = Nothing()


def shown(value):
    """A value as a record has it."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def expect(path, key, value, wanted, fits):
    if not fits:
        raise SpecError(f"{path}: {key}: expected {wanted}, found {shown(value)}")


def expect_type(path, key, value, type_name):
    wanted, fits, _ = TYPES[type_name]
    expect(path, key, value, wanted, fits(value))


def expect_table(path, key, value):
    expect(path, key, value, "a table", isinstance(value, dict))


def read_schema(spec, path):
    """group -> key -> Entry"""
    schema = {}
    for group, keys in spec.load(path).items():
        expect_table(path, group, keys)
        schema[group] = {}
        for key, entry in keys.items():
            fits = isinstance(entry, list) and len(entry) in (2, 3) and all(isinstance(e, str) for e in entry[:2]) and entry[0] in TYPES
            fits = fits and (len(entry) == 2 or TYPES[entry[0]][1](entry[2]))
            expect(path, f"{group}.{key}", entry, f"[type, title] or [type, title, default] with a type of {', '.join(TYPES)}", fits)
            schema[group][key] = Entry(*entry)
    return schema


def read_features(spec, path):
    data = spec.load(path)
    if set(data) != {"features"}:
        raise SpecError(f"{path}: expected one table [features], found {', '.join(data) or 'nothing'}")
    expect_table(path, "features", data["features"])
    for name, title in data["features"].items():
        expect_type(path, f"features.{name}", title, "text")
    return data["features"]


def check_group(path, prefix, schema, data):
    expect_table(path, prefix, data)
    for key, value in data.items():
        if key not in schema:
            tail = f"[{prefix.split('.')[-1]}] has {', '.join(schema)}"
            raise SpecError(f"{path}: {prefix}.{key}: {unknown('key', key, schema, tail)}")
        expect_type(path, f"{prefix}.{key}", value, schema[key].type)


def check_features(path, prefix, features, data):
    expect_table(path, prefix, data)
    for name, value in data.items():
        if name not in features:
            raise SpecError(f"{path}: {prefix}.{name}: {unknown('feature', name, features, '`heddle devices sm_90` lists them')}")
        expect(path, f"{prefix}.{name}", value, FLAG, isinstance(value, bool))


def check_keys(path, data, required, optional, prefix=""):
    for key, wanted in required.items():
        expect(path, prefix + key, NOTHING, wanted, key in data)
    for key in data:
        if key not in required and key not in optional:
            known = [*required, *optional]
            raise SpecError(f"{path}: {prefix}{key}: {unknown('key', key, known, 'known are ' + ', '.join(known))}")


class Architectures:
    """Records of spec/arch, with `like` resolved."""

    def __init__(self, spec):
        folder = spec.root / "arch"
        self.schema = read_schema(spec, folder / "schema.toml")
        self.features = read_features(spec, folder / "features.toml")
        self._spec = spec
        self._paths = {path.stem: path for path in spec.files("arch") if path.stem.startswith("sm_")}
        for path in spec.files("arch"):
            if path.stem not in self._paths and path.stem not in ("schema", "features", "rules"):
                raise SpecError(f"{path}: expected a file name sm_NN.toml")
        self._done = {}
        records = [self._resolve(name, ()) for name in self._paths]
        self.records = sorted(records, key=lambda a: (a.major, a.minor))

    def _resolve(self, name, chain):
        if name in self._done:
            return self._done[name]
        path = self._paths[name]
        number = name.removeprefix("sm_")
        if not (number.isdigit() and len(number) >= 2):
            raise SpecError(f"{path}: expected a file name sm_NN.toml")
        data = self._spec.load(path)
        check_keys(path, data, {"source": TEXT}, ["like", "generation", "features", *self.schema])
        expect_type(path, "source", data["source"], "text")
        base = None
        if "like" in data:
            like = data["like"]
            expect(path, "like", like, f"another record: {', '.join(self._paths)}", isinstance(like, str) and like in self._paths)
            if like in (name, *chain):
                raise SpecError(f"{path}: like: {' -> '.join([*chain, name, like])} goes in a circle")
            base = self._resolve(like, (*chain, name))
        generation = data.get("generation", base.generation if base else NOTHING)
        expect_type(path, "generation", generation, "text")
        arch = Architecture(name, int(number[:-1]), int(number[-1]), generation, data["source"].strip(), {}, {})
        for group, keys in self.schema.items():
            own = data.get(group, {})
            check_group(path, group, keys, own)
            arch.groups[group] = {**(base.groups[group] if base else {}), **own}
            for key, entry in keys.items():
                expect_type(path, f"{group}.{key}", arch.groups[group].get(key, NOTHING), entry.type)
        check_features(path, "features", self.features, data.get("features", {}))
        inherited = base.features if base else dict.fromkeys(self.features, False)
        arch.features = {**inherited, **data.get("features", {})}
        self._done[name] = arch
        return arch

    def adapted(self, path, arch, own, prefix=""):
        """`arch` with a device's [arch.GROUP] laid over it."""
        check_keys(path, own, {}, [*self.schema, "features"], f"{prefix}arch.")
        groups = {group: dict(values) for group, values in arch.groups.items()}
        for group in self.schema:
            check_group(path, f"{prefix}arch.{group}", self.schema[group], own.get(group, {}))
            groups[group].update(own.get(group, {}))
        check_features(path, f"{prefix}arch.features", self.features, own.get("features", {}))
        features = {**arch.features, **own.get("features", {})}
        return Architecture(arch.id, arch.major, arch.minor, arch.generation, arch.source, groups, features)


class Devices:
    """Records of spec/devices, with `like` resolved."""

    RESERVED = ("schema", "attributes")
    REQUIRED = {"name": TEXT, "capability": 'a string like "2.0"', "source": TEXT}
    OPTIONAL = ("like", "default", "arch", "attributes")

    def __init__(self, spec, architectures):
        folder = spec.root / "devices"
        self.architectures = architectures
        self.schema = read_schema(spec, folder / "schema.toml")
        self.attributes_path = folder / "attributes.toml"
        self.attributes = self._read_attributes(spec.load(self.attributes_path))
        self.rules_path = spec.root / "arch" / "rules.toml"
        self.rules = spec.load(self.rules_path)["rules"]
        self._rules = None
        self._data = {}
        for path in spec.files("devices"):
            if path.stem not in self.RESERVED:
                self._collect(path, spec.load(path))
        self._done = {}
        self.records = [self._read(name, ()) for name in self._data]
        self.records.sort(key=lambda d: (d.arch.major, d.arch.minor, d.id))
        defaults = [device.id for device in self.records if device.default]
        if len(defaults) != 1:
            raise SpecError(f"{folder}: default: expected true in exactly one record, found it in {', '.join(defaults) or 'none'}")

    def _collect(self, path, data):
        """One device named like its file, or several as [devices.ID] with one source."""
        if "devices" not in data:
            self._add(path, path.stem, "", data)
            return
        check_keys(path, data, {"source": TEXT, "devices": "a table"}, [])
        expect_table(path, "devices", data["devices"])
        for name, record in data["devices"].items():
            expect_table(path, f"devices.{name}", record)
            self._add(path, name, f"devices.{name}.", {"source": data["source"], **record})

    def _add(self, path, name, prefix, data):
        if name in self._data:
            raise SpecError(f"{path}: {prefix or name}: the device '{name}' has a record in {self._data[name][0]}")
        self._data[name] = (path, prefix, data)

    def _read_attributes(self, data):
        path = self.attributes_path
        check_keys(path, data, {"attributes": "a table"}, [])
        numbers = {}
        for name, entry in data["attributes"].items():
            key = f"attributes.{name}"
            expect_table(path, key, entry)
            for word in entry:
                if word not in ("cuda", "is"):
                    raise SpecError(f"{path}: {key}.{word}: unknown key; known are cuda, is")
            if "cuda" in entry:
                expect(path, f"{key}.cuda", entry["cuda"], "an integer above 0", is_integer(entry["cuda"], 1, U32))
                if entry["cuda"] in numbers:
                    raise SpecError(f"{path}: {key}.cuda: {entry['cuda']} is taken by {numbers[entry['cuda']]}")
                numbers[entry["cuda"]] = name
            wanted = "an integer or an expression"
            value = entry.get("is")
            fits = isinstance(value, str) or is_integer(value, -U32, U64) or (value is None and "cuda" not in entry)
            expect(path, f"{key}.is", entry.get("is", NOTHING), wanted, fits)
        return data["attributes"]

    def _read(self, name, chain):
        if name in self._done:
            return self._done[name]
        path, prefix, data = self._data[name]
        check_keys(path, data, {}, [*self.REQUIRED, *self.schema, *self.OPTIONAL], prefix)
        base = None
        if "like" in data:
            like = data["like"]
            expect(path, f"{prefix}like", like, "a string, the id of another record", isinstance(like, str))
            if like not in self._data:
                near = nearest(like, self._data)
                raise SpecError(f"{path}: {prefix}like: no device is called '{like}'" + (f"; did you mean '{near}'?" if near else ""))
            if like in (name, *chain):
                raise SpecError(f"{path}: {prefix}like: {' -> '.join([*chain, name, like])} goes in a circle")
            base = self._read(like, (*chain, name))
        texts = {}
        for key in ("name", "source"):
            texts[key] = data.get(key, getattr(base, key) if base else NOTHING)
            expect_type(path, prefix + key, texts[key], "text")
        name_of = texts["name"]
        fits = 0 < len(name_of.encode()) < 256 and all(c >= " " and c != "\x7f" for c in name_of)
        expect(path, prefix + "name", name_of, "1 to 255 characters of one line", fits)
        capability = data.get("capability", f"{base.arch.major}.{base.arch.minor}" if base else NOTHING)
        known = {f"{a.major}.{a.minor}": a for a in self.architectures.records}
        wanted = f"a string, one of {', '.join(known)}"
        expect(path, f"{prefix}capability", capability, wanted, isinstance(capability, str) and capability in known)
        expect_type(path, f"{prefix}default", data.get("default", False), "flag")
        own = {group: dict(values) for group, values in base.own.items()} if base else {}
        expect_table(path, f"{prefix}arch", data.get("arch", {}))
        self.architectures.adapted(path, known[capability], data.get("arch", {}), prefix)
        for group, values in data.get("arch", {}).items():
            own.setdefault(group, {}).update(values)
        arch = self.architectures.adapted(path, known[capability], own, prefix)
        groups = {}
        for group, keys in self.schema.items():
            check_group(path, f"{prefix}{group}", keys, data.get(group, {}))
            groups[group] = {key: entry.default for key, entry in keys.items()}
            groups[group].update(base.groups[group] if base else {})
            groups[group].update(data.get(group, {}))
            for key, entry in keys.items():
                value = groups[group][key]
                expect_type(path, f"{prefix}{group}.{key}", NOTHING if value is None else value, entry.type)
        stated = dict(base.stated) if base else {}
        expect_table(path, f"{prefix}attributes", data.get("attributes", {}))
        for attribute, value in data.get("attributes", {}).items():
            if attribute not in self.attributes:
                wrong = unknown("attribute", attribute, self.attributes, "`heddle devices h200 --attributes` lists them")
                raise SpecError(f"{path}: {prefix}attributes.{attribute}: {wrong}")
            fits = isinstance(value, str) or is_integer(value, -U32, U64)
            expect(path, f"{prefix}attributes.{attribute}", value, "an integer or a string", fits)
            stated[attribute] = value
        device = Device(name, texts["name"], texts["source"].strip(), data.get("default", False), arch, groups, stated, own, path)
        self._done[name] = device
        return device

    # ---- expressions -------------------------------------------------------------------------------------
    OPERATORS = ("*", "/", "+", "%", ">")

    def steps(self, path, where, rule):
        """'board.gpus * 2 > 3' -> [('=', operand), ('*', operand), ('>', operand)], each operand looked up."""
        words = rule.split()
        if len(words) % 2 == 0:
            raise SpecError(f"{path}: {where}: expected an operand after '{words[-1] if words else ''}'")
        out = [("=", self._operand(path, where, words[0]))]
        for operator, word in zip(words[1::2], words[2::2]):
            if operator not in self.OPERATORS:
                raise SpecError(f"{path}: {where}: expected one of {' '.join(self.OPERATORS)}, found {operator!r}")
            out.append((operator, self._operand(path, where, word)))
        return out

    def attribute_steps(self, name):
        rule = self.attributes[name].get("is")
        if rule is None:
            return None
        return [("=", ("number", rule))] if isinstance(rule, int) else self.steps(self.attributes_path, f"attributes.{name}.is", rule)

    def rule_steps(self, title):
        """Both sides of a rule of rules.toml, and how they compare."""
        where, text = f"rules.{title}", self.rules[title]
        for comparison in ("<=", "=="):
            if f" {comparison} " in text:
                left, right = text.split(f" {comparison} ")
                return self.steps(self.rules_path, where, left), comparison, self.steps(self.rules_path, where, right)
        raise SpecError(f"{self.rules_path}: {where}: expected == or <= between two expressions, found {text!r}")

    def _operand(self, path, where, word):
        """('number', 3), ('capability', 'major'), ('feature', name), ('arch' or 'device', group, key, index or None), ('name',)"""
        parts = word.split(".")
        if word.isdigit():
            return ("number", int(word))
        if word == "name":
            return ("name",)
        if parts[0] == "capability" and parts[1:] in (["major"], ["minor"]):
            return ("capability", parts[1])
        if parts[0] == "feature" and len(parts) == 2 and parts[1] in self.architectures.features:
            return ("feature", parts[1])
        schema, kind = self.schema, "device"
        if parts[0] == "arch":
            schema, kind, parts = self.architectures.schema, "arch", parts[1:]
        index = "xyz".find(parts.pop()) if len(parts) == 3 and parts[2] in ("x", "y", "z") else None
        if len(parts) == 2 and parts[1] in schema.get(parts[0], {}):
            type_name = schema[parts[0]][parts[1]].type
            lengths = {"u32x2": 2, "u32x3": 3}
            if (index is None and type_name in ("u32", "u64", "flag")) or (index is not None and index < lengths.get(type_name, 0)):
                return (kind, parts[0], parts[1], index)
        raise SpecError(f"{path}: {where}: expected a known fact (with .x, .y or .z where it is a list), found {word!r}")

    @staticmethod
    def evaluate(steps, arch, groups):
        value = 0
        for operator, operand in steps:
            right = Devices._value(operand, arch, groups)
            if operator == "=":
                value = right
            elif operator == "*":
                value *= right
            elif operator == "/":
                value = value // right if right else 0
            elif operator == "%":
                value = value % right if right else 0
            elif operator == "+":
                value += right
            else:
                value = int(value > right)
        return value

    @staticmethod
    def _value(operand, arch, groups):
        kind = operand[0]
        if kind == "number":
            return operand[1]
        if kind == "capability":
            return arch.major if operand[1] == "major" else arch.minor
        if kind == "feature":
            return int(arch.features[operand[1]])
        _, group, key, index = operand
        value = (arch.groups if kind == "arch" else groups)[group][key]
        return int(value) if index is None else value[index]

    def contradictions(self, path, arch, groups):
        """`groups` is None for a capability without a device: rules over a device's facts are left out."""
        if self._rules is None:
            self._rules = {title: self.rule_steps(title) for title in self.rules}
        for title, (left, comparison, right) in self._rules.items():
            if groups is None and any(step[1][0] == "device" for step in left + right):
                continue
            one, other = self.evaluate(left, arch, groups), self.evaluate(right, arch, groups)
            if not (one == other if comparison == "==" else one <= other):
                yield f"{path}: contradicts itself: {title}"
        sizes = arch.groups["shared"]["configurations"]
        if sizes != sorted(sizes) or sizes[-1] != arch.groups["shared"]["per_multiprocessor"]:
            yield f"{path}: contradicts itself: shared.configurations rise to per_multiprocessor"
