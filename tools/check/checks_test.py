#!/usr/bin/env python3
"""The checks find what they are there to find."""

import unittest

import layers
import text


def room(path: str, *words: str) -> tuple[str, layers.Room]:
    return path, layers.Room(path, list(words))


class Layers(unittest.TestCase):
    rooms = dict([
        room("low", "LAYER", "0"),
        room("mid", "LAYER", "1", "USES", "low"),
        room("mid/inner", "LAYER", "2", "USES", "mid", "EXTERNAL", "llvm"),
        room("side", "LAYER", "1", "USES", "low"),
    ])

    def errors(self, name: str, include: str) -> list[str]:
        return layers.check_file(self.rooms, name, f"#include {include}\n")

    def test_a_room_includes_itself_and_what_it_uses_even_indirectly(self):
        self.assertEqual(self.errors("src/mid/a.cpp", '"mid/a.h"'), [])
        self.assertEqual(self.errors("src/mid/inner/a.cpp", '"low/a.h"'), [])
        self.assertEqual(self.errors("src/low/a.cpp", "<vector>"), [])

    def test_upward_and_sideways_includes_are_errors(self):
        self.assertRegex(self.errors("src/low/a.cpp", '"mid/a.h"')[0], r"src/low/a.cpp:1: low .* may not include")
        self.assertEqual(len(self.errors("src/mid/a.cpp", '"side/a.h"')), 1)
        self.assertEqual(len(self.errors("src/mid/a.cpp", '"mid/inner/a.h"')), 1)

    def test_an_outside_library_stays_in_the_rooms_that_name_it(self):
        self.assertEqual(self.errors("src/mid/inner/a.cpp", '"llvm/IR/Module.h"'), [])
        self.assertEqual(len(self.errors("src/mid/a.cpp", '"llvm/IR/Module.h"')), 1)
        self.assertEqual(len(self.errors("src/mid/a.cpp", "<llvm/IR/Module.h>")), 1)

    def test_includes_are_written_from_src(self):
        self.assertEqual(len(self.errors("src/mid/a.cpp", '"a.h"')), 1)
        self.assertEqual(len(self.errors("src/lost/a.cpp", '"low/a.h"')), 1)

    def test_the_table_itself_goes_downward(self):
        upward = dict([room("a", "LAYER", "1"), room("b", "LAYER", "1", "USES", "a")])
        self.assertEqual(len(layers.check_table(upward)), 1)
        self.assertEqual(layers.check_table(self.rooms), [])


class Text(unittest.TestCase):
    def test_each_rule_fires(self):
        self.assertTrue(text.check_line("\tx"))
        self.assertTrue(text.check_line("x "))
        self.assertTrue(text.check_line("// TO" + "DO later"))
        self.assertTrue(text.check_line("see /" + "home/someone/file"))

    def test_ordinary_lines_pass(self):
        for line in ("see /usr/include/stdio.h", "ld.shared/st.shared", "https://example.org/a/b", "a / b / c", "#!/usr/bin/env bash"):
            self.assertEqual(text.check_line(line), [])


if __name__ == "__main__":
    unittest.main()
