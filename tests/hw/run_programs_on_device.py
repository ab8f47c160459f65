#!/usr/bin/env python3
"""Random programs on the GPU of this machine: does it leave what the executors left?

    HEDDLE_PROGRAMS=FOLDER HEDDLE_SEEDS=1,500 build/dev/tests/differential_test --gtest_filter='Executors.*'
    python3 tests/hw/run_programs_on_device.py FOLDER [--jobs 8] [--keep FOLDER]

FOLDER has SEED.ptx, whose first line says the launch, and SEED.out, the answer. It needs Python and a CUDA driver, nothing built.
A difference is a finding, not yet a verdict: the manual says who is right. --keep has the device's answers where they differ.
Exit status 1 when any differ.
"""
import argparse
import concurrent.futures
import ctypes
import pathlib
import re
import subprocess
import sys

INPUT_BYTES = 4096  # ptx/random_program.h


def random_input():
    """exec/interp/program_runner.h fills the input so."""
    state, out = 88172645463325252, bytearray()
    mask = (1 << 64) - 1
    for _ in range(INPUT_BYTES):
        state ^= state << 13 & mask
        state ^= state >> 7
        state ^= state << 17 & mask
        out.append(state >> 24 & 255)
    return bytes(out)


class Device:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuCtxCreate_v2", ctypes.byref(context), 0, device)

    def call(self, what, *args):
        code = getattr(self.cuda, what)(*args)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, ctypes.byref(text))
            raise RuntimeError(f"{what}: {text.value.decode() if text.value else code}")

    def buffer(self, data):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(len(data), 1)))
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        return address

    def run(self, text, grid, block, output_bytes):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        log = ctypes.create_string_buffer(8192)
        keys = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), 8192)
        if self.cuda.cuModuleLoadDataEx(ctypes.byref(module), text + b"\0", 2, keys, values):
            raise ValueError("not taken: " + " ".join(log.value.decode(errors="replace").split())[:300])
        kernel = re.search(rb"\.entry\s+([\w$%]+)", text)[1]
        self.call("cuModuleGetFunction", ctypes.byref(function), module, kernel)
        given, left = self.buffer(random_input()), self.buffer(bytes(output_bytes))
        pointers = (ctypes.c_void_p * 2)(ctypes.addressof(given), ctypes.addressof(left))
        self.call("cuLaunchKernel", function, *grid, *block, 0, None, pointers, None)
        self.call("cuCtxSynchronize")
        data = ctypes.create_string_buffer(output_bytes)
        self.call("cuMemcpyDtoH_v2", data, left, ctypes.c_size_t(output_bytes))
        for address in (given, left):
            self.call("cuMemFree_v2", address)
        self.call("cuModuleUnload", module)
        return data.raw


def one(device, path, keep):
    text = path.read_bytes()
    shape = re.match(rb"// grid (\d+) block (\d+) (\d+)", text)
    expected = path.with_suffix(".out").read_bytes()
    left = device.run(text, (int(shape[1]), 1, 1), (int(shape[2]), int(shape[3]), 1), len(expected))
    if left == expected:
        return "same"
    if keep:
        (keep / (path.stem + ".out")).write_bytes(left)
    wrong = [at for at in range(0, len(left), 4) if left[at : at + 4] != expected[at : at + 4]]
    return (f"differs in {len(wrong)} of {len(left) // 4} words, first byte {wrong[0]}: device "
            f"{left[wrong[0] : wrong[0] + 4][::-1].hex()}, not {expected[wrong[0] : wrong[0] + 4][::-1].hex()}")


def worker(paths, keep):
    device = Device()
    for path in paths:
        try:
            print(path.stem, one(device, path, keep), flush=True)
        except ValueError as refused:
            print(path.stem, refused, flush=True)


def batch(paths, keep):
    """A process of its own: a fault ends its context, and only that program's answer is lost."""
    verdicts = {}
    while paths:
        command = [sys.executable, __file__, *(["--keep", keep] if keep else []), "--worker", *map(str, paths)]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
            out, end = done.stdout, done.stderr.strip().splitlines()[-1:] or ["ended"]
        except subprocess.TimeoutExpired as late:
            out, end = (late.stdout or b"").decode(), ["ran for too long"]
        lines = [line.split(" ", 1) for line in out.splitlines()]
        verdicts.update(lines)
        paths = paths[len(lines) :]
        if paths:
            verdicts[paths[0].stem] = "failed: " + end[0]
            paths = paths[1:]
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--worker", nargs="+", type=pathlib.Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        worker(args.worker, args.keep)
        return 0
    if args.folder is None:
        parser.error("which folder?")
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    paths = sorted(args.folder.glob("*.ptx"), key=lambda path: int(path.stem))
    pieces = [paths[at : at + 16] for at in range(0, len(paths), 16)]
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for verdicts in pool.map(lambda piece: batch(piece, args.keep), pieces):
            for seed, verdict in verdicts.items():
                word = re.match(r"[\w ]*?(?=:| in |$)", verdict)[0]
                counts[word] = counts.get(word, 0) + 1
                if verdict != "same":
                    print(f"{seed}: {verdict}", flush=True)
    print(f"{len(paths)} programs: " + ", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    return 0 if set(counts) <= {"same"} else 1


if __name__ == "__main__":
    sys.exit(main())
