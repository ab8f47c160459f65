"""usage: unpacked.py ROOT TREE: moves the toolkit out of an unpacked package, whatever prefix it was made for."""

import pathlib
import sys

root, tree = map(pathlib.Path, sys.argv[1:])
programs = list(root.rglob("bin/nvcc"))
assert len(programs) == 1, programs
programs[0].parents[1].rename(tree)
