"""Programs of Csmith as kernels: each thread has the program's globals to itself, changed a little by the thread's number.

Csmith writes C (C++ here) without undefined behaviour, and a check sum over all globals at the end. The whole program becomes a struct,
Globals: its globals are members, its functions too. Values that Csmith may not rely on, integers that are neither constant nor volatile,
get bits of the thread's number before the program starts, so that threads take different ways. Where the struct lies
depends on the seed: in the thread's own memory or in the device's.
"""

import re
import subprocess
import tempfile

# No addresses of a union's members: reading another member through them is what compilers may take as never happening.
OPTIONS = ("--lang-cpp", "--cpp11", "--no-argc", "--quiet", "--concise", "--no-packed-struct", "--no-bitfields", "--no-const-struct-union-fields",
           "--no-vol-struct-union-fields", "--take-no-union-field-addr", "--max-funcs", "3", "--max-array-dim", "2", "--max-array-len-per-dim", "6", "--max-block-depth", "4", "--max-block-size", "3",
           "--max-expr-complexity", "6")
SHORTEST, LONGEST = 150, 380  # lines, statistics included: most that is shorter does nothing, and what is longer compiles for minutes
LIMIT = 60  # seconds; Csmith itself seldom does not end

FUNCTION = re.compile(r"^(?:static |inline |const |volatile )*[A-Za-z_].*\bfunc_\d+\(.*\)$")
FORWARD = re.compile(r"^(?:static |inline |const |volatile )*[A-Za-z_].*\bfunc_\d+\(.*\);$")
ASSIGNMENT = re.compile(r"^\s+.*operator=\(.*\{$")
SCALAR = re.compile(r"^static (u?int(?:8|16|32|64)_t) (g_\d+) = ")


def generate(seed: int) -> str | None:
    """What Csmith makes of a seed, or None if it gives up."""
    try:
        with tempfile.TemporaryDirectory() as folder:  # it leaves a file, platform.info
            done = subprocess.run(["csmith", "--seed", str(seed), *OPTIONS], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 and "func_1" in done.stdout else None


def program(seed: int) -> str | None:
    """The namespace of one program (oracle.h says what is in it), or None if there is none for this seed."""
    text = generate(seed)
    if text is None or not SHORTEST <= text.count("\n") <= LONGEST:
        return None
    lines, scalars, skipped = [], [], False
    for line in text.splitlines():
        if line.startswith("/****"):
            break  # statistics
        if skipped or line.startswith(("#include", "static long __undefined")) or FORWARD.match(line) or "if (print_hash_value)" in line:
            skipped = False
            continue
        scalar = SCALAR.match(line)
        if scalar:
            scalars.append(scalar.groups())
        if FUNCTION.match(line):
            line = "ORACLE_HD " + line.removeprefix("static ")
        elif ASSIGNMENT.match(line):
            line = "    ORACLE_HD " + line.lstrip()
        elif line.startswith("int main"):
            line = "ORACLE_HD int run()"
        elif line.startswith("static "):
            line = line.removeprefix("static ")
        lines.append(line)
    changes = [f"    {name} ^= static_cast<{kind}>((t >> {i % 5}) & {(1, 7, 3)[i % 3]});" for i, (kind, name) in enumerate(scalars[:8])]
    where = ("Own", "Device")[seed % 2]
    return "\n".join([
        f"namespace p{seed} {{", "struct Globals : csmith::Program {", *lines,
        "ORACLE_HD void change(uint32_t t) {", "    static_cast<void>(t);", *changes, "}", "};",
        f"ORACLE_PROGRAM_OF_THREADS({seed}, csmith::{where}<Globals>)", f"}} // namespace p{seed}", ""])
