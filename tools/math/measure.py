#!/usr/bin/env python3
"""Measures the device math functions and writes spec/math/measured.toml, of which docs/reference/math-functions.md is made.

    tools/math/measure.py build/release/tests/math_test [--jobs N] [--only NAME,...]
    tools/math/measure.py --from FILE

All 2^32 inputs of a float function take one to five minutes; records are written as they come, and others are kept.
Afterwards: tools/check/pages.py --write.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tomllib

RECORDS = pathlib.Path(__file__).resolve().parent.parent.parent / "spec/math/measured.toml"
HEAD = "# Written by tools/math/measure.py; not by hand.\n"
KEYS = ("name", "how", "against", "inputs", "ulps", "at", "beyond", "seconds")


def read() -> dict:
    if not RECORDS.exists():
        return {}
    return {record["name"]: record for record in tomllib.loads(RECORDS.read_text(encoding="utf-8")).get("function", [])}


def show(value) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def write(records: dict) -> None:
    text = HEAD
    for name in sorted(records):
        text += "\n[[function]]\n" + "".join(f"{key} = {show(records[name][key])}\n" for key in KEYS)
    RECORDS.write_text(text, encoding="utf-8")


def parse(text: str) -> list[dict]:
    return [tomllib.loads(line.replace(", ", "\n")) for line in re.findall(r"^measured: (.*)$", text, re.MULTILINE)]


def measure(binary: str, test: str) -> list[dict]:
    run = subprocess.run([binary, "--gtest_filter=" + test], capture_output=True, text=True, check=False,
                         env=os.environ | {"HEDDLE_MATH_MEASURE": "all"})
    found = parse(run.stdout)
    if run.returncode != 0:
        print(f"{test}: over its limit\n" + "\n".join(line for line in run.stdout.splitlines() if "actual" in line or "__nv" in line), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--from", dest="lines", help="take what tests/hw/h200/math/compare.cu printed, and run nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    if args.lines:
        found = parse(pathlib.Path(args.lines).read_text(encoding="utf-8"))
        write(read() | {record["name"]: record for record in found})
        return
    only = set(filter(None, args.only.split(",")))
    tests, suite = [], ""
    for line in subprocess.run([args.binary, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout.splitlines():
        if not line.startswith(" "):
            suite = line.split()[0]
        elif suite.startswith("Accuracy/"):
            test = line.split("#")[0].strip()
            if not only or test.split("/")[-1] in only:
                tests.append(suite + test)
    records = read()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(measure, args.binary, test) for test in tests]):
            for record in done.result():
                records[record["name"]] = record
                print(record["name"], record["ulps"], record["at"], f"{record['seconds']} s", flush=True)
            write(records)


if __name__ == "__main__":
    main()
