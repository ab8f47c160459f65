#!/usr/bin/env python3
"""Holds every #include below src/ to the table of rooms in cmake/rooms.cmake.

A room includes itself and the rooms it USES, directly or through them; all of those are of lower layers. The headers of
an outside library are included only by the rooms that name it after EXTERNAL.
"""

import pathlib
import re
import sys

import tree

# Include prefix of an outside library -> its name after EXTERNAL.
EXTERNAL = {"llvm": "llvm", "llvm-c": "llvm", "clang": "clang", "clang-c": "clang", "lld": "lld"}
CALL = re.compile(r"^\s*heddle_room\(([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


class Room:
    def __init__(self, path: str, words: list[str]):
        self.path = path
        self.layer = -1
        self.uses: list[str] = []
        self.external: list[str] = []
        key = ""
        for word in words:
            if word in ("LAYER", "USES", "EXTERNAL", "TEST_EXTERNAL", "PROGRAM", "ALONE", "OPTION"):
                key = word
            elif key == "LAYER":
                self.layer = int(word)
            elif key == "USES":
                self.uses.append(word)
            elif key == "EXTERNAL":
                self.external.append(word)


def read_table(root: pathlib.Path) -> dict[str, Room]:
    text = re.sub(r"#.*", "", (root / "cmake/rooms.cmake").read_text(encoding="utf-8"))
    rooms = {}
    for call in CALL.finditer(text):
        words = call.group(1).split()
        rooms[words[0]] = Room(words[0], words[1:])
    return rooms


def check_table(rooms: dict[str, Room]) -> list[str]:
    errors = []
    for room in rooms.values():
        for use in room.uses:
            if use not in rooms:
                errors.append(f"cmake/rooms.cmake: {room.path} USES {use}, which is no room")
            elif rooms[use].layer >= room.layer:
                errors.append(f"cmake/rooms.cmake: {room.path} is of layer {room.layer} and USES {use} of layer "
                              f"{rooms[use].layer}; includes go downward only")
    return errors


def closure(rooms: dict[str, Room], path: str) -> set[str]:
    seen = set()
    open_ = [path]
    while open_:
        room = open_.pop()
        if room not in seen and room in rooms:
            seen.add(room)
            open_ += rooms[room].uses
    return seen


def room_of(rooms: dict[str, Room], path: str) -> str | None:
    """The room of a path below src/: the longest room that is a folder of it."""
    owners = [room for room in rooms if path.startswith(room + "/")]
    return max(owners, key=len, default=None)


def check_file(rooms: dict[str, Room], name: str, text: str) -> list[str]:
    """`name` is the path below the root, src/..."""
    own = room_of(rooms, name.removeprefix("src/"))
    if own is None:
        return [f"{name}:1: this file is in no room of cmake/rooms.cmake"]
    errors = []
    allowed = closure(rooms, own)
    for number, line in enumerate(text.splitlines(), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        quote, path = include.groups()
        first = path.split("/")[0]
        where = f"{name}:{number}:"
        if EXTERNAL.get(first, None) is not None:
            if EXTERNAL[first] not in rooms[own].external:
                errors.append(f"{where} {own} may not include {path}: it does not name EXTERNAL {EXTERNAL[first]}")
        elif quote == '"':
            target = room_of(rooms, path)
            if target is None:
                errors.append(f"{where} \"{path}\" is in no room; write the path below src/, or <...> for what is not ours")
            elif target not in allowed:
                errors.append(f"{where} {own} (layer {rooms[own].layer}) may not include {path} of {target} "
                              f"(layer {rooms[target].layer}): its USES in cmake/rooms.cmake do not reach it")
    return errors


def check(root: pathlib.Path) -> list[str]:
    rooms = read_table(root)
    errors = check_table(rooms)
    for path in tree.files(root):
        name = tree.relative(path, root)
        if name.startswith("src/") and path.suffix in tree.CXX:
            errors += check_file(rooms, name, path.read_text(encoding="utf-8"))
    return errors


if __name__ == "__main__":
    sys.exit(tree.finish("layers", check(tree.ROOT)))
