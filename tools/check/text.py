#!/usr/bin/env python3
"""Every text file: UTF-8, no tabs, no trailing blanks, a newline at the end, no notes of work left to do, no path of
one machine. Files below src/ have snake_case names. A line that must break a rule says `check-text: allow`."""

import re
import sys

import tree

# Put together from halves, so that this file passes its own check.
LEFTOVER = re.compile(r"\b(" + "TO" + "DO|FIX" + "ME|X" + r"XX)\b")
# An absolute path is a machine's own unless it starts with a folder every Debian has, or one of ours (root + "/tests/x").
ABSOLUTE = re.compile(r"""(?:^|(?<=[\s"'`=(,]))/([A-Za-z][\w.-]*)/[\w.-]""")
SYSTEM = {"bin", "boot", "dev", "etc", "lib", "lib64", "opt", "path", "proc", "run", "sbin", "sys", "tmp", "usr", "var"}
OURS = {path.name for path in tree.ROOT.iterdir() if path.is_dir()} | {"toolkit", "generated"}
SNAKE = re.compile(r"^[a-z0-9_]+(\.gen)?(\.[a-z]+)?$")
ALLOW = "check-text: allow"
# Whose bytes are not ours to choose: licence text, fuzzer inputs.
EXEMPT = ("LICENSE", "tests/fuzz/")


def check_line(line: str) -> list[str]:
    if ALLOW in line:
        return []
    errors = []
    if "\t" in line:
        errors.append("a tab")
    if line != line.rstrip():
        errors.append("blanks at the end of the line")
    if LEFTOVER.search(line):
        errors.append("a note of work left to do; do it, or write an issue")
    for match in ABSOLUTE.finditer(line):
        if match.group(1) not in SYSTEM | OURS:
            errors.append(f"'/{match.group(1)}/...' is a path of one machine")
    return errors


def main() -> int:
    errors = []
    for path in tree.files():
        name = tree.relative(path)
        if name.startswith("src/") and not all(SNAKE.match(part) for part in name.split("/")[1:]):
            errors.append(f"{name}:1: names below src/ are snake_case")
        data = path.read_bytes()
        if b"\0" in data or (name.startswith(EXEMPT) and path.suffix not in tree.CXX):
            continue
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            errors.append(f"{name}:1: not UTF-8 at byte {error.start}")
            continue
        if text and not text.endswith("\n"):
            errors.append(f"{name}:{text.count(chr(10)) + 1}: no newline at the end of the file")
        for number, line in enumerate(text.split("\n"), 1):
            errors += [f"{name}:{number}: {error}" for error in check_line(line)]
    return tree.finish("text", errors)


if __name__ == "__main__":
    sys.exit(main())
