"""How the words of PTX are spelled in C++, and the perfect hash that finds them."""

import re

# Also a library macro is no good as an enumerator.
KEYWORDS = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
consteval constexpr constinit continue co_await co_return co_yield decltype default delete do double else enum explicit
export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or
or_eq private protected public register requires return short signed sizeof static struct switch template this throw true
try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq NULL EOF NAN""".split())

MASK = (1 << 64) - 1


def identifier(word: str) -> str:
    """shared::cta -> shared_cta, 1d -> _1d, and -> and_"""
    name = re.sub(r"[^A-Za-z0-9]+", "_", word).strip("_") if not re.fullmatch(r"\w+", word) else word
    if name[0].isdigit():
        name = "_" + name
    return name + "_" if name in KEYWORDS else name


def fnv1a(text: str) -> int:
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return value


def slot_of(value: int, seed: int, bits: int) -> int:
    return (((value ^ (seed * 0x9E3779B97F4A7C15 & MASK)) * 0xD6E8FEB86659FD93) & MASK) >> (64 - bits)


def perfect_hash(keys: list[str]) -> tuple[int, int, list[int], list[int]]:
    """(bits, bucket bits, seed of each bucket, index into keys + 1 of each place); src/isa/perfect_hash.h looks up."""
    bits = max(1, (len(keys) * 5 // 4).bit_length())
    bucket_bits = max(1, bits - 2)
    hashes = [fnv1a(key) for key in keys]
    buckets: list[list[int]] = [[] for _ in range(1 << bucket_bits)]
    for index, value in enumerate(hashes):
        buckets[value & ((1 << bucket_bits) - 1)].append(index)
    seeds = [0] * len(buckets)
    places = [0] * (1 << bits)
    for bucket in sorted(range(len(buckets)), key=lambda b: (-len(buckets[b]), b)):
        members = buckets[bucket]
        for seed in range(1, 1 << 16) if members else []:
            wanted = [slot_of(hashes[i], seed, bits) for i in members]
            if len(set(wanted)) == len(wanted) and not any(places[w] for w in wanted):
                seeds[bucket] = seed
                for index, place in zip(members, wanted):
                    places[place] = index + 1
                break
        else:
            if members:
                raise AssertionError("no perfect hash found; two keys are the same")
    return bits, bucket_bits, seeds, places
