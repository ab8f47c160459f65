"""What the checks share: the files of the tree, and how a finding is reported."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CXX = {".cpp", ".h"}


def files(root: pathlib.Path = ROOT) -> list[pathlib.Path]:
    """Tracked files and new ones that git does not ignore; without git, everything outside build/."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
        found = {root / name for name in listed if name}
    except (OSError, subprocess.CalledProcessError):
        found = {path for path in root.rglob("*") if path.relative_to(root).parts[0] not in ("build", ".git")}
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def relative(path: pathlib.Path, root: pathlib.Path = ROOT) -> str:
    return path.relative_to(root).as_posix()


def finish(name: str, errors: list[str]) -> int:
    for error in errors:
        print(error)
    print(f"{name}: {len(errors)} error{'' if len(errors) == 1 else 's'}", file=sys.stderr)
    return 1 if errors else 0
