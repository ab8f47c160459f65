#!/usr/bin/env python3
"""The checks find what they are there to find."""

import json
import pathlib
import sys
import tempfile
import unittest

import idle
import layers
import text

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import count_tests


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


class Stages(unittest.TestCase):
    stages = layers.read_stages("heddle_stages(big first second\n  third)\n")

    def errors(self, name: str, include: str) -> list[str]:
        return layers.check_stages(self.stages, name, f'#include "{include}"\n')

    def test_a_stage_includes_what_comes_before_it(self):
        self.assertEqual(self.errors("src/big/second/a.cpp", "big/first/a.h"), [])
        self.assertEqual(self.errors("src/big/second/deep/a.cpp", "big/second/a.h"), [])
        self.assertEqual(self.errors("src/big/second/a.cpp", "big/public.h"), [])
        self.assertEqual(self.errors("src/big/public.cpp", "big/third/a.h"), [])
        self.assertEqual(self.errors("src/other/a.cpp", "big/third/a.h"), [])

    def test_nothing_that_comes_behind_it(self):
        self.assertRegex(self.errors("src/big/second/a.cpp", "big/third/a.h")[0], "src/big/second/a.cpp:1: .* comes behind")
        self.assertEqual(self.errors("src/big/second/a_test.cpp", "big/third/a.h"), [])

    def test_every_folder_has_a_place_in_the_order(self):
        self.assertRegex(self.errors("src/big/fourth/a.cpp", "big/first/a.h")[0], "no stage fourth")


class Text(unittest.TestCase):
    def test_each_rule_fires(self):
        self.assertTrue(text.check_line("\tx"))
        self.assertTrue(text.check_line("x "))
        self.assertTrue(text.check_line("// TO" + "DO later"))
        self.assertTrue(text.check_line("see /" + "home/someone/file"))

    def test_ordinary_lines_pass(self):
        for line in ("see /usr/include/stdio.h", "ld.shared/st.shared", "https://example.org/a/b", "a / b / c", "#!/usr/bin/env bash"):
            self.assertEqual(text.check_line(line), [])


class Idle(unittest.TestCase):
    SOURCE = """
Status looks(int flags) {
  auto found = find_stream(flags);
  if (!found) return found.error();
  if (flags != 0) return invalid_value("flags " + std::to_string(flags));
  return Unit{};  // *out = 1 is a remark
}
Status destroys(Handle handle) {
  if (handles().remove(handle) == nullptr) return failure(Code::invalid_handle, "none");
  return Unit{};
}
Status writes(int* out) {
  *out = 1;
  return Unit{};
}
Status calls(int n) { return other(n); }
"""

    def test_what_has_no_effect_is_found(self):
        states = {name: {"state": "done"} for name in ("looks", "destroys", "writes", "calls")}
        self.assertEqual([error.split()[0] for error in idle.check(states, self.SOURCE)], ["looks"])
        states = {name: {"state": "idle"} for name in states}
        self.assertEqual([error.split()[0] for error in idle.check(states, self.SOURCE)], ["destroys", "writes", "calls"])

    def test_other_names_are_as_what_they_mean(self):
        records = {"looks": {"state": "idle"}, "again": {"means": "cu::looks(flags)"}, "nothing": {"means": "Unit{}"},
                   "good": {"means": "cu::looks(0)", "state": "idle"}, "does": {"means": "cu::calls(n)"}, "gone": {"state": "done"}}
        self.assertEqual([error.split()[0] for error in idle.check(records, self.SOURCE)], ["again", "nothing", "gone"])


class CountTests(unittest.TestCase):
    def counts(self, ctest: str, limit: int = 300, **files: str) -> count_tests.Counts:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "ctest.xml").write_text(f"<testsuite>{ctest}</testsuite>")
            tests = [{"name": test, "properties": [{"name": "TIMEOUT", "value": limit}]} for test in ("a_test", "b_test")]
            (folder / "limits.json").write_text(json.dumps({"tests": tests}))
            for file, content in files.items():
                (folder / f"{file}.xml").write_text(f"<testsuites><testsuite>{content}</testsuite></testsuites>")
            return count_tests.count(folder)

    RUN = '<testcase name="a_test" status="run" time="20"/>'

    def test_single_tests_are_counted_and_skipped_ones_named_with_their_reason(self):
        counts = self.counts(self.RUN, a_test="""
            <testcase classname="A" name="Good" status="run" result="completed"/>
            <testcase classname="A" name="Bad" status="run" result="completed"><failure message="no"/></testcase>
            <testcase classname="A" name="Left" status="run" result="skipped">
              <skipped message="x_test.cpp:7&#10;no AVX here&#10;"/></testcase>
            <testcase classname="A" name="DISABLED_Off" status="notrun" result="suppressed"/>""")
        self.assertEqual((counts.passed, counts.failed), (1, 1))
        self.assertEqual(counts.skipped, ["A.Left: no AVX here", "A.DISABLED_Off: disabled"])

    def test_what_lit_does_not_support_is_skipped(self):
        counts = self.counts(self.RUN, a_test="""
            <testcase classname="heddle.ptx" name="x.ptx" time="0.1"><skipped message="Missing required feature(s): cpu-sve"/></testcase>""")
        self.assertEqual(counts.skipped, ["heddle.ptx.x.ptx: Missing required feature(s): cpu-sve"])
        self.assertEqual(counts.passed, 0)

    def test_a_binary_that_died_has_failed(self):
        counts = self.counts('<testcase name="a_test" status="fail" time="1"><failure/></testcase>')
        self.assertEqual((counts.passed, counts.failed), (0, 1))

    def test_a_binary_that_was_not_built_has_failed(self):
        counts = self.counts('<testcase name="a_test" status="notrun" time="0"><skipped message="Unable to find executable"/></testcase>')
        self.assertEqual((counts.passed, counts.failed, counts.skipped), (0, 1, []))

    def test_more_than_half_of_a_limit_is_told(self):
        entry = '<testcase name="{}" status="run" time="{}"/>'
        counts = self.counts(entry.format("a_test", 149) + entry.format("b_test", 151))
        self.assertEqual(counts.slow, ["b_test: 151 s, more than half of its limit of 300 s"])


if __name__ == "__main__":
    unittest.main()
