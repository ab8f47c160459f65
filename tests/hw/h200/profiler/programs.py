"""programs.py HEDDLE FOLDER [--table lines|launches] [PROGRAM...]: counters of public programs against programs_lines.csv (a source line a row) and
programs_launches.csv (a launch a row).

FOLDER/PROGRAM/program is each program of programs.csv, built from its public repository by Heddle's nvcc with -O3 -lineinfo -arch=sm_90, in a folder
with what it reads (of `eigenvalues@selfcheck` the part before the @). Each is profiled once a table, ten minutes at most; a program that isn't there
is named and fails, unless PROGRAM names those to take. Fails where a difference has no reason in programs_differences.csv, where a reason has no
difference, and where fewer than 98 % agree of what source and memory system determine."""

import argparse
import csv
import pathlib
import re
import shlex
import subprocess
import sys

from verdict import Verdict, rows, with_ideals

HERE = pathlib.Path(__file__).parent
GATE = 0.98
COLUMNS = {  # of programs_lines.csv, by our metrics
    "divergent_branches": "smsp__sass_branch_targets_threads_divergent.sum",
    "global_tag_requests": "memory_l1_tag_requests_global",
    "shared_wavefronts": "memory_l1_wavefronts_shared",
    "shared_wavefronts_ideal": "memory_l1_wavefronts_shared_ideal",
    "global_sectors": "memory_l2_theoretical_sectors_global",
    "global_sectors_ideal": "memory_l2_theoretical_sectors_global_ideal",
}
PLACE = ("program", "launch", "kernel", "grid", "block")
ASSEMBLER = ("smsp__sass_branch", "divergent_branches", "launch__registers", "launch__waves")


def profile(heddle, folder, program, options):
    """What `heddle profile --csv` says of a program, as rows."""
    where = folder / program["program"].split("@")[0]
    if not (where / "program").exists():
        return None
    words = [heddle, "profile", "--device", "h200", "--csv", "--output", "profile.csv", *options, "./program", *shlex.split(program["arguments"])]
    try:
        subprocess.run(words, cwd=where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600, check=False)
    except subprocess.TimeoutExpired:
        return None
    with open(where / "profile.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def base_name(kernel):
    """reduce6 of `void reduce6<int, 256u>(int*, int*)`."""
    return re.sub(r"^void ", "", re.split(r"[(<]", kernel.replace("(anonymous namespace)::", ""))[0]).split("::")[-1]


def compare_lines(program, recorded, ours, verdict):
    """The first launch of each kernel. Lines that only one side has are lines where the other counted nothing."""
    first, mine = {}, {}
    for row in ours:
        if not row["File"]:
            continue
        kernel = base_name(row["Kernel"])
        if first.setdefault(kernel, row["Launch"]) == row["Launch"]:
            mine.setdefault((kernel, f"{pathlib.PurePath(row['File']).name}:{row['Line']}"), {})[row["Metric"]] = row["Value"]
    theirs = {(base_name(row["kernel"]), f"{row['file']}:{row['line']}"): row for row in recorded}
    kernels = {kernel for kernel, _ in theirs}
    for kernel, place in [*theirs, *(key for key in mine if key not in theirs and key[0] in kernels)]:
        hardware, own = theirs.get((kernel, place), {}), mine.get((kernel, place), {})
        for column, metric in COLUMNS.items():
            counted = float(hardware.get(column, 0)) / int(program["times"])
            if hardware or float(own.get(metric, 0)):
                verdict.compare(column, own.get(metric, 0), counted, table="lines", program=program["program"], kernel=kernel, place=place)


def compare_launches(program, recorded, ours, verdict):
    launches, shapes = {}, {}
    for row in ours:
        key = (row["Process"], int(row["Launch"]))
        launches.setdefault(key, {})[row["Metric"]] = row["Value"]
        shapes[key] = tuple("x".join(re.findall(r"\d+", row[side])) for side in ("Grid", "Block"))
    keys = sorted(launches)
    for row in recorded:
        number = int(row["launch"])
        place = {"table": "launches", "program": program["program"], "kernel": row["kernel"], "place": str(number)}
        if number >= len(keys) or shapes[keys[number]] != (row["grid"], row["block"]):
            verdict.unexplained.append(f"{program['program']}: launch {number} was {row['kernel']} of {row['grid']} blocks of {row['block']} threads, here another or none")
            continue
        mine = with_ideals(launches[keys[number]])
        for metric, value in with_ideals(row).items():
            if metric not in PLACE:
                verdict.compare(metric, mine[metric], value, **place)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("heddle")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--table", choices=("lines", "launches"))
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_intermixed_args()
    heddle = str(pathlib.Path(arguments.heddle).resolve())
    good = True
    for table, options, compare in (
        ("lines", ["--lines", "--of-each-kernel", "1", "--metrics", ",".join(COLUMNS.values())], compare_lines),
        ("launches", ["--launch-count", "12"], compare_launches),
    ):
        if arguments.table not in (None, table):
            continue
        verdict, recorded, count = Verdict(HERE / "programs_differences.csv", table=table), {}, 0
        for row in rows(HERE / f"programs_{table}.csv"):
            recorded.setdefault(row["program"], []).append(row)
        for program in rows(HERE / "programs.csv"):
            chosen = not arguments.programs or program["program"] in arguments.programs
            if program["table"] != table or not chosen:
                continue
            if program["not_compared"]:
                print(f"{program['program']} is not compared: {program['not_compared']}")
                continue
            ours = profile(heddle, arguments.folder, program, options)
            if ours is None:
                verdict.unexplained.append(f"{program['program']} is not in {arguments.folder}, or took too long")
                continue
            count += len(recorded[program["program"]])
            compare(program, recorded[program["program"]], ours, verdict)
        if arguments.programs:
            verdict.miss_no_reason()
        good = verdict.print(f"{count} {table}", GATE, lambda metric: metric.startswith(ASSEMBLER)) and good
    return 0 if good else 1


sys.exit(main())
