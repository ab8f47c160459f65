#!/usr/bin/env python3
"""Compares the two executors on random programs for a while: same bits, same faults, the same told to an observer,
the same counters of the profiler.

Each batch of programs is a process of its own (differential_test), so that a crash is one finding; levels of vectors and tiers
take turns. The last line says how many programs were compared, how they ran natively, and how many differed. Exit status 1
when any did.
"""

import argparse
import collections
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WAYS = ("vectors", "threads", "reference")


def run(binary: pathlib.Path, first: int, count: int, cpu: str, tier: str, off: str, limit: float) -> tuple[str, bool]:
    environment = {**os.environ, "HEDDLE_SEEDS": f"{first},{count}", "HEDDLE_JIT_CPU": cpu, "HEDDLE_JIT_TIER": tier,
                   "HEDDLE_JIT_DISABLE": off}
    try:
        done = subprocess.run([binary, "--gtest_filter=Executors.*:Observed.*"], env=environment, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", timeout=limit, check=False)
        return done.stdout, done.returncode == 0
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
        return (output if isinstance(output, str) else output.decode(errors="replace")) + "\nran for too long\n", False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--test", type=pathlib.Path, default=ROOT / "build/dev/tests/differential_test", help="the test program")
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("HEDDLE_FUZZ_SECONDS", "20")))
    parser.add_argument("--first", type=int, default=1000, help="the first program's seed")
    parser.add_argument("--batch", type=int, default=4, help="programs a process")
    parser.add_argument("--cpus", default="", help="levels of vectors with commas between: avx512,avx2,x86-64-v2; default: the host's")
    parser.add_argument("--tiers", default="quick", help="quick, best or both, with a comma between")
    parser.add_argument("--disable", default="", help="passes that are off, with commas between (heddle ptx jit --list-passes); "
                        "`each`: those that may be off take turns, one at a time")
    parser.add_argument("--heddle", type=pathlib.Path, help="the program that lists them; default: beside the tests")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a batch may take")
    args = parser.parse_args()
    if not args.test.exists():
        print(f"fuzz_executors.py: there is no {args.test}; build the target differential_test", file=sys.stderr)
        return 2
    offs = [args.disable]
    if args.disable == "each":
        heddle = args.heddle or args.test.parent.parent / "toolkit/bin/heddle"
        table = subprocess.run([heddle, "ptx", "jit", "--list-passes"], stdout=subprocess.PIPE, text=True, check=True).stdout
        rows = [[cell.strip(" `") for cell in line.split("|")] for line in table.splitlines()[2:]]
        offs = [row[1] for row in rows if row[4] == "yes"]
    cases = [(cpu, tier, off) for off in offs for cpu in args.cpus.split(",") for tier in args.tiers.split(",")]
    ways: collections.Counter[str] = collections.Counter()
    findings = []
    seed, batch, end = args.first, 0, time.monotonic() + args.seconds
    while time.monotonic() < end:
        cpu, tier, off = cases[batch % len(cases)]
        output, good = run(args.test, seed, args.batch, cpu, tier, off, args.limit)
        ways.update(line.removeprefix("compared by ") for line in output.splitlines() if line.startswith("compared by "))
        if not good:
            again = f"HEDDLE_SEEDS={seed},{args.batch} HEDDLE_JIT_CPU={cpu} HEDDLE_JIT_TIER={tier} HEDDLE_JIT_DISABLE={off} {args.test}"
            findings.append(again)
            print(f"differs: {again} --gtest_filter='Executors.*:Observed.*'", flush=True)
            print("\n".join(output.splitlines()[-20:]), flush=True)
        seed += args.batch
        batch += 1
    parts = ", ".join(f"{ways[way]} by {way}" for way in WAYS)
    print(f"{sum(ways.values())} programs from seed {args.first} on ({parts}); {len(findings)} batches of {args.batch} with differences")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
