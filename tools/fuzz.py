#!/usr/bin/env python3
"""Runs one libFuzzer binary for a while, starting from its corpus. Time: HEDDLE_FUZZ_SECONDS, 20 by default.

Words for libFuzzer's mutations may stand beside the corpus folder, in <corpus>.dict. New inputs stay
in the work folder; a crash is reported with the file to add to the corpus once it is fixed.
"""

import argparse
import os
import pathlib
import subprocess
import sys


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("binary")
    args = parser.parse_args()
    seconds = int(os.environ.get("HEDDLE_FUZZ_SECONDS", "20"))
    found = args.work / "corpus"
    crashes = args.work / "crashes"
    found.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(parents=True, exist_ok=True)
    command = [args.binary, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048", "-max_len=65536",
               "-print_final_stats=1", f"-artifact_prefix={crashes}/", str(found)]
    if args.corpus.is_dir():
        command.append(str(args.corpus))
    words = args.corpus.with_suffix(".dict")
    if words.exists():
        command.append(f"-dict={words}")
    result = subprocess.run(command, stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        print(f"fuzz.py: a finding is in {crashes}; fix it, then add the input to {args.corpus}", file=sys.stderr)
    return 1 if result.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
