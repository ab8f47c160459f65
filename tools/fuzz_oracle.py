#!/usr/bin/env python3
"""Compares both executors with outsiders, on random programs: what g++ makes of the same text must come out, bit for bit.

Kinds of programs: csmith, C programs of Csmith, each thread with globals of its own; cuda, our own CUDA C++ (tests/oracle). A batch of
programs is compiled once by g++, which is the judge, and once by the toolkit's nvcc, and run by the reference executor and by
the fast one, whose tiers and levels of vectors take turns (as nvcc's options do). A program that the judge does not compile or
finish in time is left out. What disagrees is kept, a file each, with how to see it again. Exit status 0: all agree, 1: any did not, 2: nothing could be compared.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import importlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITE = ROOT / "tests/oracle"
KINDS = {"csmith": ("csmith_programs", "csmith_math.h"), "cuda": ("cuda_programs", "cuda_models.h")}
JUDGE = ("g++", "-x", "c++", "-std=c++17", "-O1", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off")
# Contraction to fused multiply-adds is the one thing that a compiler may choose.
COMPILER = ("-std=c++17", "-w", "-fmad=false")
OPTIMISED = (("-O3",), ("-O3", "-arch=sm_60"), ("-G",), ("-O3", "-arch=sm_90"))
FIXED = 8  # programs of seed N are compiled with OPTIMISED[N // FIXED], so that a seed says everything


@dataclasses.dataclass(frozen=True)
class Way:
    executor: str
    tier: str = "quick"
    cpu: str = ""

    def environment(self) -> dict[str, str]:
        return {"HEDDLE_EXECUTOR": self.executor, "HEDDLE_JIT_TIER": self.tier, "HEDDLE_JIT_CPU": self.cpu}


class Oracle:
    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        toolkit = args.toolkit.resolve()
        self.nvcc = toolkit / "bin/nvcc"
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(toolkit / "lib64"), "HEDDLE_CACHE_DIR": "",
                            "PATH": f"{toolkit / 'bin'}:{os.environ.get('PATH', '')}"}
        cpus, tiers = args.cpus.split(","), args.tiers.split(",")
        executors = args.executors.split(",")
        self.reference = [Way("interp")] if "interp" in executors else []
        self.fast = [Way("jit", tier, cpu) for cpu in cpus for tier in tiers] if "jit" in executors else []
        self.folder = args.keep.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.compared: collections.Counter[str] = collections.Counter()
        self.left_out: collections.Counter[str] = collections.Counter()
        self.findings: list[str] = []

    def ways(self, seed: int) -> list[Way]:
        """The reference executor, and one way of the fast one: those take turns, so that each meets each of OPTIMISED."""
        turn = seed // FIXED
        turn += turn // len(OPTIMISED)
        return self.reference + (self.fast if self.args.all_ways else self.fast[turn % max(1, len(self.fast)):][:1])

    def call(self, command: list[str], limit: float, environment: dict[str, str] | None = None) -> tuple[int, str]:
        """Exit status and output; 124 when it ran for too long."""
        try:
            done = subprocess.run(command, env={**self.environment, **(environment or {})}, stdin=subprocess.DEVNULL, text=True, cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", timeout=limit, check=False)
            return done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            output = late.stdout or b""
            text = output if isinstance(output, str) else output.decode(errors="replace")
            return 124, f"{text}\nran for more than {limit:.0f} s\n"

    def write(self, path: pathlib.Path, kind: str, programs: dict[int, str]) -> None:
        path.write_text("\n".join([f'#include "{KINDS[kind][1]}"', "", *programs.values(), "ORACLE_MAIN", ""]))

    def judge(self, base: pathlib.Path, kind: str, programs: dict[int, str]) -> dict[int, str]:
        """Answers of the programs that g++ compiles and that end in time."""
        source, binary = base.with_suffix(".cu"), base.with_suffix(".host")
        command = [*JUDGE, f"-I{SUITE}", str(source), "-o", str(binary)]
        self.write(source, kind, programs)
        if self.call(command, 600)[0] != 0:
            for seed in list(programs):
                self.write(source, kind, {seed: programs[seed]})
                if self.call([*JUDGE, "-fsyntax-only", f"-I{SUITE}", str(source)], 600)[0] != 0:
                    self.left_out["not compiled by g++"] += 1
                    del programs[seed]
            if not programs:
                return {}
            self.write(source, kind, programs)
            status, output = self.call(command, 600)
            if status != 0:
                raise RuntimeError(output)
        answers = {}
        waiting = list(programs)
        while waiting:
            status, output = self.call([str(binary), *map(str, waiting)], 2)
            found = split(output)
            for seed in waiting:
                text, took = found.get(seed, ("", None))
                if took is not None and took <= self.args.work:
                    answers[seed] = text
                elif took is not None:
                    self.left_out["too much work"] += 1
            ended = {seed for seed in waiting if found.get(seed, ("", None))[1] is not None}
            rest = [seed for seed in waiting if seed not in ended]
            if rest:
                self.left_out["no end"] += 1  # the one that was running
            waiting = rest[1:]
        return answers

    def differs(self, binary: pathlib.Path, way: Way, answers: dict[int, str]) -> dict[int, str]:
        """Seeds whose answers are others, with what was seen. After a fault the rest is asked anew."""
        found, waiting = {}, list(answers)
        while waiting:
            status, output = self.call([str(binary), *map(str, waiting)], self.args.limit, way.environment())
            seen = split(output)
            reached = [seed for seed in waiting if seed in seen]
            if status == 124 and len(reached) > 1:
                del seen[reached.pop()]  # the limit is for one program: it was running when the others had used that up
            for seed in reached:
                if seen[seed][0] != answers[seed]:
                    found[seed] = seen[seed][0] if status == 0 or seed != reached[-1] else f"{seen[seed][0]}exit status {status}\n"
            if not reached:
                return {**found, **{seed: f"{output}exit status {status}\n" for seed in waiting}}
            waiting = [seed for seed in waiting if seed not in seen]
        return found

    def batch(self, kind: str, seeds: list[int]) -> None:
        generator = importlib.import_module(KINDS[kind][0])
        programs = {}
        for seed in seeds:
            text = generator.program(seed)
            if text is None:
                self.left_out["not generated"] += 1
            else:
                programs[seed] = text
        base = self.folder / f"batch-{kind}-{seeds[0]}"
        answers = self.judge(base, kind, programs) if programs else {}
        if answers:
            source, binary = base.with_suffix(".cu"), base.with_suffix(".device")
            self.write(source, kind, {seed: programs[seed] for seed in answers})
            options = [*COMPILER, *OPTIMISED[seeds[0] // FIXED % len(OPTIMISED)]]
            status, output = self.call([str(self.nvcc), *options, f"-I{SUITE}", str(source), "-o", str(binary)], 600)
            if status != 0:
                self.keep(kind, answers, programs, answers, options, "nvcc", {seed: output for seed in answers})
            else:
                self.compared[kind] += len(answers)
                for way in self.ways(seeds[0]):
                    seen = self.differs(binary, way, answers)
                    name = " ".join(f"{key}={value}" for key, value in way.environment().items())
                    self.keep(kind, seen, programs, answers, options, name, seen)
        for suffix in (".cu", ".host", ".device"):
            base.with_suffix(suffix).unlink(missing_ok=True)

    def keep(self, kind: str, seeds, programs: dict[int, str], answers: dict[int, str], options: list[str], way: str, seen: dict[int, str]) -> None:
        for seed in seeds:
            path = self.folder / f"{kind}-{seed}.cu"
            self.write(path, kind, {seed: programs[seed]})
            path.with_suffix(".expected").write_text(f"program {seed}\n{answers[seed]}")
            self.findings.append(f"{kind} {seed}")
            print(f"{kind} program {seed} differs: {way}\n    nvcc {' '.join(options)} -I{SUITE} {path}", flush=True)
            right, got = answers[seed].splitlines(), seen[seed].splitlines()
            wrong = [line for line in got if line not in right]
            print("\n".join(f"    {line[:200]}" for line in wrong[:6]) + f"\n    {len(wrong)} lines of {len(right)} differ", flush=True)


def split(output: str) -> dict[int, tuple[str, int | None]]:
    """Seed -> its lines of answers, and the microseconds it took, if the judge said so. Only the last may be incomplete."""
    found: dict[int, tuple[str, int | None]] = {}
    for part in re.split(r"^program ", output, flags=re.MULTILINE)[1:]:
        seed, _, text = part.partition("\n")
        text, mark, took = text.partition("took ")
        found[int(seed)] = (text, int(took.split()[0]) if mark else None)
    return found


def numbers(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=[*KINDS, "all"], default="all")
    parser.add_argument("--seeds", type=numbers, default=None, metavar="A-B", help="these programs, both ends included; default: from 0 on until the time is over")
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("HEDDLE_FUZZ_SECONDS", "60")) / 60, help="without --seeds: how long")
    parser.add_argument("--first", type=int, default=0, help="the first seed, without --seeds")
    parser.add_argument("--batch", type=int, default=FIXED, help=f"programs compiled at once; at most {FIXED} have the same options")
    parser.add_argument("--jobs", type=int, default=1, help="batches at once")
    parser.add_argument("--executors", default="interp,jit")
    parser.add_argument("--cpus", default=",x86-64-v2", help="levels of vectors with commas between; an empty one is the host's")
    parser.add_argument("--tiers", default="quick,best")
    parser.add_argument("--all-ways", action="store_true", help="every tier and level for every program, instead of in turn")
    parser.add_argument("--limit", type=float, default=600, help="seconds that a program may run")
    parser.add_argument("--work", type=int, default=5000, help="microseconds that a program may take the judge: the executors take a thousand times that")
    parser.add_argument("--toolkit", type=pathlib.Path, default=ROOT / "build/dev/toolkit")
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build/oracle", help="folder for what disagrees")
    args = parser.parse_args()
    if not (args.toolkit / "bin/nvcc").exists():
        print(f"fuzz_oracle.py: there is no {args.toolkit / 'bin/nvcc'}; build the target toolkit", file=sys.stderr)
        return 2
    kinds = list(KINDS) if args.kind == "all" else [args.kind]
    for program in ("g++", *["csmith"] * ("csmith" in kinds)):
        if shutil.which(program) is None:
            print(f"fuzz_oracle.py: there is no {program}; tools/setup installs it", file=sys.stderr)
            return 2
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(SUITE))
    oracle = Oracle(args)
    end = time.monotonic() + args.minutes * 60

    def batches():
        first = args.seeds.start if args.seeds else args.first
        while args.seeds is None or first < args.seeds.stop:
            # No batch goes over a change of options.
            last = min(first + args.batch, (first // FIXED + 1) * FIXED, args.seeds.stop if args.seeds else first + args.batch)
            for kind in kinds:
                if args.seeds is None and time.monotonic() >= end:
                    return
                yield kind, list(range(first, last))
            first = last

    if args.jobs > 1:
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            waiting: set[concurrent.futures.Future] = set()
            for kind, seeds in batches():
                waiting.add(pool.submit(oracle.batch, kind, seeds))
                while len(waiting) >= args.jobs:
                    done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                    for one in done:
                        one.result()
            for one in waiting:
                one.result()
    else:
        for kind, seeds in batches():
            oracle.batch(kind, seeds)
    parts = ", ".join(f"{count} of {kind}" for kind, count in sorted(oracle.compared.items())) or "no programs"
    out = "; ".join(f"{count} {why}" for why, count in sorted(oracle.left_out.items()))
    print(f"compared {parts}" + (f" (left out: {out})" if out else "") + f"; {len(set(oracle.findings))} programs differ")
    if oracle.findings:
        print(f"kept in {oracle.folder}: {', '.join(sorted(set(oracle.findings)))}")
        return 1
    return 0 if oracle.compared else 2


if __name__ == "__main__":
    sys.exit(main())
