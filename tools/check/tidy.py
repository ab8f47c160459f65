#!/usr/bin/env python3
"""clang-tidy 19 with .clang-tidy over the C++ of src/ and tests/, by the compile commands of a build folder.

With --changed, only files that differ from the given commit (default origin/main).
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

import tree


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=tree.ROOT / "build/dev")
    parser.add_argument("--changed", nargs="?", const="origin/main")
    args = parser.parse_args()
    commands = json.loads((args.build / "compile_commands.json").read_text())
    wanted = {path for path in tree.files() if path.suffix == ".cpp"}
    if args.changed:
        names = subprocess.run(["git", "diff", "--name-only", args.changed], cwd=tree.ROOT, capture_output=True, text=True,
                               check=True).stdout.split()
        wanted &= {tree.ROOT / name for name in names}
    files = sorted({entry["file"] for entry in commands} & {str(path) for path in wanted})

    def tidy(name: str) -> tuple[str, subprocess.CompletedProcess]:
        command = ["clang-tidy-19", "--quiet", "--warnings-as-errors=*", "-p", str(args.build), name]
        return name, subprocess.run(command, capture_output=True, text=True)

    bad = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, result in pool.map(tidy, files):
            if result.returncode:
                bad.append(name)
                print(result.stdout, end="", flush=True)
    print(f"tidy: {len(files)} files, {len(bad)} with findings", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
