"""spec/cuda: the types and functions of the CUDA APIs, checked.

docs/how-to/api-function.md says what the keys mean. Types keep the order of their files, because C needs it.
"""

import re
from dataclasses import dataclass, field

from gen import SpecError

FUNCTION_KEYS = {"takes", "returns", "header", "as", "per_thread", "since", "until", "hidden", "internal", "deprecated",
                 "before_init", "exports", "state", "quiet", "note", "introduced", "overloads", "means", "refuses", "why"}
CHAPTER_KEYS = {"title", "order", "header"}
# What its stubs answer, and why, where that is not the API's plain "not supported".
REFUSAL_KEYS = {"refuses", "why"}
API_KEYS = {"title", "room", "namespace", "status", "errors", "header", "failure", "libraries", "versioned", "stream", "call", "mapping", "frame", "compiles", "handles"}
FRAME_KEYS = {"success", "memory", "thrown", "null", "invalid"}
TYPE_KEYS = {"kind", "tag", "typedef", "also", "members", "values", "is", "align", "packed", "once", "hex"}


@dataclass
class Api:
    """A record of spec/cuda/apis.toml, which says what the fields mean."""

    name: str
    title: str
    room: str
    namespace: str
    status: str
    header: str
    failure: int
    libraries: dict
    handles: list
    errors: str = ""
    versioned: bool = False
    stream: str | None = None
    call: str = ""
    mapping: str | None = None
    frame: dict | None = None
    compiles: bool = False

    @property
    def call_header(self):
        return f"{self.room}/call.gen.h" if self.frame else f"{self.room}/call.h"


@dataclass
class Parameter:
    type: str
    name: str
    array: str = ""  # "[3]" of `int dims[3]`
    default: str | None = None
    role: str = ""  # "out": is written; "text": a string that is read, "in": is read. None may be null

    def declaration(self, with_default=False):
        gap = "" if self.type.endswith("*") and not self.name else " "
        text = f"{self.type}{gap}{self.name}{self.array}"
        return f"{text} __dv({self.default})" if with_default and self.default is not None else text


@dataclass
class Function:
    name: str
    api: str
    of: Api
    returns: str
    parameters: list
    chapter: "Chapter"
    header: str
    program_name: str  # what a program of the version the headers show writes
    per_thread: str = ""  # "ptsz" or "ptds": the variant whose default stream is each thread's own
    exports: dict = field(default_factory=dict)  # library version -> names
    state: str = "stub"
    since: str = ""
    until: int | None = None
    hidden: bool = False  # declared for libraries only (__CUDA_API_VERSION_INTERNAL)
    internal: bool = False  # in no public header
    deprecated: bool = False
    before_init: bool = False
    quiet: bool = False  # leaves the last error alone
    overloads: str = ""  # what CUDA 13 calls it: in C++ the name has both signatures
    introduced: int = 0  # the version of CUDA that had it first, 12050 for 12.5
    note: str = ""
    idle: bool = False  # succeeds and does nothing: done for whoever calls it, but not implemented
    means: str = ""  # the call that it is another name of
    refuses: str = ""  # of a stub: the status that it answers with
    why: str = ""

    @property
    def status(self):
        """Whether it returns the API's status."""
        return self.returns == self.of.status

    def stream_parameter(self):
        for parameter in self.parameters:
            if parameter.type == self.of.stream:
                return parameter
        return None


@dataclass
class Chapter:
    title: str
    order: int
    header: str
    api: str
    path: object
    refuses: str = ""
    why: str = ""
    functions: list = field(default_factory=list)


@dataclass
class Type:
    name: str
    kind: str  # enum, struct, union, or "" for another name of something
    tag: str = ""
    typedef: bool = True
    also: list = field(default_factory=list)
    members: str = ""
    values: dict = field(default_factory=dict)
    text: str = ""
    align: int = 0
    packed: bool = False
    once: str = ""
    hex: bool = False


@dataclass
class Header:
    name: str
    includes: list
    macros: dict
    types: list


PARAMETER = re.compile(r"^(?:(?P<role>out|text|in) )?(?P<type>.*?[\w*])(?:(?<=\*) ?| )(?P<name>\w+)(?P<array>\[\d*\])?(?: = (?P<default>.+))?$")


def parse_parameter(text, where):
    found = PARAMETER.match(text)
    if not found:
        raise SpecError(f"{where}: cannot read the parameter '{text}'")
    return Parameter(found["type"], found["name"], found["array"] or "", found["default"], found["role"] or "")


def read_api(name, record, path):
    where = f"{path}: [{name}]"
    if unknown := set(record) - API_KEYS:
        raise SpecError(f"{where}: no such key: {', '.join(sorted(unknown))}")
    if missing := {"title", "room", "namespace", "status", "header", "failure", "libraries", "handles"} - set(record):
        raise SpecError(f"{where}: missing: {', '.join(sorted(missing))}")
    if odd := FRAME_KEYS ^ set(record.get("frame", FRAME_KEYS)) - {"stub"}:
        raise SpecError(f"{where}: 'frame' has not exactly {', '.join(sorted(FRAME_KEYS))}: {', '.join(sorted(odd))}")
    return Api(name=name, **{"errors": record["status"]} | record)


def exported_names(record, name, api, where):
    given = record.get("exports")
    if given is None:
        return {library: [name] for library in api.libraries}
    if "11.0" in api.libraries and "12" in given and "11.0" not in given:
        given = given | {"11.0": given["12"]}
    bad = set(given) - set(api.libraries)
    if bad:
        raise SpecError(f"{where}: exports names {', '.join(sorted(bad))}; {api.name} has {', '.join(api.libraries)}")
    return {library: [names] if isinstance(names, str) else list(names) for library, names in given.items()}


def read_function(name, record, chapter, api, path):
    where = f"{path}: [{name}]"
    unknown = set(record) - FUNCTION_KEYS
    if unknown:
        raise SpecError(f"{where}: no such key: {', '.join(sorted(unknown))}")
    if "takes" not in record:
        raise SpecError(f"{where}: 'takes' is missing")
    state = record.get("state", "done" if "means" in record else "stub")
    if "means" in record and record.get("state", "idle") != "idle":
        raise SpecError(f"{where}: 'means' says that it is done; leave 'state' out")
    if state not in ("stub", "done", "idle"):
        raise SpecError(f"{where}: state is '{state}', must be stub, idle or done")
    idle = state == "idle"
    if idle and not record.get("note"):
        raise SpecError(f"{where}: a function that does nothing needs a note that says why it may")
    state = "done" if idle else state
    if record.get("per_thread", "ptsz") not in ("ptsz", "ptds"):
        raise SpecError(f"{where}: per_thread is '{record['per_thread']}', must be ptsz or ptds")
    return Function(
        name=name, api=api.name, of=api, returns=record.get("returns", api.status),
        parameters=[parse_parameter(text, where) for text in record["takes"]], chapter=chapter,
        header=record.get("header", chapter.header), program_name=record.get("as", name),
        per_thread=record.get("per_thread", ""), exports=exported_names(record, name, api, where), state=state,
        since=str(record.get("since", "")), until=record.get("until"), hidden=record.get("hidden", False),
        internal=record.get("internal", False), deprecated=record.get("deprecated", False),
        before_init=record.get("before_init", False), quiet=record.get("quiet", False), introduced=record.get("introduced", 0), overloads=record.get("overloads", ""), note=record.get("note", ""),
        idle=idle, means=record.get("means", ""), refuses=record.get("refuses", chapter.refuses) if state == "stub" else "",
        why=record.get("why", chapter.why) if state == "stub" else "")


def read_type(name, record, path):
    where = f"{path}: [types.{name}]"
    unknown = set(record) - TYPE_KEYS
    if unknown:
        raise SpecError(f"{where}: no such key: {', '.join(sorted(unknown))}")
    if ("is" in record) == ("kind" in record):
        raise SpecError(f"{where}: needs 'is' (another name) or 'kind' (enum, struct, union)")
    kind = record.get("kind", "")
    if kind not in ("", "enum", "struct", "union"):
        raise SpecError(f"{where}: kind is '{kind}', must be enum, struct or union")
    if kind and not record.get("values" if kind == "enum" else "members"):
        raise SpecError(f"{where}: has neither values nor members")
    return Type(name=name, kind=kind, tag=record.get("tag", ""), typedef=record.get("typedef", True),
                also=record.get("also", []), members=record.get("members", "").strip("\n"),
                values=record.get("values", {}), text=record.get("is", ""), align=record.get("align", 0), packed=record.get("packed", False),
                once=record.get("once", ""), hex=record.get("hex", False))


class Cuda:
    """Everything of spec/cuda."""

    def __init__(self, spec):
        apis = spec.root / "cuda/apis.toml"
        self.apis = {name: read_api(name, record, apis) for name, record in spec.load(apis).items()}
        self.headers = {}
        self.chapters = []
        self.error_texts = {}
        for path, data in spec.records("cuda"):
            folder = path.parent.name
            if path == apis:
                continue
            if path.name == "errors.toml":
                self.error_texts = data["texts"]
            elif folder == "types":
                self._read_types(path, data)
            elif folder in self.apis:
                self._read_chapter(path, data, folder)
            else:
                raise SpecError(f"{path}: '{folder}' is no API; there are {', '.join(self.apis)} and types")
        self.chapters.sort(key=lambda chapter: (list(self.apis).index(chapter.api), chapter.order))
        self._check_names()

    def _read_types(self, path, data):
        types = [read_type(name, record, path) for name, record in data.get("types", {}).items()]
        header = Header(data["header"], data.get("includes", []), data.get("macros", {}), types)
        self.headers[header.name] = header

    def _read_chapter(self, path, data, api):
        missing = CHAPTER_KEYS - set(data)
        if missing:
            raise SpecError(f"{path}: missing: {', '.join(sorted(missing))}")
        chapter = Chapter(data["title"], data["order"], data["header"], api, path, data.get("refuses", ""), data.get("why", ""))
        for name, record in data.items():
            if name not in CHAPTER_KEYS | REFUSAL_KEYS:
                chapter.functions.append(read_function(name, record, chapter, self.apis[api], path))
        self.chapters.append(chapter)

    def _check_names(self):
        seen = {}
        for function in self.functions():
            if function.name in seen:
                raise SpecError(f"{function.chapter.path}: [{function.name}] is also in {seen[function.name]}")
            seen[function.name] = function.chapter.path

    def functions(self, api=None):
        return [f for chapter in self.chapters if api in (None, chapter.api) for f in chapter.functions]

    def exports(self, api, library):
        """Exported name -> (function, whether it is the per-thread variant)."""
        names = {}
        functions = self.functions(api)
        alone = {name for f in functions if list(f.exports) == [library] for name in f.exports[library]}
        for function in functions:
            for name in function.exports.get(library, []):
                if library == "11.0" and name in alone and list(function.exports) != [library]:
                    continue
                for text, variant in [(name, False)] + ([(f"{name}_{function.per_thread}", True)] if function.per_thread else []):
                    if text in names:
                        raise SpecError(f"{function.chapter.path}: [{function.name}]: '{text}' is exported twice")
                    names[text] = (function, variant)
        return dict(sorted(names.items()))
