"""usage: modules.py TOOLKIT: whether each file of pkg-config names libraries that are there."""

import pathlib
import subprocess
import sys

toolkit = pathlib.Path(sys.argv[1])
modules = sorted(path.stem for path in (toolkit / "lib64/pkgconfig").glob("*.pc"))
missing = []
for module in modules:
    flags = subprocess.run(["pkg-config", "--libs", module], check=True, capture_output=True, text=True).stdout.split()
    folder = [flag[2:] for flag in flags if flag.startswith("-L")]
    for library in (flag[2:] for flag in flags if flag.startswith("-l")):
        if not any((pathlib.Path(path) / f"lib{library}.so").exists() for path in folder):
            missing.append(f"{module}: lib{library}.so")
print(f"{len(modules)} modules, without their libraries: {' '.join(missing) or 'none'}")
