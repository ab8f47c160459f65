"""Every file below examples/ has a link in examples/README.md."""

import pathlib
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "README.md").read_text()
for path in sorted(root.rglob("*.*")):
    name = path.relative_to(root).as_posix()
    if name != "README.md" and f"]({name})" not in page:
        print(f"examples/README.md does not tell of {name}")
