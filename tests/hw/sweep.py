#!/usr/bin/env python3
"""Runs the kernels of the generated instruction sweep on a real GPU and writes down what it answered.

    python3 tools/gen/gen.py --spec spec --out /tmp/g
    python3 tests/hw/sweep.py /tmp/g/sweep OUT      on a machine with a GPU and its driver

Writes OUT/kernels.txt: a line a kernel, `mnemonic | results | sources`, and OUT/answers.bin.xz with all results in order of the
lines (u64, little endian), which are kept as answers.zst. The operands come from operand(), which sweep_test.cpp states once
more in C++.
"""

import ctypes
import lzma
import pathlib
import re
import struct
import sys

THREADS = 1024
MASK = (1 << 64) - 1

INTEGERS = [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 23, 24, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 32767, 32768, 65535, 65536,
            0x7FFFFF, 0x800000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x55555555, 0xAAAAAAAA, 0x12345678, 0xFEDCBA9876543210,
            0x7FFFFFFFFFFFFFFF, 0x8000000000000000, MASK, MASK - 1, MASK - 2, MASK - 7, MASK - 127, MASK - 128, MASK - 32767,
            MASK - 32768, 0xFFFFFFFF80000000, 0xFFFFFFFF7FFFFFFF, 0x0123456789ABCDEF]
F32 = [0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x3F000000, 0xBF000000, 0x3FC00000, 0xBFC00000, 0x40200000, 0xC0200000,
       0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7FFFFFFF, 0x7F800001, 0xFFC12345, 0xFF812345, 0x00000001, 0x80000001,
       0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000, 0x00800001, 0x00FFFFFF, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800001, 0x3F7FFFFF,
       0x4AFFFFFF, 0x4B000001, 0x4EFFFFFF, 0x4F000000, 0xCF000000, 0xCF000001, 0x4F7FFFFF, 0x4F800000, 0x5EFFFFFF, 0x5F000000,
       0xDF000000, 0x5F7FFFFF, 0x5F800000, 0x437F0000, 0x437F8000, 0x43000000, 0xC3000000, 0xC3008000, 0x477FE000, 0x477FEFFF,
       0x477FF000, 0x477FFF00, 0x47800000, 0xC7000000, 0x33000000, 0x33000001, 0x32FFFFFF, 0x387FC000, 0x38800000, 0x3727C5AC,
       0x40490FDB, 0x42F6E979, 0x0DA24260, 0x71D2A1B3]
F64 = [0x0000000000000000, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x3FE0000000000000, 0xBFE0000000000000,
       0x3FF8000000000000, 0x4004000000000000, 0xC004000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000,
       0xFFF8000000000000, 0x7FFFFFFFFFFFFFFF, 0x7FF0000000000001, 0xFFF8123456789ABC, 0xFFF0123456789ABC, 0x0000000000000001,
       0x8000000000000001, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x0010000000000001, 0x001FFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF,
       0xFFEFFFFFFFFFFFFF, 0x3FF0000000000001, 0x3FEFFFFFFFFFFFFF, 0x41DFFFFFFFC00000, 0x41E0000000000000, 0xC1E0000000000000,
       0xC1E0000000200000, 0x41EFFFFFFFE00000, 0x41F0000000000000, 0x43DFFFFFFFFFFFFF, 0x43E0000000000000, 0xC3E0000000000000,
       0x43EFFFFFFFFFFFFF, 0x43F0000000000000, 0x4330000000000001, 0x432FFFFFFFFFFFFF, 0x47EFFFFFE0000000, 0x47EFFFFFEFFFFFFF,
       0x47EFFFFFF0000000, 0x3810000000000000, 0x380FFFFFC0000000, 0x36A0000000000000, 0x3690000000000000, 0x3690000000000001,
       0x40EFFC0000000000, 0x40EFFE0000000000, 0x3E60000000000000, 0x400921FB54442D18, 0x3FF8000010000000, 0x3FF0000010000000]
F16 = [0x0000, 0x8000, 0x3C00, 0xBC00, 0x3800, 0xB800, 0x3E00, 0xBE00, 0x4100, 0xC100, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7FFF,
       0x7C01, 0xFD23, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x8400, 0x0401, 0x7BFF, 0xFBFF, 0x3C01, 0x3BFF, 0x6400, 0x67FF,
       0x5BF8, 0x5C00, 0x7800, 0x4248, 0x2E66, 0x1400]
BF16 = [0x0000, 0x8000, 0x3F80, 0xBF80, 0x3F00, 0xBF00, 0x3FC0, 0xBFC0, 0x4020, 0xC020, 0x7F80, 0xFF80, 0x7FC0, 0xFFC0, 0x7FFF,
        0x7F81, 0xFFA3, 0x0001, 0x8001, 0x007F, 0x807F, 0x0080, 0x8080, 0x0081, 0x7F7F, 0xFF7F, 0x3F81, 0x3F7F, 0x4300, 0x437F,
        0x4F00, 0x4049, 0x3DCD, 0x2000]


def mix(x):  # the finaliser of splitmix64
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def of_float(edges, bits, exponent_bits, a, b):
    if a & 3:
        return edges[(a >> 8) % len(edges)]
    mantissa_bits = bits - 1 - exponent_bits
    bias = (1 << exponent_bits - 1) - 1
    exponent = bias + (a >> 40 & 31) - 16
    exponent = max(0, min(exponent, (1 << exponent_bits) - 1))
    return (b >> 63) << bits - 1 | exponent << mantissa_bits | b & (1 << mantissa_bits) - 1


SMALL = {  # -3 to 3 and a half, or what the format has of them: products and their sums are exact
    "f16": (16, [0x0000, 0x3C00, 0xBC00, 0x4000, 0xC000, 0x4200, 0xC200, 0x3800]),
    "bf16": (16, [0x0000, 0x3F80, 0xBF80, 0x4000, 0xC000, 0x4040, 0xC040, 0x3F00]),
    "tf32": (32, [0x00000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40400000, 0xC0400000, 0x3F000000]),
    "f32": (32, [0x00000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40400000, 0xC0400000, 0x3F000000]),
    "f64": (64, [0, 0x3FF << 52, 0xBFF << 52, 0x400 << 52, 0xC00 << 52, 0x4008 << 48, 0xC008 << 48, 0x3FE << 52]),
    "e4m3": (8, [0x00, 0x38, 0xB8, 0x40, 0xC0, 0x44, 0xC4, 0x30]),
    "e5m2": (8, [0x00, 0x3C, 0xBC, 0x40, 0xC0, 0x42, 0xC2, 0x38]),
    "two_of_four": (4, [0x4, 0x8, 0xC, 0x9, 0xD, 0xE, 0x4, 0xE]),
    "one_of_two": (4, [0x4, 0xE, 0x4, 0xE, 0xE, 0x4, 0xE, 0x4]),
}


def of_tile(kind, bits):
    """A register of a matrix operand: every element a small number, or any bits where the elements are integers."""
    if kind not in SMALL:
        return bits
    width, choices = SMALL[kind]
    return sum(choices[bits >> 3 * i & 7] << width * i for i in range(min(64 // width, 16)))


def operand(kind, thread, source):
    """The 64 bits that source number `source` of a thread starts from."""
    kind = kind.partition(".")[0]  # without a selector: s32.b2
    a = mix(thread << 8 | source)
    b = mix(a)
    if kind.startswith("tile_"):
        return of_tile(kind[5:], b)
    if kind == "pred":
        return a >> 20 & 1
    if kind in ("f32", "tf32"):
        return of_float(F32, 32, 8, a, b)
    if kind == "f64":
        return of_float(F64, 64, 11, a, b)
    if kind in ("f16", "bf16"):
        return of_float(F16, 16, 5, a, b) if kind == "f16" else of_float(BF16, 16, 8, a, b)
    if kind in ("f16x2", "bf16x2"):
        return operand(kind[:-2], thread, source) | operand(kind[:-2], thread, source + 8) << 16
    if a & 3:
        return INTEGERS[(a >> 8) % len(INTEGERS)]
    return b >> (a >> 40 & 63)


def read_index(folder):
    for line in (folder / "index.txt").read_text().splitlines():
        name, mnemonic, results, sources = (part.strip() for part in line.split("|"))
        yield name, f"{mnemonic} | {results} | {sources}", results.split(), [s for s in sources.split() if s[0] != "#"]


def main(folder, out):
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(what, *args):
        code = getattr(cuda, what)(*args)
        if code:
            raise SystemExit(f"{what} failed with {code}")

    call("cuInit", 0)
    context = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    text = (folder / "sweep.ptx").read_text()
    header, *bodies = re.split(r"(?=^\.visible)", text, flags=re.M)
    rows = list(read_index(folder))
    assert len(rows) == len(bodies), (len(rows), len(bodies))
    made = {}

    def data_of(kind, source):
        if (kind, source) not in made:
            made[kind, source] = struct.pack(f"<{THREADS}Q", *(operand(kind, t, source) for t in range(THREADS)))
        return made[kind, source]

    source_buffer, output = ctypes.c_uint64(), ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(source_buffer), ctypes.c_size_t(THREADS * 8 * 32))
    call("cuMemAlloc_v2", ctypes.byref(output), ctypes.c_size_t(THREADS * 8 * 32))
    lines, answers = [], []
    for start in range(0, len(rows), 250):
        module = ctypes.c_void_p()
        call("cuModuleLoadData", ctypes.byref(module), (header + "".join(bodies[start : start + 250])).encode() + b"\0")
        for name, key, results, sources in rows[start : start + 250]:
            function = ctypes.c_void_p()
            call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
            data = b"".join(data_of(kind, i) for i, kind in enumerate(sources))
            call("cuMemcpyHtoD_v2", source_buffer, data, ctypes.c_size_t(len(data)))
            values = [source_buffer, output]
            size = THREADS * 8 * len(results)
            call("cuMemsetD8_v2", output, 0, ctypes.c_size_t(size))
            pointers = (ctypes.c_void_p * 2)(*[ctypes.addressof(v) for v in values])
            call("cuLaunchKernel", function, THREADS // 128, 1, 1, 128, 1, 1, 0, None, pointers, None)
            data = ctypes.create_string_buffer(size)
            call("cuMemcpyDtoH_v2", data, output, ctypes.c_size_t(size))
            lines.append(key)
            answers.append(data.raw)
        call("cuModuleUnload", module)
    (out / "kernels.txt").write_text("\n".join(lines) + "\n")
    (out / "answers.bin.xz").write_bytes(lzma.compress(b"".join(answers), preset=3))
    print(f"{len(lines)} kernels")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
