"""advised.py PROFILE: every advice of spec/advice is given for its bad kernel and for no other one of advised.cu."""

import json
import pathlib
import sys
import tomllib

spec = pathlib.Path(__file__).parents[3] / "spec" / "advice" / "advice.toml"
names = {record["name"] for record in tomllib.loads(spec.read_text(encoding="utf-8"))["advice"]}
text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
given = json.loads(text)["processes"][0]["advice"]
right = {(name, f"{name}_bad") for name in names}
told = {(one["advice"], one["kernel"]) for one in given}
for advice, kernel in sorted(right - told):
    print(f"{advice} is not given for {kernel}")
for advice, kernel in sorted(told - right):
    print(f"{advice} is given for {kernel}")
for one in given:
    assert one["saves"] > 0 and one["value"] > 0 and one["guide"], one
print(f"{len(names)} advices, {len(told & right)} given where they belong, {len(told - right)} elsewhere")
