"""environments.py PROGRAM: runs environments.cu's program where something is missing or limited. Prints a line for
each environment and fails if a run ends otherwise than the table allows (0: right, 1: an error was told)."""
import os
import resource
import signal
import subprocess
import sys
import tempfile

RIGHT = {0}
TOLD = {1}
EITHER = {0, 1}  # what the system itself needs decides
MB = 1 << 20


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
    with tempfile.TemporaryDirectory() as shared:
        for name, allowed, before, variables, cache in TABLE:
            with tempfile.TemporaryDirectory() as folder:
                environment = dict(os.environ, HEDDLE_CACHE_DIR=shared)
                if name.startswith("files of"):
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
