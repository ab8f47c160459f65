"""Statements of the guides about time, over what `heddle predict --csv` wrote for guide_times.cu."""
import csv
import sys

launches = {}
for row in csv.DictReader(open(sys.argv[1], encoding="utf-8")):
    launches.setdefault(row["device"], []).append((row["kernel"].split("(")[0], int(row["ns"])))
statements = wrong = 0


def state(device, source, text, holds):
    global statements, wrong
    statements += 1
    wrong += not holds
    if not holds:
        print(f"not so on {device}: {source}: {text}")


for device, rows in launches.items():
    time = {}
    for kernel, ns in rows:
        time.setdefault(kernel, []).append(ns)
    one = {kernel: values[0] for kernel, values in time.items()}
    state(device, "BP 3.2.5", "a constant that all threads read is as fast as a register",
          abs(one["constants"] / one["registers"] - 1) < 0.03)
    by_words = time["words"]
    state(device, "OCL 3.3.2.4", "each different word of a constant is a request of its own",
          by_words[0] < 1.02 * by_words[1] and 2 * by_words[1] < by_words[2])
    small, fits, large = time["working_set"]
    state(device, "OCL 3.3.2.4", "constants have a cache of 8 KB", fits < 1.1 * small and large > 1.3 * fits)
    state(device, "BP 5.1.4", "sinpi(x) is faster than sin(pi x)", one["sinpi_of"] < one["sin_of_pi"])
    state(device, "BP 5.1.4", "__sinf is faster than sinf", one["fast_sin"] < one["sin_of_pi"])
    state(device, "BP 5.1.3", "erfcf is fast: faster than what it could be made of", one["erfc_of"] < one["erfc_by_exp"])
    few, fifteen, many = time["work"]
    state(device, "BP 4.4", "fewer blocks than multiprocessors save no time", few > 0.95 * fifteen)
    state(device, "BP 4.4", "many blocks use a multiprocessor better than one", many * 15 < fifteen * 240)
last = [sum(ns for kernel, ns in launches[device] if kernel == "work") for device in ("8800gtx", "gtx285", "gtx480")]
for slower, faster, names in zip(last, last[1:], ("gtx285", "gtx480")):
    state(names, "OCL 1.3", "a device with more cores takes less time", faster < slower)
state("gtx480", "OCL 3.3.2.4", "from 2.0 on a warp's words count, before a half-warp's",
      launches["gtx480"][5][1] > 1.5 * launches["gtx480"][4][1] and launches["gtx285"][5][1] < 1.1 * launches["gtx285"][4][1])
print(f"statements: {statements}, not so: {wrong}")
