"""Reads spec/arch and spec/devices: every record complete, every key known, every value of its type.

Errors name file, key and the expected type: "spec/arch/sm_30.toml: registers.per_block: expected an integer ..., found 'x'".
"""

from dataclasses import dataclass, field

from gen import SpecError

U32, U64 = 2**32 - 1, 2**64 - 1
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
    path: object = None
    attributes: dict = field(default_factory=dict)


class Nothing:
    """Stands for a key that is not there."""

    def __repr__(self):
        return "nothing"


NOTHING = Nothing()


def expect(path, key, value, wanted, fits):
    if not fits:
        raise SpecError(f"{path}: {key}: expected {wanted}, found {value!r}")


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
            fits = isinstance(entry, list) and len(entry) == 2 and all(isinstance(e, str) for e in entry) and entry[0] in TYPES
            expect(path, f"{group}.{key}", entry, f"[type, title] with a type of {', '.join(TYPES)}", fits)
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
            raise SpecError(f"{path}: {prefix}.{key}: unknown key; [{prefix.split('.')[-1]}] has {', '.join(schema)}")
        expect_type(path, f"{prefix}.{key}", value, schema[key].type)


def check_features(path, prefix, features, data):
    expect_table(path, prefix, data)
    for name, value in data.items():
        if name not in features:
            raise SpecError(f"{path}: {prefix}.{name}: unknown feature; they are declared in features.toml")
        expect(path, f"{prefix}.{name}", value, FLAG, isinstance(value, bool))


def check_keys(path, data, required, optional, prefix=""):
    for key, wanted in required.items():
        expect(path, prefix + key, NOTHING, wanted, key in data)
    for key in data:
        if key not in required and key not in optional:
            raise SpecError(f"{path}: {prefix}{key}: unknown key; known are {', '.join([*required, *optional])}")


class Architectures:
    """Records of spec/arch, with `like` resolved."""

    def __init__(self, spec):
        folder = spec.root / "arch"
        self.schema = read_schema(spec, folder / "schema.toml")
        self.features = read_features(spec, folder / "features.toml")
        self._spec = spec
        self._paths = {path.stem: path for path in spec.files("arch") if path.stem.startswith("sm_")}
        for path in spec.files("arch"):
            if path.stem not in self._paths and path.stem not in ("schema", "features"):
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

    def adapted(self, path, arch, own):
        """`arch` with a device's [arch.GROUP] laid over it."""
        expect_table(path, "arch", own)
        check_keys(path, own, {}, [*self.schema, "features"], "arch.")
        groups = {group: dict(values) for group, values in arch.groups.items()}
        for group in self.schema:
            check_group(path, f"arch.{group}", self.schema[group], own.get(group, {}))
            groups[group].update(own.get(group, {}))
        check_features(path, "arch.features", self.features, own.get("features", {}))
        features = {**arch.features, **own.get("features", {})}
        return Architecture(arch.id, arch.major, arch.minor, arch.generation, arch.source, groups, features)


class Devices:
    """Records of spec/devices, with their attributes worked out."""

    RESERVED = ("schema", "attributes")

    def __init__(self, spec, architectures):
        folder = spec.root / "devices"
        self.architectures = architectures
        self.schema = read_schema(spec, folder / "schema.toml")
        self.attributes_path = folder / "attributes.toml"
        self.attributes = self._read_attributes(spec.load(self.attributes_path))
        self.records = [self._read(path, spec.load(path)) for path in spec.files("devices") if path.stem not in self.RESERVED]
        self.records.sort(key=lambda d: (d.arch.major, d.arch.minor, d.id))
        defaults = [device.id for device in self.records if device.default]
        if len(defaults) != 1:
            raise SpecError(f"{folder}: default: expected true in exactly one record, found it in {', '.join(defaults) or 'none'}")

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

    def _read(self, path, data):
        required = {"name": TEXT, "capability": 'a string like "2.0"', "source": TEXT, **dict.fromkeys(self.schema, "a table")}
        check_keys(path, data, required, ["default", "arch", "attributes"])
        for key in ("name", "source"):
            expect_type(path, key, data[key], "text")
        capability = data["capability"]
        known = {f"{a.major}.{a.minor}": a for a in self.architectures.records}
        wanted = f"a string, one of {', '.join(known)}"
        expect(path, "capability", capability, wanted, isinstance(capability, str) and capability in known)
        expect_type(path, "default", data.get("default", False), "flag")
        arch = self.architectures.adapted(path, known[capability], data.get("arch", {}))
        groups = {}
        for group, keys in self.schema.items():
            check_group(path, group, keys, data[group])
            for key, entry in keys.items():
                expect_type(path, f"{group}.{key}", data[group].get(key, NOTHING), entry.type)
            groups[group] = data[group]
        stated = data.get("attributes", {})
        expect_table(path, "attributes", stated)
        for name, value in stated.items():
            if name not in self.attributes:
                raise SpecError(f"{path}: attributes.{name}: unknown attribute; they are declared in attributes.toml")
            fits = isinstance(value, str) or is_integer(value, -U32, U64)
            expect(path, f"attributes.{name}", value, "an integer or a string", fits)
        device = Device(path.stem, data["name"], data["source"].strip(), data.get("default", False), arch, groups, stated, path)
        for name, entry in self.attributes.items():
            value = stated.get(name, self._derive(device, name, entry.get("is")))
            if value is not None:
                device.attributes[name] = value
        return device

    def _derive(self, device, name, rule):
        if rule is None or isinstance(rule, int):
            return rule
        words = rule.split()
        where = f"attributes.{name}.is"
        if len(words) % 2 == 0:
            raise SpecError(f"{self.attributes_path}: {where}: expected an operand after '{words[-1]}'")
        value = self._operand(device, where, words[0])
        for operator, operand in zip(words[1::2], words[2::2]):
            right = self._operand(device, where, operand)
            if operator == "*":
                value *= right
            elif operator == "/":
                value = value // right if right else 0
            elif operator == "+":
                value += right
            elif operator == ">":
                value = int(value > right)
            else:
                raise SpecError(f"{self.attributes_path}: {where}: expected one of * / + >, found {operator!r}")
        return value

    def _operand(self, device, where, word):
        parts = word.split(".")
        if word.isdigit():
            return int(word)
        if word == "name":
            return device.name
        if parts[0] == "capability" and parts[1:] in (["major"], ["minor"]):
            return device.arch.major if parts[1] == "major" else device.arch.minor
        if parts[0] == "feature" and len(parts) == 2 and parts[1] in device.arch.features:
            return int(device.arch.features[parts[1]])
        groups = device.groups
        if parts[0] == "arch":
            groups, parts = device.arch.groups, parts[1:]
        index = "xyz".find(parts.pop()) if len(parts) == 3 and parts[2] in ("x", "y", "z") else None
        if len(parts) == 2 and parts[1] in groups.get(parts[0], {}):
            value = groups[parts[0]][parts[1]]
            if isinstance(value, list) == (index is not None) and (index is None or index < len(value)):
                return int(value) if index is None else value[index]
        raise SpecError(f"{self.attributes_path}: {where}: expected a known fact (with .x, .y or .z where it is a list), found {word!r}")
