#!/usr/bin/env python3
"""Holds every #include below src/ to the table of rooms in cmake/rooms.cmake.

A room includes itself and the rooms it USES, directly or through them; all of those are of lower layers. The headers of
an outside library are included only by the rooms that name it after EXTERNAL. Where heddle_stages gives the order of a room's
folders, a file of one includes only what lies in folders before it, in its own, or in the room's own folder; tests may look anywhere.
"""

import pathlib
import re
import sys

import tree

# Include prefix of an outside library -> its name after EXTERNAL.
EXTERNAL = {"llvm": "llvm", "llvm-c": "llvm", "clang": "clang", "clang-c": "clang", "lld": "lld"}
CALL = re.compile(r"^\s*heddle_room\(([^)]*)\)", re.MULTILINE)
STAGES = re.compile(r"^\s*heddle_stages\(([^)]*)\)", re.MULTILINE)
ANYWHERE = re.compile(r"_(test|bench|fuzz)\.cpp$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


class Room:
    def __init__(self, path: str, words: list[str]):
        self.path = path
        self.layer = -1
        self.uses: list[str] = []
        self.external: list[str] = []
        key = ""
        for word in words:
            if word in ("LAYER", "USES", "EXTERNAL", "TEST_EXTERNAL", "PRECOMPILES", "PROGRAM", "ALONE", "OPTION", "COMPILES"):
                key = word
            elif key == "LAYER":
                self.layer = int(word)
            elif key == "USES":
                self.uses.append(word)
            elif key == "EXTERNAL":
                self.external.append(word)


def table_text(root: pathlib.Path) -> str:
    return re.sub(r"#.*", "", (root / "cmake/rooms.cmake").read_text(encoding="utf-8"))


def read_stages(text: str) -> dict[str, list[str]]:
    """The folders of each room that has them in an order."""
    return {words[0]: words[1:] for words in (call.group(1).split() for call in STAGES.finditer(text))}


def check_stages(stages: dict[str, list[str]], name: str, text: str) -> list[str]:
    """`name` is the path below the root, src/..."""
    path = name.removeprefix("src/")
    room = next((room for room in stages if path.startswith(room + "/")), None)
    if room is None:
        return []
    order = stages[room]
    folder = path[len(room) + 1:].split("/")
    if len(folder) == 1:
        return []
    if folder[0] not in order:
        return [f"{name}:1: {room} has no stage {folder[0]}: its folders stand in heddle_stages of cmake/rooms.cmake"]
    if ANYWHERE.search(name):
        return []
    errors = []
    for number, line in enumerate(text.splitlines(), 1):
        include = INCLUDE.match(line)
        if include and include.group(2).startswith(room + "/"):
            target = include.group(2)[len(room) + 1:].split("/")
            if len(target) > 1 and target[0] in order and order.index(target[0]) > order.index(folder[0]):
                errors.append(f"{name}:{number}: stage {folder[0]} of {room} may not include {include.group(2)}: "
                              f"{target[0]} comes behind it (heddle_stages, cmake/rooms.cmake)")
    return errors


def read_table(root: pathlib.Path) -> dict[str, Room]:
    text = table_text(root)
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
    stages = read_stages(table_text(root))
    for path in tree.files(root):
        name = tree.relative(path, root)
        if name.startswith("src/") and path.suffix in tree.CXX:
            text = path.read_text(encoding="utf-8")
            errors += check_file(rooms, name, text) + check_stages(stages, name, text)
    return errors


if __name__ == "__main__":
    sys.exit(tree.finish("layers", check(tree.ROOT)))
