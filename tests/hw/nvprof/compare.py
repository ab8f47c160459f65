"""compare.py HEDDLE FOLDER [PROGRAM...]: nvprof's metrics of public programs on a GTX 950 and a GTX 1080 Ti against what Heddle counts.

FOLDER/PROGRAM/program is each program of programs.csv, built from its public repository by Heddle's nvcc with -O3 and code for compute_52, in a folder with
what it reads. The first launch of each kernel is profiled on either device, ten minutes at most. Fails where a difference has no reason in differences.csv,
where a reason has no difference, and where fewer than 90 % of the values agree."""

import argparse
import csv
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "h200/profiler"))
sys.path.insert(0, str(HERE))
from kernel_names import kernel_name  # noqa: E402
from verdict import Verdict, rows  # noqa: E402

GATE = 0.9
DEVICES = {"GTX 950": "gtx950", "GTX 1080 Ti": "gtx1080ti"}


def profile(heddle, folder, program, device, metrics):
    """Of the first launch of each kernel its metrics; nothing where the program isn't there."""
    where = folder / program["program"]
    if not (where / "program").exists():
        return None
    out = where / f"{device}.csv"
    words = [heddle, "profile", "--device", device, "--csv", "--of-each-kernel", "1", "--metrics", ",".join(metrics), "--output", out.name,
             "./program", *shlex.split(program["arguments"])]
    try:
        subprocess.run(words, cwd=where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600, check=False)
    except subprocess.TimeoutExpired:
        return None
    kernels = {}
    for row in rows(out):
        kernels.setdefault(kernel_name(row["Kernel"]), {})[row["Metric"]] = row["Value"]
    return kernels


def number(text):
    """Of a metric that is not there (`n/a`: divided by nothing) nvprof writes 0."""
    return 0.0 if text in ("", "n/a") else float(text.rstrip("%"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("heddle")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()
    heddle = str(pathlib.Path(arguments.heddle).resolve())
    recorded, count = {}, 0
    for row in rows(HERE / "counters.csv"):
        recorded.setdefault((row["program"], row["device"]), []).append(row)
    metrics = sorted({row["metric"] for all_of in recorded.values() for row in all_of})
    verdict = Verdict(HERE / "differences.csv")
    for program in rows(HERE / "programs.csv"):
        if arguments.programs and program["program"] not in arguments.programs:
            continue
        for name, device in DEVICES.items():
            wanted = recorded.get((program["program"], name), [])
            ours = profile(heddle, arguments.folder, program, device, metrics) if wanted else {}
            if ours is None:
                verdict.unexplained.append(f"{program['program']} is not in {arguments.folder}, or took too long")
                break
            kernels = set()
            for row in wanted:
                kernel = kernel_name(row["kernel"])
                if kernel not in ours:
                    verdict.unexplained.append(f"{program['program']}: {row['kernel']} was not launched")
                    break
                kernels.add(kernel)
                own, theirs = number(ours[kernel].get(row["metric"], "")), number(row["value"])
                near = abs(own - theirs) <= 1e-6 * max(abs(own), abs(theirs))  # nvprof has six digits behind the point
                verdict.compare(row["metric"], theirs if near else own, theirs, device=name, program=program["program"], kernel=kernel)
            count += len(kernels)
    if arguments.programs:
        verdict.miss_no_reason()
    return 0 if verdict.print(f"{count} kernels", GATE) else 1


sys.exit(main())
