#!/usr/bin/env python3
"""Turns the data in spec/ into code in the build folder.

Every tools/gen/gen_<name>.py is one generator, a module with two functions:

    outputs(spec: Spec) -> list[str]          paths below the output folder that generate() will write
    generate(spec: Spec) -> dict[str, str]    path -> text, exactly those paths

A path starts with the room it belongs to: "isa/isa.gen.h" is included as "isa/isa.gen.h", and
"isa/isa.gen.cpp" is compiled into the room `isa`. A generator raises SpecError for bad data.
Standard library only; the same input gives the same bytes.
"""

import argparse
import importlib
import pathlib
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent


class SpecError(Exception):
    """Bad data in spec/. The message starts with the file (and, where known, the record) it is about."""


class Spec:
    """The records of spec/, read on demand and kept."""

    def __init__(self, root: pathlib.Path):
        self.root = root
        self._read = {}

    def files(self, folder: str) -> list[pathlib.Path]:
        """Every .toml below spec/<folder>, sorted, so that generated order never depends on the disk."""
        return sorted((self.root / folder).rglob("*.toml"))

    def load(self, path: pathlib.Path) -> dict:
        if path not in self._read:
            try:
                self._read[path] = tomllib.loads(path.read_text(encoding="utf-8"))
            except tomllib.TOMLDecodeError as error:
                raise SpecError(f"{path}: {error}") from error
        return self._read[path]

    def records(self, folder: str) -> list[tuple[pathlib.Path, dict]]:
        return [(path, self.load(path)) for path in self.files(folder)]


def generators() -> list:
    return [importlib.import_module(path.stem) for path in sorted(HERE.glob("gen_*.py"))]


def write_if_changed(path: pathlib.Path, text: str) -> None:
    data = text.encode("utf-8")
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def run(spec: Spec, out: pathlib.Path | None, only: str | None = None) -> None:
    owner = {}
    for generator in generators():
        if only not in (None, generator.__name__):
            continue
        declared = list(generator.outputs(spec))
        for path in declared:
            if path in owner:
                raise SpecError(f"{path}: written by both {owner[path]} and {generator.__name__}")
            owner[path] = generator.__name__
        if out is None:
            for path in declared:
                print(path)
            continue
        files = generator.generate(spec)
        if set(files) != set(declared):
            odd = ", ".join(sorted(set(files) ^ set(declared)))
            raise SpecError(f"{generator.__name__}: outputs() and generate() disagree about {odd}")
        for path, text in files.items():
            write_if_changed(out / path, text)


def main() -> int:
    parser = argparse.ArgumentParser(description="spec/ -> code")
    parser.add_argument("--spec", type=pathlib.Path, required=True)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--out", type=pathlib.Path)
    action.add_argument("--list-outputs", action="store_true")
    parser.add_argument("--only", help="the one generator to run", metavar="gen_NAME")
    args = parser.parse_args()
    try:
        run(Spec(args.spec), None if args.list_outputs else args.out, args.only)
    except SpecError as error:
        print(f"gen.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    # Generators say `from gen import SpecError`; they must meet this module, not a second copy of it.
    sys.modules["gen"] = sys.modules["__main__"]
    sys.exit(main())
