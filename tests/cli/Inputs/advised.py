"""advised.py PROFILE...: every advice of spec/advice is given for its bad kernel and for no other one of the programs.
advised.py --copies HEDDLE PROGRAM: what is advised of a whole program is given for `PROGRAM NAME bad` and not for `PROGRAM NAME good`."""

import json
import pathlib
import subprocess
import sys
import tomllib

# A kernel that deserves one may deserve another by the same thing.
ALSO = {
    "parallel_bad": {"coalesce", "reuse", "occupancy", "whole_warps", "enough_blocks", "block_size"},
    "registers_bad": {"occupancy"},
    "shared_size_bad": {"occupancy"},
    "block_size_bad": {"occupancy"},
    "occupancy_bad": {"shared_size", "several_blocks"},
    "coalesce_bad": {"texture"},
    "local_memory_bad": {"reuse"},
    "several_blocks_bad": {"enough_blocks"},
}


def advice_of(path):
    given = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["processes"][0]["advice"]
    for one in given:
        assert one["saves"] > 0 and one["value"] > 0 and one["guide"], one
    return {(one["advice"], one["kernel"]) for one in given}


spec = pathlib.Path(__file__).parents[3] / "spec" / "advice" / "advice.toml"
records = tomllib.loads(spec.read_text(encoding="utf-8"))["advice"]
if sys.argv[1] == "--copies":
    heddle, program = sys.argv[2:]
    for name in [record["name"] for record in records if record.get("of") == "program"]:
        # The last one is of a device whose memory is the host's.
        device, told = "jetson-tk1" if name == "zero_copy" else "gtx480", []
        for kind in ("bad", "good"):
            out = f"{program}.{name}.{kind}.json"
            subprocess.run([heddle, "profile", "--device", device, "--json", "--output", out, program, name, kind], check=True, stdout=subprocess.DEVNULL)
            told.append("given" if (name, None) in advice_of(out) else "not given")
        print(f"{name}: {told[0]}, then {told[1]}")
    sys.exit()
names = {record["name"] for record in records if record.get("of") != "program"}
right = {(name, f"{name}_bad") for name in names}
told = set().union(*(advice_of(path) for path in sys.argv[1:]))
odd = {(advice, kernel) for advice, kernel in told - right if kernel is not None and advice not in ALSO.get(kernel, set())}
for advice, kernel in sorted(right - told):
    print(f"{advice} is not given for {kernel}")
for advice, kernel in sorted(odd):
    print(f"{advice} is given for {kernel}")
print(f"{len(names)} advices, {len(told & right)} given where they belong, {len(odd)} elsewhere")
