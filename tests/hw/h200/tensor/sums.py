#!/usr/bin/env python3
"""Sums of matrix instructions of single warps: mma, mma.sp, wmma.   sums.py write FOLDER | run FOLDER"""
import ctypes, pathlib, struct, sys
import record
from record import HEAD, Device, wgmma_input


def kernel(name, c):
    na, nb, nd = c["na"], c["nb"], c["nd"]
    dty = "f32" if c["dt"] == "f32" else "b32"
    cty = "f32" if c["dt"] == "f32" else "b32"
    wide = 32  # bytes of a thread's registers of A and B
    t = f".visible .entry {name}(.param .u64 given, .param .u64 left, .param .u64 da, .param .u64 db, .param .u32 scale)\n{{\n"
    t += f"  .reg .b32 %r<8>, %a<{na}>, %b<{nb}>, %m;\n  .reg .b64 %rd<12>;\n  .reg .{dty} %d<{nd}>;\n"
    t += f"""  ld.param.u64 %rd1, [given];
  ld.param.u64 %rd2, [left];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd3, %r3, {wide};
  add.u64 %rd4, %rd1, %rd3;
  mul.wide.u32 %rd5, %r3, {4 * nd};
  add.u64 %rd6, %rd1, %rd5;
  add.u64 %rd7, %rd2, %rd5;
  mul.wide.u32 %rd8, %r3, 4;
  add.u64 %rd8, %rd1, %rd8;
  ld.global.b32 %m, [%rd8+{40960 + 512 * nd + 2048}];
"""
    for i in range(na):
        t += f"  ld.global.b32 %a{i}, [%rd4+{4 * i}];\n"
    for i in range(nb):
        t += f"  ld.global.b32 %b{i}, [%rd4+{8192 + 4 * i}];\n"
    for i in range(nd):
        t += f"  ld.global.{dty} %d{i}, [%rd6+{40960 + 4 * i}];\n"
    d = "{" + ", ".join(f"%d{i}" for i in range(nd)) + "}"
    a = "{" + ", ".join(f"%a{i}" for i in range(na)) + "}"
    b = "{" + ", ".join(f"%b{i}" for i in range(nb)) + "}"
    kind, shape = c["what"], c["shape"]
    if kind == "mma":
        t += f"  mma.sync.aligned.{shape}.row.col.{c['dt']}.{c['at']}.{c['bt']}.{c['dt']} {d}, {a}, {b}, {d};\n"
    elif kind == "sp":
        t += f"  mma.sp::ordered_metadata.sync.aligned.{shape}.row.col.{c['dt']}.{c['at']}.{c['bt']}.{c['dt']} {d}, {a}, {b}, {d}, %m, {c['sel']};\n"
    else:
        types = f"{c['dt']}.{c['dt']}" if c["at"] == "f16" else f"f32.{c['at']}.{c['at']}.f32"
        t += f"  wmma.mma.sync.aligned.row.col.{shape}.{types} {d}, {a}, {b}, {d};\n"
    for i in range(nd):
        t += f"  st.global.{dty} [%rd7+{4 * i}], %d{i};\n"
    return t + "  ret;\n}\n"


def cases():
    out = []
    forms = [("mma", dt, at, bt, shape, na, nb, 4 if dt == "f32" else 2, 0) for dt, at, bt, shape, na, nb in (
        ("f32", "f16", "f16", "m16n8k16", 4, 2), ("f32", "f16", "f16", "m16n8k8", 2, 1), ("f16", "f16", "f16", "m16n8k16", 4, 2), ("f16", "f16", "f16", "m16n8k8", 2, 1),
        ("f32", "bf16", "bf16", "m16n8k16", 4, 2), ("f32", "bf16", "bf16", "m16n8k8", 2, 1), ("f32", "tf32", "tf32", "m16n8k8", 4, 2), ("f32", "tf32", "tf32", "m16n8k4", 2, 1),
        ("f32", "e4m3", "e4m3", "m16n8k32", 4, 2), ("f32", "e5m2", "e5m2", "m16n8k32", 4, 2), ("f32", "e4m3", "e5m2", "m16n8k32", 4, 2), ("f32", "e5m2", "e4m3", "m16n8k32", 4, 2),
        ("f16", "e4m3", "e4m3", "m16n8k32", 4, 2), ("f16", "e5m2", "e5m2", "m16n8k32", 4, 2), ("f32", "e4m3", "e4m3", "m16n8k16", 2, 1), ("f16", "e5m2", "e4m3", "m16n8k16", 2, 1))]
    forms += [("sp", dt, at, bt, shape, na, nb, 4 if dt == "f32" else 2, sel) for dt, at, bt, shape, na, nb, sel in (
        ("f32", "f16", "f16", "m16n8k16", 2, 2, 1), ("f32", "f16", "f16", "m16n8k32", 4, 4, 0), ("f16", "f16", "f16", "m16n8k32", 4, 4, 1), ("f32", "bf16", "bf16", "m16n8k32", 4, 4, 0),
        ("f32", "tf32", "tf32", "m16n8k8", 2, 2, 1), ("f32", "tf32", "tf32", "m16n8k16", 4, 4, 0), ("f32", "e4m3", "e4m3", "m16n8k64", 4, 4, 0), ("f32", "e5m2", "e4m3", "m16n8k64", 4, 4, 0))]
    forms += [("wmma", dt, at, at, shape, na, nb, 8 if dt == "f32" else 4, 0) for dt, at, shape, na, nb in (
        ("f32", "f16", "m16n16k16", 8, 8), ("f16", "f16", "m16n16k16", 8, 8), ("f32", "f16", "m32n8k16", 8, 8), ("f32", "f16", "m8n32k16", 8, 8),
        ("f32", "bf16", "m16n16k16", 4, 4), ("f32", "bf16", "m32n8k16", 8, 2), ("f32", "bf16", "m8n32k16", 2, 8), ("f32", "tf32", "m16n16k8", 4, 4))]
    forms += [("mma", "f32", "f16", "f16", "m8n8k4", 2, 2, 8, 0), ("mma", "f16", "f16", "f16", "m8n8k4", 2, 2, 4, 0)]
    for what, dt, at, bt, shape, na, nb, nd, sel in forms:
        for mode in ("narrow", "wide", "all"):
            out.append(dict(what=what, shape=shape, dt=dt, at=at, bt=bt, nd=nd, na=na, nb=nb, sel=sel, mode=mode, seed=70000 + len(out), da=0, db=0, scale=0))
    return out


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    names, text, all_cases = {}, HEAD, cases()
    for c in all_cases:
        key = tuple(c[k] for k in ("what", "shape", "dt", "at", "bt", "sel"))
        if key not in names:
            names[key] = f"sum_{len(names)}"
            text += kernel(names[key], c)
        c["kernel"] = names[key]
    (folder / "sums.ptx").write_text(text)
    (folder / "sums.cases").write_text("".join(record.line(c) + "\n" for c in all_cases))


def run(folder):
    d = Device()
    module = d.module(folder / "sums.ptx")
    given, left = d.buffer(1 << 17), d.buffer(1 << 17)
    with open(folder / "sums.out", "wb") as out:
        for c in record.read(folder / "sums.cases"):
            d.to(given, wgmma_input(c))
            d.launch(d.function(module, c["kernel"]), [given, left, ctypes.c_uint64(0), ctypes.c_uint64(0), ctypes.c_uint32(0)])
            out.write(d.back(left, 512 * c["nd"]))


if __name__ == "__main__":
    {"write": write, "run": run}[sys.argv[1]](pathlib.Path(sys.argv[2]))
