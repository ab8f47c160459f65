"""environments.py PROGRAM UNWILLING: runs environments.cu's program where something is missing or limited; UNWILLING is the
library of unwilling.c. Prints a line for each environment and fails if a run ends otherwise than the table allows (0: right, 1: an
error was told)."""
import ctypes
import errno
import os
import platform
import resource
import signal
import struct
import subprocess
import sys
import tempfile

UNWILLING = os.path.abspath(sys.argv[2])
RIGHT = {0}
TOLD = {1}
EITHER = {0, 1}  # what the system itself needs decides
MB = 1 << 20
GB = 1 << 30


def limit(name, value):
    return lambda: resource.setrlimit(getattr(resource, name), (value, value))


def handler(number, action=signal.SIG_IGN):
    return lambda: signal.signal(number, action)


def blocked(*numbers):
    return lambda: signal.pthread_sigmask(signal.SIG_BLOCK, numbers)


def closed(*descriptors):
    def close():
        for one in descriptors:
            os.close(one)
    return close


def many_open():
    for _ in range(200):
        os.dup(0)


def cores(count):
    return lambda: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


def cache_of(kind):
    def make(folder):
        path = os.path.join(folder, "cache")
        if kind == "file":
            open(path, "w").close()
        elif kind == "loop":
            os.symlink(path, path)
        elif kind == "dangling":
            os.symlink(path + "-none", path)
        elif kind in ("fifos", "folders", "empty", "garbage", "unreadable", "long"):
            # Whatever the program will look for: what it stored is replaced.
            return path, kind
        elif kind == "read only":
            os.mkdir(path, 0o500)
        return path, None
    return make


def replace_entries(path, kind):
    for folder, _, names in list(os.walk(path)):
        for name in names:
            entry = os.path.join(folder, name)
            if kind == "unreadable":
                os.chmod(entry, 0)
                continue
            os.remove(entry)
            if kind == "fifos":
                os.mkfifo(entry)
            elif kind == "folders":
                os.mkdir(entry)
            else:
                with open(entry, "wb") as file:
                    if kind == "garbage":
                        file.write(b"HEDDLEJ\n" + bytes(range(256)) * 16)
                    elif kind == "long":
                        file.truncate(1 << 40)


# x86-64's numbers of system calls.
CALLS = {"madvise": 28, "socket": 41, "clone3": 435, "sched_setaffinity": 203, "sched_getaffinity": 204, "memfd_create": 319,
         "userfaultfd": 323, "perf_event_open": 298, "rseq": 334, "fallocate": 285, "openat2": 437, "io_uring_setup": 425,
         "mlock": 149, "sysinfo": 99, "prctl": 157, "getrandom": 318, "tgkill": 234, "sigaltstack": 131, "mbind": 237,
         "set_mempolicy": 238, "msync": 26}


def refused(code, *names):
    """A filter of system calls (seccomp), as containers have them: these fail with `code`."""
    def install():
        allow, fail = 0x7fff0000, 0x00050000 | code
        steps = [(0x20, 0, 0, 0)]  # load the number
        for name in names:
            steps += [(0x15, 0, 1, CALLS[name]), (0x06, 0, 0, fail)]
        steps.append((0x06, 0, 0, allow))
        text = b"".join(struct.pack("<HBBI", *step) for step in steps)
        buffer = ctypes.create_string_buffer(text, len(text))
        program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(steps), ctypes.addressof(buffer)), 16)
        library = ctypes.CDLL(None, use_errno=True)
        if library.prctl(38, 1, 0, 0, 0) != 0 or library.prctl(22, 2, ctypes.c_void_p(ctypes.addressof(program)), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "seccomp")
    return install


# name, outcomes, what the child does before it becomes the program, variables (None: not there), what is done to the cache
TABLE = [
    ("nothing special", RIGHT, None, {}, None),
    ("one core", RIGHT, cores(1), {}, None),
    ("stack of 256 KB", RIGHT, limit("RLIMIT_STACK", 256 << 10), {}, None),
    ("stack of 64 MB", RIGHT, limit("RLIMIT_STACK", 64 * MB), {}, None),
    ("stack without limit", RIGHT, limit("RLIMIT_STACK", resource.RLIM_INFINITY), {}, None),
    ("no core files", RIGHT, limit("RLIMIT_CORE", 0), {}, None),
    ("files of 0 bytes", RIGHT, limit("RLIMIT_FSIZE", 0), {}, None),
    ("files of 4 KB", RIGHT, limit("RLIMIT_FSIZE", 4096), {}, None),
    ("no locked memory", RIGHT, limit("RLIMIT_MEMLOCK", 0), {}, None),
    ("32 descriptors", RIGHT, limit("RLIMIT_NOFILE", 32), {}, None),
    ("8 descriptors", EITHER, limit("RLIMIT_NOFILE", 8), {}, None),
    ("200 descriptors open", RIGHT, many_open, {}, None),
    ("no queued signals", RIGHT, limit("RLIMIT_SIGPENDING", 0), {}, None),
    ("addresses of 300 MB", EITHER, limit("RLIMIT_AS", 300 * MB), {}, None),
    ("addresses of 1 GB", EITHER, limit("RLIMIT_AS", GB), {}, None),
    ("addresses of 2 GB", RIGHT, limit("RLIMIT_AS", 2 * GB), {}, None),
    ("addresses of 4 GB", RIGHT, limit("RLIMIT_AS", 4 * GB), {}, None),
    ("addresses of 16 GB", RIGHT, limit("RLIMIT_AS", 16 * GB), {}, None),
    ("addresses of 20 TB", RIGHT, limit("RLIMIT_AS", 20 << 40), {}, None),
    ("2 GB, an old device", RIGHT, limit("RLIMIT_AS", 2 * GB), {"HEDDLE_DEVICE": "gtx980"}, None),
    ("2 GB, reference executor", RIGHT, limit("RLIMIT_AS", 2 * GB), {"HEDDLE_EXECUTOR": "interp"}, None),
    ("data of 200 MB", EITHER, limit("RLIMIT_DATA", 200 * MB), {}, None),
    ("data of 1 GB", RIGHT, limit("RLIMIT_DATA", GB), {}, None),
    ("no threads", RIGHT, None, {"LD_PRELOAD": UNWILLING, "UNWILLING": "threads"}, None),
    ("no threads, reference executor", RIGHT, None,
     {"LD_PRELOAD": UNWILLING, "UNWILLING": "threads", "HEDDLE_EXECUTOR": "interp"}, None),
    ("one thread", RIGHT, None, {"LD_PRELOAD": UNWILLING, "UNWILLING": "threads 1"}, None),
    ("no threads, 8 wanted", RIGHT, None, {"LD_PRELOAD": UNWILLING, "UNWILLING": "threads", "HEDDLE_THREADS": "8"}, None),
    ("full disk", RIGHT, None, {"LD_PRELOAD": UNWILLING, "UNWILLING": "disk"}, None),
    ("a container's filter", RIGHT, refused(errno.EPERM, "clone3", "userfaultfd", "perf_event_open", "io_uring_setup",
                                            "mbind", "set_mempolicy"), {}, None),
    ("an older kernel's calls", RIGHT, refused(errno.ENOSYS, "clone3", "rseq", "openat2", "memfd_create", "getrandom"), {}, None),
    ("no advice on memory", RIGHT, refused(errno.EPERM, "madvise"), {}, None),
    ("no choice of cores", RIGHT, refused(errno.EPERM, "sched_setaffinity", "sched_getaffinity"), {}, None),
    ("no signals to threads", RIGHT, refused(errno.EPERM, "tgkill"), {}, None),
    ("no stacks for signals", RIGHT, refused(errno.EPERM, "sigaltstack"), {}, None),
    ("no network", RIGHT, refused(errno.EACCES, "socket"), {}, None),
    ("nice 19", RIGHT, lambda: os.nice(19), {}, None),
    ("no standard input", RIGHT, closed(0), {}, None),
    ("no standard output", RIGHT, closed(1), {}, None),
    ("no standard error", RIGHT, closed(2), {}, None),
    ("no standard descriptors", RIGHT, closed(0, 1, 2), {}, None),
    ("SIGSEGV ignored", RIGHT, handler(signal.SIGSEGV), {}, None),
    ("SIGBUS ignored", RIGHT, handler(signal.SIGBUS), {}, None),
    ("SIGFPE ignored", RIGHT, handler(signal.SIGFPE), {}, None),
    ("SIGPIPE by default", RIGHT, handler(signal.SIGPIPE, signal.SIG_DFL), {}, None),
    ("SIGCHLD ignored", RIGHT, handler(signal.SIGCHLD), {}, None),
    ("SIGXFSZ ignored", RIGHT, handler(signal.SIGXFSZ), {}, None),
    ("SIGSEGV blocked", RIGHT, blocked(signal.SIGSEGV), {}, None),
    ("SIGBUS and SIGFPE blocked", RIGHT, blocked(signal.SIGBUS, signal.SIGFPE), {}, None),
    ("all signals blocked", RIGHT, blocked(*signal.valid_signals()), {}, None),
    ("own session", RIGHT, os.setsid, {}, None),
    ("umask 777", RIGHT, lambda: os.umask(0o777), {}, None),
    ("folder is the root", RIGHT, lambda: os.chdir("/"), {}, None),
    ("no HOME", RIGHT, None, {"HOME": None, "HEDDLE_CACHE_DIR": None, "XDG_CACHE_HOME": None}, None),
    ("empty HOME", RIGHT, None, {"HOME": "", "HEDDLE_CACHE_DIR": None, "XDG_CACHE_HOME": None}, None),
    ("HOME is relative", RIGHT, None, {"HOME": "x", "HEDDLE_CACHE_DIR": None, "XDG_CACHE_HOME": None}, None),
    ("HOME is missing", RIGHT, None, {"HOME": "/nonexistent", "HEDDLE_CACHE_DIR": None, "XDG_CACHE_HOME": None}, None),
    ("HOME is a file", RIGHT, None, {"HOME": "/dev/null", "HEDDLE_CACHE_DIR": None, "XDG_CACHE_HOME": None}, None),
    ("no TMPDIR", RIGHT, None, {"TMPDIR": None}, None),
    ("TMPDIR is missing", RIGHT, None, {"TMPDIR": "/nonexistent"}, None),
    ("no PATH", RIGHT, None, {"PATH": None}, None),
    ("empty LD_LIBRARY_PATH", RIGHT, None, {"LD_LIBRARY_PATH": ""}, None),
    ("missing LD_PRELOAD", RIGHT, None, {"LD_PRELOAD": "/nonexistent.so"}, None),
    ("LC_ALL=C", RIGHT, None, {"LC_ALL": "C"}, None),
    ("LC_ALL=tr_TR.UTF-8", RIGHT, None, {"LC_ALL": "tr_TR.UTF-8"}, None),
    ("LC_ALL without meaning", RIGHT, None, {"LC_ALL": "\N{SNOWMAN}"}, None),
    ("100 KB variable", RIGHT, None, {"LONG": "x" * 100_000}, None),
    ("MALLOC_PERTURB_", RIGHT, None, {"MALLOC_PERTURB_": "165"}, None),
    ("MALLOC_ARENA_MAX=1", RIGHT, None, {"MALLOC_ARENA_MAX": "1"}, None),
    ("LD_BIND_NOW", RIGHT, None, {"LD_BIND_NOW": "1"}, None),
    ("HEDDLE_THREADS=1", RIGHT, None, {"HEDDLE_THREADS": "1"}, None),
    ("HEDDLE_THREADS without meaning", TOLD, None, {"HEDDLE_THREADS": "many"}, None),
    ("no devices", TOLD, None, {"CUDA_VISIBLE_DEVICES": ""}, None),
    ("no cache", RIGHT, None, {"HEDDLE_CACHE_DIR": ""}, None),
    ("cache is a device", RIGHT, None, {"HEDDLE_CACHE_DIR": "/dev/full"}, None),
    ("cache below proc", RIGHT, None, {"HEDDLE_CACHE_DIR": "/proc/self/cache"}, None),
    ("cache is a file", RIGHT, None, {}, cache_of("file")),
    ("cache is a loop of links", RIGHT, None, {}, cache_of("loop")),
    ("cache is a dangling link", RIGHT, None, {}, cache_of("dangling")),
    ("cache is read only", RIGHT, None, {}, cache_of("read only")),
    ("cache has pipes", RIGHT, None, {}, cache_of("fifos")),
    ("cache has folders", RIGHT, None, {}, cache_of("folders")),
    ("cache has empty files", RIGHT, None, {}, cache_of("empty")),
    ("cache has garbage", RIGHT, None, {}, cache_of("garbage")),
    ("cache has unreadable files", RIGHT, None, {}, cache_of("unreadable")),
    ("cache has files of 1 TB", RIGHT, None, {}, cache_of("long")),
]


def run(program, before, environment):
    try:
        done = subprocess.run([program], env=environment, preexec_fn=before, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        return done.returncode, done.stderr.decode(errors="replace").strip()
    except subprocess.TimeoutExpired:
        return "hangs", ""


def main():
    program, bad = os.path.abspath(sys.argv[1]), 0
    if platform.machine() != "x86_64":
        sys.exit("the numbers of system calls are x86-64's")
    with tempfile.TemporaryDirectory() as shared:
        for name, allowed, before, variables, cache in TABLE:
            with tempfile.TemporaryDirectory() as folder:
                environment = dict(os.environ, HEDDLE_CACHE_DIR=shared)
                if name.startswith("files of") or name == "full disk":
                    environment["HEDDLE_CACHE_DIR"] = folder  # something must be written
                if cache is not None:
                    path, later = cache(folder)
                    environment["HEDDLE_CACHE_DIR"] = path
                    if later is not None:
                        run(program, None, environment)
                        replace_entries(path, later)
                for key, value in variables.items():
                    environment.pop(key, None)
                    if value is not None:
                        environment[key] = value
                outcome, told = run(program, before, environment)
            good = outcome in allowed
            bad += not good
            print(f"{'ok  ' if good else 'BAD '} {name}: {outcome}{'' if good else ' ' + told}", flush=True)
    print(f"{len(TABLE)} environments, {bad} bad")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
