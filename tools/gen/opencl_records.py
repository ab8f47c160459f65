"""spec/opencl: functions, queries, extensions and errors of OpenCL, checked.

docs/how-to/opencl-function.md says what the keys mean.
"""

import re
from dataclasses import dataclass, field

from gen import SpecError

FUNCTION_KEYS = {"takes", "returns", "slot", "since", "deprecated", "errors", "optional", "does", "state"}
STATES = {"done", "absent"}
# C's type of a handle -> what the code calls a reference to its object
HANDLES = {"cl_platform_id": "PlatformRef", "cl_device_id": "DeviceRef", "cl_context": "ContextRef", "cl_command_queue": "QueueRef",
           "cl_mem": "MemoryRef", "cl_program": "ProgramRef", "cl_kernel": "KernelRef", "cl_event": "EventRef", "cl_sampler": "SamplerRef"}
# C's type of a handle -> the error for what is none
HANDLE_ERRORS = {"cl_platform_id": "INVALID_PLATFORM", "cl_device_id": "INVALID_DEVICE", "cl_context": "INVALID_CONTEXT",
                 "cl_command_queue": "INVALID_COMMAND_QUEUE", "cl_mem": "INVALID_MEM_OBJECT", "cl_program": "INVALID_PROGRAM",
                 "cl_kernel": "INVALID_KERNEL", "cl_event": "INVALID_EVENT", "cl_sampler": "INVALID_SAMPLER"}


@dataclass
class Parameter:
    declaration: str  # as C has it
    type: str
    name: str


@dataclass
class Function:
    name: str
    returns: str
    parameters: list
    slot: int | None  # in cl_khr_icd's table
    since: str
    deprecated: bool
    errors: list
    optional: list  # handles that may be NULL
    does: str  # "retain" or "release": nothing is to be written
    state: str
    chapter: str

    @property
    def returns_error(self):
        """Whether the error goes through a pointer, the last parameter."""
        return bool(self.parameters) and self.parameters[-1].name == "errcode_ret"


@dataclass
class Query:
    name: str
    type: str
    value: str


@dataclass
class QueryTable:
    name: str
    function: str
    queries: list = field(default_factory=list)


@dataclass
class Extension:
    name: str
    version: tuple
    platform: bool
    needs: list


def parameter(text, where):
    callback = re.fullmatch(r"(?:\w+ )?\w+ \(CL_CALLBACK\* ?(\w+)\)\(.*\)|\w+ ?\(CL_CALLBACK\* ?(\w+)\)\(.*\)", text)
    if callback:
        return Parameter(text, "callback", callback.group(1) or callback.group(2))
    plain = re.fullmatch(r"(.+?)\s*(\w+)", text)
    if not plain:
        raise SpecError(f"{where}: '{text}' is no parameter")
    return Parameter(text, plain.group(1).strip(), plain.group(2))


class OpenCl:
    def __init__(self, spec):
        self.chapters = []
        self.tables = {}
        root = spec.root / "opencl"
        features = set(spec.load(spec.root / "arch" / "features.toml")["features"])
        self.errors = spec.load(root / "errors.toml")["errors"]
        for path in spec.files("opencl/functions"):
            self.read_chapter(path, spec.load(path))
        self.chapters.sort(key=lambda c: c[0])
        for path in spec.files("opencl/queries"):
            data = spec.load(path)
            table = QueryTable(path.stem, data["function"])
            for name, record in data["queries"].items():
                if set(record) != {"type", "value"}:
                    raise SpecError(f"{path}: {name}: a query has a type and a value")
                table.queries.append(Query(name, record["type"], record["value"]))
            self.tables[table.function] = table
        lists = spec.load(root / "extensions.toml")
        self.extensions, self.language = ([self.extension(root, name, record, features) for name, record in lists[key].items()]
                                          for key in ("extensions", "language"))
        self.check()

    def read_chapter(self, path, data):
        functions = []
        for name, record in data.items():
            if not isinstance(record, dict):
                continue
            where = f"{path}: {name}"
            if unknown := set(record) - FUNCTION_KEYS:
                raise SpecError(f"{where}: unknown key '{sorted(unknown)[0]}'")
            if record["state"] not in STATES:
                raise SpecError(f"{where}: state is {' or '.join(sorted(STATES))}")
            parameters = [parameter(text, where) for text in record["takes"]]
            for error in record["errors"]:
                if f"CL_{error}" not in self.errors:
                    raise SpecError(f"{where}: there is no error CL_{error}")
            optional = record.get("optional", [])
            if odd := set(optional) - {p.name for p in parameters if p.type in HANDLES}:
                raise SpecError(f"{where}: optional names '{sorted(odd)[0]}', which is no handle that it takes")
            function = Function(name, record.get("returns", "cl_int"), parameters, record.get("slot"), record["since"],
                                record.get("deprecated", False), record["errors"], optional, record.get("does", ""),
                                record["state"], data["title"])
            if function.state == "done" and (function.returns == "cl_int" or function.returns_error):
                self.check_handle_errors(function, where)
            functions.append(function)
        self.chapters.append((data["order"], data["title"], functions))

    @staticmethod
    def check_handle_errors(function, where):
        """Entries refuse wrong handles and wait lists before anything else: with errors that the specification names there."""
        needed = {HANDLE_ERRORS[p.type]: p.name for p in function.parameters if p.type in HANDLES}
        needed |= {"INVALID_EVENT_WAIT_LIST": p.name for p in function.parameters if p.name == "event_wait_list"}
        for error, name in needed.items():
            if error not in function.errors:
                raise SpecError(f"{where}: takes {name} and has no error {error}")

    @staticmethod
    def extension(root, name, record, features):
        for feature in record.get("needs", []):
            if feature not in features:
                raise SpecError(f"{root / 'extensions.toml'}: {name} needs '{feature}', which is no feature of spec/arch")
        version = tuple(int(n) for n in record["version"].split("."))
        return Extension(name, version, record.get("platform", False), record.get("needs", []))

    def check(self):
        slots = sorted(f.slot for f in self.functions() if f.slot is not None)
        if slots != list(range(len(slots))):
            raise SpecError("spec/opencl/functions: the slots of cl_khr_icd are not 0, 1, 2, ... once each")
        names = {f.name for f in self.functions()}
        for table in self.tables.values():
            if table.function not in names:
                raise SpecError(f"spec/opencl/queries/{table.name}.toml: there is no function '{table.function}'")

    def functions(self):
        return [f for _, _, functions in self.chapters for f in functions]

    def done(self):
        return [f for f in self.functions() if f.state == "done"]
