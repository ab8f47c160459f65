#!/usr/bin/env python3
"""Predicts public programs whose times others measured (tests/hw/nvprof, tests/hw/qv100) and writes what was predicted beside those times.

    tools/timing_public.py build/dev/toolkit nvprof FOLDER [--half open] [PROGRAM...]

FOLDER/PROGRAM/program is each program of the collection's programs.csv, built with -O3 by Heddle's nvcc from its public repository, in a folder with what
it reads. Rows of programs that are not there stay as they are. tools/timing_error.py makes the page of them.
"""

import argparse
import csv
import pathlib
import shlex
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HW = ROOT / "tests/hw"
sys.path.insert(0, str(HW / "nvprof"))
from kernel_names import kernel_name  # noqa: E402

FIRST = 4  # launches of each kernel with each shape, as times.csv has them
MINUTES = 15
COLUMNS = ("device", "program", "kernel", "blocks", "threads", "how", "launches", "ns")


def rows(path):
    if not path.exists():
        return []
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def predict(heddle, where, devices, seen, arguments, first, extra):
    """Rows of `heddle predict`; nothing after a message."""
    table = where / "predicted.csv.part"
    command = [heddle, "predict", "--device", seen, "--devices", ",".join(str(d) for d in devices), "--csv", "--output", table, *extra]
    if first:
        command += ["--of-each-kernel", str(first)]
    began = time.monotonic()
    try:
        done = subprocess.run([*command, "./program", *shlex.split(arguments)], cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              timeout=60 * MINUTES, check=False, errors="replace")  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"{where.name}: takes longer than {MINUTES} minutes", file=sys.stderr)
        return None
    result = rows(table)
    table.unlink(missing_ok=True)
    print(f"{where.name} {' '.join(extra)}: {len(result)} rows, {time.monotonic() - began:.0f} s, ended with {done.returncode}", file=sys.stderr)
    if not result:
        print(done.stderr[-500:], file=sys.stderr)
    return result


def by_kernel(program, how, predicted, shown):
    """Of each kernel and shape the middle of its launches."""
    launches = {}
    for row in predicted:
        if row["obstacle"] or row["without"]:
            continue
        launches.setdefault((shown[row["device"]], kernel_name(row["kernel"]), row["blocks"], row["threads"]), []).append(float(row["ns"]))
    for (device, kernel, blocks, threads), ns in launches.items():
        yield dict(zip(COLUMNS, (device, program, kernel, blocks, threads, how, len(ns), round(statistics.median(ns))), strict=True))


def of_program(program, how, predicted, shown):
    """All of it."""
    sums = {}
    for row in predicted:
        sums.setdefault(shown[row["device"]], []).append(float(row["ns"]))
    for device, ns in sums.items():
        yield dict(zip(COLUMNS, (device, program, "", "", "", how, len(ns), round(sum(ns))), strict=True))


# What a launch takes besides is not among a multiprocessor's cycles.
COLLECTIONS = {
    "nvprof": (("gtx950", "gtx1080ti"), {"gtx950": "GTX 950", "gtx1080ti": "GTX 1080 Ti"}, FIRST, by_kernel, ()),
    "qv100": (("qv100",), {"qv100": "QV100"}, 0, of_program, ("--without", "launch")),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("toolkit", type=pathlib.Path)
    parser.add_argument("collection", choices=COLLECTIONS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--half", choices=("open", "kept back"))
    arguments = parser.parse_args()
    heddle = (arguments.toolkit / "bin/heddle").resolve()
    names, shown, first, gather, always = COLLECTIONS[arguments.collection]
    here = HW / arguments.collection
    devices = [here / "devices" / f"{name}.toml" for name in names]
    page = here / "predicted.csv"
    for program in rows(here / "programs.csv"):
        name, where = program["program"], arguments.folder.resolve() / program["program"]
        if (arguments.programs and name not in arguments.programs) or (arguments.half and program["half"] != arguments.half):
            continue
        if not program["half"] or not (where / "program").exists():
            continue
        new = []
        for how, extra in (("", ()), ("instant", ("--instant",))):
            predicted = predict(heddle, where, devices, devices[-1], program["arguments"], first, (*always, *extra))
            if not predicted:
                break
            new += gather(name, how, predicted, shown)
        if not new:
            continue
        old = [row for row in rows(page) if row["program"] != name]
        with open(page, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(sorted(old + new, key=lambda row: (row["device"], row["program"], row["how"])))


if __name__ == "__main__":
    main()
