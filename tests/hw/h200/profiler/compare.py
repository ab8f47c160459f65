"""compare.py LAUNCHES PROFILE: each launch's counters against counters.csv, what source and memory system determine and what the assembler does.
Prints for each counter how many launches agree. Fails where a difference has no reason in differences.csv, and where fewer than 98 % agree of
what source and memory system determine."""

import csv
import fnmatch
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
ASSEMBLER = ("smsp__inst_executed", "launch__registers", "launch__waves", "smsp__sass_branch")
GATE = 0.98


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def with_ideals(values):
    """Of shared memory what arbitration has no part in: the times without conflicts."""
    for side in ("ld", "st"):
        asked, more = (f"l1tex__data_{what}_mem_shared_op_{side}.sum" for what in ("pipe_lsu_wavefronts", "bank_conflicts_pipe_lsu"))
        if asked in values:
            values[f"wavefronts without conflicts, {side}"] = float(values[asked]) - float(values[more])
    return values


def main():
    recorded, launches, ours = rows(HERE / "counters.csv"), rows(sys.argv[1]), {}
    reasons = rows(HERE / "differences.csv")
    for row in rows(sys.argv[2]):
        ours.setdefault(int(row["Launch"]), {})[row["Metric"]] = row["Value"]
    assert len(recorded) == len(launches) == len(ours), f"{len(recorded)} launches were recorded, {len(launches)} made, {len(ours)} profiled"
    same, all_of, unexplained, used = {}, {}, [], set()
    for number, (launch, record) in enumerate(zip(launches, recorded, strict=True), 1):
        kernel, params = record.pop("kernel"), record.pop("params")
        assert (launch["kernel"], launch["params"]) == (kernel, params), f"launch {number} is {launch}, {kernel} {params} was recorded"
        mine = with_ideals(ours[number])
        for metric, value in with_ideals(record).items():
            all_of[metric] = all_of.get(metric, 0) + 1
            own, hardware = float(mine[metric]), float(value)
            if abs(own - hardware) <= 0.005:
                same[metric] = same.get(metric, 0) + 1
                continue
            # Values that vary are above ours, and not by much.
            fits = [i for i, reason in enumerate(reasons)
                    if fnmatch.fnmatchcase(kernel, reason["kernel"]) and fnmatch.fnmatchcase(metric, reason["metric"])
                    and (not reason["least"] or float(reason["least"]) <= (hardware - own) / max(own, 1) <= float(reason["most"]))]
            used.update(fits)
            if not fits:
                unexplained.append(f"{kernel} {params}: {metric} is {mine[metric]}, the hardware counted {value}")
    exact = [metric for metric in all_of if not metric.startswith(ASSEMBLER)]
    for metric, count in all_of.items():
        print(f"{same.get(metric, 0):4} of {count}  {metric}{'' if metric in exact else ' (of the assembler)'}")
    unused = [f"no difference is of {reason['kernel']} {reason['metric']}" for i, reason in enumerate(reasons) if i not in used]
    total, good = sum(all_of[metric] for metric in exact), sum(same.get(metric, 0) for metric in exact)
    print(f"{len(launches)} launches, {good} of {total} values the same ({100 * good / total:.1f} %), {len(unexplained)} unexplained")
    print("\n".join(unexplained + unused))
    return 1 if unexplained or unused or good < GATE * total else 0


sys.exit(main())
