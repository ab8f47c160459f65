#!/usr/bin/env python3
"""compare.py SECTION < OUTPUT: what calls.cu prints here against what it printed on a device (h200.txt), step by step.

Every step that differs must stand in differences.csv with its reason, and none may stand there for nothing.
"""
import csv
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
# Calls that a program makes of the driver before the first call of the runtime, and what nvcc's host stubs ask: no part of a call.
BEFORE = re.compile(r"cuKernelGetName|cuModuleGetLoadingMode|^ +f=")


def plain(line):
    line = re.sub(r"module=\d+ size=\d+ cubin=\d( elf=\S+)?", "module", line)
    line = re.sub(r"(streamid|ctxid)=\d+", r"\1", line)
    line = re.sub(r" node=(\d) onode=(\d) type=\d", r" node=\1 onode=\2", line)  # told by one of four events there, and by all here
    if re.match(r" +[RD] ", line):
        line = re.sub(r" cor=\S+| ctx=\d+( null)?", "", line)
    return line


def steps(lines):
    """[(the call as the program has it, what was told)]"""
    found = []
    for line in lines:
        line = line.rstrip()
        if not line or line.startswith(("cuptiSubscribe", "cuptiEnable", "====")):
            continue
        if not line.startswith(" "):
            found.append((line, []))
        elif found and not BEFORE.search(line):
            folded = re.fullmatch(r"(.*) x(\d+)", line)
            found[-1][1].extend([plain(folded[1])] * int(folded[2]) if folded else [plain(line)])
    return found


def recorded(section):
    text = (HERE / "h200.txt").read_text(encoding="utf-8")
    for part in text.split("\n==== ")[1:]:
        name, _, body = part.partition("\n")
        if name == section:
            return steps(body.splitlines())
    sys.exit(f"h200.txt has no section '{section}'")


def main():
    section = sys.argv[1]
    device, ours = recorded(section), steps(sys.stdin)
    if [call for call, _ in device] != [call for call, _ in ours]:
        sys.exit(f"{section}: {len(ours)} steps, recorded are {len(device)}, or others")
    with open(HERE / "differences.csv", encoding="utf-8", newline="") as file:
        reasons = {row["call"]: row["reason"] for row in csv.DictReader(file) if section in row["sections"].split("|")}
    bad, differ = [], set()
    for (call, there), (_, here) in zip(device, ours):
        if there != here:
            differ.add(call)
            if call not in reasons:
                bad.append(f"{call}\n  device: {there}\n  here:   {here}")
    bad += [f"{call}: stands in differences.csv, and does not differ" for call in reasons if call not in differ]
    same = sum(there == here for (_, there), (_, here) in zip(device, ours))
    print(f"{section}: {same} of {len(device)} steps as on the device, {len(device) - same} differ with a reason" if not bad else "\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
