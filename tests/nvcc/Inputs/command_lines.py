"""Runs the command lines of a table with a compiler: what is written, the exit status, what is said.

usage: command_lines.py COMPILER TABLE [--peer]
--peer: the compiler is NVIDIA's; where the table says that ours differs, its values for NVIDIA's count.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

KEYS = {"group", "run", "makes", "status", "says", "never", "holds", "differs", "peer", "environment"}


def contents(folder):
    """Every file below the folder, with when it was written: a name that stays may be another file."""
    return {
        str(path.relative_to(folder)): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file()
    }


def wrong(case, compiler, files):
    """What a case has other than it should, as lines; nothing when it is right."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        before = contents(folder)
        environment = dict(os.environ, NVCC=compiler, **case.get("environment", {}))
        command = re.sub(r"\bnvcc\b", '"$NVCC"', case["run"])
        done = subprocess.run(
            ["sh", "-ec", command], cwd=folder, env=environment, capture_output=True, timeout=300, text=True, check=False
        )
        said = done.stdout + done.stderr
        errors = []
        if done.returncode != case.get("status", 0):
            errors.append(f"exit status {done.returncode}, not {case.get('status', 0)}")
        made = sorted(path for path, when in contents(folder).items() if before.get(path) != when)
        if made != sorted(case.get("makes", [])):
            errors.append(f"wrote {made}, not {sorted(case.get('makes', []))}")
        errors += [f"does not say {text!r}" for text in case.get("says", []) if not re.search(text, said, re.MULTILINE)]
        errors += [f"says {text!r}" for text in case.get("never", []) if re.search(text, said, re.MULTILINE)]
        for path, patterns in case.get("holds", {}).items():
            text = (folder / path).read_bytes().decode(errors="replace") if (folder / path).exists() else ""
            errors += [f"{path} does not hold {pattern!r}" for pattern in patterns if not re.search(pattern, text, re.MULTILINE)]
        return [f"{case['run']}: {error}" for error in errors] + ([said[-1500:]] if errors else [])


def main():
    compiler, path = sys.argv[1:3]
    table = tomllib.loads(pathlib.Path(path).read_text())
    cases = table["case"]
    for case in cases:
        if odd := set(case) - KEYS:
            sys.exit(f"{case['run']}: unknown key {odd}")
        if ("peer" in case) != ("differs" in case):
            sys.exit(f"{case['run']}: a difference has a reason and NVIDIA's values")
    if "--peer" in sys.argv:
        cases = [dict(case, **case.get("peer", {})) for case in cases]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        errors = list(pool.map(lambda case: wrong(case, compiler, table["files"]), cases))
    for error in errors:
        if error:
            print("\n".join(error))
    print(f"{sum(not error for error in errors)} of {len(cases)} command lines are right")
    sys.exit(any(errors))


main()
