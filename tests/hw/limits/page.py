#!/usr/bin/env python3
"""What 35 devices answer at their limits and one past them: limits.cu on each of them, as docs/reference/devices-limits.md.

    tests/hw/limits/page.py --toolkit build/dev/toolkit --write     # the page anew
    tests/hw/limits/page.py --toolkit build/dev/toolkit --check     # says what differs
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs/reference/devices-limits.md"
DEVICES = """8800gtx 8800gt gt240 gtx280 c1060 c2050 gtx480 gtx460 gtx680 k40 k80 gtx750ti gtx980 jetson-tx1 p100 gtx1080 jetson-tx2 titanv v100 xavier
t4 rtx2080ti a100 rtx3090 orin l40 rtx4090 h100 h200 b200 b300 thor rtx5090 rtxpro6000 gb10""".split()
BUILDS = (10, 20, 30, 50, 90)  # each device takes the latest that it can run

HEAD = """# Limits of devices, tried

What {count} devices answer at each limit and one past it: the program [tests/hw/limits/limits.cu](../../tests/hw/limits/limits.cu), run as each of them
(`HEDDLE_DEVICE`). A number is a limit at which the device did what was asked, and beyond which it answered what stands in the second table; what
is answered otherwise is said in the cell. "-": the device knows no such thing. Made by `tests/hw/limits/page.py`, and held by the test
tests/cli/device_limits.test.

"""


RECORDED = """
## An H200 itself

NVIDIA H200, driver 580.159.04, nvcc 13.0, 2026-11-26 ([tests/hw/limits/h200.txt](../../tests/hw/limits/h200.txt)): the same program answers as in the row above but for

| limit | the H200: at, past | here: at, past | why |
|---|---|---|---|
"""
# Why an H200 answered something else.
WHY = {
    "block": "the API's document names cudaErrorInvalidConfiguration for too many threads or blocks",
    "grid": "the API's document names cudaErrorInvalidConfiguration for too many threads or blocks",
    "registers": "the number of registers is an estimate here",
    "shared memory, fixed": "not known; perhaps its compiler leaves out what nobody has stored",
    "local memory": "for each of the 270,336 threads that it may hold at once that is 142 of its 150 GB",
}


def run(command, device=None):
    env = dict(os.environ, HEDDLE_QUIET="1", **({"HEDDLE_DEVICE": device} if device else {}))
    result = subprocess.run(command, env=env, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ({device}): {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def answers(toolkit):
    """device -> (name, capability, what -> (limit, at, past))"""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        programs = {}
        for arch in BUILDS:
            programs[arch] = pathlib.Path(folder) / f"limits{arch}"
            run([toolkit / "bin/nvcc", "-w", f"-arch=sm_{arch}", HERE / "limits.cu", "-lcuda", "-o", programs[arch]])
        capabilities = {}
        for line in run([toolkit / "bin/heddle", "devices"]).splitlines()[1:]:
            words = line.split()
            capabilities[words[0]] = next(int(w.replace(".", "")) for w in words[1:] if w.count(".") == 1 and w.replace(".", "").isdigit())
        for device in DEVICES:
            arch = max(a for a in BUILDS if a <= capabilities[device])
            lines = run([programs[arch]], device).splitlines()
            name, capability = lines[0].removeprefix("# ").split(", ")[:2]
            found[device] = (name, capability, parsed(lines[1:]))
    return found


def parsed(lines):
    """what -> (limit, at, past)"""
    rows = {}
    for line in lines:
        what, _, answer = line.rpartition(": ")
        what, _, limit = what.rpartition(" ")
        at, _, past = answer.partition(" / ")
        rows[what] = (int(limit), at, past)
    return rows


def recorded(rows):
    own = parsed((HERE / "h200.txt").read_text(encoding="utf-8").splitlines()[1:])
    text = RECORDED
    for what, (limit, at, past) in own.items():
        if rows.get(what) == (limit, at, past):
            continue
        here = "{0:,}: `{1}`, `{2}`".format(*rows[what]) if what in rows else "-"
        why = next((reason for word, reason in WHY.items() if what.startswith(word)), "not known")
        text += f"| {what} | {limit:,}: `{at}`, `{past}` | {here} | {why} |\n"
    return text


def page(found):
    whats = list(dict.fromkeys(what for _, _, rows in found.values() for what in rows))
    whats.sort(key=lambda what: max(list(rows).index(what) if what in rows else 0 for _, _, rows in found.values()))
    usual = {}
    for what in whats:
        every = [rows[what][2] for _, _, rows in found.values() if what in rows]
        usual[what] = max(sorted(set(every)), key=every.count)
    text = HEAD.format(count=len(found))
    text += "| device | capability | " + " | ".join(whats) + " |\n" + "|---" * (len(whats) + 2) + "|\n"
    for device, (name, capability, rows) in found.items():
        cells = []
        for what in whats:
            if what not in rows:
                cells.append("-")
                continue
            limit, at, past = rows[what]
            cell = f"{limit:,}"
            if at not in ("cudaSuccess", "CUDA_SUCCESS", "not tried"):
                cell += f", there {at}"
            if past != usual[what]:
                cell += f", past it {past}"
            cells.append(cell)
        text += f"| {name} (`{device}`) | {capability} | " + " | ".join(cells) + " |\n"
    text += "\n| limit | one past it |\n|---|---|\n"
    for what in whats:
        untried = any(rows[what][1] == "not tried" for _, _, rows in found.values() if what in rows)
        text += f"| {what}{' (at the limit not everywhere tried: it takes too long, or too much memory)' if untried else ''} | `{usual[what]}` |\n"
    return text + recorded(found["h200"][2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--toolkit", type=pathlib.Path, required=True)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true")
    action.add_argument("--check", action="store_true")
    args = parser.parse_args()
    text = page(answers(args.toolkit.resolve()))
    if args.write:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    old, new = PAGE.read_text(encoding="utf-8").splitlines(), text.splitlines()
    for number, (one, other) in enumerate(zip(old + [""] * len(new), new), 1):
        if one != other:
            print(f"{PAGE.name}:{number}: the page says\n  {one}\nthe devices\n  {other}")
    print("the page is as the devices answer" if old == new else "the page differs: tests/hw/limits/page.py --write makes it anew")
    return int(old != new)


if __name__ == "__main__":
    sys.exit(main())
