#!/usr/bin/env python3
"""Reads a dump: decode.py DIR lists its sections; decode.py DIR NAME OUT_DIR writes the values of those whose
"kind function" contains NAME as little-endian 32-bit words. The format is in README.md."""

import array
import lzma
import pathlib
import subprocess
import sys


def sections(directory: str):
    for line in (pathlib.Path(directory) / "index.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, params, where = (part.strip() for part in line.split("|"))
        kind, function = name.split()
        order, codec, file, offset, size, raw = where.split()
        yield {
            "kind": kind,
            "function": function,
            "params": params.split(),
            "order": int(order),
            "codec": codec,
            "file": file,
            "offset": int(offset),
            "bytes": int(size),
            "raw": int(raw),
        }


def values(directory: str, section: dict) -> array.array:
    with open(pathlib.Path(directory) / section["file"], "rb") as file:
        file.seek(section["offset"])
        data = file.read(section["bytes"])
    if section["codec"] == "xz":
        data = lzma.decompress(data)
    elif section["codec"] in ("zstd", "gzip"):
        data = subprocess.run([section["codec"], "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout
    assert len(data) == section["raw"]
    count = len(data) // 4
    words = bytearray(len(data))
    for k in range(4):  # planes, the most significant first
        words[3 - k :: 4] = data[k * count : (k + 1) * count]
    result = array.array("I", bytes(words))
    if section["order"] == 9:
        return result
    last = before = 0
    for i, word in enumerate(result):
        predicted = last if section["order"] == 1 else 2 * last - before
        before, last = last, (predicted + ((word >> 1) ^ -(word & 1))) & 0xFFFFFFFF
        result[i] = last
    return result


def main() -> None:
    directory = sys.argv[1]
    for section in sections(directory):
        if len(sys.argv) < 4:
            print(section)
        elif sys.argv[2] in section["kind"] + " " + section["function"]:
            name = "_".join([section["kind"], section["function"], *section["params"]]) + ".u32"
            with open(pathlib.Path(sys.argv[3]) / name, "wb") as file:
                values(directory, section).tofile(file)
            print(name)


if __name__ == "__main__":
    main()
