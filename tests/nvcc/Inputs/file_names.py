"""usage: file_names.py NVCC FOLDER: compiles sources with odd names to objects; one with a mistake in it, which must be told with the name."""

import pathlib
import subprocess
import sys

nvcc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
NAMES = ["a b", "a'b", 'a"b', "a$b", "a\\b", "a\nb", "a;b&c", "-Da"]
wrong = []


def compiled(name, text):
    (folder / f"{name}.cu").write_text(text)
    return subprocess.run([nvcc, "-lineinfo", "-c", f"./{name}.cu", "-o", f"./{name}.o"], cwd=folder, capture_output=True, text=True)


for name in NAMES:
    result = compiled(name, "__global__ void k(int* out) { out[threadIdx.x] = 1; }\n")
    if result.returncode != 0 or result.stderr or not (folder / f"{name}.o").exists():
        wrong.append(f"{name!r}: {result.stderr[:300]!r}")
result = compiled('e"\n', "__global__ void k() { nothing; }\n")
if result.returncode == 0 or 'e"\n.cu:1:23: error' not in result.stderr:
    wrong.append(f"a mistake: {result.stderr[:300]!r}")
print(f"{len(NAMES)} names, wrong: {' '.join(wrong) or 'none'}")
