"""peak.py FILE PROGRAM [ARGUMENT...]: runs it, and writes how much memory it, or a process that it waited for, had at most, in KiB."""

import resource
import subprocess
import sys

status = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, check=False).returncode
with open(sys.argv[1], "w", encoding="utf-8") as file:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=file)
sys.exit(status)
