#!/usr/bin/env python3
"""The generated pages below docs/ are what the generators make of spec/. `pages.py --write` brings them up to date."""

import sys

import tree

sys.path.insert(0, str(tree.ROOT / "tools/gen"))
sys.dont_write_bytecode = True

import gen  # noqa: E402  (the path above comes first)


def main() -> int:
    spec, errors = gen.Spec(tree.ROOT / "spec"), []
    for generator in gen.generators():
        if not any(path.startswith("docs/") for path in generator.outputs(spec)):
            continue
        for path, text in generator.generate(spec).items():
            page = tree.ROOT / path
            if not path.startswith("docs/") or (page.exists() and page.read_text(encoding="utf-8") == text):
                continue
            if "--write" in sys.argv[1:]:
                gen.write_if_changed(page, text)
            else:
                errors.append(f"{path}:1: not what tools/gen/{generator.__name__}.py makes; run tools/check/pages.py --write")
    return tree.finish("pages", errors)


if __name__ == "__main__":
    sys.exit(main())
