"""Statements of the guides about time, over what `heddle predict --csv` wrote for guide_textures.cu."""
import csv
import sys

launches = {}
for row in csv.DictReader(open(sys.argv[1], encoding="utf-8")):
    launches.setdefault(row["device"], {}).setdefault(row["kernel"].split("(")[0], []).append(int(row["ns"]))
statements = wrong = 0


def state(device, source, text, holds):
    global statements, wrong
    statements += 1
    wrong += not holds
    if not holds:
        print(f"not so on {device}: {source}: {text}")


for device, time in launches.items():
    plain, texture = time["shift_copy"], time["texture_shift_copy"]
    state(device, "BP 3.2.4.1", "through a texture a shift costs a few percent", max(texture) < 1.06 * min(texture))
    if device != "gtx480":
        state(device, "BP 3.2.4.1", "a texture avoids loads that do not coalesce", texture[1] < 0.95 * plain[1])
    near, far = time["chase"]
    state(device, "OCL 3.3.2.5", "a hit takes as long as a read of the memory", 0.85 * far < near <= far)
    shared, own = time["share"]
    state(device, "OCL 3.3.2.5", "a hit asks less of the memory", 1.3 * shared < own)
    mapped, memory, mapped_again, memory_again = time["add_one"]
    state(device, "BP 3.1.3", "mapped memory lies behind the bus of the host", mapped > 3 * memory)
    if device != "gtx480":
        state(device, "BP 3.1.3", "it is not cached on 1.x: what is read again is moved again", mapped_again > 1.8 * mapped)
    else:
        state(device, "BP 3.1.3", "it is cached from 2.0 on", mapped_again < 1.3 * mapped)
    state(device, "BP 3.1.3", "accesses to it should be coalesced", time["add_one_apart"][0] > 2 * mapped)
print(f"statements: {statements}, not so: {wrong}")
