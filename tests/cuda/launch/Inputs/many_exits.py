"""many_exits.py PROGRAM RUNS: runs the program of exit.cu so many times for each way to end, cache and number of
cores; tells how many runs died or said something, and fails if any did."""
import os
import subprocess
import sys
import tempfile

WAYS = ["return", "exit", "quick_exit", "_exit", "destructor", "detached", "dlclose"]


def main():
    program, runs = sys.argv[1], int(sys.argv[2])
    cores = sorted(os.sched_getaffinity(0))
    bad = done = 0
    with tempfile.TemporaryDirectory() as folder:
        for way in WAYS:
            for cache in ["", folder]:
                for few in sorted({1, min(2, len(cores))}):
                    died = 0
                    for i in range(runs):
                        # Compiling such a kernel takes some 50 ms; most ends shall come before or in it.
                        delay = i * 7919 % 60000 if i % 2 else 0
                        try:
                            run = subprocess.run([program, way, str(delay)], env=dict(os.environ, HEDDLE_CACHE_DIR=cache),
                                                 capture_output=True, timeout=60,
                                                 preexec_fn=lambda: os.sched_setaffinity(0, cores[:few]))
                            told = run.stdout + run.stderr
                            wrong = run.returncode != 0 or told
                        except subprocess.TimeoutExpired:
                            told, wrong = b"hangs", True
                        done += 1
                        if wrong:
                            died += 1
                            if died == 1:
                                print(way, "cache" if cache else "no cache", f"{few} cores:", told.decode(errors="replace"))
                    bad += died
                    print(f"{way}, {'cache' if cache else 'no cache'}, {few} cores: {died} of {runs}", flush=True)
    print(f"{bad} of {done} runs failed")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
