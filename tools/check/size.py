#!/usr/bin/env python3
"""One idea a file: about 300 lines of hand-written code (a note above that), 800 at most (an error)."""

import sys

import tree

NOTE, LIMIT = 300, 800
FOLDERS = ("src/", "tools/", "tests/", "cmake/", "devlib/", "include/", "bench/")
SUFFIXES = tree.CXX | {".py", ".cmake", ".cl", ".cu", ".cuh"}


def main() -> int:
    errors = []
    for path in tree.files():
        name = tree.relative(path)
        if not name.startswith(FOLDERS) or path.suffix not in SUFFIXES:
            continue
        lines = path.read_bytes().count(b"\n")
        if lines > LIMIT:
            errors.append(f"{name}:{LIMIT}: error: {lines} lines, {LIMIT} is the limit; split it by idea")
        elif lines > NOTE:
            print(f"{name}: note: {lines} lines, about {NOTE} reads best")
    return tree.finish("size", errors)


if __name__ == "__main__":
    sys.exit(main())
