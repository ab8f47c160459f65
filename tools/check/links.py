#!/usr/bin/env python3
"""Every relative link of a Markdown file leads to a file or folder of the tree."""

import re
import sys

import tree

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def main() -> int:
    errors = []
    for path in tree.files():
        if path.suffix != ".md":
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            # Indented by four and `quoted` text is an example, not a link.
            if line.startswith("    "):
                continue
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if "://" not in target and not target.startswith("mailto:") and not (path.parent / target).exists():
                    errors.append(f"{tree.relative(path)}:{number}: link to {target}, which does not exist")
    return tree.finish("links", errors)


if __name__ == "__main__":
    sys.exit(main())
