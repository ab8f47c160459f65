"""exports.py LIB64 NAMES: each small library exports exactly the names of its records (NAMES/<library>.names)."""

import pathlib
import subprocess
import sys

lib64, names = map(pathlib.Path, sys.argv[1:])
failed = False
for path in sorted(names.glob("*.names")):
    library = path.name.removesuffix(".names")
    wanted = set(path.read_text().split())
    # A library that is static alone has its names in its archive.
    shared = ".so." in library
    table = ["nm", "-D", lib64 / library] if shared else ["nm", lib64 / f"{library}.a"]
    listed = subprocess.run([*table, "--defined-only"], capture_output=True, text=True, check=True).stdout
    found = {line.split()[-1].split("@")[0] for line in listed.splitlines() if line.split()[-2:-1] == ["T"]}
    print(f"{library}: {len(found)} names")
    for name in sorted(wanted ^ found):
        failed = True
        print(f"{library}: {name}: {'not exported' if name in wanted else 'exported, but in no record'}")
sys.exit(failed)
