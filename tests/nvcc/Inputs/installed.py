"""usage: installed.py BUILD: whether the target `toolkit` builds what `cmake --install BUILD --component toolkit` installs."""

import pathlib
import re
import subprocess
import sys

build = pathlib.Path(sys.argv[1])


def ninja(*words: str) -> list[str]:
    return subprocess.run(["ninja", "-C", build, "-t", *words], check=True, capture_output=True, text=True).stdout.splitlines()


# Files that no rule makes were there when the build folder was configured.
made = {line.rsplit(": ", 1)[0] for line in ninja("targets", "all")}


def inputs_of(target: str) -> set[str]:
    """What a target that is only a name stands for. All names of one depth are asked for at once: ninja reads its files each time."""
    found, asked = set(), [target]
    while asked:
        inputs, phony = set(), False
        for line in ninja("query", *asked):
            if not line.startswith("    "):
                phony = line == "  input: phony"
            elif phony:
                inputs.add(line.split()[-1])
        asked = sorted(inputs - found)
        found |= inputs
    return found


built = inputs_of("toolkit")
names = {str(pathlib.Path(name).relative_to(build))
         for name in re.findall(r'"(/[^"]+)"', (build / "cmake_install.cmake").read_text())
         if name.startswith(f"{build}/") and not name.endswith(".cmake")}
missing = sorted(name for name in names & made if name not in built)
for name in missing:
    print(f"{name}: installed, and the target toolkit does not build it")
print(f"{len(names & built)} installed files are built by `toolkit`, {len(missing)} are not")
