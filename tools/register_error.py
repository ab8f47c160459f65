#!/usr/bin/env python3
"""Compares the estimates of registers with what NVIDIA's ptxas reports, and puts the tables into docs/reference/registers.md.

    tools/register_error.py --ours build/dev/toolkit/bin/ptxas --theirs /usr/local/cuda/bin/ptxas \\
        --found FOLDER --judged FOLDER [--launches TABLE PTX] [--write]

--found and --judged: folders with files of PTX, those that the rules were found with and those that they are judged by; or with a folder for each target
(sm_75 ...), which has the PTX that was compiled for it. What NVIDIA's ptxas says is kept beside each file (.registers), since that takes longest. Kernels are counted once, of a template three instances, of a file
twelve kernels; what spills on a target is not counted there. --launches: a table of launches by tabs, with columns 'kernel' and 'registers', and a
folder of PTX: the registers of the table are those of another compiler.
Without --write the tables are printed.
"""

import argparse
import concurrent.futures
import csv
import pathlib
import re
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/registers.md"
TARGETS = ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120")
OF_A_TEMPLATE, OF_A_FILE = 3, 12
BEGIN, END = "<!-- tools/register_error.py: from here -->", "<!-- to here -->"
HEAD = "| target | kernels | median error, registers | mean error | within 2 | within 20 % | 90 % of the kernels within | mean of estimate less report |"


def reported(ptxas: pathlib.Path, file: pathlib.Path, target: str) -> dict[str, tuple[int, int]]:
    """By kernel: registers and bytes spilled."""
    done = subprocess.run([ptxas, "-v", f"-arch={target}", "-o", "/dev/null", file], capture_output=True, text=True)
    result, kernel, spilled = {}, None, 0
    for line in done.stderr.splitlines():
        if found := re.search(r"Compiling entry function '(\S+)'", line):
            kernel = found[1]
        if found := re.search(r"bytes stack frame, (\d+) bytes spill stores", line):
            spilled = int(found[1])
        if (found := re.search(r"Used (\d+) registers", line)) and kernel:
            result[kernel], kernel = (int(found[1]), spilled), None
    return result


def kept(ptxas: pathlib.Path, file: pathlib.Path, targets=TARGETS) -> dict[str, dict[str, tuple[int, int]]]:
    """By target and kernel, what NVIDIA's says, from the last time where there was one."""
    beside = file.with_suffix(".registers")
    if not beside.exists():
        lines = []
        for target in targets:
            lines += [f"{target}\t{k}\t{r}\t{s}\n" for k, (r, s) in reported(ptxas, file, target).items()]
        beside.write_text("".join(lines))
    result = {target: {} for target in TARGETS}
    for line in beside.read_text().splitlines():
        target, kernel, registers, spilled = line.split("\t")
        result[target][kernel] = (int(registers), int(spilled))
    return result


def counted(kernels) -> list[str]:
    result, templates = [], {}
    for kernel in kernels:
        template = re.sub(r"(IL?[a-zA-Z0-9_]+E+).*", "", kernel)[:24]
        templates[template] = templates.get(template, 0) + 1
        if templates[template] <= OF_A_TEMPLATE and len(result) < OF_A_FILE and "EmptyKernel" not in kernel:
            result.append(kernel)
    return result


def compared(ours: pathlib.Path, theirs: pathlib.Path, folder: pathlib.Path) -> dict[str, list[tuple[str, int, int]]]:
    """By target: file and kernel, estimate, report."""

    def of_file(task):
        file, targets = task
        report, rows = kept(theirs, file, targets), {target: [] for target in TARGETS}
        for target in targets:
            estimate = reported(ours, file, target)
            for kernel in counted(report[target]):
                registers, spilled = report[target][kernel]
                if kernel in estimate and spilled == 0:
                    rows[target].append((f"{file.stem} {kernel}", estimate[kernel][0], registers))
        return rows

    result = {target: [] for target in TARGETS}
    tasks = [(file, TARGETS) for file in sorted(folder.glob("*.ptx"))]
    tasks += [(file, (target,)) for target in TARGETS for file in sorted((folder / target).glob("*.ptx"))]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for rows in pool.map(of_file, tasks):
            for target in TARGETS:
                result[target] += rows[target]
    return result


def table(rows: dict[str, list[tuple[str, int, int]]]) -> list[str]:
    lines = [HEAD, "|" + "---|" * 8]
    for target, values in rows.items():
        if not values:
            continue
        errors = sorted(abs(a - b) for _, a, b in values)
        near = sum(abs(a - b) * 5 <= b for _, a, b in values) / len(values)
        two = sum(e <= 2 for e in errors) / len(errors)
        bias = statistics.mean(a - b for _, a, b in values)
        lines.append(f"| {target} | {len(values)} | {statistics.median(errors):g} | {statistics.mean(errors):.1f} | {two:.0%} | {near:.0%} "
                     f"| {errors[len(errors) * 9 // 10]} | {bias:+.1f} |".replace("%", " %"))
    return lines


def launches(ours: pathlib.Path, path: pathlib.Path, folder: pathlib.Path) -> list[str]:
    """The registers of recorded launches by kernels' names, against estimates for each target: the device's own has no assembler of today."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))
    estimates = {}
    for file in sorted(folder.glob("*.ptx")):
        for kernel, (registers, _) in reported(ours, file, "sm_61").items():
            plain = re.sub(r"^_Z(\d+)", lambda m: m[1] + ":", kernel)
            if found := re.match(r"(\d+):(.*)", plain):
                plain = found[2][: int(found[1])]
            estimates.setdefault(plain, []).append(registers)
    pairs = []
    for row in rows:
        name = re.sub(r"^void ", "", row["kernel"])
        name = re.match(r"\w+", name)
        if name and len(set(estimates.get(name[0], []))) == 1:
            pairs.append((name[0], estimates[name[0]][0], int(row["registers"])))
    once = {"sm_61": pairs, "sm_61, each kernel once": sorted(set(pairs))}
    return [f"{len(pairs)} of {len(rows)} launches ({len({p[0] for p in pairs})} names of kernels).", "", *table(once)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--ours", "--theirs", "--found", "--judged"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    parser.add_argument("--launches", type=pathlib.Path, nargs=2)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = []
    for title, folder in (("Kernels that no rule was found with:", arguments.judged), ("Kernels that the rules were found with:", arguments.found)):
        rows = compared(arguments.ours, arguments.theirs, folder)
        files = len({file.name for file in folder.rglob("*.ptx")})
        lines += [f"{title} {max(map(len, rows.values()))} of {files} files.", "", *table(rows), ""]
    if arguments.launches:
        lines += ["Launches recorded on a GeForce GTX 1080 Ti (code of CUDA 8 for 6.1):", "", *launches(arguments.ours, *arguments.launches), ""]
    text = "\n".join(lines)
    if not arguments.write:
        print(text)
        return
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
