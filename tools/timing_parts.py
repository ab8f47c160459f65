#!/usr/bin/env python3
"""Predicts recorded launches without each part of the model, one at a time, and writes tests/hw/timing/parts.csv: errors by device and family, of which
tools/timing_error.py makes a table.

    tools/timing_parts.py build/release/toolkit
    tools/timing_parts.py build/release/toolkit --programs '' --public FOLDER transpose scan hotspot

The first launch of each kernel and shape of the H200's own kernels and of the guides', and of public programs in FOLDER (tools/timing_public.py) on a GTX 1080 Ti
and a GTX 950: the model goes through each 19 times. Rows of devices that are not predicted stay as they are.
"""

import argparse
import csv
import pathlib
import subprocess
import tempfile

import timing_public
from timing_error import PROGRAMS, family_of, kernel_name
from timing_page import HW, groups, mean, rows

PARTS = HW / "timing/parts.csv"
TITLES = {"h200": "H200", "gtx285": "GTX 285", "gtx280": "GTX 280", "8800gtx": "8800 GTX"}


def predict(program, toolkit, folder):
    """For each row of `heddle predict`, what was launched."""
    binary, launches, table = folder / program.name, folder / f"{program.name}.launches", folder / f"{program.name}.parts"
    if not table.exists():
        subprocess.run([toolkit / "bin/nvcc", "-O3", "-std=c++17", f"-arch={program.arch}", "-o", binary, HW / program.source], check=True)
        command = [toolkit / "bin/heddle", "predict", "--device", program.runs_on, "--devices", ",".join(program.devices), "--csv", "--output", table]
        subprocess.run([*command, "--each-without", "--of-each-kernel", "1", binary, launches], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    named = [line.split(",") for line in launches.read_text(encoding="utf-8").splitlines() if line[:1].isdigit()]
    for row in rows(table):
        _, kernel, *params = named[int(row["launch"]) - 1]
        yield row, kernel, params


def measured():
    """Nanoseconds: by number of the H200's launch; by device, kernel and parameter of the guides."""
    times = {("h200", number): float(row["ns"]) for number, row in enumerate(rows(HW / "h200/timing/launches.csv"), 1)}
    for row in rows(HW / "guides/times.csv"):
        value = float(row["value"])
        times[row["device"], row["kernel"], row["params"]] = value * 1e6 if row["unit"] == "ms" else float(row["bytes"]) / value
    return times


def of_public(toolkit, folder, names):
    """(device, family, part, error) of public programs' launches."""
    here, devices = HW / "nvprof", {"gtx950": "GTX 950", "gtx1080ti": "GTX 1080 Ti"}
    times = {(row["device"], row["program"], kernel_name(row["kernel"]), row["blocks"], row["threads"]): float(row["ns"]) for row in rows(here / "times.csv")}
    files = [here / "devices" / f"{device}.toml" for device in devices]
    for program in rows(here / "programs.csv"):
        if program["program"] not in names:
            continue
        where = folder.resolve() / program["program"]
        for row in timing_public.predict((toolkit / "bin/heddle").resolve(), where, files, files[-1], program["arguments"], 1, ("--each-without",)) or []:
            time = times.get((devices[row["device"]], program["program"], kernel_name(row["kernel"]), row["blocks"], row["threads"]))
            if time is not None:
                yield devices[row["device"]], program["family"], row["without"], abs(float(row["ns"]) / time - 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("toolkit", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="what was predicted stays there, and is taken from there the next time")
    parser.add_argument("--programs", default="h200,guides", help="of those in the tree")
    parser.add_argument("--public", nargs="+", default=[], metavar=("FOLDER", "PROGRAM"))
    arguments = parser.parse_args()
    times, families, errors = measured(), rows(HW / "timing/families.csv"), []
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for program in PROGRAMS:
            if program.name not in arguments.programs.split(","):
                continue
            for row, kernel, params in predict(program, arguments.toolkit.resolve(), folder):
                key = ("h200", int(row["launch"])) if program.name == "h200" else (row["device"], kernel, params[0])
                if key in times:
                    errors.append((TITLES[row["device"]], family_of(families, program.name, kernel)[0], row["without"], abs(float(row["ns"]) / times[key] - 1)))
    if arguments.public:
        errors += of_public(arguments.toolkit, pathlib.Path(arguments.public[0]), arguments.public[1:])
    new = {error[0] for error in errors}
    kept = [list(row.values()) for row in rows(PARTS) if row["device"] not in new]
    with open(PARTS, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("device", "family", "without", "launches", "error"))
        writer.writerows(kept)
        for (device, family, without), of in groups(errors, lambda error: error[:3]).items():
            writer.writerow((device, family, without, len(of), f"{mean(error[3] for error in of):.4f}"))
    print(f"{PARTS}: written")


if __name__ == "__main__":
    main()
