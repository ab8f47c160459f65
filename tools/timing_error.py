#!/usr/bin/env python3
"""Predicts every launch whose time is recorded below tests/hw and writes docs/reference/timing-error.md: measured, predicted, error, by device
and family.

    tools/timing_error.py build/dev/toolkit

--keep FOLDER: what was predicted stays there, and is taken from there the next time.
"""

import argparse
import concurrent.futures
import csv
import dataclasses
import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
HW = ROOT / "tests/hw"
PAGE = ROOT / "docs/reference/timing-error.md"


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    source: str
    arch: str
    runs_on: str
    devices: tuple[str, ...]
    told_on: str  # "file": the program writes which launch was which into a file; "output"


PROGRAMS = (
    Program("h200", "h200/profiler/kernels.cu", "sm_90", "h200", ("h200",), "file"),
    Program("h100", "h100/timing/apps.cu", "sm_90", "h100", ("h100",), "output"),
    Program("more", "h200/timing/more.cu", "sm_90", "h200", ("h200",), "output"),
    Program("guides", "guides/kernels.cu", "sm_10", "8800gtx", ("8800gtx", "gtx280", "gtx285"), "file"),
)


@dataclasses.dataclass
class Launch:
    device: str
    kernel: str
    params: str
    family: str
    space: str
    role: str
    measured: float  # ns
    predicted: float

    @property
    def error(self) -> float:
        return self.predicted / self.measured - 1


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def predict(program: Program, toolkit: pathlib.Path, folder: pathlib.Path) -> None:
    times, launches = folder / f"{program.name}.csv", folder / f"{program.name}.launches"
    if times.exists() and launches.exists():
        return
    binary = folder / program.name
    subprocess.run([toolkit / "bin/nvcc", "-O3", "-std=c++17", f"-arch={program.arch}", "-o", binary, HW / program.source], check=True)
    part, listed = folder / f"{program.name}.part", [launches] if program.told_on == "file" else []
    command = [toolkit / "bin/heddle", "predict", "--device", program.runs_on, "--devices", ",".join(program.devices), "--csv", "--output", part]
    done = subprocess.run([*command, binary, *listed], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program.source}: heddle predict ended with {done.returncode}:\n{done.stderr[-2000:]}")
    if program.told_on == "output":  # of the program, beside the table
        launches.write_text("".join(line + "\n" for line in done.stderr.splitlines() if re.match(r"\d+,\w+,", line)), encoding="utf-8")
    part.rename(times)


def predicted(program: Program, folder: pathlib.Path):
    """By device, for each launch in order: its kernel, what it was called with, nanoseconds."""
    lines = (folder / f"{program.name}.launches").read_text(encoding="utf-8").splitlines()
    named = [line.split(",") for line in lines if line[:1].isdigit()]
    by_device: dict[str, list] = {device: [] for device in program.devices}
    for row in rows(folder / f"{program.name}.csv"):
        if row["obstacle"]:
            sys.exit(f"{program.source}: launch {row['launch']} on {row['device']}: {row['obstacle']}")
        _, kernel, *params = named[int(row["launch"]) - 1]
        by_device[row["device"]].append((kernel, params, float(row["ns"])))
    for device, launches in by_device.items():
        if len(launches) != len(named):
            sys.exit(f"{program.source}: {len(named)} launches were made, {len(launches)} predicted for {device}")
    return by_device


def family_of(families, program: str, kernel: str):
    for row in families:
        if row["program"] == program and fnmatch.fnmatchcase(kernel, row["kernel"]):
            return row["family"], row["family"] if row["space"] == "family" else kernel, row["role"]
    sys.exit(f"tests/hw/timing/families.csv has no family for {kernel} of {program}")


def judged(folder: pathlib.Path) -> list[Launch]:
    families, result = rows(HW / "timing/families.csv"), []
    by_device = predicted(PROGRAMS[0], folder)["h200"]
    recorded = rows(HW / "h200/timing/launches.csv")
    assert len(recorded) == len(by_device)
    for row, (kernel, _, ns) in zip(recorded, by_device, strict=True):
        assert row["kernel"] == kernel
        result.append(Launch("h200", kernel, row["params"], *family_of(families, "h200", kernel), float(row["ns"]), ns))
    by_device = predicted(PROGRAMS[1], folder)["h100"]
    recorded = rows(HW / "h100/timing/launches.csv")
    assert len(recorded) == len(by_device)
    for row, (kernel, params, ns) in zip(recorded, by_device, strict=True):
        assert row["Kernel Name"].split("(")[0].split("<")[0] == kernel, f"{row['Kernel Name']} was recorded, {kernel} made"
        time = float(row["gpu__time_duration.sum [ns]"].replace(",", ""))
        result.append(Launch("h100", kernel, f"{params[0]} of {params[1]}", *family_of(families, "h100", kernel), time, ns))
    by_device = predicted(PROGRAMS[2], folder)["h200"]
    recorded = rows(HW / "h200/timing/more.csv")
    assert len(recorded) == len(by_device)
    for row, (kernel, params, ns) in zip(recorded, by_device, strict=True):
        assert row["kernel"] == kernel
        result.append(Launch("h200 more", kernel, f"{params[0]} of {params[1]}", *family_of(families, "more", kernel), float(row["ns"]), ns))
    by_device = predicted(PROGRAMS[3], folder)
    for row in rows(HW / "guides/times.csv"):
        ns = sum(ns for kernel, params, ns in by_device[row["device"]] if (kernel, params[0]) == (row["kernel"], row["params"]))
        value = float(row["value"])
        time = value * 1e6 if row["unit"] == "ms" else float(row["bytes"]) / value
        result.append(Launch(row["device"], row["kernel"], row["params"], *family_of(families, "guides", row["kernel"]), time, ns))
    return result


def groups(launches, key):
    result: dict[str, list[Launch]] = {}
    for launch in launches:
        result.setdefault(key(launch), []).append(launch)
    return result


def tau(launches) -> float | None:
    """Kendall's, over all pairs of launches of one space whose measured times differ by more than 2 %."""
    same = other = 0
    for space in groups(launches, lambda launch: launch.space).values():
        for i, a in enumerate(space):
            for b in space[:i]:
                if abs(a.measured - b.measured) <= 0.02 * min(a.measured, b.measured):
                    continue
                agree = (a.measured < b.measured) == (a.predicted < b.predicted)
                same, other = same + agree, other + (not agree)
    return None if same + other == 0 else (same - other) / (same + other)


def regret(launches) -> float | None:
    """How much longer what was predicted to be the fastest of a space takes than what is."""
    spaces = [space for space in groups(launches, lambda launch: launch.space).values() if len(space) > 1]
    each = [min(s, key=lambda launch: launch.predicted).measured / min(launch.measured for launch in s) - 1 for s in spaces]
    return None if not each else sum(each) / len(each)


def percent(value) -> str:
    return "" if value is None else f"{100 * value:.1f} %"


def signed(value) -> str:
    return f"{abs(100 * value):.1f} % too {'slow' if value > 0 else 'fast'}"


def time(ns: float) -> str:
    return f"{ns / 1e6:.3f} ms" if ns >= 1e6 else f"{ns / 1e3:.2f} us"


def mean(values) -> float:
    values = list(values)
    return sum(values) / len(values)


def summary(launches) -> list[str]:
    lines = ["| family | numbers | mean error | on the average | worst | tau | regret | |", "|---|---|---|---|---|---|---|---|"]
    means = []
    for family, of_family in groups(launches, lambda launch: launch.family).items():
        means.append(mean(abs(launch.error) for launch in of_family))
        worst = max(of_family, key=lambda launch: abs(launch.error))
        order = tau(of_family)
        lines.append(
            f"| {family} | {len(of_family)} | {percent(means[-1])} | {signed(mean(launch.error for launch in of_family))} | {signed(worst.error)} | "
            f"{'' if order is None else f'{order:.2f}'} | {percent(regret(of_family))} | {'sets constants' if of_family[0].role == 'sets constants' else ''} |"
        )
    lines.append(f"| **all families, each as much as another** | {len(launches)} | **{percent(mean(means))}** | | | | | |")
    return lines


TITLES = {
    "h200": "H200, kernels of the guides and small probes",
    "h100": "H100, kernels of everyday kinds",
    "h200 more": "H200, kernels of other everyday kinds",
    "gtx285": "GeForce GTX 285",
    "gtx280": "GeForce GTX 280",
    "8800gtx": "GeForce 8800 GTX",
}
INTRO = """# How far off the times are

Made by `tools/timing_error.py TOOLKIT`; nothing here is written by hand but `tests/hw/timing/changes.csv`. Each number that is published or was
measured is predicted by [`heddle predict`](heddle-predict.md) and compared. Errors are of the prediction, relative to what was measured. tau is Kendall's,
over pairs of one kernel's (or ladder's) launches that differ by more than 2 %; regret says how much longer the launch takes that was predicted to be
the fastest. Where the recorded times come from: `tests/hw/h200/timing`, `tests/hw/h100/timing`, `tests/hw/guides`.
"""


def never_judged() -> list[str]:
    machines = tomllib.loads((ROOT / "spec/timing/machines.toml").read_text(encoding="utf-8"))["machine"]
    told = {"g80": "8800 GTX", "gt200": "GTX 280, GTX 285", "hopper": "H100, H200"}
    lines = ["| record of spec/timing | capabilities | judged on |", "|---|---|---|"]
    for machine in machines:
        by = told.get(machine["name"], "nothing: data sheets and micro-benchmarks alone, kernels unjudged")
        lines.append(f"| {machine['name']} | {', '.join(machine['capabilities'])} | {by} |")
    return lines


def page(launches) -> str:
    lines = [INTRO]
    by_device = groups(launches, lambda launch: launch.device)
    for device, title in TITLES.items():
        lines += [f"## {title}", "", *summary(by_device[device]), ""]
    lines += ["## When constants and model were frozen, and what changed since", ""]
    lines += ["| date | change | reason | errors before and after |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row.values())} |" for row in rows(HW / "timing/changes.csv")]
    lines += ["", "## What was never judged", "", *never_judged(), ""]
    lines += ["Copies over PCI Express 5 have an H200's times ([how far off](heddle-predict.md)); other generations, overlap and unified memory: formulas of the guides alone.", ""]
    lines += ["## Every number", ""]
    for device, title in TITLES.items():
        lines += [f"### {title}", "", "| kernel | | measured | predicted | error |", "|---|---|---|---|---|"]
        for launch in by_device[device]:
            numbers = f"{time(launch.measured)} | {time(launch.predicted)} | {100 * launch.error:+.1f} %"
            lines.append(f"| {launch.kernel} | {launch.params} | {numbers} |")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("toolkit", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda program: predict(program, arguments.toolkit.resolve(), folder), PROGRAMS))
        PAGE.write_text(page(judged(folder)), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main()
