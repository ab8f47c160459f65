#!/usr/bin/env python3
"""Parts of the OpenCL built-in library, as bitcode -> one archive with an index of what each defines.
The layout is told in src/frontend/opencl/library.cpp."""

import argparse
import pathlib
import struct
import subprocess


def defined(nm, part):
    lines = subprocess.run([nm, "--defined-only", "--format=posix", part], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return [line.split()[0] for line in lines if line.split()[1] in "TW"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nm", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("parts", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    symbols = sorted((name.encode(), i) for i, part in enumerate(args.parts) for name in defined(args.nm, part))
    header = 8 + 8 * len(args.parts) + 12 * len(symbols)
    names, places = b"", []
    for name, _ in symbols:
        places.append(header + len(names))
        names += name
    body, rows = b"", b""
    start = (header + len(names) + 15) // 16 * 16
    for part in args.parts:
        data = part.read_bytes()
        rows += struct.pack("<II", start + len(body), len(data))
        body += data + b"\0" * (-len(data) % 16)
    table = b"".join(struct.pack("<III", place, len(name), part) for place, (name, part) in zip(places, symbols))
    head = struct.pack("<II", len(args.parts), len(symbols)) + rows + table + names
    args.out.write_bytes(head + b"\0" * (start - len(head)) + body)


main()
