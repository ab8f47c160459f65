#!/usr/bin/env python3
"""`heddle ptx run` on a real GPU: the same command line, through the CUDA driver API of the machine it runs on.

Put it in the place of the program under test and the same lit tests judge a device instead of Heddle:
    python3 tests/hw/run_on_device.py ptx run k.ptx --kernel k --arg in:u32=1,2 --arg out:u32*2
It exists to record what hardware does (see tests/hw/README.md). Nothing in the build or in the tests needs it.
"""
import ctypes
import decimal
import re
import struct
import sys

CANONICAL_NAN = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF, "f64": 0x7FF8000000000000}
FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}


class Usage(Exception):
    pass


def bits_of(type_name):
    return int(re.sub(r"\D", "", type_name.replace("bf16", "16").replace("f16x2", "32")))


def is_float(type_name):
    return type_name in ("f16", "bf16", "f32", "f64")


def encode(type_name, text):
    """One VALUE as an integer of the type's width."""
    width = bits_of(type_name)
    text = text.strip()
    if is_float(type_name) and not text.lower().startswith("0x"):
        number = float(text)
        if number != number:
            return CANONICAL_NAN[type_name]
        if type_name == "bf16":
            return struct.unpack("<I", struct.pack("<f", number))[0] >> 16
        fmt = FORMATS[type_name]
        return int.from_bytes(struct.pack(fmt, number), "little")
    return int(text, 0) & ((1 << width) - 1)


def encode_list(type_name, text):
    out = b""
    size = bits_of(type_name) // 8
    for item in text.split(","):
        match = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", item)
        if match:
            first, last = int(match[1]), int(match[2])
            for number in range(first, last + 1):
                out += encode(type_name, str(number)).to_bytes(size, "little")
            continue
        match = re.fullmatch(r"(.+)x(\d+)", item) if not re.match(r"-?0x[0-9a-fA-F]+$", item) else None
        value, count = (match[1], int(match[2])) if match else (item, 1)
        out += encode(type_name, value).to_bytes(size, "little") * count
    return out


def shortest(fmt, raw):
    number = struct.unpack(fmt, raw)[0]
    if number != number:
        canonical = {"<e": (0x7FFF,), "<f": (0x7FFFFFFF,), "<d": (0x7FF8 << 48, 0xFFF8 << 48)}[fmt]
        bits = int.from_bytes(raw, "little")
        return "nan" if bits in canonical else f"nan:0x{bits:0{2 * len(raw)}x}"
    if number in (float("inf"), float("-inf")):
        return "inf" if number > 0 else "-inf"
    for digits in range(17):
        text = f"{number:.{digits}e}"
        if struct.pack(fmt, float(text)) == raw:
            break
    # The shorter of 123400 and 1.234e+05, the plain one when they are equally long.
    plain = f"{decimal.Decimal(text):f}"
    exact = f"{decimal.Decimal(number):f}"
    if "." not in plain and len(exact) == len(plain):
        plain = exact  # of equally long ones the nearest
    mantissa, exponent = text.split("e")
    scientific = f"{mantissa}e{exponent}"
    return plain if len(plain) <= len(scientific) else scientific

def show(type_name, data, as_hex):
    size = bits_of(type_name) // 8
    words = []
    for at in range(0, len(data), size):
        raw = data[at : at + size]
        number = int.from_bytes(raw, "little")
        if as_hex or type_name[0] == "b" and type_name != "bf16":
            words.append(f"0x{number:0{size * 2}x}")
        elif type_name == "bf16":
            words.append("nan" if raw == b"\xff\x7f" else shortest("<f", b"\0\0" + raw))
        elif is_float(type_name):
            words.append(shortest(FORMATS[type_name], raw))
        elif type_name[0] == "s":
            words.append(str(int.from_bytes(raw, "little", signed=True)))
        else:
            words.append(str(number))
    return " ".join(words)


class Buffer:
    def __init__(self, name, type_name, data, shown, target):
        self.name, self.type_name, self.data, self.shown, self.target = name, type_name, data, shown, target
        self.address = ctypes.c_uint64(0)


def parse_argument(text, index):
    name = f"arg{index}"
    match = re.match(r"([A-Za-z_]\w*):(?=(?:in|out|inout):|\w+=)", text)
    if match and match[1] not in ("in", "out", "inout"):
        name, text = match[1], text[match.end() :]
    if text == "null":
        return struct.pack("<Q", 0)
    match = re.match(r"(in|out|inout):(\w+)(.*)$", text)
    if not match:
        type_name, _, value = text.partition("=")
        return encode_list(type_name, value)
    mode, type_name, rest = match.groups()
    rest, _, target = rest.partition(">")
    if rest.startswith("*"):
        data = bytes(int(rest[1:], 0) * bits_of(type_name) // 8)
    elif rest.startswith("@"):
        with open(rest[1:], "rb") as file:
            data = file.read()
    elif rest.startswith("="):
        data = encode_list(type_name, rest[1:])
    else:
        raise Usage(f"bad argument '{text}'")
    return Buffer(name, type_name, data, mode != "in", target)


def dims(text):
    values = [int(v) for v in text.split(",")]
    return (values + [1, 1, 1])[:3]


def main(argv):
    if argv[:2] != ["ptx", "run"]:
        raise Usage("only `ptx run` exists here")
    files, arguments, kernel = [], [], None
    grid, block, shared, as_hex = [1, 1, 1], [1, 1, 1], 0, False
    items = iter(argv[2:])
    for item in items:
        key, eq, inline = item.partition("=") if item.startswith("--") else (item, "", "")
        take = lambda: inline if eq else next(items)
        if key == "--kernel":
            kernel = take()
        elif key == "--grid":
            grid = dims(take())
        elif key == "--block":
            block = dims(take())
        elif key == "--shared":
            shared = int(take(), 0)
        elif key == "--device":
            take()
        elif key == "--timeout":
            take()
        elif key == "--hex":
            as_hex = True
        elif key == "--arg":
            arguments.append(parse_argument(take(), len(arguments)))
        elif key.startswith("--"):
            raise Usage(f"unknown option '{key}'")
        else:
            files.append(item)
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(what, *args):
        code = getattr(cuda, what)(*args)
        if code:
            text = ctypes.c_char_p()
            cuda.cuGetErrorName(code, ctypes.byref(text))
            print(f"{what}: {text.value.decode() if text.value else code}", file=sys.stderr)
            sys.stdout.flush()
            sys.exit(3)

    call("cuInit", 0)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    module, state = ctypes.c_void_p(), ctypes.c_void_p()
    log = ctypes.create_string_buffer(8192)
    keys = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES
    values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), 8192)
    call("cuLinkCreate_v2", 2, keys, values, ctypes.byref(state))
    for name in files:
        with open(name, "rb") as file:
            text = file.read() + b"\0"
        code = cuda.cuLinkAddData_v2(state, 1, text, ctypes.c_size_t(len(text)), name.encode(), 0, None, None)
        if code:
            print(log.value.decode(errors="replace"), file=sys.stderr)
            return 1
    binary, size = ctypes.c_void_p(), ctypes.c_size_t()
    if cuda.cuLinkComplete(state, ctypes.byref(binary), ctypes.byref(size)):
        print(log.value.decode(errors="replace"), file=sys.stderr)
        return 1
    call("cuModuleLoadData", ctypes.byref(module), binary)
    if kernel is None:
        kernel = re.findall(rb"\.entry\s+([\w$%]+)", text)[0].decode()
    function = ctypes.c_void_p()
    call("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
    if shared > 48 * 1024:
        call("cuFuncSetAttribute", function, 8, shared)
    holders = []
    for argument in arguments:
        if isinstance(argument, Buffer):
            call("cuMemAlloc_v2", ctypes.byref(argument.address), ctypes.c_size_t(max(len(argument.data), 1)))
            call("cuMemcpyHtoD_v2", argument.address, argument.data, ctypes.c_size_t(len(argument.data)))
            holders.append(ctypes.create_string_buffer(struct.pack("<Q", argument.address.value), 8))
        else:
            holders.append(ctypes.create_string_buffer(argument, len(argument)))
    pointers = (ctypes.c_void_p * max(len(holders), 1))(*[ctypes.addressof(h) for h in holders])
    call("cuLaunchKernel", function, *grid, *block, shared, None, pointers, None)
    call("cuCtxSynchronize")
    for argument in arguments:
        if isinstance(argument, Buffer) and argument.shown:
            data = ctypes.create_string_buffer(len(argument.data))
            call("cuMemcpyDtoH_v2", data, argument.address, ctypes.c_size_t(len(argument.data)))
            if argument.target:
                with open(argument.target, "wb") as file:
                    file.write(data.raw)
            else:
                print(f"{argument.name}: {show(argument.type_name, data.raw, as_hex)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Usage as problem:
        print(f"run_on_device: {problem}", file=sys.stderr)
        sys.exit(2)
