#!/usr/bin/env python3
"""Pages below docs/ that a generator writes are committed as it writes them. --fix renews them."""

import sys

import tree

sys.path.insert(0, str(tree.ROOT / "tools/gen"))
sys.dont_write_bytecode = True

import gen  # noqa: E402  (the path above comes first)


def main() -> int:
    errors = []
    spec = gen.Spec(tree.ROOT / "spec")
    for generator in gen.generators():
        if not any(path.startswith("docs/") for path in generator.outputs(spec)):
            continue
        for path, text in generator.generate(spec).items():
            page = tree.ROOT / path
            if not path.startswith("docs/") or page.exists() and page.read_text(encoding="utf-8") == text:
                continue
            if "--fix" in sys.argv[1:]:
                gen.write_if_changed(page, text)
                print(f"{path}: renewed")
            else:
                errors.append(f"{path}:1: not what tools/gen/{generator.__name__}.py writes; run tools/check/docs.py --fix")
    return tree.finish("docs", errors)


if __name__ == "__main__":
    sys.exit(main())
