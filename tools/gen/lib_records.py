"""spec/libs: the libraries of CUDA programs (cuBLAS, cuSOLVER, ...), their types and functions, checked.

A folder is a library, library.toml says what it is, types/ has its headers' types, every other file is a chapter of functions. A record
that has `types` stands for a family: one function for each letter, and with `wide` one more for each with 64-bit sizes. What the keys mean:
docs/how-to/library-function.md.
"""

import re
from dataclasses import dataclass, field

from cuda_records import Header, parse_parameter, read_type
from gen import SpecError

LIBRARY_KEYS = {"title", "order", "room", "module", "shared", "link", "static", "status", "page", "codes", "letters", "symbols"}
OPTIONAL_KEYS = {"letters", "page", "static", "symbols"}
CODES = ("not_initialized", "alloc_failed", "invalid_value", "execution_failed", "internal_error", "not_supported")
CHAPTER_KEYS = {"title", "order", "header"}
FAMILY_KEYS = {"name", "also", "types", "wide", "returns", "takes", "state", "note", "exports", "passes"}
HEADER_KEYS = {"header", "includes", "macros", "types", "after", "names"}


@dataclass
class Function:
    """What a program calls: one exported name."""
    name: str
    family: "Family"
    letter: str = ""
    wide: bool = False
    parameters: list = field(default_factory=list)
    returns: str = ""
    symbol: str = ""  # its name inside the module


@dataclass
class Family:
    """A record: what is written once, as a template where it has letters."""
    body: str
    library: "Library"
    chapter: "Chapter"
    parameters: list  # with T and R
    returns: str
    state: str
    note: str
    wide: bool
    letters: list
    exports: list
    record_name: str
    passes: str
    functions: list = field(default_factory=list)

    @property
    def status(self):
        return self.returns == self.library.status

    @property
    def index_pointer(self):
        """Sizes that are written have either width."""
        return self.wide and any(re.search(r"(?<!long )\bint\b", p.type) and ("*" in p.type or p.array) for p in self.parameters)


@dataclass
class Chapter:
    file: str
    title: str
    order: int
    header: str
    families: list = field(default_factory=list)


@dataclass
class Library:
    key: str
    title: str
    order: int
    room: str
    module: str
    shared: list
    link: str
    static: str
    status: str
    page: str
    codes: dict
    letters: dict
    symbols: str
    chapters: list = field(default_factory=list)
    headers: dict = field(default_factory=dict)
    after: dict = field(default_factory=dict)
    path: object = None

    @property
    def space(self):
        return self.room.split("/")[-1]

    def families(self):
        return [f for c in self.chapters for f in c.families]

    def functions(self):
        return [g for f in self.families() for g in f.functions]

    def exports(self, shared):
        """Exported name -> function, of one of its shared libraries."""
        names = {}
        for function in self.functions():
            if shared in function.family.exports or not function.family.exports:
                names[function.name] = function
        return dict(sorted(names.items()))

    def header_of_codes(self):
        return next(h for h in self.headers.values() if any(t.name == self.status for t in h.types))


def with_letters(text, meaning):
    for letter, what in zip("TR", meaning):
        text = re.sub(rf"\b{letter}\b", what, text)
    return text


def widened(text):
    return re.sub(r"(?<!unsigned )(?<!long )\bint\b", "int64_t", text)


def read_family(body, record, library, chapter, path):
    where = f"{path}: [{body}]"
    unknown = set(record) - FAMILY_KEYS
    if unknown:
        raise SpecError(f"{where}: no such key: {', '.join(sorted(unknown))}")
    if "takes" not in record:
        raise SpecError(f"{where}: 'takes' is missing")
    state = record.get("state", "stub")
    if state not in ("stub", "done", "idle"):
        raise SpecError(f"{where}: state is '{state}', must be stub, idle or done")
    if state == "idle" and not record.get("note"):
        raise SpecError(f"{where}: a function that does nothing needs a note that says why it may")
    returns = record.get("returns", library.status)
    if returns != library.status and library.status in returns:
        raise SpecError(f"{where}: returns is '{returns}', a status is '{library.status}' alone")
    letters = record.get("types", [])
    for letter in letters:
        if letter not in library.letters:
            raise SpecError(f"{where}: '{letter}' is no letter of {library.title}; there are {', '.join(library.letters)}")
    if bool(letters) != ("{}" in record.get("name", "")):
        raise SpecError(f"{where}: a name with {{}} and 'types' belong together")
    exports = record.get("exports", [])
    if set(exports) - set(library.shared):
        raise SpecError(f"{where}: exports may name {', '.join(library.shared)}")
    family = Family(body=body, library=library, chapter=chapter, parameters=[parse_parameter(text, where) for text in record["takes"]],
                    returns=returns, state=state, note=record.get("note", ""),
                    wide=record.get("wide", False), letters=letters, exports=exports, record_name=record.get("name", body), passes=record.get("passes", ""))
    names = [family.record_name, *([record["also"]] if "also" in record else [])]
    for name, letter in [(name, letter) for name in names for letter in letters or [""]]:
        for wide in (False, True) if family.wide else (False,):
            meaning = library.letters.get(letter, ())
            parameters = []
            for text in record["takes"]:
                concrete = with_letters(text, meaning)
                parameters.append(parse_parameter(widened(concrete) if wide else concrete, where))
            exported = name.replace("{}", letter) + ("_64" if wide else "")
            family.functions.append(Function(exported, family, letter, wide, parameters, with_letters(family.returns, meaning),
                                             library.symbols + exported))
    return family


class Libraries:
    """Everything of spec/libs."""

    def __init__(self, spec):
        self.all = []
        folders = {}
        for path, data in spec.records("libs"):
            folder = path.relative_to(spec.root / "libs").parts[0]
            folders.setdefault(folder, []).append((path, data))
        for key, files in folders.items():
            self.all.append(self._read(key, files))
        self.all.sort(key=lambda library: (library.order, library.key))
        seen = {}
        for library in self.all:
            for function in library.functions():
                if (function.name, library.key) in seen:
                    raise SpecError(f"{library.path}: '{function.name}' is there twice")
                seen[function.name, library.key] = True

    def _read(self, key, files):
        about = [(p, d) for p, d in files if p.name == "library.toml"]
        if not about:
            raise SpecError(f"spec/libs/{key}: library.toml is missing")
        path, data = about[0]
        missing = LIBRARY_KEYS - OPTIONAL_KEYS - set(data)
        unknown = set(data) - LIBRARY_KEYS
        if missing or unknown:
            raise SpecError(f"{path}: missing: {', '.join(sorted(missing)) or 'none'}; unknown: {', '.join(sorted(unknown)) or 'none'}")
        if set(data["codes"]) != set(CODES):
            raise SpecError(f"{path}: [codes] has to name {', '.join(CODES)}")
        library = Library(key=key, path=path, **{k: data.get(k, {} if k == "letters" else "") for k in LIBRARY_KEYS})
        for path, data in files:
            if path.name == "library.toml":
                continue
            if path.parent.name == "types":
                unknown = set(data) - HEADER_KEYS
                if unknown:
                    raise SpecError(f"{path}: no such key: {', '.join(sorted(unknown))}")
                types = [read_type(name, record, path) for name, record in data.get("types", {}).items()]
                header = Header(data["header"], data.get("includes", []), data.get("macros", {}), types)
                library.headers[header.name] = header
                library.after[header.name] = (data.get("names", False), data.get("after", ""))
                continue
            missing = CHAPTER_KEYS - set(data)
            if missing:
                raise SpecError(f"{path}: missing: {', '.join(sorted(missing))}")
            chapter = Chapter(path.stem, data["title"], data["order"], data["header"])
            for body, record in data.items():
                if body not in CHAPTER_KEYS:
                    chapter.families.append(read_family(body, record, library, chapter, path))
            library.chapters.append(chapter)
        library.chapters.sort(key=lambda chapter: chapter.order)
        return library

    def modules(self):
        """Module -> its libraries: libheddle-<module>.so.0 has what is behind them."""
        modules = {}
        for library in self.all:
            modules.setdefault(library.module, []).append(library)
        return modules

    def code(self, library, code):
        """A status's number."""
        name = library.codes[code]
        for other in self.all:
            for header in other.headers.values():
                for kind in header.types:
                    if name in kind.values:
                        return kind.values[name]
        raise SpecError(f"{library.path}: [codes]: no enumerator '{name}'")

    def status_names(self, library):
        """Number -> name, of the enumeration of its statuses."""
        for other in self.all:
            for header in other.headers.values():
                for kind in header.types:
                    if kind.name == library.status:
                        names = {}
                        for name, value in kind.values.items():
                            names.setdefault(value, name)
                        return names
        raise SpecError(f"{library.path}: no type '{library.status}'")
