#!/usr/bin/env python3
"""Runs what was recorded of NVIDIA's compute-sanitizer (record.sh) with ours and says which answers are the same, line by line.

    tests/hw/h200/sanitizer/compare.py build/dev/toolkit [NAME...]

Addresses count as equal, host backtraces and how far into a function an instruction lies are left out. With names, all lines of those that differ.
"""

import argparse
import difflib
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 60


def lines(text: str) -> list[str]:
    kept = []
    for line in text.splitlines():
        if line.startswith("returned"):
            kept.append(line)
        if not line.startswith("========="):
            continue
        line = line.removeprefix("=========").strip()
        if not line or "host backtrace" in line or "Host Frame" in line:
            continue
        line = re.sub(r"\+0x[0-9a-f]+", "", line)
        kept.append(re.sub(r"0x[0-9a-f]+", "0x", line))
    return kept


def recorded() -> dict[str, str]:
    unpacked = subprocess.run(["zstd", "-dc", HERE / "answers.tar.zst"], check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(unpacked)) as archive:
        return {pathlib.Path(m.name).stem: archive.extractfile(m).read().decode(errors="replace")
                for m in archive.getmembers() if m.name.endswith(".txt")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("toolkit", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    tools = arguments.toolkit.resolve() / "bin"
    answers = recorded()
    if unknown := [name for name in arguments.names if name not in answers]:
        parser.error(f"nothing of the name {unknown[0]} was recorded; there are {', '.join(sorted(answers))}")
    same = asked = 0
    with tempfile.TemporaryDirectory() as folder:
        for program in ("prog", "more", "ordered", "barriers"):
            subprocess.run([tools / "nvcc", "-lineinfo", "-arch=sm_90", "-diag-suppress", "177", "-o", program, HERE / f"{program}.cu"],
                           check=True, cwd=folder)
        for name, answer in sorted(answers.items()):
            told = re.match(r"# compute-sanitizer (.*) (\./(?:prog|more|ordered|barriers) \S+)\n", answer)
            if not told or (arguments.names and name not in arguments.names):
                continue
            asked += 1
            command = f"timeout {SECONDS} {tools}/compute-sanitizer {told[1]} {told[2]} 2>&1; echo \"returned $?\""
            ours = subprocess.run(command, shell=True, cwd=folder, stdout=subprocess.PIPE, text=True, errors="replace",
                                  env={**os.environ, "HEDDLE_CACHE_DIR": folder + "/cache"}).stdout
            there, here = lines(answer), lines(ours)
            same += there == here
            print("same" if there == here else "differs", name, told[1], flush=True)
            if there != here and arguments.names:
                print("\n".join(difflib.unified_diff(there, here, "recorded", "ours", lineterm="")))
    print(f"{same} of {asked} are the same")
    return 0 if same == asked else 1


if __name__ == "__main__":
    sys.exit(main())
