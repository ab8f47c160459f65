"""compare.py LAUNCHES PROFILE: each launch's counters against counters.csv. Prints how many values there were; fails where one differs."""

import csv
import pathlib
import sys


def main():
    recorded = {}
    with (pathlib.Path(__file__).parent / "counters.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            recorded[row.pop("kernel"), row.pop("params")] = row
    launches = []
    with open(sys.argv[1], encoding="utf-8") as file:
        for row in csv.reader(file):
            launches.append((row[1], row[2]))
    ours = {}
    with open(sys.argv[2], encoding="utf-8") as file:
        for row in csv.DictReader(file):
            ours.setdefault(int(row["Launch"]), {})[row["Metric"]] = row["Value"]
    same, different = 0, []
    for number, launch in enumerate(launches, 1):
        for metric, value in recorded[launch].items():
            if float(ours[number][metric]) == float(value):
                same += 1
            else:
                different.append(f"{' '.join(launch)}: {metric} is {ours[number][metric]}, the hardware counted {value}")
    print(f"{len(launches)} launches, {same} values the same, {len(different)} differ")
    print("\n".join(different))
    return 1 if different or not same else 0


sys.exit(main())
