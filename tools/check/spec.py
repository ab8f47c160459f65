#!/usr/bin/env python3
"""The data in spec/ is good: every file parses, the generators accept it, and they write the same bytes twice.

A generator with a function lint(spec) -> list[str] adds its own rules; each string is "file: message".
"""

import sys

import tree

sys.path.insert(0, str(tree.ROOT / "tools/gen"))
sys.dont_write_bytecode = True

import gen  # noqa: E402  (the path above comes first)


def read_everything(spec: gen.Spec) -> list[str]:
    errors = []
    for path in spec.files("."):
        try:
            spec.load(path)
        except (gen.SpecError, UnicodeDecodeError) as error:
            errors.append(str(error))
    return errors


def main() -> int:
    root = tree.ROOT / "spec"
    errors = read_everything(gen.Spec(root))
    if not errors:
        try:
            for generator in gen.generators():
                if generator.generate(gen.Spec(root)) != generator.generate(gen.Spec(root)):
                    errors.append(f"tools/gen/{generator.__name__}.py: two runs over the same data differ")
                if hasattr(generator, "lint"):
                    errors += generator.lint(gen.Spec(root))
        except gen.SpecError as error:
            errors.append(str(error))
    return tree.finish("spec", [str(error).replace(f"{tree.ROOT}/", "") for error in errors])


if __name__ == "__main__":
    sys.exit(main())
