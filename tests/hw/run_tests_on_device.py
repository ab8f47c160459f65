#!/usr/bin/env python3
"""Runs the RUN lines of tests/ptx on the GPU of this machine: run_on_device.py in the place of `heddle`.

    python3 tests/hw/run_tests_on_device.py [--jobs 16] [--timeout 60] [--json FILE] [FOLDER or FILE]...

It needs Python and a CUDA driver, nothing built: where FileCheck is missing a small matcher stands in that knows
CHECK, -NEXT, -SAME, -NOT, {{regular expressions}} and [[variables]]. Left out, and said so: lines that name a --device, use another command
than `ptx run`, or a tool that is not there; modules that a driver of today does not take (32-bit addresses, targets above
the device's); and faults (`not`), of which only the exit status is compared, because their words are Heddle's own.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEVICE = [sys.executable, str(ROOT / "tests/hw/run_on_device.py")]


def run_lines(text):
    """The RUN lines, continued ones joined."""
    lines, open_line = [], ""
    for match in re.finditer(r"^(?://|#|;)?\s*RUN:[ \t]*(.*)$", text, re.M):
        open_line += match[1].strip()
        if open_line.endswith("\\"):
            open_line = open_line[:-1]
            continue
        lines.append(open_line)
        open_line = ""
    return lines


def pattern(text, names):
    """A CHECK pattern as a regular expression, as FileCheck reads it."""
    out, at = "", 0
    for match in re.finditer(r"\{\{(.*?)\}\}|\[\[(\w+)(?::(.*?))?\]\]", text):
        out += r"[ \t]+".join(re.escape(part) for part in re.split(r"[ \t]+", text[at : match.start()]))
        at = match.end()
        if match[2] is None:
            out += f"(?:{match[1]})"
        elif match[3] is None:
            out += re.escape(names.get(match[2], "\0"))
        else:
            out += f"(?P<{match[2]}>{match[3]})"
    return out + r"[ \t]+".join(re.escape(part) for part in re.split(r"[ \t]+", text[at:]))


def file_check(text, prefixes, output):
    """None where the output is as the file says, else what is missing."""
    where, names, refused = 0, {}, []
    expression = "|".join(map(re.escape, prefixes))
    for match in re.finditer(rf"(?<![\w-])(?:{expression})(-NEXT|-SAME|-NOT|-DAG|-EMPTY)?:[ \t]*(.*?)[ \t]*$", text, re.M):
        kind, body = match[1] or "", match[2]
        if kind == "-NOT":
            refused.append(body)
            continue
        rest = output[where:]  # "^" is the place where the search starts, too
        found = re.compile(pattern(body, names), re.M).search(rest)
        if not found:
            return body
        between = rest[: found.start()]
        if kind == "-NEXT" and between.count("\n") != 1 or kind == "-SAME" and "\n" in between:
            return f"{kind}: {body}"
        for bad in refused:
            if re.search(pattern(bad, names), between, re.M):
                return f"-NOT: {bad}"
        refused = []
        names.update(found.groupdict())
        where += found.end()
    for bad in refused:
        if re.search(pattern(bad, names), output[where:], re.M):
            return f"-NOT: {bad}"
    return None


def reason_to_skip(path, text, line):
    command = line.replace("not ", "", 1) if line.startswith("not ") else line
    if not command.startswith("%heddle ptx run"):
        return "another command"
    if re.search(r"--(device|cooperative|timeout|cluster)\b", command):
        return "an option that names a device or belongs to Heddle"
    if re.search(r"%t\b|%\w+\s*&&|;|>\s*%", command):
        return "more than one command"
    if re.search(r"^\s*\.address_size\s+32", text, re.M):
        return "32-bit addresses"
    target = re.search(r"^\s*\.target\s+sm_(\d+)", text, re.M)
    if target and int(target[1]) > 90:
        return "a later target"
    return None


def run_one(program, path, line, options):
    text = path.read_text()
    why = reason_to_skip(path, text, line)
    if why:
        return "skipped", why
    fails = line.startswith("not ")
    first, _, rest = line.partition("|")
    first = first.replace("not ", "", 1) if fails else first
    first = first.replace("2>&1", "").replace("%S", str(path.parent)).replace("%s", str(path))
    words = re.findall(r'(?:[^\s"\']|"[^"]*"|\'[^\']*\')+', first)
    words = [word.replace('"', "").replace("'", "") for word in words]
    try:
        done = subprocess.run(program + words[1:], capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return "failed", f"no end within {options.timeout} s"
    if fails:
        # Of what a device says about a fault only the fact is known.
        return ("passed", "faults") if done.returncode != 0 else ("failed", "no fault on the device")
    if done.returncode != 0:
        return "failed", f"status {done.returncode}: {done.stderr.strip()[-300:]}"
    if "FileCheck" not in rest:
        return "passed", ""
    if shutil.which("FileCheck") and not options.own_matcher:
        check = subprocess.run(rest.replace("%s", str(path)), shell=True, input=done.stdout, capture_output=True, text=True)
        return ("passed", "") if check.returncode == 0 else ("failed", done.stdout[:3000])
    prefixes = re.findall(r"--check-prefix(?:es)?[= ](\S+)", rest) or ["CHECK"]
    missing = file_check(text, [p for group in prefixes for p in group.split(",")], done.stdout)
    return ("passed", "") if missing is None else ("failed", f"wanted: {missing}\ngot:\n{done.stdout}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("paths", nargs="*", default=["tests/ptx"])
    options.add_argument("--jobs", type=int, default=16)
    options.add_argument("--timeout", type=int, default=60)
    options.add_argument("--json")
    options.add_argument("--program", help="what runs a test instead of run_on_device.py: to try this file without a device")
    options.add_argument("--own-matcher", action="store_true", help="do not use FileCheck where it is there")
    options = options.parse_args()
    program = [options.program] if options.program else DEVICE
    files = []
    for name in options.paths:
        place = ROOT / name
        files += [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.suffix in (".ptx", ".test"))
    work = [(path, index, line) for path in files for index, line in enumerate(run_lines(path.read_text()))]
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(run_one, program, path, line, options) for path, _, line in work]
        for (path, index, line), future in zip(work, futures):
            status, detail = future.result()
            kernel = re.search(r"--kernel\s+(\S+)", line)
            name = f"{path.relative_to(ROOT)}:{kernel[1] if kernel else index}"
            results.append({"test": name, "status": status, "detail": detail})
            if status == "failed":
                print(f"FAILED {name}\n  {detail}")
    for status in ("passed", "failed", "skipped"):
        print(f"{status}: {sum(r['status'] == status for r in results)}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    return any(r["status"] == "failed" for r in results)


if __name__ == "__main__":
    sys.exit(main())
