#!/usr/bin/env python3
"""Prints "<name>: N passed, N failed" for the results a test run left (tools/run_tests writes them).

ctest.xml lists what ctest ran. An entry with an XML file of its own name (gtest's, lit's) counts as the tests in there; any
other counts as one. With several folders, the sum.
"""

import argparse
import pathlib
import sys
import xml.etree.ElementTree as xml


def inner(path: pathlib.Path) -> tuple[int, int] | None:
    """(passed, failed) of a gtest or lit file, or None if the binary died before it wrote one."""
    try:
        root = xml.parse(path).getroot()
    except (OSError, xml.ParseError):
        return None
    passed = failed = 0
    for case in root.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is None and case.get("status", "run") == "run":
            passed += 1
    return passed, failed


def count(folder: pathlib.Path) -> tuple[int, int]:
    try:
        root = xml.parse(folder / "ctest.xml").getroot()
    except (OSError, xml.ParseError):
        return 0, 1  # ctest itself died
    passed = failed = 0
    for case in root.iter("testcase"):
        status = case.get("status")
        if status in ("notrun", "disabled") and case.find("failure") is None:
            passed, failed = passed, failed + (status == "notrun" and case.find("skipped") is None)
            continue
        good = status == "run"
        more = inner(folder / f"{case.get('name')}.xml")
        if more is None or (not good and more[1] == 0):
            more = (int(good), int(not good))
        passed, failed = passed + more[0], failed + more[1]
    return passed, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="")
    parser.add_argument("--failed-steps", type=int, default=0, help="failures that left no results, added to the count")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    counts = [count(folder) for folder in args.folders]
    passed, failed = (sum(column) for column in zip(*counts, (0, args.failed_steps)))
    print(f"{args.name}: {passed} passed, {failed} failed" if args.name else f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
