#!/usr/bin/env python3
"""Predicts every launch whose time is recorded below tests/hw and writes docs/reference/timing-error.md: measured, predicted, error, by device
and family, and the same of estimates from counts alone.

    tools/timing_error.py build/dev/toolkit

--keep FOLDER: what was predicted stays there, and is taken from there the next time. What public programs take is taken from
tests/hw/nvprof/predicted.csv and tests/hw/qv100/predicted.csv, which tools/timing_public.py writes, what each part of the model is worth from
tests/hw/timing/parts.csv, which tools/timing_parts.py writes.
"""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile

from timing_page import HW, ROOT, Launch, judgements, page, rows

sys.path.insert(0, str(HW / "nvprof"))
from kernel_names import kernel_name  # noqa: E402

PAGE = ROOT / "docs/reference/timing-error.md"
JUDGED = ROOT / "spec/timing/judged.toml"


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


def predict(program: Program, toolkit: pathlib.Path, folder: pathlib.Path, instant: bool) -> None:
    name = program.name + (".instant" if instant else "")
    times, launches = folder / f"{name}.csv", folder / f"{program.name}.launches"
    if times.exists() and launches.exists():
        return
    binary = folder / program.name
    if not binary.exists():
        subprocess.run([toolkit / "bin/nvcc", "-O3", "-std=c++17", f"-arch={program.arch}", "-o", binary, HW / program.source], check=True)
    part, listed = folder / f"{name}.part", [launches] if program.told_on == "file" else []
    command = [toolkit / "bin/heddle", "predict", "--device", program.runs_on, "--devices", ",".join(program.devices), "--csv", "--output", part]
    command += ["--instant"] if instant else []
    done = subprocess.run([*command, binary, *listed], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program.source}: heddle predict ended with {done.returncode}:\n{done.stderr[-2000:]}")
    if program.told_on == "output":  # of the program, beside the table
        launches.write_text("".join(line + "\n" for line in done.stderr.splitlines() if re.match(r"\d+,\w+,", line)), encoding="utf-8")
    part.rename(times)


@dataclasses.dataclass
class Predicted:
    kernel: str
    params: list[str]
    ns: float = 0.0
    instant: float | None = None


def predicted(program: Program, folder: pathlib.Path) -> dict[str, list[Predicted]]:
    """By device, for each launch in order."""
    lines = (folder / f"{program.name}.launches").read_text(encoding="utf-8").splitlines()
    named = [line.split(",") for line in lines if line[:1].isdigit()]
    by_device = {device: [Predicted(kernel, params) for _, kernel, *params in named] for device in program.devices}
    for instant in (False, True):
        seen = dict.fromkeys(program.devices, 0)
        for row in rows(folder / f"{program.name}{'.instant' if instant else ''}.csv"):
            if row["obstacle"]:
                sys.exit(f"{program.source}: launch {row['launch']} on {row['device']}: {row['obstacle']}")
            seen[row["device"]] += 1
            setattr(by_device[row["device"]][int(row["launch"]) - 1], "instant" if instant else "ns", float(row["ns"]))
        for device, count in seen.items():
            if count != len(named):
                sys.exit(f"{program.source}: {len(named)} launches were made, {count} predicted for {device}")
    return by_device


def family_of(families, program: str, kernel: str):
    for row in families:
        if row["program"] == program and fnmatch.fnmatchcase(kernel, row["kernel"]):
            return row["family"], row["family"] if row["space"] == "family" else kernel, row["role"]
    sys.exit(f"tests/hw/timing/families.csv has no family for {kernel} of {program}")


def judged(folder: pathlib.Path) -> list[Launch]:
    families, result = rows(HW / "timing/families.csv"), []

    def add(device, program, p: Predicted, params, measured):
        result.append(Launch(device, p.kernel, params, *family_of(families, program, p.kernel), measured, p.ns, p.instant))

    recorded = rows(HW / "h200/timing/launches.csv")
    for row, p in zip(recorded, predicted(PROGRAMS[0], folder)["h200"], strict=True):
        assert row["kernel"] == p.kernel
        add("h200", "h200", p, row["params"], float(row["ns"]))
    recorded = rows(HW / "h100/timing/launches.csv")
    for row, p in zip(recorded, predicted(PROGRAMS[1], folder)["h100"], strict=True):
        assert row["Kernel Name"].split("(")[0].split("<")[0] == p.kernel, f"{row['Kernel Name']} was recorded, {p.kernel} made"
        add("h100", "h100", p, f"{p.params[0]} of {p.params[1]}", float(row["gpu__time_duration.sum [ns]"].replace(",", "")))
    recorded = rows(HW / "h200/timing/more.csv")
    for row, p in zip(recorded, predicted(PROGRAMS[2], folder)["h200"], strict=True):
        assert row["kernel"] == p.kernel
        add("h200 more", "more", p, f"{p.params[0]} of {p.params[1]}", float(row["ns"]))
    by_device = predicted(PROGRAMS[3], folder)
    for row in rows(HW / "guides/times.csv"):
        of = [p for p in by_device[row["device"]] if (p.kernel, p.params[0]) == (row["kernel"], row["params"])]
        sums = Predicted(row["kernel"], [], sum(p.ns for p in of), sum(p.instant for p in of))
        value = float(row["value"])
        add(row["device"], "guides", sums, row["params"], value * 1e6 if row["unit"] == "ms" else float(row["bytes"]) / value)
    return result


DEVICES = {"GTX 1080 Ti": "gtx1080ti", "GTX 950": "gtx950"}
QV100_CLOCK = 1.132  # GHz (tests/hw/qv100/devices/qv100.toml)


def public() -> list[Launch]:
    """Of public programs: launches on a GTX 1080 Ti and a GTX 950, whole programs on a Quadro GV100."""
    result = []
    programs = {row["program"]: row for row in rows(HW / "nvprof/programs.csv")}
    known = {}
    for row in rows(HW / "nvprof/predicted.csv"):
        known.setdefault((row["device"], row["program"], row["kernel"], row["blocks"], row["threads"]), {})[row["how"]] = float(row["ns"])
    for row in rows(HW / "nvprof/times.csv"):
        program, kernel = programs[row["program"]], kernel_name(row["kernel"])
        ns = known.get((row["device"], row["program"], kernel, row["blocks"], row["threads"]))
        if ns is not None:
            device = DEVICES[row["device"]] + (" kept" if program["half"] == "kept back" else "")
            params = f"{row['blocks']} of {row['threads']}"
            result.append(Launch(device, f"{row['program']}: {kernel}", params, program["family"], row["program"], "", float(row["ns"]), ns[""], ns.get("instant")))
    programs = {row["program"]: row for row in rows(HW / "qv100/programs.csv")}
    known = {}
    for row in rows(HW / "qv100/predicted.csv"):
        known.setdefault(row["program"], {})[row["how"]] = float(row["ns"])
    for row in rows(HW / "qv100/cycles.csv"):
        program, ns = programs[row["program"]], known.get(row["program"])
        if ns is not None:
            device = "qv100" + (" kept" if program["half"] == "kept back" else "")
            time = float(row["cycles"]) / QV100_CLOCK
            result.append(Launch(device, row["program"], f"{row['cycles']} cycles", program["family"], "qv100", "", time, ns[""], ns.get("instant")))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("toolkit", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for instant in (False, True):
            with concurrent.futures.ThreadPoolExecutor() as pool:
                list(pool.map(lambda program, instant=instant: predict(program, arguments.toolkit.resolve(), folder, instant), PROGRAMS))
        launches = judged(folder) + public()
    PAGE.write_text(page(launches), encoding="utf-8")
    JUDGED.write_text(judgements(launches), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}, {JUDGED.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main()
