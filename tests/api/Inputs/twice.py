"""twice.py FIRST SECOND: no object of ours with a state is in both libraries, or each would have its own."""

import re
import subprocess
import sys


def states(library):
    listed = subprocess.run(["nm", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    # Guards stand for objects that are made at first use; types and their tables have no state, and names within one file may be equal.
    return {name for _, kind, name in rows
            if kind in "bBdDuV" and "6heddle" in name and "_GLOBAL__N_" not in name and not re.match(r"_ZT[ISV]", name)}


both = sorted(states(sys.argv[1]) & states(sys.argv[2]))
for name in both:
    print(f"{name}: in both")
sys.exit(bool(both))
