"""compare.py LAUNCHES PROFILE: each launch's counters against counters.csv, what source and memory system determine and what the assembler does.
Prints for each counter how many launches agree. Fails where a difference has no reason in differences.csv, and where fewer than 98 % agree of
what source and memory system determine."""

import pathlib
import sys

from verdict import Verdict, rows, with_ideals

HERE = pathlib.Path(__file__).parent
ASSEMBLER = ("smsp__inst_executed", "launch__registers", "launch__waves", "smsp__sass_branch")


def main():
    recorded, launches, ours = rows(HERE / "counters.csv"), rows(sys.argv[1]), {}
    for row in rows(sys.argv[2]):
        ours.setdefault(int(row["Launch"]), {})[row["Metric"]] = row["Value"]
    assert len(recorded) == len(launches) == len(ours), f"{len(recorded)} launches were recorded, {len(launches)} made, {len(ours)} profiled"
    verdict = Verdict(HERE / "differences.csv")
    for number, (launch, record) in enumerate(zip(launches, recorded, strict=True), 1):
        kernel, params = record.pop("kernel"), record.pop("params")
        assert (launch["kernel"], launch["params"]) == (kernel, params), f"launch {number} is {launch}, {kernel} {params} was recorded"
        mine = with_ideals(ours[number])
        for metric, value in with_ideals(record).items():
            verdict.compare(metric, mine[metric], value, kernel=kernel)
    return 0 if verdict.print(f"{len(launches)} launches", 0.98, lambda metric: metric.startswith(ASSEMBLER)) else 1


sys.exit(main())
