#!/usr/bin/env python3
"""Makes tests/hw/h200/approx/record.bin, what the tests compare with, of a dump (tests/hw/h200/approx/README.md).

    pack.py DUMP_DIR OUT

The record is a row of sections: name (24 bytes, zero-padded), log2 of the inputs behind one word, number of words, the words;
all numbers 32 bits, little endian. A word is the wrapping sum of hash(result ^ input * 0x9e3779b1) over its inputs:

    NAME            4096 words of 2^20 inputs: all 2^32 of them
    NAME/sample     256 words of 2^16 inputs; word i is about the inputs from 257 * i * 2^16 on
    NAME            256 words of 2^8 inputs, for functions of 16 bits
    NAME/MODE       256 words of 2^20 indices of pairs of operands, for divisions; mode 4: 128 words of 2^7
"""

import importlib.util
import pathlib
import struct
import sys

DECODER = pathlib.Path(__file__).resolve().parents[2] / "tests/hw/h200/approx/decode.py"
MASK = 0xFFFFFFFF


def load_decoder():
    spec = importlib.util.spec_from_file_location("decode", DECODER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def mix32(h: int) -> int:
    h = ((h ^ h >> 16) * 0x85EBCA6B) & MASK
    h = ((h ^ h >> 13) * 0xC2B2AE35) & MASK
    return h ^ h >> 16


def hashes(results, per_word: int) -> list[int]:
    words = [0] * (len(results) // per_word)
    for i, result in enumerate(results):
        words[i // per_word] += mix32(result ^ (i * 0x9E3779B1 & MASK))
    return [word & MASK for word in words]


def sums(words, per_word: int) -> list[int]:
    return [sum(words[i : i + per_word]) & MASK for i in range(0, len(words), per_word)]


def divide(x: int, y: int) -> int:
    """IEEE x / y to nearest, as the host side of the dumper computed it; NaN as 0x7fffffff."""
    a, b = (struct.unpack("<f", struct.pack("<I", v))[0] for v in (x, y))
    if a != a or b != b or (a == 0 and b == 0) or (abs(a) == float("inf") and abs(b) == float("inf")):
        return 0x7FFFFFFF
    sign = (x ^ y) & 0x80000000
    if abs(a) == float("inf") or b == 0:
        return sign | 0x7F800000
    if a == 0 or abs(b) == float("inf"):
        return sign
    q = abs(a) / abs(b)  # 53 bits hold a quotient of 24-bit numbers well enough to round it once more, subnormals included
    try:
        return sign | struct.unpack("<I", struct.pack("<f", q))[0]
    except OverflowError:
        return sign | 0x7F800000


def edges() -> list[int]:
    """SPECIAL_H of dump.cu."""
    text = (DECODER.parent / "dump.cu").read_text(encoding="utf-8")
    body = text[text.index("SPECIAL_H[64] = {") + 17 :]
    return [int(word, 0) for word in body[: body.index("}")].replace("\n", " ").split(",")]


def edge_results(differences) -> list[int]:
    special = edges()
    results = []
    for i, z in enumerate(differences):
        a, b = i & 127, i >> 7 & 127
        x, y = special[a & 63] | a >> 6 << 31, special[b & 63] | b >> 6 << 31
        results.append((divide(x, y) + ((z >> 1) ^ -(z & 1))) & MASK)
    return results


def sections(dump: str):
    decode = load_decoder()
    for s in decode.sections(dump):
        name = s["function"].rstrip("_")
        if s["kind"] == "hash":
            words = decode.values(dump, s)
            yield name, 20, sums(words, 16)
            yield name + "/sample", 16, words[::257]
        elif s["kind"] == "sweep" and s["params"] == ["0x00000000", "1", "65536"]:
            yield name, 8, hashes(decode.values(dump, s), 256)
        elif s["kind"] == "divhash":
            yield f"{name}/{s['params'][0]}", 20, sums(decode.values(dump, s), 16)
        elif s["kind"] == "div" and s["params"][0] == "4":
            yield f"{name}/4", 7, hashes(edge_results(decode.values(dump, s)), 128)


def main() -> None:
    dump, out = sys.argv[1:]
    with open(out, "wb") as file:
        for name, inputs, words in sections(dump):
            file.write(struct.pack(f"<24sII{len(words)}I", name.encode(), inputs, len(words), *words))


if __name__ == "__main__":
    main()
