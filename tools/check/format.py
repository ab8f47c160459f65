#!/usr/bin/env python3
"""All C++ is as clang-format 19 writes it with .clang-format. --fix rewrites the files."""

import subprocess
import sys

import tree

TOOL = "clang-format-19"


def main() -> int:
    names = [tree.relative(path) for path in tree.files() if path.suffix in tree.CXX]
    mode = ["-i"] if "--fix" in sys.argv[1:] else ["--dry-run", "-Werror"]
    if not names:
        return 0
    result = subprocess.run([TOOL, "--style=file", *mode, *names], cwd=tree.ROOT)
    if result.returncode:
        print("format: run tools/check/format.py --fix", file=sys.stderr)
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
