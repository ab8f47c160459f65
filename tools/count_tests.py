#!/usr/bin/env python3
"""Prints "<name>: N passed, N failed" for the results a test run left (tools/run_tests writes them), with ", N skipped" if any
were, and before it a line for each skipped test and for each entry of ctest that took more than half of its time limit.

ctest.xml lists what ctest ran. An entry with an XML file of its own name (gtest's, lit's) counts as the tests in there; any
other counts as one. limits.json is what `ctest --show-only=json-v1` printed. With several folders, the sum.
"""

import argparse
import dataclasses
import json
import pathlib
import sys
import xml.etree.ElementTree as xml


@dataclasses.dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: list[str] = dataclasses.field(default_factory=list)  # "name: why"
    slow: list[str] = dataclasses.field(default_factory=list)

    def __iadd__(self, other: "Counts") -> "Counts":
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.slow += other.slow
        return self


def reason(case: xml.Element) -> str:
    """Why a test was skipped: gtest writes "file:line", then the message; lit says it in an attribute."""
    mark = case.find("skipped")
    text = (mark.get("message") or mark.text or "") if mark is not None else ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].rpartition(":")[2].isdigit():
        lines = lines[1:]
    return " ".join(lines) or "no reason given"


def inner(path: pathlib.Path) -> Counts | None:
    """What a gtest or lit file says, or None if the binary died before it wrote one."""
    try:
        root = xml.parse(path).getroot()
    except (OSError, xml.ParseError):
        return None
    counts = Counts()
    for case in root.iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            counts.failed += 1
        elif case.find("skipped") is not None:
            counts.skipped.append(f"{name}: {reason(case)}")
        elif case.get("status", "run") == "run":
            counts.passed += 1
        elif case.get("status") == "notrun" and case.get("result") == "suppressed":
            counts.skipped.append(f"{name}: disabled")
    return counts


def limits(folder: pathlib.Path) -> dict[str, float]:
    """Name of an entry of ctest -> its time limit in seconds."""
    try:
        tests = json.loads((folder / "limits.json").read_text())["tests"]
    except (OSError, ValueError, KeyError):
        return {}
    found = {}
    for test in tests:
        for prop in test.get("properties", []):
            if prop.get("name") == "TIMEOUT":
                found[test["name"]] = float(prop["value"])
    return found


def count(folder: pathlib.Path) -> Counts:
    try:
        root = xml.parse(folder / "ctest.xml").getroot()
    except (OSError, xml.ParseError):
        return Counts(failed=1)  # ctest itself died
    counts = Counts()
    limit_of = limits(folder)
    for case in root.iter("testcase"):
        name, status = case.get("name"), case.get("status")
        if status in ("notrun", "disabled") and case.find("failure") is None:
            # "SKIP_RETURN_CODE=...": the test itself says so. Anything else, such as a binary that was not built, it did not choose.
            if status == "disabled" or reason(case).startswith("SKIP_"):
                counts.skipped.append(f"{name}: {reason(case)}")
            else:
                counts.failed += 1
            continue
        good = status == "run"
        more = inner(folder / f"{name}.xml")
        if more is None or (not good and more.failed == 0):
            more = Counts(passed=int(good), failed=int(not good))
        counts += more
        seconds, limit = float(case.get("time", 0)), limit_of.get(name)
        if limit is not None and seconds > limit / 2:
            counts.slow.append(f"{name}: {seconds:.0f} s, more than half of its limit of {limit:.0f} s")
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="")
    parser.add_argument("--failed-steps", type=int, default=0, help="failures that left no results, added to the count")
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    counts = Counts(failed=args.failed_steps)
    for folder in args.folders:
        counts += count(folder)
    for what, lines in (("skipped", counts.skipped), ("slow", counts.slow)):
        for line in lines:
            print(f"{what}: {line}")
    text = f"{counts.passed} passed, {counts.failed} failed"
    if counts.skipped:
        text += f", {len(counts.skipped)} skipped"
    print(f"{args.name}: {text}" if args.name else text)
    return 1 if counts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
